import { Type } from 'typebox';
import { Id, Minor, nullable, pageOf, Routes, strictObject, Text, Time } from '../http/answer-schemas.js';
import { disputeStatuses } from './dispute.js';
import { paymentStatuses } from './payments.js';

/** What answers about payments look like. */

const RedirectAction = strictObject(
  {
    type: { const: 'redirect' },
    url: Type.String({ description: 'Send the customer there. It may have 8,000 characters and more.' }),
    method: Type.Enum(['GET', 'POST']),
    fields: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The fields of the form to send with POST; empty for GET.',
    },
  },
  'A page to open.',
);

const PspSdkAction = strictObject(
  {
    type: { const: 'psp_sdk' },
    psp: Type.String({ description: "The PSP account's name." }),
    data: {
      type: 'object',
      additionalProperties: true,
      description: "The PSP's own object, as it came: Adyen's `action`, Stripe's `next_action`.",
    },
  },
  "What the PSP's own library in the browser or app carries out.",
);

export const Dispute = strictObject(
  {
    object: { const: 'dispute' },
    id: Id,
    payment_id: Id,
    psp: nullable(Text, 'The PSP account that took the payment.'),
    psp_reference: Type.String({ description: "That PSP's own id of the dispute." }),
    status: Type.Enum([...disputeStatuses], {
      description:
        '`open`: the bank has not decided. `lost`: the money is gone, unless it is won later all the same.',
    }),
    reason: nullable(Text, "The PSP's word for why, verbatim."),
    amount: Minor('What is disputed, in minor units.'),
    amount_withheld: Minor('As much of it as the PSP holds back now, or has taken.'),
    currency: Text,
    opened_at: Time,
    closed_at: nullable(Time),
  },
  'A dispute (chargeback) of a payment. Amounts are integers in minor units.',
);

export const Payment = strictObject(
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
    amount_disputed: Minor(
      'What the PSP holds back because of disputes, or has taken, in minor units. It cannot be refunded.',
    ),
    currency: Text,
    psp: nullable(Text, 'The PSP account that took the payment, as soon as one did.'),
    psp_reference: nullable(Text, "That PSP's own id."),
    entity_key: Type.String({ description: 'Names the operation at every PSP, for all time.' }),
    routes: Routes,
    failure: nullable(
      strictObject(
        { category: Text, code: Text, psp_code: nullable(Text), message: Text },
        'Why a payment with status `failed` failed. A decline is not an HTTP error.',
      ),
    ),
    next_action: {
      description:
        'What the customer has to do while the status is `requires_action`; then POST `/complete`. null with that status: the PSP asked for something that cannot be handed on, and the attempts say so.',
      oneOf: [RedirectAction, PspSdkAction, { type: 'null' }],
    },
    disputes: {
      type: 'array',
      description: 'What was disputed of it, the oldest first.',
      items: { $ref: '#/components/schemas/Dispute' },
    },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    created_at: Time,
    updated_at: Time,
  },
  'A payment. Amounts are integers in minor units.',
);

export const Attempt = strictObject(
  {
    entity_key: Text,
    route: Type.Integer(),
    attempt: Type.Integer(),
    psp: Text,
    kind: Type.String({
      description:
        'What was asked of the PSP: execute, lookup, cancel or complete (what the customer did was handed in); or notice, what it told of its own accord.',
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

export const PaymentPage = pageOf('Payment');
export const AttemptPage = pageOf('Attempt');
