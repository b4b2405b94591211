import { Type } from 'typebox';
import { problemCatalogue } from '../kernel/index.js';
import { paymentStatuses } from '../payments/index.js';
import { refundStatuses } from '../refunds/index.js';

/** What answers look like, for the OpenAPI document and for tests that hold answers against it. */

export const Text = Type.String();
export const Id = Type.String({ format: 'uuid', description: 'UUIDv7.' });
export const Time = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' });
export const Minor = (description: string): ReturnType<typeof Type.Integer> =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** OpenAPI 3.1 writes "or null" as a list of types. */
export function nullable(schema: { type: string; description?: string }, description?: string): object {
  return { ...schema, type: [schema.type, 'null'], ...(description ? { description } : {}) };
}

export function closed(
  properties: Record<string, object>,
  description?: string,
): { type: 'object'; description?: string } {
  return {
    type: 'object',
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
    ...(description ? { description } : {}),
  } as { type: 'object'; description?: string };
}

export const Routes = {
  type: 'array',
  description: 'Which PSPs were asked, in order, and how each ended.',
  items: closed({ route: Type.Integer(), psp: Text, verdict: Text, outcome: nullable(Text) }),
};

export const Payment = closed(
  {
    object: { const: 'payment' },
    id: Id,
    reference: Text,
    status: Type.Enum([...paymentStatuses], {
      description:
        '`processing`: an outcome is not known yet, the service goes on by itself. `requires_action`: see `next_action`. The others are at rest.',
    }),
    amount: Minor('What was asked for, in minor units.'),
    amount_captured: Minor('In minor units.'),
    amount_refunded: Minor('In minor units.'),
    currency: Text,
    psp: nullable(Text, 'The PSP account that took the payment, as soon as one did.'),
    psp_reference: nullable(Text, "That PSP's own id."),
    entity_key: Type.String({ description: 'Names the operation at every PSP, for all time.' }),
    routes: Routes,
    failure: nullable(
      closed(
        { category: Text, code: Text, psp_code: nullable(Text), message: Text },
        'Why a payment with status `failed` failed. A decline is not an HTTP error.',
      ),
    ),
    next_action: nullable(
      closed(
        { type: { const: 'redirect' }, url: Text },
        'Send the customer there when the status is requires_action.',
      ),
    ),
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    created_at: Time,
    updated_at: Time,
  },
  'A payment. Amounts are integers in minor units.',
);

export const Refund = closed(
  {
    object: { const: 'refund' },
    id: Id,
    payment_id: Id,
    reference: nullable(Text, 'Its name among several refunds of the payment; null for the only one.'),
    status: Type.Enum([...refundStatuses], {
      description:
        '`pending`: it is not known yet what the PSP did, the service goes on by itself. `failed`: nothing was given back, and the same refund may be asked for again under a new Idempotency-Key.',
    }),
    amount: Minor('In minor units.'),
    currency: Text,
    reason: nullable(Text),
    psp: nullable(Text, 'The PSP account that took the payment.'),
    psp_reference: nullable(Text, "That PSP's own id of the refund."),
    entity_key: Type.String({ description: 'Names the refund at its PSP, for all time.' }),
    failure: nullable(
      closed(
        { category: Text, code: Text, psp_code: nullable(Text), message: Text },
        'Why a refund with status `failed` failed.',
      ),
    ),
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    created_at: Time,
    updated_at: Time,
  },
  'A refund of a payment. Amounts are integers in minor units.',
);

export const Attempt = closed(
  {
    entity_key: Text,
    route: Type.Integer(),
    attempt: Type.Integer(),
    psp: Text,
    kind: Type.String({
      description:
        'What was asked of the PSP: execute, lookup or cancel; or notice, what it told of its own accord.',
    }),
    outcome: nullable(Text, 'Null while the call is running, or when its end was never seen.'),
    psp_code: nullable(Text),
    http_status: nullable(Type.Integer()),
    latency_ms: nullable(Type.Number()),
    verdict: Text,
    started_at: Time,
    ended_at: nullable(Time),
  },
  'One call to a PSP.',
);

export function pageOf(name: string): object {
  return closed({
    data: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
    has_more: Type.Boolean(),
    next_cursor: nullable(Text, 'Give it as `cursor` to get the next page.'),
  });
}

export const PaymentPage = pageOf('Payment');
export const AttemptPage = pageOf('Attempt');
export const RefundPage = pageOf('Refund');

const problemMembers: Record<string, object> = {
  type: Type.String({ format: 'uri' }),
  title: Type.String({ description: 'Fixed for each code.' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'About this occurrence. Never repeats what was sent.' }),
  code: Type.Enum(Object.keys(problemCatalogue), { description: 'Program against this.' }),
  request_id: Type.String({
    format: 'uuid',
    description:
      'Absent in a stored answer, which is the same to the byte whenever it is sent; see Request-Id.',
  }),
  refund_id: Type.String({ format: 'uuid', description: 'For `refund_exists`: the one there is.' }),
  payment_id: Type.String({ format: 'uuid', description: 'For `probable_duplicate`: the payment there is.' }),
  payout_id: nullable(
    Id,
    'For `payout_in_progress`: the payout to wait for. For `payout_sequence_stale`: the last one that ended, null where there is none.',
  ),
  errors: {
    type: 'array',
    maxItems: 20,
    description: 'For `validation_failed`, `card_number_refused` and `webhook_target_refused`.',
    items: closed({
      pointer: Type.String({
        description: 'RFC 6901, into the body; for a query, the name of the parameter.',
      }),
      message: Text,
    }),
  },
};

export const ProblemSchema = {
  type: 'object',
  description: 'RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: problemMembers,
};

export const Live = closed({ status: { const: 'live' }, version: Text });
export const Ready = closed({
  status: Type.Enum(['ready', 'not_ready', 'draining']),
  checks: { type: 'object', additionalProperties: Type.Enum(['up', 'down']) },
});
