import { type Capabilities } from '../../psp/contract.js';
import {
  type FlightTime,
  isAboutKey,
  isOfStatement,
  isSuccess,
  type RouteHistory,
  settlesAt,
} from './assess-route.js';
import { isCall } from './attempt.js';
import { formatMoney } from '../../core/money.js';
import { moneyIn, referencesIn } from './reference.js';
import { type PspAttempt } from '../route.entity.js';
import { type Statement, statedBy } from './person-statement.js';

/**
 * Why a person's statement about a route is not taken; null if it may be. A person speaks of what was seen: of the
 * calls up to an attempt. "Not done" says nothing of a call that the PSP may still carry out, and contradicts a PSP
 * that has said that it did it, unless the person says so.
 */
export function refusalOf(
  route: RouteHistory,
  { isDone, seenAttempt, overrulesPsp }: Pick<Statement, 'isDone' | 'seenAttempt' | 'overrulesPsp'>,
  can: Capabilities,
  flight: FlightTime,
  now: Date,
): string | null {
  const { psp } = route.request;
  const since = route.attempts.find((a) => a.attempt > seenAttempt && isCall(a) && !isOfStatement(a));
  if (since) {
    return `Attempt ${since.attempt} (${since.kind}) was made since attempt ${seenAttempt} was looked at. Look again, and state what you see then.`;
  }
  if (isDone) return null;
  const until = settlesAt(route, can, flight);
  if (until > now) {
    return `${psp} may still carry out what it was sent: from ${until.toISOString().slice(0, 19)}Z on it can be stated that it is not done.`;
  }
  const said = overrulesPsp ? null : wordAgainst(route, false);
  return (
    said &&
    `${said}. Where that is wrong, say that you overrule it; in the console with a file that shows it, or that it was there and has been given back.`
  );
}

/**
 * The PSP's words against a statement, in a sentence without its end; null: none. A yes counts against "not done" also
 * where the PSP says later that it knows nothing of it; only an object that is canceled is none any more.
 */
export function wordAgainst({ request: { psp }, attempts }: RouteHistory, isDone: boolean): string | null {
  const words = attempts.filter(isOfPsp);
  const isWord = (a: PspAttempt) => saysDone(a) || (isDone ? saysNotDone(a) : a.outcome === 'canceled');
  const last = words.findLast(isWord);
  if (!last || saysDone(last) === isDone) return null;
  const said = isDone ? 'that it did not do it' : 'that it did it, or has it';
  return `${psp} has said ${said} (attempt ${last.attempt}: ${wordsOf(last)})`;
}

/** Told by the PSP: neither a person's statement, nor a lookup of an id that a person named. */
export function isOfPsp(a: PspAttempt): boolean {
  return statedBy(a) === null && !isOfStatement(a);
}

function saysDone(a: PspAttempt): boolean {
  if (a.kind === 'cancel') return false;
  const holdsSomething = a.outcome === 'conflict' && !isAboutKey(a) && referencesIn(a).length > 0;
  return isSuccess(a) || a.outcome === 'pending' || holdsSomething;
}

function saysNotDone({ kind, outcome }: PspAttempt): boolean {
  return outcome === 'canceled' || outcome === 'not_found' || (outcome === 'declined' && kind !== 'cancel');
}

/** An answer in a few words, with the id and the money that it names. */
export function wordsOf(a: Pick<PspAttempt, 'outcome' | 'pspCode' | 'response'>): string {
  const message = a.response?.['message'];
  const money = moneyIn(a);
  const said = [
    a.outcome ?? 'unanswered',
    a.pspCode === a.outcome ? null : a.pspCode,
    ...referencesIn(a as PspAttempt),
    money === null ? null : formatMoney(money),
  ];
  const words = said.filter((word) => word !== null).join(' ');
  return typeof message === 'string' ? `${words}: ${message}` : words;
}
