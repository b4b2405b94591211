import { type Money } from '../kernel/index.js';
import { type Answer, type AttemptKind, type Instruction, type Outcome, outcomes } from './contract.js';
import { adviceFor } from './decline.js';
import { scrub } from './scrub.js';

/**
 * What an adapter hands over is checked before anybody decides by it: an adapter may have a bug, a
 * PSP may lie. Whatever is not well-formed is `unknown`, which costs a lookup; believing it could
 * cost a second charge.
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
  const clean = cleaned(answer, [...secrets, ...personalData(instruction)]);
  const { outcome, money } = clean;
  if (outcome === 'succeeded' && money && !sameMoney(money, instruction.money)) {
    return { ...clean, outcome: 'conflict', pspCode: 'money_differs' };
  }
  return clean;
}

/** What a PSP may tell of its own accord; everything else says nothing about an operation. */
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
 * money is not compared with anything: what was asked for is not known here.
 */
export function toldAnswer(answer: Answer, secrets: readonly string[]): Answer | null {
  return TOLD.has(answer.outcome) && faultOf(answer, 'lookup') === null ? cleaned(answer, secrets) : null;
}

/** The fields that the contract names, and of their texts what may be kept. */
function cleaned(answer: Answer, hidden: readonly string[]): Answer {
  const { outcome, pspReference, money, decline, nextAction } = answer;
  return {
    outcome,
    ...(pspReference === undefined ? {} : { pspReference }),
    ...(answer.pspCode === undefined ? {} : { pspCode: scrub(answer.pspCode, hidden).slice(0, 100) }),
    ...(answer.message === undefined ? {} : { message: scrub(answer.message, hidden) }),
    ...(isHttpStatus(answer.httpStatus) ? { httpStatus: answer.httpStatus } : {}),
    ...(outcome === 'declined' ? { decline: decline ?? 'declined' } : {}),
    ...(outcome === 'requires_action' && nextAction ? { nextAction } : {}),
    ...(isDelay(answer.retryAfterMs) ? { retryAfterMs: answer.retryAfterMs } : {}),
    ...(money ? { money: { amount: money.amount, currency: money.currency } } : {}),
  };
}

/** "We do not know", with a reason for people. */
export function unknownAnswer(pspCode: string, message: string, secrets: readonly string[] = []): Answer {
  return { outcome: 'unknown', pspCode, message: scrub(message, secrets) };
}

/** Ids as PSPs make them: pi_…, 16 letters and digits. Never a sentence, never a page. */
export const REFERENCE = /^[\w.:-]{1,255}$/;

/** Words that only an answer to a question about the past can hold. */
const NOT_BY_EXECUTE: ReadonlySet<string> = new Set(['not_found', 'canceled']);

function faultOf(answer: Answer, kind: AttemptKind): string | null {
  if (typeof answer !== 'object' || answer === null) return 'no object';
  if (!outcomes.includes(answer.outcome)) return 'no such outcome';
  if (kind === 'execute' && NOT_BY_EXECUTE.has(answer.outcome)) return `${answer.outcome} by an execute`;
  const { pspReference, pspCode, message, decline, money, nextAction } = answer;
  if (pspReference !== undefined && (typeof pspReference !== 'string' || !REFERENCE.test(pspReference))) {
    return 'pspReference';
  }
  if (pspCode !== undefined && typeof pspCode !== 'string') return 'pspCode';
  if (message !== undefined && typeof message !== 'string') return 'message';
  if (decline !== undefined && !Object.hasOwn(adviceFor, decline)) return 'decline';
  if (money !== undefined && !(Number.isSafeInteger(money.amount) && typeof money.currency === 'string')) {
    return 'money';
  }
  if (nextAction !== undefined && !isWebAddress(nextAction.url)) return 'nextAction';
  return null;
}

function personalData(instruction: Instruction): string[] {
  return [instruction.token, instruction.customer?.email].filter((value) => value !== undefined);
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

/** A page that a browser may be sent to: nothing but http and https, so no `javascript:`. */
function isWebAddress(url: string): boolean {
  return url.length <= 2_048 && URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol);
}
