import { isUtf8 } from 'node:buffer';
import { REFERENCE, notificationAnswer } from './answer-check.js';
import { type Answer, type Operation } from './contract.js';
import {
  type DisputeNews,
  type NotificationItem,
  type NotificationReading,
  type NotificationRefusal,
} from './notification.js';
import { pspText } from './psp-text.js';

/** The largest notification that is read; Stripe's and Adyen's are below 64 kB. */
const MAX_NOTIFICATION_BYTES = 262_144;
/** Items of one batch; Adyen sends one, documented to become several. */
export const MAX_ITEMS = 200;

/** A body that cannot be read, or that must not be. */
export function refused(...refusals: readonly NotificationRefusal[]): NotificationReading {
  return { notices: [], refused: refusals };
}

/** The text of a body, or null where its size or encoding forbids to read it. */
export function textOf(raw: Buffer): string | null {
  if (raw.length === 0 || raw.length > MAX_NOTIFICATION_BYTES || !isUtf8(raw)) return null;
  return raw.toString('utf8');
}

/** The value of a JSON text; undefined if it is no JSON. Its depth was checked when it arrived. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A fact as a reader found it, not checked yet. */
export interface Finding {
  readonly entityKey?: string | null | undefined;
  readonly route?: string | null | undefined;
  readonly ofPayment?: string | null | undefined;
  readonly pspReference?: string | null | undefined;
  readonly parentReference?: string | null | undefined;
  readonly operation?: Operation;
  /** The PSP's id of a cancel whose outcome this is. */
  readonly cancelReference?: string;
  readonly dispute?: DisputeNews;
  readonly answer: Answer;
}

/** The findings that say something, fit to keep. */
export function factsOf(findings: readonly Finding[], secrets: readonly string[]): NotificationItem[] {
  return findings.flatMap((finding) => {
    const answer = notificationAnswer(finding.answer, secrets);
    if (answer === null) return [];
    const { dispute } = finding;
    if (dispute && reference(dispute.reference) === null) return [];
    const cancelReference = reference(finding.cancelReference);
    return {
      entityKey: nameOf(finding.entityKey),
      route: routeOf(finding.route),
      ofPayment: nameOf(finding.ofPayment),
      pspReference: reference(finding.pspReference),
      parentReference: reference(finding.parentReference),
      operation: finding.operation ?? null,
      about: dispute ? 'dispute' : cancelReference === null ? 'operation' : 'cancel',
      cancelReference,
      ...(dispute ? { dispute } : {}),
      answer,
    };
  });
}

function reference(value: string | null | undefined): string | null {
  return typeof value === 'string' && REFERENCE.test(value) ? value : null;
}

/** Entity keys: letters, digits and a few signs, none of which needs an escape anywhere. */
const NAME = /^[A-Za-z0-9][\w.:-]{0,249}$/;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * A name as a PSP returns it. Other systems may name objects at the same account freely, so a name that
 * is no entity key, or that contains a possible card number, is dropped. The UUIDs of our own names have
 * enough digits to look like a card number, and are kept.
 */
function nameOf(value: string | null | undefined): string | null {
  if (typeof value !== 'string' || !NAME.test(value)) return null;
  const withoutIds = value.replace(UUID, 'id');
  return pspText(withoutIds) === withoutIds ? value : null;
}

function routeOf(value: string | null | undefined): number | null {
  return typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) ? Number(value) : null;
}
