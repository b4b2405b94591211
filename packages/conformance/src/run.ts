import { setTimeout as sleep } from 'node:timers/promises';
import { type Effect, type PspName, pspNames, samples, type Simulator } from '@payonce/simulator';
import { type Ask, type Target, type Told } from './target.js';
import { type Trial, type Tried } from './trials.js';

/**
 * - `once`       told done, and done once
 * - `none`       told failed, and nothing is left of it
 * - `unsettled`  the client never got a final answer
 * - `twice`      done more than once
 * - `lost`       told done, and nothing was done
 * - `hidden`     told failed, and done
 * - `unmet`      nothing was sent that the fault could have met
 * - `untried`    the target does not offer the operation
 */
export type Verdict = 'once' | 'none' | 'unsettled' | 'twice' | 'lost' | 'hidden' | 'unmet' | 'untried';

export const broken: ReadonlySet<Verdict> = new Set(['twice', 'lost', 'hidden']);

export interface Outcome {
  readonly trial: string;
  readonly operation: Tried;
  readonly verdict: Verdict;
  /** How often the PSPs did it, all together. */
  readonly effects: number;
  /** Those that were voided or refunded again. */
  readonly givenBack: number;
  readonly told: Told['status'];
  /** Requests that changed something, at all PSPs. */
  readonly calls: number;
  /** The time until the client was told, in ms. */
  readonly tookMs: number;
}

export interface RunOptions {
  /** The PSP that fails. */
  readonly psp: PspName;
  readonly currency: string;
  /** How long a client asks again. Default: 20 s. */
  readonly patienceMs?: number;
  /** Between the last call and the look at the ledgers. Default: 1 s. */
  readonly quietMs?: number;
}

const UNKNOWN: Told = { status: 'unknown' };
const PATIENCE_MS = 20_000;
const QUIET_MS = 1_000;
const PAUSE_MS = 250;
/** A client that gives up does so after this time. */
const GIVES_UP_MS = 300;
/** The longest wait for calls to end. */
const MAX_QUIET_MS = 15_000;
/** The longest wait for a target to ask its PSP again after failures. */
const TRUST_MS = 120_000;
/** The least amount. Each trial has one of its own, which tells its effects from those of earlier ones, settled late. */
const LEAST = 1_000;

const TOKENS = Object.fromEntries(pspNames.map((name) => [name, samples[name].token])) as Ask['tokens'];

let count = 0;

/** Plays one trial on a target that is started, and judges it by the PSPs' ledgers. */
export async function runTrial(
  target: Target,
  simulator: Simulator,
  trial: Trial,
  { psp, currency, patienceMs = PATIENCE_MS, quietMs = QUIET_MS }: RunOptions,
): Promise<Outcome> {
  const number = (count += 1);
  const amount = LEAST + number;
  const ask: Ask = {
    key: `trial-${number}`,
    reference: `order-${number}`,
    amount,
    currency,
    tokens: TOKENS,
    psp,
  };
  await untilTrusted(target, simulator, { ...ask, amount: LEAST });
  const request = await requestOf(target, trial, ask, patienceMs);
  const untried = { trial: trial.name, operation: trial.operation, effects: 0, givenBack: 0 };
  if (request === null) return { ...untried, verdict: 'untried', told: 'unknown', calls: 0, tookMs: 0 };

  const faults = trial.faults.map((fault) => simulator.faults(psp, fault));
  const before = callsIn(simulator);
  const startedMs = performance.now();
  const told = await tell(request, trial, ask, patienceMs);
  const tookMs = Math.round(performance.now() - startedMs);
  // Further faults are for calls that not every target makes.
  const [met] = faults;
  const isMet = met === undefined || met.fault === 'refuse' || met.hits > 0;
  await simulator.clearFaults();
  await quiet(simulator, quietMs);

  const all = pspNames.flatMap((name) => simulator.ledger(name).effects);
  const effects = all.filter((effect) => effect.amount === amount);
  const done = effects.filter(({ operation }) => kindOf(operation) === trial.operation);
  const givenBack = trial.operation === 'charge' ? done.filter((effect) => isUndone(effect, effects)) : [];
  return {
    trial: trial.name,
    operation: trial.operation,
    verdict: isMet ? verdictOn(told.status, done.length - givenBack.length) : 'unmet',
    effects: done.length,
    givenBack: givenBack.length,
    told: told.status,
    calls: callsIn(simulator) - before,
    tookMs,
  };
}

/** A target that met many failures may leave the PSP alone for a while: asks until it is asked first again. */
async function untilTrusted(target: Target, simulator: Simulator, ask: Ask): Promise<void> {
  const effects = () => simulator.ledger(ask.psp).effects.length;
  const giveUpAtMs = performance.now() + TRUST_MS;
  for (let tries = 0, before = effects(); effects() === before; tries++) {
    if (performance.now() > giveUpAtMs) throw new Error(`${ask.psp} is not asked any more`);
    if (tries > 0) await sleep(PAUSE_MS);
    const key = `${ask.key}-trust-${tries}`;
    await askUntilTold(() => target.charge({ ...ask, key, reference: key }), PATIENCE_MS);
  }
}

/** The request of the trial, under a key; what must be there before it is made without faults. null: not offered. */
async function requestOf(
  target: Target,
  { operation }: Trial,
  ask: Ask,
  patienceMs: number,
): Promise<((key: string) => Promise<Told>) | null> {
  if (operation === 'charge') return (key) => target.charge({ ...ask, key });
  const needed = operation === 'capture' ? (['authorize', 'capture'] as const) : (['refund'] as const);
  if (needed.some((name) => target[name] === undefined)) return null;
  const first = { ...ask, key: `${ask.key}-first` };
  const make = () => (operation === 'capture' ? target.authorize!(first) : target.charge(first));
  const { status, payment } = await askUntilTold(make, patienceMs);
  if (status !== 'done' || payment === undefined) {
    throw new Error(`the payment before the ${operation} was told ${status}`);
  }
  return (key) => target[operation]!(payment, { ...ask, key });
}

/** Asks as the client of the trial does, until it is told. */
async function tell(
  request: (key: string) => Promise<Told>,
  { client }: Trial,
  { key }: Ask,
  patienceMs: number,
): Promise<Told> {
  const ask = () => askUntilTold(() => request(key), patienceMs);
  if (client === 'asks twice at once') {
    const [told] = await Promise.all([ask(), ask()]);
    return told;
  }
  if (client === 'gives up and asks again') {
    const given = request(key).catch(() => undefined);
    await Promise.race([given, sleep(GIVES_UP_MS)]);
    return ask();
  }
  const told = await ask();
  return client === 'asks under another key' ? askUntilTold(() => request(`${key}-again`), patienceMs) : told;
}

/** A client repeats the same request under the same key until there is a final answer, or its patience ends. */
async function askUntilTold(ask: () => Promise<Told>, patienceMs: number): Promise<Told> {
  const giveUpAtMs = performance.now() + patienceMs;
  // A target that never answers must not hold the kit.
  const late = sleep(patienceMs, UNKNOWN, { ref: false });
  for (;;) {
    const told = await Promise.race([ask().catch(() => UNKNOWN), late]);
    if (told.status !== 'unknown' || performance.now() > giveUpAtMs) return told;
    await sleep(PAUSE_MS);
  }
}

/** Waits until nothing has been sent and nothing was done for so long. */
async function quiet(simulator: Simulator, quietMs: number): Promise<void> {
  const now = () =>
    pspNames.map((psp) => [simulator.calls(psp).length, simulator.ledger(psp).effects.length]).join(' ');
  const giveUpAtMs = performance.now() + MAX_QUIET_MS;
  for (let last = '', sinceMs = performance.now(); performance.now() < giveUpAtMs;) {
    const seen = now();
    if (seen !== last) sinceMs = performance.now();
    else if (performance.now() - sinceMs >= quietMs) return;
    last = seen;
    await sleep(50);
  }
}

function callsIn(simulator: Simulator): number {
  return pspNames
    .map((psp) => simulator.calls(psp).filter(({ method }) => method === 'POST').length)
    .reduce((sum, calls) => sum + calls, 0);
}

/** An authorization holds the customer's money as a charge takes it. */
function kindOf(operation: Effect['operation']): Tried | null {
  if (operation === 'authorize') return 'charge';
  return operation === 'charge' || operation === 'capture' || operation === 'refund' ? operation : null;
}

function isUndone({ psp, psp_reference: id }: Effect, effects: readonly Effect[]): boolean {
  return effects.some(
    ({ psp: at, operation, parent_reference: parent }) =>
      at === psp && parent === id && (operation === 'refund' || operation === 'void'),
  );
}

export function verdictOn(told: Told['status'], net: number): Verdict {
  if (net > 1) return 'twice';
  switch (told) {
    case 'done':
      return net === 1 ? 'once' : 'lost';
    case 'failed':
      return net === 0 ? 'none' : 'hidden';
    case 'unknown':
      return 'unsettled';
  }
}
