import { createHmac, timingSafeEqual } from 'node:crypto';
import { record, text, type Json } from '../json-body.js';
import { type DisputeNews, type NotificationReader, type NotificationReading } from '../notification.js';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import { anything, matching, object, shape } from '../shape.js';
import { moneyIn, namesIn, paymentAnswer, refundAnswer } from './square.mapping.js';

/**
 * Square's webhooks, signed over the address that they are sent to and the body, without a time.
 * https://developer.squareup.com/docs/webhooks/step3validate
 */
interface SquareNoticeOptions {
  /** The signature keys of the subscription; while one is replaced the old one is valid beside the new one. */
  readonly secrets: readonly string[];
  /** The address as the subscription has it, to the letter. */
  readonly notificationUrl: string;
}

interface SquareEvent {
  readonly event_id: string;
  readonly type: string;
  readonly created_at?: unknown;
  readonly data: { readonly object?: unknown };
}

const eventShape = shape<SquareEvent>(
  object(
    { event_id: matching('^[\\w.:-]{1,200}$'), type: matching('^[\\w.]{1,100}$'), data: object({}) },
    { created_at: anything },
  ),
);

export class SquareNotices implements NotificationReader {
  constructor(private readonly options: SquareNoticeOptions) {}

  /** The signature holds no time: `now` decides nothing here. */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>): NotificationReading {
    const body = textOf(raw);
    if (body === null) return refused('malformed');
    const signature = headers['x-square-hmacsha256-signature'];
    if (!signature) return refused('signature_missing');
    const { secrets, notificationUrl } = this.options;
    const isSigned = (secret: string) => isSignature(signature, `${notificationUrl}${body}`, secret);
    if (!secrets.some(isSigned)) return refused('signature_invalid');
    const event = jsonOf(body);
    if (!eventShape.fits(event)) return refused('malformed');
    const { event_id: eventId, type, created_at: at, data } = event;
    const time = new Date(text(at) ?? Number.NaN);
    const occurredAt = Number.isNaN(time.getTime()) ? null : time;
    const facts = factsOf(findingsOf(record(data.object)), secrets);
    return { notices: [{ eventId, type, occurredAt, facts }], refused: [] };
  }
}

function isSignature(signature: string, signed: string, secret: string): boolean {
  const own = createHmac('sha256', secret).update(signed).digest();
  const given = Buffer.from(signature, 'base64');
  return given.length === own.length && timingSafeEqual(given, own);
}

/** Each event holds the object as it is now. https://developer.squareup.com/docs/webhooks/v2-events-tech-ref */
function findingsOf({ payment, refund, dispute }: Json): Finding[] {
  if (payment !== undefined) return ofPayment(record(payment));
  if (refund !== undefined) return ofRefund(record(refund));
  return dispute === undefined ? [] : ofDispute(record(dispute));
}

/**
 * One payment represents the charge or authorization that made it, and the capture or void of that: once it is completed it
 * tells of the capture. Of a payment with refunds it was told before.
 */
function ofPayment(payment: Json): Finding[] {
  const { entityKey, route } = namesIn(payment['note']);
  const pspReference = text(payment['id']);
  if (entityKey === undefined || pspReference === undefined || payment['refund_ids'] !== undefined) return [];
  const isManual = entityKey.endsWith('-authorize');
  const acted = (operation: 'capture' | 'void'): Finding => ({
    operation,
    ofPayment: entityKey,
    pspReference,
    parentReference: pspReference,
    answer: paymentAnswer(payment, { operation, entityKey }),
  });
  if (isManual && payment['status'] === 'COMPLETED') return [acted('capture')];
  const operation = isManual ? 'authorize' : 'charge';
  const answer = paymentAnswer(payment, { operation, entityKey });
  const opening: Finding = { operation, entityKey, route, pspReference, answer };
  return isManual && payment['status'] === 'CANCELED' ? [opening, acted('void')] : [opening];
}

function ofRefund(refund: Json): Finding[] {
  const { entityKey, route } = namesIn(refund['reason']);
  const [pspReference, parentReference] = [text(refund['id']), text(refund['payment_id'])];
  const answer = refundAnswer(refund, entityKey ?? '');
  return [{ operation: 'refund', entityKey, route, pspReference, parentReference, answer }];
}

/**
 * The course of a dispute. An inquiry holds no money back yet.
 * https://developer.squareup.com/docs/disputes-api/process-disputes
 */
const courses: Readonly<Record<string, Pick<DisputeNews, 'stage' | 'status' | 'withheld'>>> = {
  INQUIRY_EVIDENCE_REQUIRED: { stage: 0, status: 'open', withheld: false },
  INQUIRY_PROCESSING: { stage: 1, status: 'open', withheld: false },
  INQUIRY_CLOSED: { stage: 2, status: 'won', withheld: false },
  EVIDENCE_REQUIRED: { stage: 3, status: 'open', withheld: true },
  PROCESSING: { stage: 4, status: 'open', withheld: true },
  ACCEPTED: { stage: 5, status: 'lost', withheld: true },
  LOST: { stage: 5, status: 'lost', withheld: true },
  WON: { stage: 6, status: 'won', withheld: false },
};

/** Nothing for a state, or an amount, that is not known: nothing is guessed about money. */
function ofDispute(dispute: Json): Finding[] {
  const state = text(dispute['state']) ?? '';
  const course = Object.hasOwn(courses, state) ? courses[state] : undefined;
  const reference = text(dispute['id']);
  const money = moneyIn(dispute['amount_money']);
  if (!course || reference === undefined || !money) return [];
  const pspCode = text(dispute['reason']);
  const due = Date.parse(text(dispute['due_at']) ?? '');
  return [
    {
      parentReference: text(record(dispute['disputed_payment'])['payment_id']),
      dispute: {
        reference,
        ...course,
        ...(Number.isNaN(due) ? {} : { respondBy: new Date(due).toISOString() }),
      },
      answer: { outcome: 'pending', money, ...(pspCode ? { pspCode } : {}) },
    },
  ];
}
