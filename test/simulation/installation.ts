import { wasSkipped } from '../../src/request-storage/decisions/skipped-call.js';
import { type Completer } from '../../src/idempotency/completer.js';
import { FINISHED, idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { IdempotentRunner } from '../../src/idempotency/idempotent-runner.js';
import {
  changesOf,
  type Commit,
  commitOf,
  type CommitResult,
  type Store,
  update,
} from '../../src/core/change.js';
import { type MemorySnapshot, MemoryStore } from '../support/memory-store.js';
import { type LockHolder } from '../../src/core/lock-holder.js';
import { Problem } from '../../src/core/problem.js';
import { Encryption } from '../../src/core/encryption.js';
import { type Hold } from '../../src/core/hold.js';
import { FAILOVER_HOURS } from '../../src/database/failover-hold.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { type OrphanCompensator } from '../../src/payments/orphan-compensator.js';
import { type Psps } from '../../src/psp/contract.js';
import { type OperationRegistry } from '../../src/request-storage/operation-registry.js';
import { payments } from '../../src/payments/payment.table.js';
import { HELD } from '../../src/request-storage/decisions/stuck-reason.js';
import {
  nonExecutionProofs,
  orphanEffects,
  pspAttempts,
  pspRequests,
} from '../../src/request-storage/route.table.js';
import { RequestStorage } from '../../src/request-storage/request-storage.js';
import { type Resolver } from '../../src/request-storage/resolver.js';
import { Accounts } from './accounts.js';
import { Messenger } from './messenger.js';
import { People } from './people.js';
import { CALL_TIMEOUT_MS, type Effect, type Kind, kinds, MAX_VOID_MS } from './simulated-psp.js';
import { type Chance, type SimulatedProcess, World } from './world.js';

export const merchantId = '01900000-0000-7000-8000-000000000001';
export const LEASE_MS = 20_000;
const DEADLINE_MS = 25_000;
const seal = new Encryption(Buffer.alloc(32, 7));

/** Probabilities, per visit of the place. */
const CRASH = 0.012;
const FREEZE = 0.008;
const OUTAGE = 0.01;
const CUT = 0.01;

export type Mortal = ReturnType<World['newProcess']>;

/** What runs inside a process, as far as it runs by itself. */
export interface Working {
  readonly resolver: Resolver;
  readonly completer: Completer;
  readonly orphans: OrphanCompensator;
  readonly facts: OperationRegistry;
}

/** A rule that does not hold, with the seed that shows it. */
export class Broken extends Error {
  constructor(world: World, rule: string) {
    super(`seed ${world.seed}: ${rule}\n${world.story.join('\n')}`);
    this.name = 'Broken';
  }
}

/** Plays a seed; one that breaks a rule a second time, and then its story is written down. */
export async function withStory<Played>(play: (telling: boolean) => Promise<Played>): Promise<Played> {
  try {
    return await play(false);
  } catch {
    return play(true);
  }
}

/**
 * Two processes over one store, one or two PSPs, and a network between them: everything that can fail
 * does, in an order that the seed draws. What is asked of them, and what must have come of it, is the
 * schedule's.
 */
export abstract class Installation<Service extends Working> {
  protected readonly world: World;
  protected readonly memory: MemoryStore;
  protected readonly accounts: Accounts;
  protected readonly people: People;
  protected readonly messenger: Messenger;
  protected readonly processes: Mortal[] = [];
  protected crashes = 0;
  protected takeovers = 0;
  protected cuts = 0;
  /** Drawn apart, so that the schedules of a seed without a cut stay as they are. */
  private readonly cutting: Chance;
  /** Who drew each lock token, and in which of its sessions. */
  private readonly tokens = new Map<string, { readonly process: Mortal; readonly session: number }>();
  private readonly services = new Map<Mortal, Service>();
  private readonly answers = new Map<string, string>();
  private stormy = true;
  private readonly mayBeCut: boolean;
  private isHeld = false;
  private failoverHeldUntilMs = -Infinity;

  constructor(seed: number, telling: boolean) {
    this.world = new World(seed, telling);
    const { world } = this;
    this.memory = new MemoryStore(world.clockOf(null));
    this.cutting = world.apart(0x2545f491);
    this.mayBeCut = this.cutting.maybe(0.3);
    const names = ['first', 'second'].slice(0, world.between(1, this.mostPsps));
    this.accounts = new Accounts(world, names, this.kindsOfPsps);
    this.messenger = new Messenger(world, () => {
      const process = world.oneOf(this.processes);
      return process.alive ? { process, facts: this.service(process).facts } : null;
    });
    for (const psp of this.accounts.all) psp.tells = (fact) => this.messenger.carry(psp.name, fact);
    this.people = new People({
      world,
      memory: this.memory,
      accounts: this.accounts,
      console: () => {
        const found = this.someone();
        return found && { process: found.process, operations: found.service.facts };
      },
      rethrow: (error) => this.rethrow(error),
    });
  }

  protected get mostPsps(): number {
    return 2;
  }

  protected get kindsOfPsps(): readonly Kind[] {
    return kinds;
  }

  /** Over the store, the PSPs and the clock as this process has them. */
  protected abstract newService(process: Mortal): Service;

  private get hold(): Hold {
    if (this.isHeld) return 'operations';
    return this.world.nowMs < this.failoverHeldUntilMs ? 'failover' : 'none';
  }

  /** What every service is made of, as this process reaches it. */
  protected toolsOf(process: Mortal) {
    const { ids } = this.world;
    const store = this.storeOf(process);
    const { clock } = process;
    const times = { leaseMs: LEASE_MS, deadlineMs: DEADLINE_MS };
    const hold = () => this.hold;
    const storage = new RequestStorage({
      store,
      psps: this.pspsOf(process),
      clock,
      hold,
      ...times,
    });
    const holder = this.holderOf(process);
    const keyed = new IdempotentRunner({ store, clock, ids, holder, seal, ...times });
    const deps = { store, storage, seal, clock, ids, holder, leaseMs: LEASE_MS };
    return { keyed, newId: () => ids.uuid(), deps };
  }

  /** A session with the database holds them: a lock of a session that has ended is not held any more. */
  private holderOf(process: Mortal): LockHolder {
    return {
      newToken: () => {
        const token = this.world.ids.uuid();
        this.tokens.set(token, { process, session: process.session });
        return token;
      },
      holds: (token) => this.tokens.get(token)?.session === process.session,
    };
  }

  /** The database ends the sessions of a process: a failover, a pooler, a statement that took too long. */
  private maybeCut(process: Mortal): void {
    if (!this.stormy || !this.mayBeCut || !process.alive || !this.cutting.maybe(CUT)) return;
    this.cuts += 1;
    this.world.tell(`the sessions of ${process.name} end`);
    const ended = process.session++;
    void this.releaseLocks(process, ended);
  }

  /** Every process clears locks of a session that is not there any more. */
  private async releaseLocks(process: Mortal, ended: number): Promise<void> {
    const { world, memory } = this;
    await world.wait(this.cutting.between(1_000, 2_000), null);
    const now = new Date(world.nowMs);
    const isOfIt = (token: string | null) => {
      const drawn = this.tokens.get(token ?? '');
      return drawn?.process === process && drawn.session === ended;
    };
    for (const { key, lockToken } of await memory.find(idempotencyKeys, { merchantId })) {
      if (!isOfIt(lockToken)) continue;
      memory.commitNow(
        commitOf(update(idempotencyKeys, { merchantId, key }, { resumableAt: now }, { lockToken })),
      );
    }
    for (const { entityKey, route, leasedBy } of await memory.find(pspRequests, {
      merchantId,
      verdict: 'open',
    })) {
      if (!isOfIt(leasedBy)) continue;
      const set = { leasedUntil: now, nextStepAt: now };
      memory.commitNow(commitOf(update(pspRequests, { merchantId, entityKey, route }, set, { leasedBy })));
    }
  }

  /** Everybody asks once more, when all is at rest: nobody is told anything else than before. */
  protected abstract askAgain(): Promise<void>;

  protected async until(work: Promise<unknown>): Promise<void> {
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
  protected service(process: Mortal): Service {
    let service = this.services.get(process);
    if (!service) this.services.set(process, (service = this.newService(process)));
    return service;
  }

  /** What of a process's work others may see fail; anything else is a fault of ours. */
  protected readonly rethrow = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable) && !(error instanceof Problem)) throw error;
  };

  /** The store as a process reaches it: late, or not at all, or with its answer lost. */
  protected storeOf(process: Mortal): Store {
    const { world, memory } = this;
    const reach = async () => {
      const askedMs = world.nowMs;
      await world.wait(this.pauseMs(), process);
      world.beat(process, askedMs);
      this.maybeCut(process);
      this.maybeCrash(process, 'before the store');
      await this.stopIfDead(process);
    };
    const outage = () => this.stormy && world.maybe(OUTAGE);
    return {
      commit: async (commit: Commit): Promise<CommitResult> => {
        await reach();
        if (outage()) throw new StoreUnavailable(new Error('not reached'));
        const result = memory.commitNow(commit);
        if (result.done) this.noticeTakeover(commit);
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
      watchCommits: () => memory.watchCommits(),
    };
  }

  private noticeTakeover(commit: Commit): void {
    const lapsed = changesOf(commit).find((change) => change.op === 'update' && change.lapsed !== null);
    if (!lapsed) return;
    this.takeovers += 1;
    this.world.tell(`${lapsed.table.name} is taken over`);
  }

  protected pspsOf(process: Mortal): Psps {
    const psp = (name: string) => this.accounts.knownTo(process, name);
    return {
      has: (name) => this.accounts.has(name),
      capabilities: (name) => psp(name).can,
      fingerprint: (name) => this.accounts.fingerprintOf(psp(name)),
      mayBegin: () => true,
      timeoutMs: () => CALL_TIMEOUT_MS,
      call: async (name, kind, instruction, mayStill) => {
        // A call ends with the account that it began with.
        const account = psp(name);
        await this.world.wait(this.pauseMs(), process);
        if (!mayStill()) return { outcome: 'not_sent', pspCode: 'lock_too_old' };
        await this.everyCallIsWrittenDown(instruction.entityKey, instruction.route, kind);
        this.world.tell(
          `${process.name} -> ${name}: ${kind} ${instruction.operation} route ${instruction.route}`,
        );
        this.maybeCrash(process, 'before the call');
        await this.stopIfDead(process);
        // Connecting takes a while, and a process may stand still meanwhile. The lock is looked at again.
        await this.world.wait(this.pauseMs(), process);
        if (!mayStill()) return { outcome: 'not_sent', pspCode: 'lock_too_old' };
        const answer = await account.call(kind, instruction, (ms) => this.world.wait(ms, null));
        this.world.beat(process);
        this.world.tell(`${process.name} <- ${name}: ${answer.outcome}`);
        this.maybeCrash(process, 'after the call');
        await this.world.wait(this.pauseMs(), process);
        return answer;
      },
    };
  }

  /** After the storm: until all is at rest, or people can do no more about it. */
  protected async comeToRest(): Promise<void> {
    await this.calm();
    if (await this.worksOnStuck()) await this.calm();
  }

  /** People work on what is stuck, while all that can fail does again. False if nothing is stuck. */
  private async worksOnStuck(): Promise<boolean> {
    const open = await this.memory.find(pspRequests, { merchantId, verdict: 'open' });
    const stuck = open.filter(({ stuckAt }) => stuckAt !== null);
    if (stuck.length === 0) return false;
    this.stormy = true;
    for (const psp of this.accounts.all) psp.weather = 1;
    await this.until(Promise.all([this.people.workOn(stuck), this.workers()]));
    return true;
  }

  /** Mostly short; now and then a process stands still for longer than its lock. */
  private pauseMs(): number {
    if (this.stormy && this.world.maybe(FREEZE)) return this.world.between(LEASE_MS, 3 * LEASE_MS);
    return this.world.between(0, 20);
  }

  private maybeCrash(process: Mortal, place: string): void {
    if (!this.stormy || !process.alive || !this.world.maybe(CRASH)) return;
    this.kill(process, place);
  }

  private kill(process: Mortal, place: string): void {
    this.crashes += 1;
    this.world.tell(`${process.name} is killed ${place}`);
    process.die();
    const { world } = this;
    void this.restart(process, world.between(10, 40_000));
  }

  /** An older copy of the database takes its place under PSPs that go on, and clients forget no key. */
  protected loseCommitsSince(copy: MemorySnapshot): void {
    for (const process of this.processes.filter(({ alive }) => alive)) {
      this.kill(process, 'with its database');
    }
    this.memory.restore(copy);
    this.isHeld = true;
    // What took the database away may have taken the way to a PSP, too.
    for (const psp of this.accounts.all) {
      if (this.world.maybe(0.25)) psp.goAway(this.world.between(1_000, 120_000));
    }
    this.answers.clear();
    this.world.tell('an older copy of the database is restored');
  }

  /** As `payonce failover resume` does. */
  protected async resume(): Promise<void> {
    this.isHeld = false;
    this.failoverHeldUntilMs = this.world.nowMs + FAILOVER_HOURS * 3_600_000;
    for (const route of await this.memory.find(pspRequests, { merchantId, verdict: 'open' })) {
      if (route.stuckReason !== HELD) continue;
      const { entityKey, route: number, version } = route;
      const set = {
        nextStepAt: new Date(this.world.nowMs),
        stuckAt: null,
        stuckReason: null,
        version: version + 1,
      };
      this.memory.commitNow(
        commitOf(update(pspRequests, { merchantId, entityKey, route: number }, set, { version })),
      );
    }
    this.world.tell('a person resumes');
  }

  private async restart(dead: Mortal, afterMs: number): Promise<void> {
    await this.world.wait(afterMs, null);
    const next = this.world.newProcess(`${dead.name}'`);
    if (!this.stormy) next.skewMs = 0;
    this.processes.splice(this.processes.indexOf(dead), 1, next);
  }

  /** The dead do not go on: what they would have done next never happens. */
  private stopIfDead(process: SimulatedProcess): Promise<void> | void {
    return process.alive ? undefined : new Promise(() => {});
  }

  /**
   * Asks again and again, until there is nothing more to ask: a few times now and then, or at a rate of
   * its own for minutes.
   */
  protected async insist(ask: () => Promise<boolean>, afterMs: number): Promise<void> {
    const { world } = this;
    await world.wait(afterMs, null);
    const everyMs = world.maybe(0.15) ? world.oneOf([250, 1_000, 3_000, 10_000]) : null;
    const most = everyMs === null ? 8 : world.between(8, 60);
    for (let tries = 0; tries < most; tries++) {
      if (await ask()) return;
      await world.wait(everyMs ?? world.between(50, 30_000), null);
    }
  }

  /** Some process, or null where that one is just dead. */
  protected someone(): { readonly process: Mortal; readonly service: Service } | null {
    const process = this.world.oneOf(this.processes);
    if (!process.alive) return null;
    this.world.beat(process);
    return { process, service: this.service(process) };
  }

  protected async workers(): Promise<void> {
    for (let pass = 0; pass < 6; pass++) {
      await this.world.wait(this.world.between(1_000, 30_000), null);
      await this.workOnce();
    }
  }

  private async workOnce(): Promise<void> {
    const process = this.world.oneOf(this.processes);
    if (!process.alive) return;
    this.world.beat(process);
    // Periodic tasks are left to a process whose clock is sound.
    if (!process.clock.isTrusted()) return;
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
  protected async calm(): Promise<void> {
    const { world } = this;
    this.stormy = false;
    for (const process of this.processes) process.skewMs = 0;
    for (const psp of this.accounts.all) psp.weather = 0;
    for (let hours = 0; hours < 200; hours++) {
      await this.until(this.settleOnce());
      if (await this.atRest()) break;
      await this.until(world.wait(await this.untilNextMs(), null));
    }
    await this.askAgain();
    this.messenger.stop();
    // What PSPs were told to undo is undone.
    await this.until(world.wait(MAX_VOID_MS + 1, null));
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
    if (!this.isLiedTo) return false;
    const routes = await this.memory.find(pspRequests, { merchantId, verdict: 'ruled_out' });
    // An orphan effect that the PSP gave no answer about is asked about again.
    const orphans = await this.memory.find(orphanEffects, { merchantId, status: 'open' });
    return orphans.length > 0 || routes.some(({ lookAgainAt }) => lookAgainAt !== null);
  }

  // What must hold.

  /** I1: per entity key, at most one effect over all PSPs. Looked at after every step. */
  private neverTwice(): void {
    if (!this.isLiedTo) this.onceEach();
  }

  /** I3: an answer once given is given again, byte for byte. */
  protected sameAnswer(wants: string, answer: string): void {
    const before = this.answers.get(wants);
    if (before !== undefined && before !== answer) {
      throw new Broken(this.world, `I3: ${wants} was answered\n${before}\nand then\n${answer}`);
    }
    this.answers.set(wants, answer);
  }

  /** I6: every call on the wire has an attempt row that was committed before it. */
  private async everyCallIsWrittenDown(entityKey: string, route: number, kind: string): Promise<void> {
    const rows = await this.memory.find(pspAttempts, { merchantId, entityKey, route });
    const last = rows.findLast((row) => row.kind !== 'notice');
    if (last?.kind !== kind || last.outcome !== null) {
      throw new Broken(this.world, `I6: ${kind} of ${entityKey} is on the wire without its row`);
    }
  }

  /** `withPeople`: the PSPs' ids of orphan effects that could not be given back, which people see. */
  protected onceEach(withPeople: ReadonlySet<string | null> = new Set()): void {
    const seen = new Set<string>();
    for (const psp of this.accounts.all) {
      for (const { entityKey, undone, pspReference } of psp.effects) {
        if (undone || withPeople.has(pspReference)) continue;
        if (seen.has(entityKey)) throw new Broken(this.world, `I1: two effects for ${entityKey}`);
        seen.add(entityKey);
      }
    }
  }

  /** One of the PSPs does what it said could not happen any more. Then it can only be made good again. */
  protected get isLiedTo(): boolean {
    return this.accounts.all.some(({ kind }) => kind.lies);
  }

  /** Facts that were taken for contradictions though every PSP did as it said. */
  protected get falseAlarms(): number {
    if (this.isLiedTo) return 0;
    return this.messenger.taken.filter(({ taken }) => taken === 'contradiction').length;
  }

  /** What was answered for good so far. */
  protected get answered(): readonly string[] {
    return [...this.answers.keys()];
  }

  protected get effects(): readonly Effect[] {
    return this.accounts.all.flatMap((psp) => psp.effects);
  }

  /** The PSPs' ids of what was done twice under one name and nobody could give back: people see them. */
  protected async leftToPeople(): Promise<ReadonlySet<string | null>> {
    const orphans = await this.memory.find(orphanEffects, { merchantId });
    const held = this.effects.filter(({ undone }) => !undone);
    const undecided = orphans.filter(
      ({ status, entityKey }) =>
        (status === 'compensating' || status === 'failed') &&
        held.filter((effect) => effect.entityKey === entityKey).length > 1,
    );
    return new Set(undecided.map(({ pspReference }) => pspReference));
  }

  /**
   * I4: nothing is lost. What a PSP holds is effective here, or still open, or an orphan that is on
   * record; what it held until it was canceled is at least a route.
   */
  protected async nothingIsLost(effects: readonly Effect[]): Promise<void> {
    const routes = await this.memory.find(pspRequests, { merchantId });
    const orphans = await this.memory.find(orphanEffects, { merchantId });
    for (const { entityKey, psp, undone } of effects) {
      const known = routes.some(
        (r) => r.entityKey === entityKey && r.psp === psp && (undone || r.verdict !== 'ruled_out'),
      );
      const orphan = orphans.some((o) => o.entityKey === entityKey && o.psp === psp && o.status !== 'open');
      if (!known && !orphan) throw new Broken(this.world, `I4: ${psp} holds ${entityKey}, and nobody knows`);
    }
  }

  /** Nothing is canceled that nobody called off: neither by time nor by the number of calls. */
  protected async nothingIsCalledOffByItself(): Promise<void> {
    const attempts = await this.memory.find(pspAttempts, { merchantId, kind: 'cancel' });
    const canceled = attempts.find(({ request }) => request['fence'] !== true);
    if (canceled) throw new Broken(this.world, `${canceled.entityKey} was canceled and nobody asked for it`);
  }

  /** A call that our own lock kept back proves nothing: no other PSP was asked for it, and no payment failed. */
  protected async ourLockProvesNothing(): Promise<void> {
    const routes = await this.memory.find(pspRequests, { merchantId });
    for (const { entityKey, route, attempt } of await this.memory.find(nonExecutionProofs, { merchantId })) {
      const [by] = await this.memory.find(pspAttempts, { merchantId, entityKey, route, attempt });
      if (!wasSkipped(by!)) continue;
      const { paymentId } = routes.find((r) => r.entityKey === entityKey && r.route === route)!;
      const [payment] = paymentId ? await this.memory.find(payments, { merchantId, id: paymentId }) : [];
      const isSwitched = routes.some((r) => r.entityKey === entityKey && r.route > route);
      if (isSwitched || payment?.status !== 'canceled') {
        throw new Broken(this.world, `the lock of attempt ${attempt} of ${entityKey} is taken for a proof`);
      }
    }
  }

  /** I5: an open route has a next step with a time, or is stuck and visible. */
  protected async everyRouteGoesOn(): Promise<void> {
    for (const { entityKey, verdict, nextStepAt, stuckAt } of await this.memory.find(pspRequests, {
      merchantId,
    })) {
      if (verdict === 'open' && (nextStepAt === null) === (stuckAt === null)) {
        throw new Broken(this.world, `I5: ${entityKey} is open without a next step`);
      }
    }
  }
}
