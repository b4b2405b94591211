import { KeyedFlows, Completer, FINISHED, idempotencyKeys } from '../../src/idempotency/index.js';
import {
  type Change,
  type CommitResult,
  eventRecords,
  MemoryStore,
  Problem,
  Seal,
  type Store,
  StoreUnavailable,
} from '../../src/kernel/index.js';
import {
  OrphanKeeper,
  type PaymentAsk,
  paymentFlows,
  PaymentResolver,
  payments,
  paymentTransitions,
} from '../../src/payments/index.js';
import { type Psps } from '../../src/psp/index.js';
import { refunds } from '../../src/refunds/index.js';
import {
  Facts,
  orphanEffects,
  pspAttempts,
  pspRequests,
  RequestStorage,
  Resolver,
} from '../../src/request-storage/index.js';
import { Messenger } from './messenger.js';
import { CALL_TIMEOUT_MS, type Effect, kinds, LONGEST_VOID_MS, SimulatedPsp } from './simulated-psp.js';
import { mistold } from './telling.js';
import { type SimulatedProcess, World } from './world.js';

const merchantId = '01900000-0000-7000-8000-000000000001';
const LEASE_MS = 20_000;
const DEADLINE_MS = 25_000;
const seal = new Seal(Buffer.alloc(32, 7));

/** Probabilities, per visit of the place. */
const CRASH = 0.012;
const FREEZE = 0.008;
const OUTAGE = 0.01;

type Mortal = ReturnType<World['newProcess']>;

/** What a client wants; also its Idempotency-Key. */
type Wants = 'create' | keyof typeof parts;

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
  readonly orphans: number;
  readonly compensated: number;
  /** Facts told by PSPs that moved an operation, and those that say otherwise than what is decided. */
  readonly noticed: number;
  readonly contradictions: number;
  /** Events for the merchant. */
  readonly told: number;
}

/** A rule that does not hold, with the seed that shows it. */
export class Broken extends Error {
  constructor(world: World, rule: string) {
    super(`seed ${world.seed}: ${rule}\n${world.story.join('\n')}`);
    this.name = 'Broken';
  }
}

/**
 * One seed, from the first request to rest: a merchant asks for a payment (and perhaps to capture
 * or cancel it), repeats itself, and everything that can fail does, in an order that the seed draws.
 */
export async function play(seed: number): Promise<Played> {
  try {
    return await new Schedule(seed, false).play();
  } catch {
    // The same seed tells the same story; this time it is written down.
    return new Schedule(seed, true).play();
  }
}

type Service = ReturnType<Schedule['newService']>;

class Schedule {
  private readonly world: World;
  private readonly memory: MemoryStore;
  private readonly psps: ReadonlyMap<string, SimulatedPsp>;
  private readonly messenger: Messenger;
  private readonly processes: Mortal[] = [];
  private readonly services = new Map<Mortal, Service>();
  private readonly answers = new Map<Wants, string>();
  private readonly ask: PaymentAsk;
  private readonly fence: boolean;
  private crashes = 0;
  private takeovers = 0;
  private stormy = true;
  private paymentId: string | null = null;

  constructor(seed: number, telling: boolean) {
    this.world = new World(seed, telling);
    const { world } = this;
    this.memory = new MemoryStore(world.clockOf(null));
    const kind = () => world.oneOf(kinds);
    this.psps = new Map(
      ['first', 'second']
        .slice(0, world.between(1, 2))
        .map((name) => [name, new SimulatedPsp(name, kind(), world)]),
    );
    this.messenger = new Messenger(world, () => {
      const process = world.oneOf(this.processes);
      return process.alive ? { process, facts: this.service(process).facts } : null;
    });
    for (const [name, psp] of this.psps) psp.tells = (fact) => this.messenger.carry(name, fact);
    // An order to void that was only received needs a notification to be judged by.
    this.fence = world.maybe(0.5) && ![...this.psps.values()].some(({ kind: { later } }) => later);
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
    const work = [this.client('create'), this.workers()];
    const later = () => world.between(0, 60_000);
    if (world.maybe(0.4)) work.push(this.client('create', world.between(0, 10_000)));
    const isManual = this.ask.capture === 'manual';
    if (isManual || world.maybe(0.2)) work.push(this.client('capture', later()));
    if (isManual && world.maybe(0.4)) {
      work.push(this.client('capture-a', later()), this.client('capture-b', later()));
    }
    if (world.maybe(0.4)) work.push(this.client('cancel', later()));
    if (world.maybe(0.3)) work.push(this.client('refund', later()));
    if (world.maybe(0.2)) work.push(this.client('refund-again', later()));
    if (world.maybe(0.2)) work.push(this.client('refund-a', later()), this.client('refund-b', later()));
    await this.until(Promise.all(work));
    await this.calm();
    return this.judge();
  }

  private async until(work: Promise<unknown>): Promise<void> {
    let done = false;
    let failure: unknown = null;
    work.then(
      () => (done = true),
      (error: unknown) => ([done, failure] = [true, error]),
    );
    await this.world.run(
      () => done,
      () => this.neverTwice(),
    );
    if (failure) throw failure;
  }

  /** A service inside a process, over the shared store. */
  private service(process: Mortal): Service {
    let service = this.services.get(process);
    if (!service) this.services.set(process, (service = this.newService(process)));
    return service;
  }

  private newService(process: Mortal) {
    const { world } = this;
    const store = this.storeOf(process);
    const { clock } = process;
    const { ids } = world;
    const storage = new RequestStorage({
      store,
      psps: this.pspsOf(process),
      clock,
      leaseMs: LEASE_MS,
      deadlineMs: DEADLINE_MS,
    });
    const keyed = new KeyedFlows({ store, clock, ids, seal, leaseMs: LEASE_MS, deadlineMs: DEADLINE_MS });
    const deps = {
      store,
      storage,
      seal,
      clock,
      ids,
      route: () => ({ candidates: [...this.psps.keys()], fence: this.fence }),
    };
    const flows = paymentFlows(deps);
    const resolver = new PaymentResolver({ ...deps, leaseMs: LEASE_MS });
    const rethrow = (error: unknown) => {
      if (!(error instanceof StoreUnavailable) && !(error instanceof Problem)) throw error;
    };
    return {
      keyed,
      flows,
      orphans: new OrphanKeeper(
        storage,
        (due, id) => resolver.lookAgain(due, id),
        (orphan, id) => resolver.compensate(orphan, id),
        true,
        () => ids.uuid(),
        rethrow,
      ),
      resolver: new Resolver(
        storage,
        (due, id) => resolver.driveOn(due, id),
        () => ids.uuid(),
        rethrow,
      ),
      completer: new Completer(store, keyed, Object.values(flows), ids, rethrow),
      facts: new Facts(
        {
          merchantOf: async (id) =>
            (await store.find(payments, { merchantId, id })).length > 0 ? merchantId : null,
          take: (of, psp, fact, traceId) => resolver.take(of, psp, fact, traceId),
        },
        { merchantOf: () => Promise.resolve(null), take: () => Promise.reject(new Error('no payouts here')) },
      ),
    };
  }

  /** The store as a process reaches it: late, or not at all, or with its answer lost. */
  private storeOf(process: Mortal): Store {
    const { world, memory } = this;
    const reach = async () => {
      await world.wait(this.pauseMs(), process);
      this.maybeCrash(process, 'before the store');
      await this.stopIfDead(process);
    };
    const outage = () => this.stormy && world.maybe(OUTAGE);
    return {
      commit: async (changes: readonly Change[]): Promise<CommitResult> => {
        await reach();
        if (outage()) throw new StoreUnavailable(new Error('not reached'));
        const result = memory.commitNow(changes);
        if (result.done) this.noticeTakeover(changes);
        this.maybeCrash(process, 'after the store');
        await this.stopIfDead(process);
        if (outage()) throw new StoreUnavailable(new Error('answer lost'));
        await world.wait(this.pauseMs(), process);
        return result;
      },
      find: async (...args) => {
        await reach();
        if (outage()) throw new StoreUnavailable(new Error('not reached'));
        return memory.find(...args);
      },
      findByPrefix: async (...args) => {
        await reach();
        return memory.findByPrefix(...args);
      },
      findDue: async (...args) => {
        await reach();
        return memory.findDue(...args);
      },
    };
  }

  private noticeTakeover(changes: readonly Change[]): void {
    const lapsed = changes.find((change) => change.op === 'update' && change.lapsed !== null);
    if (!lapsed) return;
    this.takeovers += 1;
    this.world.tell(`${lapsed.table.name} is taken over`);
  }

  private pspsOf(process: Mortal): Psps {
    const psp = (name: string) => this.psps.get(name)!;
    return {
      has: (name) => this.psps.has(name),
      capabilities: (name) => psp(name).can,
      timeoutMs: () => CALL_TIMEOUT_MS,
      call: async (name, kind, instruction, mayStill) => {
        await this.world.wait(this.pauseMs(), process);
        if (!mayStill()) return { outcome: 'not_sent', pspCode: 'lock_too_old' };
        await this.everyCallIsWrittenDown(instruction.entityKey, instruction.route, kind);
        this.world.tell(
          `${process.name} -> ${name}: ${kind} ${instruction.operation} route ${instruction.route}`,
        );
        this.maybeCrash(process, 'before the call');
        await this.stopIfDead(process);
        const answer = await psp(name).call(kind, instruction, (ms) => this.world.wait(ms, null));
        this.world.tell(`${process.name} <- ${name}: ${answer.outcome}`);
        this.maybeCrash(process, 'after the call');
        await this.world.wait(this.pauseMs(), process);
        return answer;
      },
    };
  }

  /** Mostly short; now and then a process stands still for longer than its lock. */
  private pauseMs(): number {
    if (this.stormy && this.world.maybe(FREEZE)) return this.world.between(LEASE_MS, 3 * LEASE_MS);
    return this.world.between(0, 20);
  }

  private maybeCrash(process: Mortal, place: string): void {
    if (!this.stormy || !process.alive || !this.world.maybe(CRASH)) return;
    this.crashes += 1;
    this.world.tell(`${process.name} is killed ${place}`);
    process.die();
    const { world } = this;
    void this.restart(process, world.between(10, 40_000));
  }

  private async restart(dead: Mortal, afterMs: number): Promise<void> {
    await this.world.wait(afterMs, null);
    this.processes.splice(this.processes.indexOf(dead), 1, this.world.newProcess(`${dead.name}'`));
  }

  /** The dead do not go on: what they would have done next never happens. */
  private stopIfDead(process: SimulatedProcess): Promise<void> | void {
    return process.alive ? undefined : new Promise(() => {});
  }

  private async client(wants: Wants, afterMs = 0): Promise<void> {
    const { world } = this;
    await world.wait(afterMs, null);
    for (let tries = 0; tries < 8; tries++) {
      if (await this.request(wants, 'client')) return;
      await world.wait(world.between(50, 30_000), null);
    }
  }

  /** True when there is nothing more to ask. */
  private async request(wants: Wants, who: string): Promise<boolean> {
    const { world } = this;
    const process = world.oneOf(this.processes);
    if (!process.alive || (wants !== 'create' && !this.paymentId)) return false;
    const { keyed, flows } = this.service(process);
    const common = { merchantId, key: wants, actor: who, traceId: 't', waitMs: world.oneOf([0, 0, 2_000]) };
    const paymentId = this.paymentId ?? '';
    const running =
      wants === 'create'
        ? keyed.run(flows.create, { ...common, ask: this.ask })
        : keyed.run(flows[flowOf(wants)], { ...common, ask: { ...nothingMore, ...parts[wants], paymentId } });
    const told = await Promise.race([
      running.catch((error: unknown) => {
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

  private async workers(): Promise<void> {
    for (let pass = 0; pass < 6; pass++) {
      await this.world.wait(this.world.between(1_000, 30_000), null);
      await this.workOnce();
    }
  }

  private async workOnce(): Promise<void> {
    const process = this.world.oneOf(this.processes);
    if (!process.alive) return;
    const { resolver, completer, orphans } = this.service(process);
    const pass = async () => {
      await resolver.runOnce(10, 1);
      await completer.runOnce(10);
      await orphans.runOnce();
    };
    const outage = (error: unknown) => {
      if (!(error instanceof StoreUnavailable)) throw error;
    };
    await Promise.race([pass().catch(outage), process.death]);
  }

  /** The storm is over: workers go on until everything is at rest or in the hands of a person. */
  private async calm(): Promise<void> {
    const { world } = this;
    this.stormy = false;
    for (const psp of this.psps.values()) psp.weather = 0;
    for (let hours = 0; hours < 200; hours++) {
      await this.until(this.settleOnce());
      if (await this.atRest()) break;
      await this.until(world.wait(await this.untilNextMs(), null));
    }
    // Whoever asks about a payment that was given up has it looked at again.
    for (let tries = 0; tries < 3 && this.paymentId; tries++) {
      await this.until(world.wait(5_000, null));
      await this.until(this.request('create', 'insister'));
    }
    for (const wants of this.answers.keys()) {
      await this.until(this.request(wants, 'auditor'));
    }
    this.messenger.stop();
    // What PSPs were told to undo is undone.
    await this.until(world.wait(LONGEST_VOID_MS + 1, null));
  }

  private async settleOnce(): Promise<void> {
    await this.world.wait(2 * LEASE_MS, null);
    await this.workOnce();
  }

  private async untilNextMs(): Promise<number> {
    const routes = await this.memory.find(pspRequests, { merchantId, verdict: 'open' });
    const times = routes.map(({ nextStepAt }) => nextStepAt?.getTime() ?? Infinity);
    const next = Math.min(...times, this.world.nowMs + 3_600_000);
    return Math.max(next - this.world.nowMs, 1) + 1;
  }

  private async atRest(): Promise<boolean> {
    const open = await this.memory.find(pspRequests, { merchantId, verdict: 'open' });
    const keys = await this.memory.find(idempotencyKeys, { merchantId });
    if (open.some(({ stuckAt }) => stuckAt === null) || (await this.looksLater())) return false;
    return open.length > 0 || keys.every(({ recoveryPoint }) => recoveryPoint === FINISHED);
  }

  /** What was ruled out is looked at for days. Few PSPs make it necessary, so only there it is awaited. */
  private async looksLater(): Promise<boolean> {
    if (![...this.psps.values()].some(({ kind }) => kind.lies)) return false;
    const routes = await this.memory.find(pspRequests, { merchantId, verdict: 'ruled_out' });
    return routes.some(({ lookAgainAt }) => lookAgainAt !== null);
  }

  // What must hold.

  /** I1: per entity key, at most one effect over all PSPs. Looked at after every step. */
  private neverTwice(): void {
    // Who is lied to can only make it good again; see judge().
    if ([...this.psps.values()].some(({ kind }) => kind.lies)) return;
    this.onceEach();
  }

  /** `withPeople`: the PSPs' ids of orphan effects that could not be given back, which people see. */
  private onceEach(withPeople: ReadonlySet<string | null> = new Set()): void {
    const seen = new Set<string>();
    for (const psp of this.psps.values()) {
      for (const { entityKey, undone, pspReference } of psp.effects) {
        if (undone || withPeople.has(pspReference)) continue;
        if (seen.has(entityKey)) throw new Broken(this.world, `I1: two effects for ${entityKey}`);
        seen.add(entityKey);
      }
      this.neverMoreOutThanIn(psp, withPeople);
    }
  }

  /** I2: at a PSP no more is captured than authorized and no more refunded than captured. */
  private neverMoreOutThanIn({ name, effects }: SimulatedPsp, withPeople: ReadonlySet<string | null>): void {
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

  /** I3: an answer once given is given again, byte for byte. */
  private sameAnswer(wants: Wants, answer: string): void {
    const before = this.answers.get(wants);
    if (before !== undefined && before !== answer) {
      throw new Broken(this.world, `I3: ${wants} was answered\n${before}\nand then\n${answer}`);
    }
    this.answers.set(wants, answer);
  }

  /** An answer that is final speaks of a payment at rest. */
  private saysHowItRests(status: number, body: string): void {
    const said = (JSON.parse(body) as { status: unknown }).status;
    if (status < 300 && (said === 'processing' || said === 'requires_action' || said === 'pending')) {
      throw new Broken(this.world, `a final answer says ${said}`);
    }
  }

  /** I6: every call on the wire has an attempt row that was committed before it. */
  private async everyCallIsWrittenDown(entityKey: string, route: number, kind: string): Promise<void> {
    const rows = await this.memory.find(pspAttempts, { merchantId, entityKey, route });
    const last = rows.findLast((row) => row.kind !== 'notice');
    if (last?.kind !== kind || last.outcome !== null) {
      throw new Broken(this.world, `I6: ${kind} of ${entityKey} is on the wire without its row`);
    }
  }

  private async judge(): Promise<Played> {
    const { world } = this;
    const routes = await this.memory.find(pspRequests, { merchantId });
    const orphans = await this.memory.find(orphanEffects, { merchantId });
    // Of two effects under one name, the one that nobody could give back is for people to see.
    const held = [...this.psps.values()].flatMap((psp) => psp.effects).filter(({ undone }) => !undone);
    const undecided = orphans.filter(
      ({ status, entityKey }) =>
        (status === 'compensating' || status === 'failed') &&
        held.filter((effect) => effect.entityKey === entityKey).length > 1,
    );
    this.onceEach(new Set(undecided.map(({ pspReference }) => pspReference)));
    const effects = [...this.psps.values()]
      .flatMap((psp) => psp.effects)
      .filter(({ entityKey }) => !entityKey.includes('-orphan-'));
    // I4: nothing is lost. What a PSP holds is effective here, or still open, or an orphan that is on
    // record; what it held until it was canceled is at least a route.
    for (const { entityKey, psp, undone } of effects) {
      const known = routes.some(
        (r) => r.entityKey === entityKey && r.psp === psp && (undone || r.verdict !== 'ruled_out'),
      );
      const orphan = orphans.some((o) => o.entityKey === entityKey && o.psp === psp && o.status !== 'open');
      if (!known && !orphan) throw new Broken(world, `I4: ${psp} holds ${entityKey}, and nobody knows`);
    }
    // And nothing is made up.
    for (const { entityKey, operation, paymentId, psp, verdict } of routes) {
      if (entityKey.includes('-orphan-')) continue;
      // A void that found its work done has no effect of its own.
      const key = (e: Effect) => operation === 'void' && e.undone && e.entityKey.includes(paymentId!);
      const held = effects.some((e) => e.psp === psp && (e.entityKey === entityKey || key(e)));
      if (verdict === 'effective' && !held)
        throw new Broken(world, `${entityKey} is booked, and ${psp} has nothing`);
    }
    // I5: an open route has a next step with a time, or is stuck and visible.
    for (const { entityKey, verdict, nextStepAt, stuckAt } of routes) {
      if (verdict === 'open' && (nextStepAt === null) === (stuckAt === null)) {
        throw new Broken(world, `I5: ${entityKey} is open without a next step`);
      }
    }
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
      orphans: orphans.length,
      compensated: orphans.filter(({ status }) => status === 'compensated').length,
      noticed: this.messenger.taken.filter(({ taken }) => taken === 'applied').length,
      contradictions: this.messenger.taken.filter(({ taken }) => taken === 'contradiction').length,
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
