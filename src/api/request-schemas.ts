import { Type, type Static } from 'typebox';
import { LARGEST_AMOUNT } from '../kernel/index.js';
import { paymentStatuses } from '../payments/index.js';

/**
 * What requests may look like. The same schemas are compiled into validators (validation.ts) and
 * shown in the OpenAPI document, so that neither can say what the other does not. Bounds without a
 * source of their own are those of Stripe's API. `x-refusal` is what a client is told when the value
 * does not fit; without it, the validator's own words.
 */

/** What Postgres can store and a person can read: no control characters, line breaks included. */
const LINE = String.raw`^[^\p{Cc}]*$`;
const LINE_REFUSAL = 'must hold no control characters';

export const Amount = Type.Integer({
  minimum: 1,
  maximum: LARGEST_AMOUNT,
  description: 'In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD.',
  'x-refusal': `must be an integer from 1 to ${LARGEST_AMOUNT}`,
});

export const Reference = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: LINE,
  description: 'Your own name for it. Need not be unique.',
  'x-refusal': 'must be 1 to 255 characters without control characters',
});

export const Tokens = Type.Unsafe<Record<string, string>>({
  type: 'object',
  minProperties: 1,
  maxProperties: 16,
  propertyNames: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
    'x-refusal': 'must be named like a PSP account: 1 to 64 of A-Z a-z 0-9 _ . -',
  },
  additionalProperties: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x20-\\x7e]*$',
    'x-refusal': 'must be 1 to 255 printable ASCII characters',
  },
  description:
    "A PSP account's name and the token that this PSP made for the card. Only PSPs with a token are candidates. Never a card number.",
});

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: {
    minLength: 1,
    maxLength: 40,
    pattern: LINE,
    'x-refusal': 'must have a name of 1 to 40 characters without control characters',
  },
  additionalProperties: {
    type: 'string',
    maxLength: 500,
    'x-refusal': 'must be a string of at most 500 characters',
  },
  description: 'Up to 50 pairs of your own, given back as they were sent.',
});

export const Currency = Type.String({
  format: 'currency',
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217, in capitals.',
  'x-refusal': 'must be an ISO 4217 code in capitals that payments can be made in',
});

export const StatementDescriptor = Type.String({
  minLength: 1,
  maxLength: 22,
  pattern: String.raw`^(?=.*[A-Za-z])[\x20-\x7e]*$`,
  format: 'statement-descriptor',
  description: `What the cardholder's statement shows. Latin letters, digits and signs but < > \\ ' " *, at least one letter.`,
  'x-refusal': `must be 1 to 22 printable ASCII characters with a letter and none of < > \\ ' " *`,
});

export const PaymentRequest = Type.Object(
  {
    reference: Reference,
    amount: Amount,
    currency: Currency,
    capture: Type.Optional(
      Type.Enum(['automatic', 'manual'], {
        default: 'automatic',
        description: '`manual` authorizes only; capture or cancel later.',
      }),
    ),
    payment_method: Type.Object(
      {
        type: Type.Enum(['card']),
        tokens: Tokens,
        card: Type.Optional(
          Type.Object(
            {
              brand: Type.Optional(
                Type.String({
                  pattern: '^[a-z][a-z0-9_]{0,31}$',
                  description: 'For routing: `visa`, `mastercard`, `amex` and the like, in small letters.',
                  'x-refusal': 'must be 1 to 32 of a-z 0-9 _',
                }),
              ),
              country: Type.Optional(
                Type.String({
                  format: 'country',
                  pattern: '^[A-Z]{2}$',
                  description: "For routing: the issuer's country, ISO 3166-1 alpha-2.",
                  'x-refusal': 'must be an ISO 3166-1 alpha-2 code in capitals',
                }),
              ),
            },
            { additionalProperties: false, description: 'What you know of the card without its number.' },
          ),
        ),
      },
      { additionalProperties: false },
    ),
    customer: Type.Optional(
      Type.Object(
        {
          reference: Type.Optional(Reference),
          email: Type.Optional(
            Type.String({ format: 'email', maxLength: 254, 'x-refusal': 'must be an email address' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    return_url: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'Where the customer comes back to after a redirect. http or https.',
        'x-refusal': 'must be an http or https URL of at most 2048 characters',
      }),
    ),
    statement_descriptor: Type.Optional(StatementDescriptor),
    metadata: Type.Optional(Metadata),
    allow_duplicate: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Takes the payment although one of the same customer, amount, currency and reference was taken a moment ago: it is meant, and no mistake.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A payment to create and to charge or authorize.' },
);

/** A name within a payment. It becomes part of the entity key, which PSPs are shown. */
const PartReference = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$',
  description:
    'Its name among several of this payment: asked for twice under one name, whatever the Idempotency-Key, it is done once. Without a name there is only one.',
  'x-refusal': 'must be 1 to 64 of A-Z a-z 0-9 . _ : - and begin with a letter or a digit',
});

export const CaptureRequest = Type.Object(
  { amount: Type.Optional(Amount), reference: Type.Optional(PartReference) },
  {
    additionalProperties: false,
    description:
      'Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several captures, where the PSP can; the payment stays `authorized` until all is captured or the rest is canceled.',
  },
);

export const RefundRequest = Type.Object(
  {
    amount: Type.Optional(Amount),
    reference: Type.Optional(PartReference),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: LINE,
        description: 'Why, for your own books. Sent to nobody.',
        'x-refusal': 'must be 1 to 255 characters without control characters',
      }),
    ),
    metadata: Type.Optional(Metadata),
  },
  {
    additionalProperties: false,
    description: 'Without `amount`, or without a body: all that was captured and is not refunded yet.',
  },
);

export const CancelRequest = Type.Object(
  {},
  { additionalProperties: false, description: 'Nothing to say yet: an empty object or no body at all.' },
);

export const Time = Type.String({
  format: 'date-time',
  maxLength: 40,
  'x-refusal': 'must be an RFC 3339 time such as 2026-11-21T10:00:00Z (in a query, + is written %2B)',
});

const page = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'How many at most.',
      'x-refusal': 'must be an integer from 1 to 100',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: '`next_cursor` of the page before.',
      'x-refusal': 'must be the next_cursor of a page',
    }),
  ),
};

export const PageQuery = Type.Object(page, { additionalProperties: false });

export const PaymentListQuery = Type.Object(
  {
    ...page,
    status: Type.Optional(Type.Enum([...paymentStatuses])),
    psp: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        pattern: LINE,
        description: "A PSP account's name.",
        'x-refusal': LINE_REFUSAL,
      }),
    ),
    reference: Type.Optional(Reference),
    'created[gte]': Type.Optional({ ...Time, description: 'Created at this time or later (RFC 3339).' }),
    'created[lte]': Type.Optional({ ...Time, description: 'Created at this time or earlier (RFC 3339).' }),
  },
  { additionalProperties: false },
);

export type PaymentRequestBody = Static<typeof PaymentRequest>;
export type RefundRequestBody = Static<typeof RefundRequest>;
export type PageParameters = Static<typeof PageQuery>;
export type CaptureRequestBody = Static<typeof CaptureRequest>;
export type PaymentListParameters = Static<typeof PaymentListQuery>;
