import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Answer } from '../contract.js';
import { type Json, record, text } from '../json-body.js';
import {
  type DisputeNews,
  type NotificationReader,
  type NotificationReading,
  type PspNotification,
} from '../notification.js';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import { anything, list, matching, object, shape } from '../shape.js';
import { chargebackOf, failed, namesIn } from './gocardless.mapping.js';

/**
 * GoCardless's webhooks: up to 250 events in one body, signed as a whole, without a time. An event holds no amount, and the
 * names that its resource carries.
 * https://developer.gocardless.com/api-reference/#webhooks-overview
 */
interface GocardlessNoticeOptions {
  /** The secrets of the endpoint; while one is replaced the old one is valid beside the new one. */
  readonly secrets: readonly string[];
}

/** "A webhook can contain up to 250 events". */
const MAX_EVENTS = 250;

interface GocardlessEvent {
  readonly id: string;
  readonly created_at?: unknown;
  readonly resource_type: string;
  readonly action: string;
  readonly links: Json;
}

const word = matching('^[a-z_]{1,60}$');
const bodyShape = shape<{ readonly events: readonly unknown[] }>(
  object({ events: list(anything, { minItems: 1, maxItems: MAX_EVENTS }) }),
);
const eventShape = shape<GocardlessEvent & Json>(
  object(
    { id: matching('^\\w{1,100}$'), resource_type: word, action: word, links: object({}) },
    { created_at: anything },
  ),
);

export class GocardlessNotices implements NotificationReader {
  constructor(private readonly options: GocardlessNoticeOptions) {}

  /** The signature holds no time: `now` decides nothing here. */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>): NotificationReading {
    const body = textOf(raw);
    if (body === null) return refused('malformed');
    const signature = headers['webhook-signature'];
    if (!signature) return refused('signature_missing');
    const { secrets } = this.options;
    if (!secrets.some((secret) => isSigned(raw, signature, secret))) return refused('signature_invalid');
    const given = jsonOf(body);
    if (!bodyShape.fits(given)) return refused('malformed');
    const readable = given.events.filter((event) => eventShape.fits(event));
    return {
      notices: readable.map((event) => noticeOf(event, secrets)),
      refused: given.events.slice(readable.length).map(() => 'malformed' as const),
    };
  }
}

function isSigned(raw: Buffer, signature: string, secret: string): boolean {
  const own = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === own.length && timingSafeEqual(given, own);
}

function noticeOf(event: GocardlessEvent & Json, secrets: readonly string[]): PspNotification {
  const { id: eventId, resource_type: resource, action, created_at: createdAt } = event;
  const time = new Date(text(createdAt) ?? Number.NaN);
  return {
    eventId,
    type: `${resource}.${action}`,
    occurredAt: Number.isNaN(time.getTime()) ? null : time,
    facts: factsOf(findingsOf(event), secrets),
  };
}

function findingsOf(event: GocardlessEvent & Json): Finding[] {
  switch (event.resource_type) {
    case 'payments':
      return [...ofPayment(event), ...ofChargeback(event)];
    case 'refunds':
      return ofRefund(event);
    default:
      return [];
  }
}

/** The outcome of a payment; null for an event of one that goes on. */
function outcomeOf(event: GocardlessEvent & Json): Answer | null {
  const cause = text(record(event['details'])['cause']) ?? event.action;
  switch (event.action) {
    case 'confirmed':
    case 'paid_out':
      return { outcome: 'succeeded' };
    case 'cancelled':
      return { outcome: 'canceled' };
    case 'failed':
      // It is debited again by itself.
      return event['will_attempt_retry'] === true ? null : failed(cause);
    case 'customer_approval_denied':
      return failed(cause);
    default:
      return null;
  }
}

function ofPayment(event: GocardlessEvent & Json): Finding[] {
  const answer = outcomeOf(event);
  const pspReference = text(event.links['payment']);
  if (answer === null || pspReference === undefined) return [];
  const names = namesIn(event['resource_metadata']);
  return [{ operation: 'charge', ...names, pspReference, answer: { ...answer, pspReference } }];
}

/**
 * A bank takes a debit back as a whole; no amount is told. That is settled when a payout was smaller for it.
 * https://developer.gocardless.com/api-reference/#event-types-payment-events
 */
const courses: Readonly<Record<string, Pick<DisputeNews, 'stage' | 'status' | 'withheld'>>> = {
  charged_back: { stage: 0, status: 'open', withheld: true },
  chargeback_settled: { stage: 1, status: 'lost', withheld: true },
  chargeback_cancelled: { stage: 2, status: 'won', withheld: false },
};

function ofChargeback(event: GocardlessEvent & Json): Finding[] {
  const course = Object.hasOwn(courses, event.action) ? courses[event.action] : undefined;
  const payment = text(event.links['payment']);
  if (!course || payment === undefined) return [];
  const pspCode = text(record(event['details'])['cause']);
  return [
    {
      parentReference: payment,
      dispute: { reference: chargebackOf(payment), ...course },
      answer: { outcome: 'pending', ...(pspCode ? { pspCode } : {}) },
    },
  ];
}

function ofRefund(event: GocardlessEvent & Json): Finding[] {
  const [pspReference, parentReference] = [text(event.links['refund']), text(event.links['payment'])];
  const isBack = event.action === 'failed' || event.action === 'funds_returned';
  if (pspReference === undefined || !(isBack || event.action === 'created' || event.action === 'paid'))
    return [];
  const answer: Answer = isBack ? { outcome: 'declined', decline: 'declined' } : { outcome: 'succeeded' };
  const names = namesIn(event['resource_metadata']);
  return [
    { operation: 'refund', ...names, pspReference, parentReference, answer: { ...answer, pspReference } },
  ];
}
