import { type Money } from '../core/money.js';
import { type Answer, type AttemptKind, type Instruction, type Outcome, outcomes } from './contract.js';
import { adviceFor } from './decline.js';
import { passableAction } from './next-action.js';
import { pspText } from './psp-text.js';

/**
 * An adapter's answer is checked before a decision uses it: an adapter may have a bug, and a PSP may
 * answer wrongly. A malformed answer is `unknown`, which costs a lookup; believing it could cost a
 * second charge.
 */
export function checkedAnswer(
  answer: Answer,
  kind: AttemptKind,
  instruction: Instruction,
  secrets: readonly string[] = [],
): Answer {
  const malformed = faultOf(answer, kind);
  if (malformed) {
    return unknownAnswer('malformed_answer', `The adapter's answer is not well-formed: ${malformed}`);
  }
  const clean = cleaned(answer, secrets, personalData(instruction));
  const { outcome, money } = clean;
  if (outcome === 'succeeded' && money && !sameMoney(money, instruction.money)) {
    return { ...clean, outcome: 'conflict', pspCode: 'money_differs' };
  }
  return clean;
}

/** Outcomes that a notification may have; all others say nothing about an operation. */
const TOLD: ReadonlySet<Outcome> = new Set([
  'succeeded',
  'declined',
  'requires_action',
  'pending',
  'canceled',
  'conflict',
]);

/**
 * The answer in a notification, made fit to keep; null where it says nothing or is not well-formed. Its
 * money is not compared with anything: the request is not known here.
 */
export function notificationAnswer(answer: Answer, secrets: readonly string[]): Answer | null {
  return TOLD.has(answer.outcome) && faultOf(answer, 'lookup') === null ? cleaned(answer, secrets) : null;
}

/** The fields that the contract names, and of their texts what may be kept. */
function cleaned(answer: Answer, credentials: readonly string[], personal: readonly string[] = []): Answer {
  const hidden = [...credentials, ...personal];
  const { outcome, pspReference, pspReferences, money, decline } = answer;
  return {
    outcome,
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(pspReferences === undefined ? {} : { pspReferences: pspReferences.slice(0, MAX_REFERENCES) }),
    ...(answer.pspCode === undefined ? {} : { pspCode: checkedPspCode(answer.pspCode, outcome, hidden) }),
    ...(answer.message === undefined ? {} : { message: pspText(answer.message, hidden) }),
    ...actionOf(answer, credentials),
    ...(answer.isNamed === true ? { isNamed: true } : {}),
    ...(answer.isReplay === true ? { isReplay: true } : {}),
    ...(isHttpStatus(answer.httpStatus) ? { httpStatus: answer.httpStatus } : {}),
    ...(outcome === 'declined' ? { decline: decline ?? 'declined' } : {}),
    ...(isDelay(answer.retryAfterMs) ? { retryAfterMs: answer.retryAfterMs } : {}),
    ...(money ? { money: { amount: money.amount, currency: money.currency } } : {}),
  };
}

/** A code that is the word of the outcome is one of ours: there is nothing to remove from it. */
function checkedPspCode(pspCode: string, outcome: Outcome, hidden: readonly string[]): string {
  return pspCode === outcome ? pspCode : pspText(pspCode, hidden).slice(0, 100);
}

/** The action as the PSP gave it; where it cannot be handed on, a code and a message that say so. */
function actionOf(
  { outcome, nextAction }: Answer,
  credentials: readonly string[],
): Pick<Answer, 'nextAction' | 'pspCode' | 'message'> {
  if (outcome !== 'requires_action' || !nextAction) return {};
  const passed = passableAction(nextAction, credentials);
  if ('nextAction' in passed) return passed;
  return { pspCode: passed.fault, message: 'The PSP asked for an action that Payonce cannot pass on' };
}

/** "We do not know", with a reason for people. */
export function unknownAnswer(pspCode: string, message: string, secrets: readonly string[] = []): Answer {
  return { outcome: 'unknown', pspCode, message: pspText(message, secrets) };
}

/** Ids as PSPs make them: pi_…, 16 letters and digits. Never a sentence, never a page. */
export const REFERENCE = /^[\w.:-]{1,255}$/;

/** Objects for one route that are kept track of; a PSP that made more of one is for a person to stop. */
const MAX_REFERENCES = 20;

/** Words that only an answer to a question about the past can hold. */
const NOT_BY_SENDING: ReadonlySet<string> = new Set(['not_found', 'canceled']);

function faultOf(answer: Answer, kind: AttemptKind): string | null {
  if (typeof answer !== 'object' || answer === null) return 'no object';
  if (!outcomes.includes(answer.outcome)) return 'no such outcome';
  const sends = kind === 'execute' || kind === 'complete';
  if (sends && NOT_BY_SENDING.has(answer.outcome)) return `${answer.outcome} by ${kind}`;
  const { pspReference, pspReferences, pspCode, message, decline, money } = answer;
  if (pspReference !== undefined && (typeof pspReference !== 'string' || !REFERENCE.test(pspReference))) {
    return 'pspReference';
  }
  if (pspReferences?.some((one) => typeof one !== 'string' || !REFERENCE.test(one))) return 'pspReferences';
  if (pspCode !== undefined && typeof pspCode !== 'string') return 'pspCode';
  if (message !== undefined && typeof message !== 'string') return 'message';
  if (decline !== undefined && !Object.hasOwn(adviceFor, decline)) return 'decline';
  if (money !== undefined && !(Number.isSafeInteger(money.amount) && typeof money.currency === 'string')) {
    return 'money';
  }
  return null;
}

function personalData(instruction: Instruction): string[] {
  return [instruction.token, instruction.pspCustomer, instruction.customer?.email].filter(
    (value) => value !== undefined,
  );
}

function sameMoney(a: Money, b: Money): boolean {
  return a.amount === b.amount && a.currency === b.currency;
}

function isHttpStatus(status: number | undefined): boolean {
  return Number.isInteger(status) && status! >= 100 && status! <= 599;
}

function isDelay(ms: number | undefined): boolean {
  return Number.isFinite(ms) && ms! >= 0;
}
