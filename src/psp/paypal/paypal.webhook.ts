import { verify } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Json, record, records, text } from '../json-body.js';
import { type DisputeNews, type NotificationReader, type NotificationReading } from '../notification.js';
import { type Finding, factsOf, jsonOf, refused, textOf } from '../notification-check.js';
import { anything, matching, object, shape } from '../shape.js';
import { PaypalCertificates } from './paypal-certificates.js';
import { moneyIn, namesIn, partAnswer, refundAnswer } from './paypal.mapping.js';

/**
 * PayPal's webhooks: signed by a certificate over the ids, the time and a checksum of the body.
 * https://developer.paypal.com/api/rest/webhooks/rest/
 */
interface PaypalNoticeOptions {
  /** The ids of the webhook; while it is replaced that of the old one as well. */
  readonly webhookIds: readonly string[];
  readonly baseUrl: string;
}

interface PaypalEvent {
  readonly id: string;
  readonly event_type: string;
  readonly resource_type: string;
  readonly create_time?: unknown;
  readonly resource: Json;
}

const eventShape = shape<PaypalEvent>(
  object(
    {
      id: matching('^[\\w-]{1,100}$'),
      event_type: matching('^[A-Z._-]{1,100}$'),
      resource_type: matching('^[\\w-]{1,60}$'),
      resource: object({}),
    },
    { create_time: anything },
  ),
);

type Headers = Readonly<Record<string, string | undefined>>;

export class PaypalNotices implements NotificationReader {
  private readonly certificates: PaypalCertificates;

  constructor(private readonly options: PaypalNoticeOptions) {
    this.certificates = new PaypalCertificates(new URL(options.baseUrl).origin);
  }

  prepare(headers: Headers, now: Date): Promise<void> {
    return this.certificates.have(headers['paypal-cert-url'] ?? '', now);
  }

  /** The time is signed and old ones are sent again: `now` decides nothing here. */
  read(raw: Buffer, headers: Headers): NotificationReading {
    const body = textOf(raw);
    if (body === null) return refused('malformed');
    if (!headers['paypal-transmission-sig']) return refused('signature_missing');
    if (!this.options.webhookIds.some((id) => this.isSigned(raw, headers, id)))
      return refused('signature_invalid');
    const event = jsonOf(body);
    if (!eventShape.fits(event)) return refused('malformed');
    const { id: eventId, event_type: type, create_time: createdAt } = event;
    const time = new Date(text(createdAt) ?? Number.NaN);
    const occurredAt = Number.isNaN(time.getTime()) ? null : time;
    return { notices: [{ eventId, type, occurredAt, facts: factsOf(findingsOf(event), []) }], refused: [] };
  }

  private isSigned(raw: Buffer, headers: Headers, webhookId: string): boolean {
    const certificate = this.certificates.get(headers['paypal-cert-url'] ?? '');
    const signature = Buffer.from(headers['paypal-transmission-sig'] ?? '', 'base64');
    const { 'paypal-transmission-id': id, 'paypal-transmission-time': at } = headers;
    const signed = Buffer.from(`${id}|${at}|${webhookId}|${crc32(raw)}`);
    return certificate !== undefined && verify('sha256', signed, certificate.publicKey, signature);
  }
}

function findingsOf({ resource_type: kind, resource }: PaypalEvent): Finding[] {
  switch (kind) {
    case 'capture':
      return ofCapture(resource);
    case 'authorization':
      return ofAuthorization(resource);
    case 'refund':
      return ofRefund(resource);
    case 'dispute':
      return ofDispute(resource);
    default:
      return [];
  }
}

/** A capture is of an order that is charged, or of an authorization. Either names the payment alone. */
function ofCapture(capture: Json): Finding[] {
  const { entityKey, route } = namesIn(capture['custom_id']);
  const related = record(record(capture['supplementary_data'])['related_ids']);
  const order = text(related['order_id']);
  if (entityKey === undefined || order === undefined) return [];
  const answer = partAnswer(capture);
  if (text(related['authorization_id']) === undefined) {
    const answered = { ...answer, pspReference: order };
    return [{ operation: 'charge', entityKey, route, pspReference: order, answer: answered }];
  }
  const { pspReference } = answer;
  return [{ operation: 'capture', ofPayment: entityKey, pspReference, parentReference: order, answer }];
}

function ofAuthorization(authorization: Json): Finding[] {
  const { entityKey, route } = namesIn(authorization['custom_id']);
  const order = text(record(record(authorization['supplementary_data'])['related_ids'])['order_id']);
  // Captures tell what was captured of it.
  if (entityKey === undefined || order === undefined || String(authorization['status']).endsWith('CAPTURED'))
    return [];
  const answer = { ...partAnswer(authorization), pspReference: order };
  const opening: Finding = { operation: 'authorize', entityKey, route, pspReference: order, answer };
  if (authorization['status'] !== 'VOIDED') return [opening];
  const pspReference = text(authorization['id']);
  const voided: Finding = {
    operation: 'void',
    ofPayment: entityKey,
    pspReference,
    parentReference: order,
    answer: { outcome: 'succeeded', ...(pspReference === undefined ? {} : { pspReference }) },
  };
  return [opening, voided];
}

/** A refund names itself, and its payment by no id that is known here. */
function ofRefund(refund: Json): Finding[] {
  const { entityKey, route } = namesIn(refund['custom_id']);
  const answer = refundAnswer(refund, entityKey ?? '');
  return [{ operation: 'refund', entityKey, route, pspReference: answer.pspReference, answer }];
}

/** Stages in their order: each may be reviewed, and resolved, before the next one begins. */
const STAGES = ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'];
/** Outcomes by who bears the amount; after `RESOLVED_WITH_PAYOUT` it is PayPal. */
const OUTCOMES: Readonly<Record<string, DisputeNews['status']>> = {
  RESOLVED_SELLER_FAVOUR: 'won',
  RESOLVED_WITH_PAYOUT: 'won',
  CANCELED_BY_BUYER: 'won',
  DENIED: 'won',
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
};

/**
 * A dispute names the transaction, and with it our name of the payment. PayPal holds its amount until it is resolved.
 * https://developer.paypal.com/docs/api/customer-disputes/v1/
 */
function ofDispute(dispute: Json): Finding[] {
  const reference = text(dispute['dispute_id']);
  const [transaction] = records(dispute['disputed_transactions']);
  const { entityKey } = namesIn(transaction?.['custom']);
  const money = moneyIn(dispute['dispute_amount']);
  const stage = STAGES.indexOf(text(dispute['dispute_life_cycle_stage']) ?? '');
  const status = statusOf(dispute);
  if (reference === undefined || entityKey === undefined || !money || stage === -1 || !status) return [];
  const step = status === 'open' ? Number(dispute['status'] === 'UNDER_REVIEW') : 2;
  const pspCode = text(dispute['reason']);
  const due = Date.parse(text(dispute['seller_response_due_date']) ?? '');
  return [
    {
      ofPayment: entityKey,
      dispute: {
        reference,
        stage: stage * 3 + step,
        status,
        withheld: status !== 'won',
        ...(Number.isNaN(due) ? {} : { respondBy: new Date(due).toISOString() }),
      },
      answer: { outcome: 'pending', money, ...(pspCode ? { pspCode } : {}) },
    },
  ];
}

function statusOf(dispute: Json): DisputeNews['status'] | undefined {
  if (dispute['status'] !== 'RESOLVED') return 'open';
  const outcome = text(record(dispute['dispute_outcome'])['outcome_code']) ?? '';
  return Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : undefined;
}
