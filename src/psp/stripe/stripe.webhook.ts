import StripeSdk, { type Stripe } from 'stripe';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import {
  type PspNotification,
  type NotificationReader,
  type NotificationReading,
  type NotificationRefusal,
} from '../notification.js';
import { anything, flag, integer, matching, nullable, object, shape, type Shape, text } from '../shape.js';
import { disputeOf } from './stripe-disputes.js';
import { answerOfPayout, answerOfRefund } from './stripe-kinds.js';
import { answerOfIntent, ENTITY_KEY, ROUTE } from './stripe.mapping.js';

/**
 * Stripe's webhooks. https://docs.stripe.com/webhooks, https://docs.stripe.com/api/events/types
 * Signatures are checked by Stripe's own SDK, which takes the time as a parameter; what an event says of
 * an object is read by the same functions that read the object in an answer.
 */

/** "Our libraries have a default tolerance of 5 minutes": https://docs.stripe.com/webhooks/signature */
const TOLERANCE_S = 300;
/** The SDK's word for "however old". */
const ANY_AGE = 0;
/** A signature has 70 characters, and there is one for each secret that is valid. */
const MAX_HEADER_LENGTH = 4_096;

interface StripeNoticeOptions {
  /** `whsec_…`; while a secret is rotated the old one is valid beside the new one. */
  readonly secrets: readonly string[];
}

export class StripeNotices implements NotificationReader {
  private readonly secrets: readonly string[];

  constructor({ secrets }: StripeNoticeOptions) {
    this.secrets = secrets;
  }

  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>, now: Date): NotificationReading {
    const text = textOf(raw);
    if (text === null) return refused('malformed');
    const refusal = this.refusalOf(text, headers['stripe-signature'], now);
    if (refusal) return refused(refusal);
    return readEvent(jsonOf(text), this.secrets);
  }

  private refusalOf(text: string, header: string | undefined, now: Date): NotificationRefusal | null {
    if (!header) return 'signature_missing';
    if (header.length > MAX_HEADER_LENGTH) return 'signature_invalid';
    const signer = this.secrets.find((secret) => verified(text, header, secret, ANY_AGE, now));
    if (signer === undefined) return 'signature_invalid';
    // The SDK refuses only old timestamps, and accepts any from the future.
    const aheadS = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(header)?.[1]) - now.getTime() / 1_000;
    return verified(text, header, signer, TOLERANCE_S, now) && aheadS <= TOLERANCE_S ? null : 'untimely';
  }
}

/** The text and not the buffer: of that the SDK would drop a byte order mark before it is signed. */
function verified(text: string, header: string, secret: string, toleranceS: number, now: Date): boolean {
  try {
    const { signature } = StripeSdk.webhooks;
    return signature?.verifyHeader(text, header, secret, toleranceS, undefined, now.getTime()) === true;
  } catch {
    return false;
  }
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly created?: unknown;
  readonly account?: unknown;
  readonly data?: { readonly object?: unknown };
}

const eventShape = shape<Event>(
  object(
    { id: matching('^[\\w.:-]{1,200}$'), type: matching('^[\\w.]{1,100}$') },
    {
      // Events of API v2 have a date here; they say nothing of operations of ours.
      created: anything,
      // Only of events of connected accounts, through which Payonce moves no money.
      account: anything,
      data: object({}, { object: anything }),
    },
  ),
);

function readEvent(event: unknown, secrets: readonly string[]): NotificationReading {
  if (!eventShape.fits(event)) return refused('malformed');
  if (typeof event.account === 'string') return refused('other_account');
  const findings = readers.get(event.type)?.(event.data?.object) ?? [];
  if (findings === UNREADABLE) return refused('malformed');
  const notice: PspNotification = {
    eventId: event.id,
    type: event.type,
    occurredAt: timeOf(event.created),
    facts: factsOf(findings, secrets),
  };
  return { notices: [notice], refused: [] };
}

const LATEST_S = 8_640_000_000;

function timeOf(seconds: unknown): Date | null {
  if (!Number.isSafeInteger(seconds)) return null;
  const s = Number(seconds);
  return s >= 0 && s <= LATEST_S ? new Date(s * 1_000) : null;
}

const UNREADABLE = 'unreadable';
type Reader = (object: unknown) => readonly Finding[] | typeof UNREADABLE;

const ofIntents = whereReadable(() => intentShape, findingsOfIntent);
const ofRefunds = whereReadable(() => refundShape, findingsOfRefund);
const ofPayouts = whereReadable(() => payoutShape, findingsOfPayout);
const ofDisputes = whereReadable(
  () => disputeShape,
  (dispute) => findingsOfDispute(dispute, true),
);
const ofReinstated = whereReadable(
  () => disputeShape,
  (dispute) => findingsOfDispute(dispute, false),
);

/**
 * The types that say something of an operation of ours. The others of a payment (`charge.*`,
 * `payment_intent.created`) say the same or less: `charge.refunded` that something was given back, and
 * `refund.*` which refund it was.
 */
const readers: ReadonlyMap<string, Reader> = new Map([
  ['payment_intent.succeeded', ofIntents],
  ['payment_intent.payment_failed', ofIntents],
  ['payment_intent.canceled', ofIntents],
  ['payment_intent.processing', ofIntents],
  ['payment_intent.requires_action', ofIntents],
  ['payment_intent.amount_capturable_updated', ofIntents],
  ['refund.created', ofRefunds],
  ['refund.updated', ofRefunds],
  ['refund.failed', ofRefunds],
  // Sent beside refund.updated for some payment methods, and alone to endpoints of older API versions.
  ['charge.refund.updated', ofRefunds],
  ['charge.dispute.created', ofDisputes],
  ['charge.dispute.updated', ofDisputes],
  ['charge.dispute.closed', ofDisputes],
  ['charge.dispute.funds_withdrawn', ofDisputes],
  ['charge.dispute.funds_reinstated', ofReinstated],
  ['payout.created', ofPayouts],
  ['payout.updated', ofPayouts],
  ['payout.paid', ofPayouts],
  ['payout.failed', ofPayouts],
  ['payout.canceled', ofPayouts],
]);

function whereReadable<T>(shapeOf: () => Shape<T>, find: (object: T) => Finding[]): Reader {
  return (object) => (shapeOf().fits(object) ? find(object) : UNREADABLE);
}

// The fields that the mapping reads. What Stripe sends beside them is not looked at.

const id = matching('^[\\w.:-]{1,200}$');
const word = nullable(text);
const metadata = nullable({ type: 'object', additionalProperties: text });
const paymentIntent = nullable({ anyOf: [id, object({ id })] });

const intentShape = shape<Stripe.PaymentIntent>(
  object(
    {
      id,
      object: { const: 'payment_intent' },
      status: text,
      capture_method: text,
      amount: integer,
      amount_received: integer,
      currency: text,
    },
    {
      metadata,
      next_action: nullable(object({}, { redirect_to_url: nullable(object({}, { url: word })) })),
      last_payment_error: nullable(
        object(
          {},
          {
            code: word,
            decline_code: word,
            advice_code: word,
            network_advice_code: word,
            message: word,
          },
        ),
      ),
    },
  ),
);

const refundShape = shape<Stripe.Refund>(
  object(
    { id, object: { const: 'refund' }, amount: integer, currency: text },
    { status: word, failure_reason: word, metadata, payment_intent: paymentIntent },
  ),
);

const payoutShape = shape<Stripe.Payout>(
  object(
    {
      id,
      object: { const: 'payout' },
      status: text,
      automatic: flag,
      amount: integer,
      currency: text,
    },
    { failure_code: word, failure_message: word, metadata },
  ),
);

const disputeShape = shape<Stripe.Dispute>(
  object(
    { id, object: { const: 'dispute' }, status: text, amount: integer, currency: text },
    { reason: word, payment_intent: paymentIntent },
  ),
);

/**
 * One PaymentIntent represents the charge or authorization that made it, and the capture or void of that.
 * Once it is captured, it reports the outcome of the capture, and of the authorization only that it ended.
 */
function findingsOfIntent(intent: Stripe.PaymentIntent): Finding[] {
  const manual = intent.capture_method === 'manual';
  const acted = (operation: 'capture' | 'void'): Finding => ({
    operation,
    ofPayment: namesOf(intent).entityKey,
    // A capture or void makes no object of its own: the PaymentIntent stands for it.
    pspReference: intent.id,
    parentReference: intent.id,
    answer: answerOfIntent(intent, { operation }, 'lookup'),
  });
  if (manual && intent.status === 'succeeded') return [acted('capture')];
  const operation = manual ? 'authorize' : 'charge';
  const opening: Finding = {
    operation,
    ...namesOf(intent),
    pspReference: intent.id,
    answer: answerOfIntent(intent, { operation }, 'lookup'),
  };
  return manual && intent.status === 'canceled' ? [opening, acted('void')] : [opening];
}

function findingsOfRefund(refund: Stripe.Refund): Finding[] {
  const { payment_intent: payment } = refund;
  return [
    {
      operation: 'refund',
      ...namesOf(refund),
      pspReference: refund.id,
      parentReference: typeof payment === 'string' ? payment : payment?.id,
      answer: answerOfRefund(refund),
    },
  ];
}

/** `withheld`: false where the event is that Stripe gave the money back. */
function findingsOfDispute(dispute: Stripe.Dispute, withheld: boolean): Finding[] {
  const { payment_intent: payment } = dispute;
  const found = disputeOf(dispute, withheld);
  // The charge was made by no PaymentIntent, and is therefore none of ours.
  if (!payment || !found) return [];
  return [{ ...found, parentReference: typeof payment === 'string' ? payment : payment.id }];
}

/** The payouts that Stripe makes by itself, by the account's schedule, are none of ours. */
function findingsOfPayout(payout: Stripe.Payout): Finding[] {
  if (payout.automatic) return [];
  return [
    {
      operation: 'payout',
      ...namesOf(payout),
      pspReference: payout.id,
      answer: answerOfPayout(payout),
    },
  ];
}

function namesOf({ metadata }: { readonly metadata: Stripe.Metadata | null }) {
  return { entityKey: metadata?.[ENTITY_KEY], route: metadata?.[ROUTE] };
}
