import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Json, record, text } from '../json-body.js';
import { type NotificationReader, type NotificationReading } from '../notification.js';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import { anything, matching, object, shape } from '../shape.js';
import { moneyIn, namesIn, partAnswer, paymentAnswer } from './mollie.mapping.js';

/**
 * Mollie notifies in two ways. The address of each payment gets its id and nothing else, unsigned: anybody may send that, so
 * it is a hint. Subscriptions get events, signed over the body, with the object as it is: these are evidence.
 * https://docs.mollie.com/reference/webhooks, https://docs.mollie.com/reference/webhooks-new
 */
interface MollieNoticeOptions {
  /** The signing secrets of the subscription; while one is replaced the old one is valid beside the new one. */
  readonly secrets: readonly string[];
}

interface MollieEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt?: unknown;
  readonly _embedded: { readonly entity: Json };
}

const eventShape = shape<MollieEvent>(
  object(
    {
      resource: { const: 'event' },
      id: matching('^[\\w.:-]{1,200}$'),
      type: matching('^[\\w.-]{1,100}$'),
      _embedded: object({ entity: object({}) }),
    },
    { createdAt: anything },
  ),
);

/** `id=tr_…` as a form is sent, and no more of it. */
const HINT = /^id=(tr_\w{1,60})$/;

export class MollieNotices implements NotificationReader {
  constructor(private readonly options: MollieNoticeOptions) {}

  /** The signature holds no time: `now` decides nothing here. */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>): NotificationReading {
    const body = textOf(raw);
    if (body === null) return refused('malformed');
    const signature = headers['x-mollie-signature'];
    const hinted = HINT.exec(body)?.[1];
    if (hinted !== undefined) return { notices: [], refused: [], hints: [hinted] };
    if (!signature) return refused('signature_missing');
    const { secrets } = this.options;
    if (!secrets.some((secret) => isSigned(raw, signature, secret))) return refused('signature_invalid');
    const event = jsonOf(body);
    if (!eventShape.fits(event)) return refused('malformed');
    const { id: eventId, type, createdAt, _embedded } = event;
    const time = new Date(text(createdAt) ?? Number.NaN);
    const occurredAt = Number.isNaN(time.getTime()) ? null : time;
    const facts = factsOf(findingsOf(type, _embedded.entity), secrets);
    return { notices: [{ eventId, type, occurredAt, facts }], refused: [] };
  }
}

function isSigned(raw: Buffer, signature: string, secret: string): boolean {
  const own = createHmac('sha256', secret).update(raw).digest();
  const given = Buffer.from(signature.replace(/^sha256=/, ''), 'hex');
  return given.length === own.length && timingSafeEqual(given, own);
}

function findingsOf(type: string, entity: Json): Finding[] {
  switch (text(entity['resource'])) {
    case 'payment':
      return ofPayment(type, entity);
    case 'capture':
      return ofPart(entity, 'capture');
    case 'refund':
      return ofPart(entity, 'refund');
    case 'chargeback':
      return ofChargeback(entity);
    default:
      return [];
  }
}

/** An authorization that is captured is told of by its captures. */
function ofPayment(type: string, payment: Json): Finding[] {
  const { entityKey, route } = namesIn(payment);
  const pspReference = text(payment['id']);
  if (entityKey === undefined || pspReference === undefined) return [];
  const isManual = entityKey.endsWith('-authorize');
  if (isManual && type === 'payment.paid') return [];
  const operation = isManual ? 'authorize' : 'charge';
  const answer = paymentAnswer(payment, { operation, entityKey });
  const opening: Finding = { operation, entityKey, route, pspReference, answer };
  if (!isManual || payment['status'] !== 'canceled') return [opening];
  const voided: Finding = {
    operation: 'void',
    ofPayment: entityKey,
    pspReference,
    parentReference: pspReference,
    answer: paymentAnswer(payment, { operation: 'void', entityKey }),
  };
  return [opening, voided];
}

function ofPart(part: Json, operation: 'capture' | 'refund'): Finding[] {
  const { entityKey, route } = namesIn(part);
  const [pspReference, parentReference] = [text(part['id']), text(part['paymentId'])];
  const answer = partAnswer(part, entityKey ?? '');
  return [{ operation, entityKey, route, pspReference, parentReference, answer }];
}

/**
 * A chargeback has taken the money, and may be reversed; that it never will be is not told.
 * https://docs.mollie.com/reference/get-chargeback
 */
function ofChargeback(chargeback: Json): Finding[] {
  const reference = text(chargeback['id']);
  const money = moneyIn(chargeback['amount']);
  if (reference === undefined || money === null) return [];
  const isWon = text(chargeback['reversedAt']) !== undefined;
  const pspCode = text(record(chargeback['reason'])['code']);
  return [
    {
      parentReference: text(chargeback['paymentId']),
      dispute: { reference, stage: isWon ? 1 : 0, status: isWon ? 'won' : 'open', withheld: !isWon },
      answer: { outcome: 'pending', money, ...(pspCode ? { pspCode } : {}) },
    },
  ];
}
