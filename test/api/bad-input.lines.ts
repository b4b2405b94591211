import { paymentRequest } from '../../src/api/openapi.examples.js';
import { PAYMENT_ID, type Ask } from './fake-api.js';

/** Every line of bad input, with the answer that it gets. */
export type Line = readonly [what: string, ask: Ask, status: number, code: string, pointer?: string];

const good = paymentRequest;
const card = '4242424242424242';
const json = JSON.stringify(good);
const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** The good body's text with one number or string written otherwise. */
export function written(field: 'amount' | 'reference', text: string): string {
  return json.replace(
    field === 'amount' ? '"amount":1000' : '"reference":"order-1234"',
    `"${field}":${text}`,
  );
}

export const bodies: readonly Line[] = [
  ['no body', {}, 422, 'validation_failed', ''],
  ['a list', { body: [] }, 422, 'validation_failed', ''],
  ['malformed JSON', { body: '{"a":' }, 400, 'body_malformed'],
  ['invalid UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, 400, 'body_malformed'],
  ['a body over 256 kB', { body: { ...good, metadata: { a: 'x'.repeat(262_144) } } }, 413, 'body_too_large'],
  ['33 levels', { body: nested(33) }, 422, 'validation_failed', '/a'.repeat(32)],
  ['5,000 levels', { body: nested(5_000) }, 422, 'validation_failed', '/a'.repeat(32)],
  ['NUL', { body: written('reference', '"a\\u0000b"') }, 422, 'validation_failed', '/reference'],
  ['NUL as it is', { body: written('reference', '"a\0b"') }, 400, 'body_malformed'],
  ['a lone surrogate', { body: written('reference', '"\\ud800"') }, 422, 'validation_failed', '/reference'],
  ['a lone surrogate in a key', { body: '{"\\udfff":1}' }, 422, 'validation_failed', ''],
  ['a field twice', { body: written('amount', '1000,"amount":2000') }, 422, 'validation_failed', ''],
  ['__proto__', { body: '{"__proto__":{"amount":1}}' }, 422, 'validation_failed', ''],
  ['an unknown field', { body: { ...good, refund: true } }, 422, 'validation_failed', '/refund'],
  [
    'an unknown field inside',
    { body: { ...good, customer: { name: 'x' } } },
    422,
    'validation_failed',
    '/customer/name',
  ],
  [
    'an unknown field to capture',
    { path: `/v1/payments/${PAYMENT_ID}/capture`, body: { amout: 1 } },
    422,
    'validation_failed',
    '/amout',
  ],
  [
    'a field to cancel',
    { path: `/v1/payments/${PAYMENT_ID}/cancel`, body: { amount: 1 } },
    422,
    'validation_failed',
    '/amount',
  ],
  ...[
    '0',
    '-1',
    '-0',
    '10.5',
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '1e-7',
    '"1000"',
    'null',
    'true',
    '[1]',
    '{}',
  ].map((amount): Line => [
    `amount ${amount}`,
    { body: written('amount', amount) },
    422,
    'validation_failed',
    '/amount',
  ]),
  [
    'amount 0 to capture',
    { path: `/v1/payments/${PAYMENT_ID}/capture`, body: { amount: 0 } },
    422,
    'validation_failed',
    '/amount',
  ],
  ...['XXX', 'eur', 'EURO', '', 'XAU', 'XTS', 'BTC', 978].map((currency): Line => [
    `currency ${currency}`,
    { body: { ...good, currency } },
    422,
    'validation_failed',
    '/currency',
  ]),
  [
    'an over-long reference',
    { body: { ...good, reference: 'x'.repeat(256) } },
    422,
    'validation_failed',
    '/reference',
  ],
  ['an empty reference', { body: { ...good, reference: '' } }, 422, 'validation_failed', '/reference'],
  [
    'no token',
    { body: { ...good, payment_method: { type: 'card', tokens: {} } } },
    422,
    'validation_failed',
    '/payment_method/tokens',
  ],
  [
    'a token with a line break',
    { body: { ...good, payment_method: { type: 'card', tokens: { stripe: 'a\nb' } } } },
    422,
    'validation_failed',
    '/payment_method/tokens/stripe',
  ],
  [
    'a token for a PSP of no name',
    { body: { ...good, payment_method: { type: 'card', tokens: { '': 'a' } } } },
    422,
    'validation_failed',
    '/payment_method/tokens/',
  ],
  [
    '17 tokens',
    {
      body: {
        ...good,
        payment_method: {
          type: 'card',
          tokens: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`p${i}`, 't'])),
        },
      },
    },
    422,
    'validation_failed',
    '/payment_method/tokens',
  ],
  [
    'another method',
    { body: { ...good, payment_method: { ...good.payment_method, type: 'sepa' } } },
    422,
    'validation_failed',
    '/payment_method/type',
  ],
  [
    'a country that is none',
    { body: { ...good, payment_method: { ...good.payment_method, card: { country: 'XX' } } } },
    422,
    'validation_failed',
    '/payment_method/card/country',
  ],
  [
    'an email that is none',
    { body: { ...good, customer: { email: 'a@b' } } },
    422,
    'validation_failed',
    '/customer/email',
  ],
  [
    'a script for a URL',
    { body: { ...good, return_url: 'javascript:alert(1)' } },
    422,
    'validation_failed',
    '/return_url',
  ],
  [
    'a URL with a password',
    { body: { ...good, return_url: 'https://a:b@shop.example/' } },
    422,
    'validation_failed',
    '/return_url',
  ],
  [
    'an over-long statement descriptor',
    { body: { ...good, statement_descriptor: 'x'.repeat(23) } },
    422,
    'validation_failed',
    '/statement_descriptor',
  ],
  [
    'a statement descriptor of digits',
    { body: { ...good, statement_descriptor: '12345' } },
    422,
    'validation_failed',
    '/statement_descriptor',
  ],
  [
    'a statement descriptor with <',
    { body: { ...good, statement_descriptor: 'SHOP<' } },
    422,
    'validation_failed',
    '/statement_descriptor',
  ],
  [
    'metadata that is no text',
    { body: { ...good, metadata: { a: 1 } } },
    422,
    'validation_failed',
    '/metadata/a',
  ],
  [
    'an over-long name in metadata',
    { body: { ...good, metadata: { ['k'.repeat(41)]: 'v' } } },
    422,
    'validation_failed',
    `/metadata/${'k'.repeat(41)}`,
  ],
  [
    '51 pairs of metadata',
    { body: { ...good, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v'])) } },
    422,
    'validation_failed',
    '/metadata',
  ],
  [
    '20,000 unknown fields',
    { body: `{${Array.from({ length: 20_000 }, (_, i) => `"f${i}":1`).join()}}` },
    422,
    'validation_failed',
  ],
];

export const cards: readonly Line[] = [
  ['as reference', { body: { ...good, reference: card } }, 422, 'card_number_refused', '/reference'],
  [
    'as a token',
    { body: { ...good, payment_method: { type: 'card', tokens: { stripe: card } } } },
    422,
    'card_number_refused',
    '/payment_method/tokens/stripe',
  ],
  ['as a number', { body: { ...good, amount: Number(card) } }, 422, 'card_number_refused', '/amount'],
  [
    'in an unknown field',
    { body: { ...good, card: { number: card } } },
    422,
    'card_number_refused',
    '/card/number',
  ],
  ['as a key', { body: { ...good, metadata: { [card]: 'x' } } }, 422, 'card_number_refused', '/metadata'],
  ['in a list', { body: { a: [[1, { b: card }]] } }, 422, 'card_number_refused', '/a/0/1/b'],
  [
    'with spaces',
    { body: { ...good, metadata: { note: 'card 4242 4242 4242 4242 please' } } },
    422,
    'card_number_refused',
    '/metadata/note',
  ],
  [
    'with dashes',
    { body: { ...good, metadata: { note: '3782-822463-10005' } } },
    422,
    'card_number_refused',
    '/metadata/note',
  ],
  [
    'with no-break spaces',
    { body: { ...good, reference: '4242\u00a04242\u00a04242\u202f4242' } },
    422,
    'card_number_refused',
    '/reference',
  ],
  [
    'full-width',
    { body: { ...good, reference: '４２４２４２４２４２４２４２４２' } },
    422,
    'card_number_refused',
    '/reference',
  ],
  [
    'in Arabic-Indic digits',
    { body: { ...good, reference: '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢' } },
    422,
    'card_number_refused',
    '/reference',
  ],
  [
    'in escapes',
    { body: written('reference', '"\\u0034242424242424242"') },
    422,
    'card_number_refused',
    '/reference',
  ],
  [
    'in the body of a cancel',
    { path: `/v1/payments/${PAYMENT_ID}/cancel`, body: { reason: card } },
    422,
    'card_number_refused',
    '/reason',
  ],
  [
    'in a query',
    { method: 'GET', path: `/v1/payments?reference=${card}` },
    422,
    'card_number_refused',
    '/reference',
  ],
];

export const queries: readonly Line[] = [
  ...['0', '101', '-1', '1.5', 'ten', ''].map((limit): Line => [
    `limit=${limit}`,
    { method: 'GET', path: `/v1/payments?limit=${limit}` },
    422,
    'validation_failed',
    '/limit',
  ]),
  [
    'limit twice',
    { method: 'GET', path: '/v1/payments?limit=1&limit=2' },
    422,
    'validation_failed',
    '/limit',
  ],
  [
    'a status that is none',
    { method: 'GET', path: '/v1/payments?status=paid' },
    422,
    'validation_failed',
    '/status',
  ],
  [
    'a time that is none',
    { method: 'GET', path: '/v1/payments?created[gte]=yesterday' },
    422,
    'validation_failed',
    '/created[gte]',
  ],
  [
    '30 February',
    { method: 'GET', path: '/v1/payments?created[lte]=2026-02-30T00:00:00Z' },
    422,
    'validation_failed',
    '/created[lte]',
  ],
  ['NUL', { method: 'GET', path: '/v1/payments?reference=%00' }, 422, 'validation_failed', '/reference'],
  [
    'an unknown parameter',
    { method: 'GET', path: '/v1/payments?colour=red' },
    422,
    'validation_failed',
    '/colour',
  ],
];
