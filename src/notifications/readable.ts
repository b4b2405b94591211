import { isUtf8 } from 'node:buffer';
import { Problem } from '../core/problem.js';
import { type PspNotification } from '../psp/notification.js';

/**
 * Checks a body before a reader parses it, and a notice before it is stored. Done here, so that no reader can
 * forget it.
 */

/** Levels of arrays and objects, as of any request. Stripe's deepest events have some 12; printers recurse. */
const MAX_DEPTH = 32;
const MAX_EVENT_ID_LENGTH = 200;
const MAX_TYPE_LENGTH = 100;
const MAX_FACTS = 100;

/** Characters that neither text nor jsonb of Postgres can hold. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** @throws Problem `body_malformed`; repeats no input */
export function checkReadable(raw: Buffer): void {
  if (raw.length === 0) throw malformed('The body is empty.');
  if (!isUtf8(raw)) throw malformed('The body is not UTF-8.');
  if (isDeeperThan(raw, MAX_DEPTH)) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
}

function malformed(detail: string): Problem {
  return new Problem('body_malformed', detail);
}

/** Counts brackets outside of strings; says nothing about whether it is JSON. */
function isDeeperThan(raw: Buffer, deepest: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at];
    if (inString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > deepest) return true;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return false;
}

/** Whether a notice can be stored: one that cannot would fail the whole batch. */
export function isStorable({ eventId, type, occurredAt, facts }: PspNotification): boolean {
  if (eventId.length < 1 || eventId.length > MAX_EVENT_ID_LENGTH) return false;
  if (type.length < 1 || type.length > MAX_TYPE_LENGTH) return false;
  if (occurredAt !== null && Number.isNaN(occurredAt.getTime())) return false;
  return facts.length <= MAX_FACTS && everyText([eventId, type, facts], (text) => !UNSTORABLE.test(text));
}

/** Over the values and the names of any JSON value. */
function everyText(value: unknown, holds: (text: string) => boolean): boolean {
  if (typeof value === 'string') return holds(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => holds(name) && everyText(member, holds));
}
