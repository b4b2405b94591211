import { Completer } from '../../src/idempotency/completer.js';
import { type IdempotentRunner } from '../../src/idempotency/idempotent-runner.js';
import { eventRecords } from '../../src/database/event.js';
import { Problem } from '../../src/core/problem.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { OrphanCompensator } from '../../src/payments/orphan-compensator.js';
import { PaymentOperations } from '../../src/payments/payment-operations.js';
import { PaymentRouteWorker } from '../../src/payments/payment-route-worker.js';
import { PayoutOperations } from '../../src/payouts/payout-operations.js';
import { PayoutFlow } from '../../src/payouts/payout.flow.js';
import { type Payout } from '../../src/payouts/payout.entity.js';
import { payouts, payoutTransitions } from '../../src/payouts/payout.table.js';
import { type NewPayout } from '../../src/payouts/dto/create-payout.dto.js';
import { type Tail } from '../../src/payouts/sequence.js';
import { entityKey, isOfPayout } from '../../src/request-storage/entity-key.js';
import { OperationRegistry } from '../../src/request-storage/operation-registry.js';
import { RouteWorker } from '../../src/request-storage/route-worker.js';
import { orphanEffects, pspRequests } from '../../src/request-storage/route.table.js';
import { Resolver } from '../../src/request-storage/resolver.js';
import { anyRecipient, forEveryMerchant } from '../support/payouts-in-memory.js';
import { Broken, Installation, merchantId, type Mortal, withStory, type Working } from './installation.js';
import { type Effect } from './simulated-psp.js';

const recipient = 'recipient-1';

/** What is to be paid, by the merchant's own references, and how much each is. */
const owed = { salary: 1_000, bonus: 250 } as const;
type Owed = keyof typeof owed;

/** What a seed's schedule of payouts came to. */
export interface PlayedPayouts {
  readonly crashes: number;
  readonly effects: number;
  readonly switches: number;
  readonly stuck: number;
  readonly takeovers: number;
  /** How often the sessions of a process with the database ended. */
  readonly cuts: number;
  readonly rotations: number;
  readonly statements: number;
  readonly orphans: number;
  /** Payouts that were refused because another one has to be read first. */
  readonly outOfTurn: number;
  readonly noticed: number;
  readonly falseAlarms: number;
  readonly told: number;
}

/** One seed: see `play` of the payments. */
export function playPayouts(seed: number): Promise<PlayedPayouts> {
  return withStory((telling) => new PayoutSchedule(seed, telling).play());
}

interface Service extends Working {
  readonly keyed: IdempotentRunner;
  readonly create: PayoutFlow;
}

/**
 * Several who do not know of each other pay the same person what is owed, each under keys of its own.
 * They do as docs/lifecycles/payout.md asks of them: each names the payout that ended last, and reads
 * what came in between where others did.
 */
class PayoutSchedule extends Installation<Service> {
  private outOfTurn = 0;
  /** What was asked for under a key, so that it can be asked for again. */
  private readonly asked = new Map<string, NewPayout>();

  async play(): Promise<PlayedPayouts> {
    const { world } = this;
    this.processes.push(world.newProcess('A'), world.newProcess('B'));
    const later = () => world.between(0, 60_000);
    const work = [this.payer('one', 'salary'), this.workers()];
    if (world.maybe(0.6)) work.push(this.payer('two', 'salary', world.between(0, 10_000)));
    if (world.maybe(0.5)) work.push(this.payer('three', 'bonus', later()));
    if (world.maybe(0.3)) work.push(this.payer('four', 'bonus', later()));
    await this.until(Promise.all([...work, this.accounts.rotate(this.processes)]));
    await this.comeToRest();
    return this.judge();
  }

  protected newService(process: Mortal): Service {
    const { rethrow } = this;
    const { keyed, newId, deps } = this.toolsOf(process);
    const { store, storage, ids } = deps;
    const candidates = () => this.accounts.names;
    const sequences = { tailOf: () => this.tailOf() };
    const operations = new PayoutOperations(deps);
    const create = new PayoutFlow(operations, candidates, sequences, anyRecipient, false);
    keyed.register([create]);
    const worker = new RouteWorker(operations, deps);
    const ofPayments = new PaymentRouteWorker(new PaymentOperations(deps), deps);
    const registry = new OperationRegistry();
    registry.register({
      owns: isOfPayout,
      worker,
      subjectOf: async (id) =>
        (await store.find(payouts, { merchantId, id })).length > 0
          ? { merchantId, paymentId: null, payoutId: id }
          : null,
    });
    return {
      keyed,
      create,
      orphans: new OrphanCompensator(
        storage,
        (due, id) => worker.recheckRoute(due, id),
        (orphan, id) => ofPayments.compensate(orphan, id),
        forEveryMerchant,
        newId,
        rethrow,
      ),
      resolver: new Resolver(storage, (due, id) => worker.advance(due, id), newId, rethrow),
      completer: new Completer(store, keyed, ids, rethrow),
      facts: registry,
    };
  }

  private async payouts(): Promise<Payout[]> {
    return this.memory.find(payouts, { merchantId });
  }

  /** As the reader's SQL has it: the one that none of the others names. */
  private async tailOf(): Promise<Tail | null> {
    const all = await this.payouts();
    return all.find(({ id }) => !all.some(({ previous }) => previous === id)) ?? null;
  }

  /** Pays once what is owed: under another key for each place in the sequence. */
  private async payer(name: string, what: Owed, afterMs = 0): Promise<void> {
    let previous: string | null = null;
    await this.insist(async () => {
      const told = await this.request(`${name} after ${previous}`, what, previous);
      if (!told) return false;
      if (told.ended) return told.ended === 'paid' || this.mayGiveUp(() => (previous = told.id));
      // Others have to be read first: one of them may be the very one.
      const missed = await this.chainBack(told.id, previous);
      if (missed.some(({ status }) => status === 'processing')) return false;
      previous = told.id;
      return missed.some(({ reference, status }) => reference === what && status === 'paid');
    }, afterMs);
  }

  /** From the payout `from` back to the one before which the payer has read all. */
  private async chainBack(from: string | null, to: string | null): Promise<Payout[]> {
    const all = await this.payouts();
    const chain: Payout[] = [];
    for (let at = from; at !== to && at !== null; at = chain.at(-1)!.previous) {
      chain.push(all.find(({ id }) => id === at)!);
    }
    return chain;
  }

  /** Of what failed: whether the payer leaves it at that, or names it and tries once more. */
  private mayGiveUp(tryAgain: () => void): boolean {
    if (this.world.maybe(0.5)) return true;
    tryAgain();
    return false;
  }

  /** null: nobody knows yet. `ended`, or not: then `id` is the payout to be read first. */
  private async request(
    key: string,
    what: Owed,
    previous: string | null,
  ): Promise<{ readonly id: string | null; readonly ended: string | null } | null> {
    const { world } = this;
    const someone = this.someone();
    if (!someone) return null;
    const { process, service } = someone;
    const ask: NewPayout = {
      reference: what,
      recipient: { reference: recipient, tokens: { first: 't', second: 't' } },
      amount: owed[what],
      currency: 'EUR',
      previous,
      statementDescriptor: null,
      metadata: {},
    };
    this.asked.set(key, ask);
    const waitMs = world.oneOf([0, 0, 2_000]);
    const running = service.keyed.run(service.create, {
      merchantId,
      key,
      actor: 'client',
      traceId: 't',
      waitMs,
      input: ask,
    });
    const told = await Promise.race([
      running.catch((error: unknown) => {
        if (error instanceof Problem || error instanceof StoreUnavailable) return error;
        throw error;
      }),
      process.death,
    ]);
    if (told === 'reset' || told instanceof StoreUnavailable) return null;
    if (told instanceof Problem) return this.refused(told);
    world.tell(`${key} is answered ${told.status}`);
    if (told.status === 202) return null;
    this.sameAnswer(key, `${told.status} ${told.body}`);
    const { id, status } = JSON.parse(told.body) as { id: string; status: string };
    if (status === 'processing') throw new Broken(world, 'a final answer says processing');
    return { id, ended: status };
  }

  private refused(problem: Problem): { readonly id: string | null; readonly ended: null } | null {
    const { code, more } = problem;
    if (code !== 'payout_in_progress' && code !== 'payout_sequence_stale') return null;
    this.outOfTurn += 1;
    const id = more.members?.['payout_id'];
    return { id: typeof id === 'string' ? id : null, ended: null };
  }

  protected async askAgain(): Promise<void> {
    for (const key of this.answered) {
      const { reference, previous } = this.asked.get(key)!;
      await this.until(this.request(key, reference as Owed, previous));
    }
  }

  // What must hold.

  private async judge(): Promise<PlayedPayouts> {
    const { effects, memory } = this;
    const orphans = await memory.find(orphanEffects, { merchantId });
    const routes = await memory.find(pspRequests, { merchantId });
    this.onceEach(await this.leftToPeople());
    await this.nothingIsLost(effects);
    await this.everyRouteGoesOn();
    await this.ourLockProvesNothing();
    // Nobody calls back what went out by itself, so with orphans a person counts.
    if (orphans.length === 0) {
      await this.booksAgree(effects);
      await this.paidOnce(effects);
    }
    return {
      crashes: this.crashes,
      effects: effects.length,
      switches: routes.filter(({ route }) => route > 1).length,
      stuck: routes.filter(({ stuckAt }) => stuckAt !== null).length,
      takeovers: this.takeovers,
      cuts: this.cuts,
      rotations: this.accounts.rotations,
      statements: this.people.statements,
      orphans: orphans.length,
      outOfTurn: this.outOfTurn,
      noticed: this.messenger.taken.filter(({ taken }) => taken === 'applied').length,
      falseAlarms: this.falseAlarms,
      told: await this.toldOnce(),
    };
  }

  /** Whoever is careful pays what is owed once, however many of them there are. */
  private async paidOnce(effects: readonly Effect[]): Promise<void> {
    const seen = new Set<string>();
    for (const { reference, id } of await this.payouts()) {
      if (!effects.some((effect) => effect.entityKey === entityKey.send(id))) continue;
      if (seen.has(reference)) throw new Broken(this.world, `${reference} went out twice`);
      seen.add(reference);
    }
  }

  /** A payout says what the PSPs' ledgers say. */
  private async booksAgree(effects: readonly Effect[]): Promise<void> {
    for (const payout of await this.payouts()) {
      const done = effects.filter((effect) => effect.entityKey === entityKey.send(payout.id));
      const agrees =
        payout.status === 'processing' ||
        (payout.status === 'paid'
          ? done.length === 1 && done[0]!.psp === payout.psp && done[0]!.amount === payout.amount
          : done.length === 0);
      if (!agrees) {
        const by = done.map(({ psp }) => psp).join(', ') || 'nobody';
        throw new Broken(
          this.world,
          `${payout.reference} is ${payout.status} by ${payout.psp}; paid by ${by}`,
        );
      }
    }
  }

  /** The merchant was told of each payout's end once, and of nothing else. */
  private async toldOnce(): Promise<number> {
    const events = await this.memory.find(eventRecords, { merchantId });
    const ends = (await this.memory.find(payoutTransitions, { merchantId })).filter(
      ({ fromStatus }) => fromStatus !== null,
    );
    const want = ends.map(({ payoutId, toStatus }) => `payout.${toStatus} ${payoutId}`);
    const got = events.map(({ type, data }) => `${type} ${String(data['id'])}`);
    if (want.toSorted().join('\n') !== got.toSorted().join('\n')) {
      throw new Broken(
        this.world,
        `the merchant was told\n${got.join('\n')}\ninstead of\n${want.join('\n')}`,
      );
    }
    return events.length;
  }
}
