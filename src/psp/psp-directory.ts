import { Gauge, Histogram, type Registry } from 'prom-client';
import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import { type AccountAccess, isFor, type PspClient, reasonToRefuse } from './account-access.js';
import { checkedAnswer, unknownAnswer } from './answer-check.js';
import { CallDeadline } from './call-deadline.js';
import { Breaker, breakerDefaults, type BreakerOptions, type BreakerState } from './breaker.js';
import {
  type Answer,
  type AttemptKind,
  type Capabilities,
  type Instruction,
  type Operation,
  type PspAdapter,
  type Psps,
} from './contract.js';
import { LOCK_TOO_OLD, provedUnsent } from './network-error.js';
import { pspText } from './psp-text.js';

/** Which account it is; see `accountFingerprint()`. */
export interface Fingerprints {
  readonly fingerprint: string;
  /** The address and the account of payouts, if they are not those of payments. */
  readonly payoutsFingerprint?: string;
}

/** One PSP account as the directory keeps it. */
export interface PspAccount extends AccountAccess, Fingerprints {
  /** Its name in merchants' tokens and routing rules. */
  readonly name: string;
  readonly adapter: PspAdapter;
  /** The longest one call may take, in ms. */
  readonly timeoutMs: number;
  /** Credentials: never to be seen in an answer. */
  readonly secrets?: readonly string[];
}

interface PspDirectoryOptions {
  readonly clock: Clock;
  /** The registry of its metrics; one for each directory. */
  readonly metrics: Registry;
  readonly breaker?: BreakerOptions;
  /** See `reasonToRefuse`. Absent: they do not. */
  readonly liveReachesTest?: boolean;
}

interface Entry extends PspAccount {
  readonly breaker: Breaker;
}

/**
 * The guard: every call to every PSP goes through `call`, which ends in time and never throws. An
 * adapter may throw, hang, ignore its signal or answer nonsense; what comes out is an answer whose
 * outcome request storage may decide by.
 */
export class PspDirectory implements Psps {
  private readonly entries = new Map<string, Entry>();
  /** Adapters of accounts that were changed or removed, while calls of theirs may be under way. */
  private readonly retired = new Set<PspAdapter>();
  private readonly breaker: BreakerOptions;
  private readonly clock: Clock;
  private readonly liveReachesTest: boolean;
  private readonly seconds: Histogram<'psp' | 'kind' | 'outcome'>;

  constructor(accounts: readonly PspAccount[], options: PspDirectoryOptions) {
    const { clock, metrics, breaker = breakerDefaults, liveReachesTest = false } = options;
    this.clock = clock;
    this.liveReachesTest = liveReachesTest;
    this.breaker = breaker;
    this.replace(accounts);
    // Its _count is the number of calls by outcome; no counter besides it.
    this.seconds = new Histogram({
      name: 'payonce_psp_call_seconds',
      help: 'Calls to PSPs by account, kind and outcome',
      labelNames: ['psp', 'kind', 'outcome'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [metrics],
    });
    const { entries } = this;
    const isOpen = new Gauge({
      name: 'payonce_psp_breaker_open',
      help: '1 while a PSP account keeps failing, or an operator holds its breaker open, and this process sends it no money orders',
      labelNames: ['psp'],
      registers: [],
      collect() {
        for (const [psp, { breaker: own }] of entries) this.set({ psp }, own.state === 'closed' ? 0 : 1);
      },
    });
    metrics.registerMetric(isOpen);
  }

  /**
   * From now on these are the accounts; one of the same name as before keeps its breaker. Calls that are under way end
   * with the adapter that they began with.
   */
  replace(accounts: readonly PspAccount[]): void {
    const before = new Map(this.entries);
    this.entries.clear();
    for (const account of accounts) {
      if (this.entries.has(account.name)) throw new RangeError('two PSP accounts share a name');
      const breaker = before.get(account.name)?.breaker ?? new Breaker(this.breaker);
      this.entries.set(account.name, { ...account, breaker });
    }
    for (const { name, adapter, timeoutMs } of before.values()) {
      if (this.entries.get(name)?.adapter !== adapter) this.retire(adapter, timeoutMs);
    }
  }

  private retire(adapter: PspAdapter, timeoutMs: number): void {
    this.retired.add(adapter);
    this.clock.timer(2 * timeoutMs, () => {
      if (this.retired.delete(adapter)) void adapter.close().catch(() => {});
    });
  }

  /** The accounts, in the order of the configuration. */
  names(): string[] {
    return [...this.entries.keys()];
  }

  has(psp: string): boolean {
    return this.entries.has(psp);
  }

  /**
   * Why operations of this client may not be begun there; null where they may.
   * @throws RangeError for an account that is not configured
   */
  reasonToRefuse(psp: string, client: PspClient): string | null {
    return reasonToRefuse(this.entry(psp), client, this.liveReachesTest);
  }

  /** @throws RangeError for an account that is not configured */
  isDisabled(psp: string): boolean {
    return this.entry(psp).isDisabled === true;
  }

  /** @throws RangeError for an account that is not configured */
  mayBegin(psp: string, merchantId: string): boolean {
    return !this.isDisabled(psp) && isFor(this.entry(psp), merchantId);
  }

  /** @throws RangeError for an account that is not configured */
  capabilities(psp: string): Capabilities {
    return this.entry(psp).adapter.capabilities;
  }

  /** @throws RangeError for an account that is not configured */
  timeoutMs(psp: string): number {
    return this.entry(psp).timeoutMs;
  }

  /** @throws RangeError for an account that is not configured */
  fingerprint(psp: string, operation: Operation): string {
    const { fingerprint, payoutsFingerprint = fingerprint } = this.entry(psp);
    return operation === 'payout' ? payoutsFingerprint : fingerprint;
  }

  /** The breaker of this process. @throws RangeError for an account that is not configured */
  breakerState(psp: string): BreakerState {
    return this.entry(psp).breaker.state;
  }

  /** Opens the account's breaker in this process until it is closed again, or closes it. */
  setBreaker(psp: string, isHeldOpen: boolean): void {
    const { breaker } = this.entry(psp);
    if (isHeldOpen) breaker.hold();
    else breaker.close();
  }

  async call(
    psp: string,
    kind: AttemptKind,
    instruction: Instruction,
    leaseStillValid: () => boolean = () => true,
  ): Promise<Answer> {
    const entry = this.entries.get(psp);
    if (!entry) return { outcome: 'not_sent', pspCode: 'psp_not_configured' };
    const startedMs = this.clock.monotonicMs();
    const answer =
      refusedBeforehand(entry.adapter.capabilities, kind, instruction) ??
      (await this.lockTooOld(kind, leaseStillValid)) ??
      (kind === 'execute'
        ? await entry.breaker.run(() => this.onTheWire(entry, kind, instruction, leaseStillValid))
        : await this.onTheWire(entry, kind, instruction, leaseStillValid));
    this.seconds.labels(psp, kind, answer.outcome).observe((this.clock.monotonicMs() - startedMs) / 1_000);
    return answer;
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /** Frees every account's sockets. */
  async close(): Promise<void> {
    const adapters = [...this.entries.values()].map(({ adapter }) => adapter);
    await Promise.allSettled([...adapters, ...this.retired].map((adapter) => adapter.close()));
    this.retired.clear();
  }

  /** Checked before the breaker: our slow commit must not count as a failure of the PSP. */
  private async lockTooOld(kind: AttemptKind, leaseStillValid: () => boolean): Promise<Answer | null> {
    await checkpoint(`psp:before:${kind}`);
    return leaseStillValid() ? null : { outcome: 'not_sent', pspCode: LOCK_TOO_OLD };
  }

  private async onTheWire(
    entry: Entry,
    kind: AttemptKind,
    instruction: Instruction,
    leaseStillValid: () => boolean,
  ): Promise<Answer> {
    const { secrets = [] } = entry;
    try {
      const answer = await this.inTime(entry, kind, instruction, leaseStillValid);
      await checkpoint(`psp:after:${kind}`);
      return checkedAnswer(answer, kind, instruction, secrets);
    } catch (error) {
      return answerOfError(error, [...secrets, instruction.token ?? '']);
    }
  }

  /**
   * The adapter's answer, or a TimedOut after `timeoutMs` whether or not it heeds its signal. An answer that has arrived
   * while this process was late is read first.
   */
  private async inTime(
    entry: Entry,
    kind: AttemptKind,
    instruction: Instruction,
    leaseStillValid: () => boolean,
  ): Promise<Answer> {
    const { adapter, timeoutMs } = entry;
    const call = new CallDeadline(timeoutMs, leaseStillValid);
    let stop = () => {};
    const deadline = new Promise<never>((_, reject) => {
      const late = () => {
        const error = new TimedOut(timeoutMs);
        reject(error);
        call.giveUp(error);
      };
      stop = this.clock.timer(timeoutMs, () => {
        const last = setImmediate(late);
        stop = () => clearImmediate(last);
      });
    });
    try {
      return await Promise.race([
        adapter[kind]?.(instruction, call) ?? unaskable(`${kind}_not_supported`),
        deadline,
      ]);
    } finally {
      stop();
    }
  }

  private entry(psp: string): Entry {
    const entry = this.entries.get(psp);
    if (!entry) throw new RangeError(`no PSP account is named ${JSON.stringify(psp)}`);
    return entry;
  }
}

class TimedOut extends Error {
  readonly code = 'timeout';

  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms`);
    this.name = 'TimedOut';
  }
}

/** Any throw is `unknown`, unless it is proved that no byte left. */
function answerOfError(error: unknown, secrets: readonly string[]): Answer {
  const { message } = (error ?? {}) as { message?: unknown };
  const pspCode = pspText(errorCodeOf(error) ?? 'adapter_failed', secrets).slice(0, 100);
  const said = pspText(typeof message === 'string' ? message : 'The adapter failed', secrets);
  return { outcome: provedUnsent(error) ? 'not_sent' : 'unknown', pspCode, message: said };
}

/** The error's own code, or that of the error inside: `cause` for axios, `detail` for the Stripe SDK. */
function errorCodeOf(error: unknown, depth = 0): string | null {
  if (typeof error !== 'object' || error === null || depth > 4) return null;
  const { code, cause, detail } = error as Record<string, unknown>;
  return typeof code === 'string' ? code : (errorCodeOf(detail, depth + 1) ?? errorCodeOf(cause, depth + 1));
}

/** An operation that the PSP does not support is answered without a call. */
function refusedBeforehand(can: Capabilities, kind: AttemptKind, instruction: Instruction): Answer | null {
  const { operation, money, token, parentReference, pspReference, method } = instruction;
  if (kind === 'lookup') return can.lookup ? null : unaskable('lookup_not_supported');
  if (kind === 'cancel') {
    if (!can.cancel) return unaskable('cancel_not_supported');
    // A capture or void may be of the payment's own object: voiding that would undo more than the operation in doubt.
    if (operation !== 'charge' && operation !== 'authorize') return unaskable('nothing_to_cancel');
    return can.cancel === 'id' && !pspReference ? unaskable('reference_missing') : null;
  }
  if (kind === 'complete') {
    if (!can.completion) return unaskable('completion_not_supported');
    return instruction.details ? null : rejected('details_missing');
  }
  if (!can.operations.includes(operation)) return rejected('operation_not_supported');
  if (can.currencies && !can.currencies.includes(money.currency)) return rejected('currency_not_supported');
  const acts = operation === 'capture' || operation === 'void' || operation === 'refund';
  const offer = method && can.methods[method];
  if (method && !offer) return rejected('method_not_supported');
  if (!acts && !token && !offer?.withoutToken) return rejected('token_missing');
  if (acts && !parentReference) return rejected('parent_reference_missing');
  return null;
}

function rejected(pspCode: string): Answer {
  return { outcome: 'rejected', pspCode, message: 'This PSP account does not offer this operation' };
}

/** About the past nothing was learnt: no better than before. */
function unaskable(pspCode: string): Answer {
  return unknownAnswer(pspCode, 'This PSP account does not offer this lookup');
}
