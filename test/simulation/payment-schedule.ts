import { Completer } from '../../src/idempotency/completer.js';
import { type IdempotentRunner } from '../../src/idempotency/idempotent-runner.js';
import { eventRecords } from '../../src/database/event.js';
import { Problem } from '../../src/core/problem.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { OrphanCompensator } from '../../src/payments/orphan-compensator.js';
import { PaymentOperations } from '../../src/payments/payment-operations.js';
import { PaymentRouteWorker } from '../../src/payments/payment-route-worker.js';
import { payments, paymentTransitions } from '../../src/payments/payment.table.js';
import { RefundFlow } from '../../src/refunds/refund.flow.js';
import { paymentFlows } from '../../src/payments/payment-flows.js';
import { type NewPayment } from '../../src/payments/dto/create-payment.dto.js';
import { refunds } from '../../src/refunds/refund.table.js';
import { isOfPayment } from '../../src/request-storage/entity-key.js';
import { OperationRegistry } from '../../src/request-storage/operation-registry.js';
import { orphanEffects, pspRequests } from '../../src/request-storage/route.table.js';
import { Resolver } from '../../src/request-storage/resolver.js';
import { forEveryMerchant } from '../support/payouts-in-memory.js';
import { Broken, Installation, merchantId, type Mortal, withStory, type Working } from './installation.js';
import { type Effect, type SimulatedPsp } from './simulated-psp.js';
import { mistold } from './telling.js';

/** What a client wants; also its Idempotency-Key. */
export type Wants = 'create' | keyof typeof parts;

/** Of 1,000: parts that fit, and refunds that do not both fit. */
const parts = {
  cancel: {},
  capture: {},
  'capture-a': { reference: 'a', amount: 400 },
  'capture-b': { reference: 'b', amount: 300 },
  refund: {},
  'refund-again': {},
  'refund-a': { reference: 'a', amount: 600 },
  'refund-b': { reference: 'b', amount: 600 },
} as const;

const nothingMore = { amount: null, reference: null, reason: null, metadata: {} } as const;

function flowOf(wants: keyof typeof parts): 'cancel' | 'capture' | 'refund' {
  return wants.split('-')[0] as 'cancel' | 'capture' | 'refund';
}

/** What a seed's schedule came to; for the counts that show that the interesting things happened. */
export interface Played {
  readonly crashes: number;
  readonly effects: number;
  readonly refunds: number;
  readonly switches: number;
  readonly stuck: number;
  readonly takeovers: number;
  /** How often the sessions of a process with the database ended. */
  readonly cuts: number;
  /** How often another account took the place of a configured one. */
  readonly rotations: number;
  /** Statements of people that others approved. */
  readonly statements: number;
  readonly orphans: number;
  readonly compensated: number;
  /** Facts told by PSPs that moved an operation, and those taken for contradictions though nobody lied. */
  readonly noticed: number;
  readonly falseAlarms: number;
  /** Events for the merchant. */
  readonly told: number;
}

/**
 * One seed, from the first request to rest: a merchant asks for a payment (and perhaps to capture
 * or cancel it), repeats itself, and everything that can fail does, in an order that the seed draws.
 */
export function playPayment(seed: number): Promise<Played> {
  return withStory((telling) => new PaymentSchedule(seed, telling).play());
}

export interface PaymentService extends Working {
  readonly keyed: IdempotentRunner;
  readonly operations: PaymentOperations;
  readonly worker: PaymentRouteWorker;
  readonly flows: ReturnType<typeof paymentFlows> & { readonly refund: RefundFlow };
}

export class PaymentSchedule extends Installation<PaymentService> {
  protected readonly ask: NewPayment;
  private readonly fence: boolean;
  protected paymentId: string | null = null;
  protected refused = 0;
  private isCalledOff = false;

  constructor(seed: number, telling: boolean) {
    super(seed, telling);
    const { world } = this;
    // An order to void that was only received needs a notification to be judged by.
    this.fence = world.maybe(0.5) && !this.accounts.all.some(({ kind: { later } }) => later);
    this.ask = {
      reference: 'order-1',
      amount: 1_000,
      currency: 'EUR',
      capture: world.oneOf(['automatic', 'automatic', 'manual'] as const),
      paymentMethod: {
        type: 'card',
        tokens: { first: 't', second: 't' },
        card: { brand: null, country: null },
      },
      customer: { reference: null, email: null },
      returnUrl: null,
      statementDescriptor: null,
      metadata: {},
    };
  }

  async play(): Promise<Played> {
    const { world } = this;
    this.processes.push(world.newProcess('A'), world.newProcess('B'));
    await this.until(Promise.all([...this.clients(), this.workers(), this.accounts.rotate(this.processes)]));
    await this.comeToRest();
    return this.judge();
  }

  /** A merchant, and what it asks for. */
  protected clients(): Promise<void>[] {
    const { world } = this;
    const work = [this.client('create')];
    const later = () => world.between(0, 60_000);
    if (world.maybe(0.4)) work.push(this.client('create', world.between(0, 10_000)));
    const isManual = this.ask.capture === 'manual';
    if (isManual || world.maybe(0.2)) work.push(this.client('capture', later()));
    if (isManual && world.maybe(0.4)) {
      work.push(this.client('capture-a', later()), this.client('capture-b', later()));
    }
    this.isCalledOff = world.maybe(0.4);
    if (this.isCalledOff) work.push(this.client('cancel', later()));
    if (world.maybe(0.3)) work.push(this.client('refund', later()));
    if (world.maybe(0.2)) work.push(this.client('refund-again', later()));
    if (world.maybe(0.2)) work.push(this.client('refund-a', later()), this.client('refund-b', later()));
    return work;
  }

  protected routed() {
    return { candidates: this.accounts.names, cancelBeforeFailover: this.fence };
  }

  protected newService(process: Mortal): PaymentService {
    const { keyed, newId, deps } = this.toolsOf(process);
    const { store, storage, ids } = deps;
    const route = () => this.routed();
    const operations = new PaymentOperations(deps);
    const refund = new RefundFlow(operations);
    operations.register(refund);
    const flows = { ...paymentFlows(operations, route), refund };
    keyed.register(Object.values(flows));
    const worker = new PaymentRouteWorker(operations, deps);
    const { rethrow } = this;
    const registry = new OperationRegistry();
    registry.register({
      owns: isOfPayment,
      worker,
      subjectOf: async (id) =>
        (await store.find(payments, { merchantId, id })).length > 0
          ? { merchantId, paymentId: id, payoutId: null }
          : null,
    });
    return {
      keyed,
      operations,
      worker,
      flows,
      orphans: new OrphanCompensator(
        storage,
        (due, id) => worker.recheckRoute(due, id),
        (orphan, id) => worker.compensate(orphan, id),
        forEveryMerchant,
        newId,
        rethrow,
      ),
      resolver: new Resolver(storage, (due, id) => worker.advance(due, id), newId, rethrow),
      completer: new Completer(store, keyed, ids, rethrow),
      facts: registry,
    };
  }

  protected client(wants: Wants, afterMs = 0): Promise<void> {
    return this.insist(() => this.request(wants, 'client'), afterMs);
  }

  /** True when there is nothing more to ask. */
  private async request(wants: Wants, who: string): Promise<boolean> {
    const { world } = this;
    const someone = this.someone();
    if (!someone || (wants !== 'create' && !this.paymentId)) return false;
    const { process, service } = someone;
    const { keyed, flows } = service;
    const common = { merchantId, key: wants, actor: who, traceId: 't', waitMs: world.oneOf([0, 0, 2_000]) };
    const paymentId = this.paymentId ?? '';
    const running =
      wants === 'create'
        ? keyed.run(flows.create, { ...common, input: this.ask })
        : keyed.run(flows[flowOf(wants)], {
            ...common,
            input: { ...nothingMore, ...parts[wants], paymentId },
          });
    const told = await Promise.race([
      running.catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'commits_may_be_lost') this.refused += 1;
        if (error instanceof Problem || error instanceof StoreUnavailable) return error.message;
        throw error;
      }),
      process.death,
    ]);
    if (typeof told === 'string') return false;
    world.tell(`${wants} is answered ${told.status}`);
    if (wants === 'create') this.paymentId = (JSON.parse(told.body) as { id: string }).id;
    if (told.status === 202) return false;
    this.saysHowItRests(told.status, told.body);
    this.sameAnswer(wants, `${told.status} ${told.body}`);
    // Ask once more, as a client whose own answer was lost would.
    return world.maybe(0.5);
  }

  protected async askAgain(): Promise<void> {
    const { world } = this;
    // Whoever asks about a payment that was given up has it looked at again.
    for (let tries = 0; tries < 3 && this.paymentId; tries++) {
      await this.until(world.wait(5_000, null));
      await this.until(this.request('create', 'insister'));
    }
    for (const wants of this.answered) await this.until(this.request(wants as Wants, 'auditor'));
  }

  // What must hold.

  protected override onceEach(withPeople: ReadonlySet<string | null> = new Set()): void {
    super.onceEach(withPeople);
    for (const psp of this.accounts.all) this.neverMoreOutThanIn(psp, withPeople);
  }

  /** I2: at a PSP no more is captured than authorized and no more refunded than captured. */
  protected neverMoreOutThanIn(
    { name, effects }: SimulatedPsp,
    withPeople: ReadonlySet<string | null>,
  ): void {
    let [captured, refunded] = [0, 0];
    for (const { operation, amount, entityKey, undone, pspReference } of effects) {
      if (undone || withPeople.has(pspReference) || entityKey.includes('-orphan-')) continue;
      if (operation === 'charge' || operation === 'capture') captured += amount;
      if (operation === 'refund') refunded += amount;
    }
    if (captured > this.ask.amount || refunded > captured) {
      throw new Broken(this.world, `I2: ${name} captured ${captured} and refunded ${refunded}`);
    }
  }

  /** An answer that is final speaks of a payment at rest. */
  private saysHowItRests(status: number, body: string): void {
    const said = (JSON.parse(body) as { status: unknown }).status;
    if (status < 300 && (said === 'processing' || said === 'requires_action' || said === 'pending')) {
      throw new Broken(this.world, `a final answer says ${said}`);
    }
  }

  protected async judge(): Promise<Played> {
    const { world } = this;
    const routes = await this.memory.find(pspRequests, { merchantId });
    const orphans = await this.memory.find(orphanEffects, { merchantId });
    this.onceEach(await this.leftToPeople());
    const effects = this.effects.filter(({ entityKey }) => !entityKey.includes('-orphan-'));
    await this.nothingIsLost(effects);
    // And nothing is made up.
    for (const { entityKey, operation, paymentId, psp, verdict } of routes) {
      if (entityKey.includes('-orphan-')) continue;
      // A void that found its work done has no effect of its own.
      const key = (e: Effect) => operation === 'void' && e.undone && e.entityKey.includes(paymentId!);
      const held = effects.some((e) => e.psp === psp && (e.entityKey === entityKey || key(e)));
      if (verdict === 'effective' && !held)
        throw new Broken(world, `${entityKey} is booked, and ${psp} has nothing`);
    }
    await this.everyRouteGoesOn();
    await this.ourLockProvesNothing();
    if (!this.isCalledOff) await this.nothingIsCalledOffByItself();
    const told = await this.toldOnce();
    // What a capture or a refund did late is for a person, and shown as that.
    if (orphans.every(({ status }) => status === 'compensated')) await this.booksAgree(effects);
    return {
      crashes: this.crashes,
      effects: effects.length,
      refunds: effects.filter(({ operation }) => operation === 'refund').length,
      switches: routes.filter(({ route }) => route > 1).length,
      stuck: routes.filter(({ stuckAt }) => stuckAt !== null).length,
      takeovers: this.takeovers,
      cuts: this.cuts,
      rotations: this.accounts.rotations,
      statements: this.people.statements,
      orphans: orphans.length,
      compensated: orphans.filter(({ status }) => status === 'compensated').length,
      noticed: this.messenger.taken.filter(({ taken }) => taken === 'applied').length,
      falseAlarms: this.falseAlarms,
      told,
    };
  }

  /** The merchant was told of every change of status once, and of nothing else. */
  private async toldOnce(): Promise<number> {
    const { memory } = this;
    const events = await memory.find(eventRecords, { merchantId });
    const broken = mistold({
      events,
      transitions: await memory.find(paymentTransitions, { merchantId }),
      refunds: await memory.find(refunds, { merchantId }),
      routes: await memory.find(pspRequests, { merchantId }),
    });
    if (broken) throw new Broken(this.world, `the merchant was ${broken}`);
    return events.length;
  }

  /** The payment says what the PSPs' ledgers say. */
  private async booksAgree(effects: readonly Effect[]): Promise<void> {
    const routes = await this.memory.find(pspRequests, { merchantId });
    if (routes.some(({ verdict }) => verdict === 'open')) return;
    for (const payment of await this.memory.find(payments, { merchantId })) {
      const sum = (...operations: string[]) =>
        effects
          .filter((e) => operations.includes(e.operation) && !e.undone)
          .reduce((total, { amount }) => total + amount, 0);
      const [captured, refunded] = [sum('charge', 'capture'), sum('refund')];
      const { status, amountCaptured, amountRefunded, captureReserved, refundReserved } = payment;
      const agrees =
        statusesFor(effects, captured, refunded).includes(status) &&
        amountCaptured === captured &&
        amountRefunded === refunded &&
        captureReserved + refundReserved === 0;
      if (!agrees) {
        throw new Broken(
          this.world,
          `the payment is ${status}, ${amountCaptured} captured, ${amountRefunded} refunded, ${captureReserved} and ${refundReserved} reserved; the PSPs did: ${effects.map(said).join(', ') || 'nothing'}`,
        );
      }
    }
  }
}

/** What a payment may say of what the PSPs did. */
function statusesFor(all: readonly Effect[], captured: number, refunded: number): readonly string[] {
  const effects = all.filter(({ undone }) => !undone);
  if (effects.every(({ operation }) => operation === 'void')) return ['failed', 'canceled'];
  if (captured === 0) return ['authorized'];
  const rest =
    effects.some(({ operation }) => operation === 'void') || captured === 1_000 ? [] : ['authorized'];
  if (refunded === 0) return ['captured', ...rest];
  return [refunded < captured ? 'partially_refunded' : 'refunded', ...rest];
}

function said({ operation, amount, undone }: Effect): string {
  return `${operation} of ${amount}${undone ? ' (undone)' : ''}`;
}
