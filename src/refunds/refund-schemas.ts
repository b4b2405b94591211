import { Type } from 'typebox';
import { Id, Minor, nullable, pageOf, strictObject, Text, Time } from '../http/answer-schemas.js';
import { refundStatuses } from './refund.lifecycle.js';

/** What answers about refunds look like. */

export const Refund = strictObject(
  {
    object: { const: 'refund' },
    id: Id,
    payment_id: Id,
    reference: nullable(Text, 'Its name among several refunds of the payment; null for the only one.'),
    status: Type.Enum([...refundStatuses], {
      description:
        '`pending`: it is not known yet what the PSP did, the service goes on by itself. `failed`: nothing was given back, and the same refund may be asked for again under a new Idempotency-Key; or it was, and came back days later (then `refund_reversed` is answered, and a new one takes a `reference`).',
    }),
    amount: Minor('In minor units.'),
    currency: Text,
    reason: nullable(Text),
    psp: nullable(Text, 'The PSP account that took the payment.'),
    psp_reference: nullable(Text, "That PSP's own id of the refund."),
    entity_key: Type.String({ description: 'Names the refund at its PSP, for all time.' }),
    failure: nullable(
      strictObject(
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

export const RefundPage = pageOf('Refund');
