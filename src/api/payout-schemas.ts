import { Type, type Static } from 'typebox';
import { payoutStatuses } from '../payouts/index.js';
import { closed, Id, Minor, nullable, pageOf, Routes, Text, Time } from './answer-schemas.js';
import {
  Amount,
  Currency,
  Metadata,
  PaymentListQuery,
  Reference,
  StatementDescriptor,
  Tokens,
} from './request-schemas.js';

/** What requests for payouts and their answers look like; bounds are those of payments. */

const Recipient = Type.Object(
  {
    reference: {
      ...Reference,
      description: 'Your own name for whoever is paid: its payouts are one sequence.',
    },
    tokens: {
      ...Tokens,
      description:
        "A PSP account's name and the token that this PSP made for the recipient's bank account. Only PSPs with a token are candidates. Never an account or card number.",
    },
  },
  { additionalProperties: false },
);

export const PayoutRequest = Type.Object(
  {
    reference: Reference,
    recipient: Recipient,
    amount: Amount,
    currency: Currency,
    previous: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        default: null,
        description:
          'The id of the last payout to this recipient that ended (paid or failed); null or absent for the first.',
        'x-refusal': 'must be the id of a payout, or null',
      }),
    ),
    statement_descriptor: Type.Optional({
      ...StatementDescriptor,
      description: "What the recipient's statement shows, where the PSP can; as for a payment.",
    }),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, description: 'A payout to send.' },
);

const { cursor, limit, psp, 'created[gte]': from, 'created[lte]': to } = PaymentListQuery.properties;

export const PayoutListQuery = Type.Object(
  {
    limit,
    cursor,
    status: Type.Optional(Type.Enum([...payoutStatuses])),
    psp,
    reference: Type.Optional(Reference),
    recipient: Type.Optional({ ...Reference, description: "The recipient's reference." }),
    'created[gte]': from,
    'created[lte]': to,
  },
  { additionalProperties: false },
);

export type PayoutRequestBody = Static<typeof PayoutRequest>;
export type PayoutListParameters = Static<typeof PayoutListQuery>;

export const Payout = closed(
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
      closed(
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
