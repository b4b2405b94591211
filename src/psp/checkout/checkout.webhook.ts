import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Answer, type Operation } from '../contract.js';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import { type NotificationReader, type NotificationReading } from '../notification.js';
import { anything, matching, object, shape } from '../shape.js';
import { disputeOf } from './checkout-disputes.js';
import { record, text } from '../json-body.js';
import { amountIn, calledBack, declined, operationIn, routeIn } from './checkout.mapping.js';

/**
 * Checkout.com's webhooks, signed over the whole body without a time.
 * https://www.checkout.com/docs/developer-resources/event-notifications/receive-webhooks
 */
interface CheckoutNoticeOptions {
  /** The signature keys of the webhook; while one is rotated the old one is valid beside the new one. */
  readonly secrets: readonly string[];
}

interface CheckoutEvent {
  readonly id: string;
  readonly type: string;
  readonly created_on?: unknown;
  /** The time where an event has no `created_on`. */
  readonly timestamp?: unknown;
  readonly data: unknown;
}

const eventShape = shape<CheckoutEvent>(
  object(
    { id: matching('^[\\w.:-]{1,200}$'), type: matching('^\\w{1,100}$'), data: anything },
    { created_on: anything, timestamp: anything },
  ),
);

export class CheckoutNotices implements NotificationReader {
  constructor(private readonly options: CheckoutNoticeOptions) {}

  /** The signature holds no time: `now` decides nothing here. */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>): NotificationReading {
    const body = textOf(raw);
    if (body === null) return refused('malformed');
    const signature = headers['cko-signature'];
    if (!signature) return refused('signature_missing');
    const { secrets } = this.options;
    if (!secrets.some((secret) => isSigned(raw, signature, secret))) return refused('signature_invalid');
    const event = jsonOf(body);
    if (!eventShape.fits(event)) return refused('malformed');
    const { id: eventId, type } = event;
    const findings = findingsOf(type, record(event.data));
    return {
      notices: [
        {
          eventId,
          type,
          occurredAt: timeOf(event.created_on ?? event.timestamp),
          facts: factsOf(findings, secrets),
        },
      ],
      refused: [],
    };
  }
}

function isSigned(raw: Buffer, signature: string, secret: string): boolean {
  const own = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === own.length && timingSafeEqual(given, own);
}

/** Events about what is done to a payment, which has a name of its own. */
const MODIFICATIONS: Readonly<Record<string, readonly [operation: Operation, isDone: boolean]>> = {
  payment_captured: ['capture', true],
  payment_capture_declined: ['capture', false],
  payment_refunded: ['refund', true],
  payment_refund_declined: ['refund', false],
  payment_voided: ['void', true],
  payment_void_declined: ['void', false],
};

/** The entity key of a payment, not of what is done to it. */
const PAYMENT = /-(?:charge|authorize)$/;

/** The outcome of the payment itself. */
const PAYMENTS: Readonly<Record<string, 'succeeded' | 'declined' | 'canceled' | 'pending'>> = {
  payment_approved: 'succeeded',
  payment_declined: 'declined',
  payment_canceled: 'canceled',
  payment_expired: 'canceled',
  payment_pending: 'pending',
};

/** https://www.checkout.com/docs/developer-resources/event-notifications/webhook-event-types */
function findingsOf(type: string, data: Readonly<Record<string, unknown>>): Finding[] {
  if (type.startsWith('dispute_')) return disputeOf(type, data);
  const name = text(data['reference']);
  const payment = text(data['id']);
  const [operation, isDone] = MODIFICATIONS[type] ?? [];
  // Checkout.com captures a charge by itself, under the charge's name.
  if (operation !== undefined && name !== undefined && PAYMENT.test(name)) {
    return type === 'payment_capture_declined' && name.endsWith('-charge') ? [notCaptured(name, data)] : [];
  }
  if (operation !== undefined) {
    const called = calledBack(name);
    if (called !== null) {
      // A cancel of ours: what it was to call back is void, or was not.
      if (!isDone) return [];
      return [
        { entityKey: called, pspReference: payment, answer: { outcome: 'canceled', ...idOf(payment) } },
      ];
    }
    const own = text(data['action_id']);
    const answer = { ...(isDone ? done(data, operation) : declined(data)), ...idOf(own) };
    return [{ entityKey: name, pspReference: own, parentReference: payment, operation, answer }];
  }
  const outcome = PAYMENTS[type];
  const opened = operationIn(data['metadata']);
  if (outcome === undefined || opened === undefined) return [];
  const said =
    outcome === 'succeeded'
      ? done(data, opened)
      : outcome === 'declined'
        ? declined(data)
        : ({ outcome } as const);
  const answer = { ...said, ...idOf(payment) };
  const route = routeIn(data['metadata']);
  return [{ entityKey: name, route, pspReference: payment, operation: opened, answer }];
}

/** A charge that was approved and takes no money: neither done nor declined, so a person decides. */
function notCaptured(entityKey: string, data: Readonly<Record<string, unknown>>): Finding {
  const payment = text(data['id']);
  const answer = { outcome: 'conflict', pspCode: 'capture_declined', ...idOf(payment) } as const;
  return { entityKey, pspReference: payment, operation: 'charge', answer };
}

function idOf(pspReference: string | undefined): Pick<Answer, 'pspReference'> {
  return pspReference === undefined ? {} : { pspReference };
}

function done(data: Readonly<Record<string, unknown>>, operation: Operation): Answer {
  if (operation === 'void') return { outcome: 'succeeded' };
  const money = amountIn(data['amount'], text(data['currency']) ?? '');
  return money ? { outcome: 'succeeded', money } : { outcome: 'conflict', pspCode: 'money_unreadable' };
}

function timeOf(value: unknown): Date | null {
  const time = new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}
