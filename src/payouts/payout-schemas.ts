import { Type } from 'typebox';
import { payoutStatuses } from './payouts.js';
import { strictObject, Id, Minor, nullable, pageOf, Routes, Text, Time } from '../http/answer-schemas.js';

/** What answers about payouts look like. */

export const Payout = strictObject(
  {
    object: { const: 'payout' },
    id: Id,
    reference: Text,
    recipient: Type.String({ description: "The recipient's reference." }),
    status: Type.Enum([...payoutStatuses], {
      description:
        '`processing`: not known yet, the service goes on by itself, and the next payout to this recipient waits. The others are the end.',
    }),
    amount: Minor('In minor units.'),
    currency: Text,
    psp: nullable(Text, 'The PSP account that made the payout, as soon as one did.'),
    psp_reference: nullable(Text, "That PSP's own id."),
    entity_key: Type.String({ description: 'Names the operation at every PSP, for all time.' }),
    routes: Routes,
    failure: nullable(
      strictObject(
        { category: Text, code: Text, psp_code: nullable(Text), message: Text },
        'Why a payout with status `failed` failed: nothing was paid.',
      ),
    ),
    previous: nullable(Id, 'The payout to this recipient that had ended before; null for the first.'),
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
    created_at: Time,
    updated_at: Time,
  },
  'A payout. Amounts are integers in minor units.',
);

export const PayoutPage = pageOf('Payout');
