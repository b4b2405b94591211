import { paymentRequest, smallestPaymentRequest } from '../../src/api/openapi.examples.js';
import { PAYMENT_ID, READ_ONLY_KEY, RunningApi, type Ask } from './fake-api.js';

/**
 * Every line of bad input over a real socket: its code, within 100 ms, no flow called, the process
 * alive afterwards, and nothing of it in the log.
 */
const good = paymentRequest;
const card = '4242424242424242';
const json = JSON.stringify(good);
const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** The good body's text with one number or string written otherwise. */
function written(field: 'amount' | 'reference', text: string): string {
  return json.replace(
    field === 'amount' ? '"amount":1000' : '"reference":"order-1234"',
    `"${field}":${text}`,
  );
}

type Line = readonly [what: string, ask: Ask, status: number, code: string, pointer?: string];

const headers: Line[] = [
  ['no key', { body: good, idempotencyKey: null }, 400, 'idempotency_key_missing'],
  ['an empty key', { body: good, idempotencyKey: '' }, 400, 'idempotency_key_invalid'],
  ['an over-long key', { body: good, idempotencyKey: 'x'.repeat(256) }, 400, 'idempotency_key_invalid'],
  [
    'a key that is not printable',
    { body: good, idempotencyKey: 'caf\u00e9' },
    400,
    'idempotency_key_invalid',
  ],
  ['a half-quoted key', { body: good, idempotencyKey: '"abc' }, 400, 'idempotency_key_invalid'],
  ['two keys', { body: good, idempotencyKey: ['a', 'b'] }, 400, 'idempotency_key_invalid'],
  ['a card number as key', { body: good, idempotencyKey: '4242 4242 4242 4242' }, 422, 'card_number_refused'],
  [
    'no key to capture',
    { path: `/v1/payments/${PAYMENT_ID}/capture`, idempotencyKey: null },
    400,
    'idempotency_key_missing',
  ],
  [
    'no key to cancel',
    { path: `/v1/payments/${PAYMENT_ID}/cancel`, idempotencyKey: null },
    400,
    'idempotency_key_missing',
  ],
  ['no credentials', { body: good, apiKey: null }, 401, 'unauthorized'],
  ['wrong credentials', { body: good, apiKey: 'po_live_wrong' }, 401, 'unauthorized'],
  [
    'another scheme',
    { body: good, apiKey: null, headers: { authorization: 'Basic abc' } },
    401,
    'unauthorized',
  ],
  ['no credentials and a bad body', { body: '{', apiKey: null }, 401, 'unauthorized'],
  ['a scope missing', { body: good, apiKey: READ_ONLY_KEY }, 403, 'forbidden'],
  ['a scope missing and a bad body', { body: '{', apiKey: READ_ONLY_KEY }, 403, 'forbidden'],
  ['an id that is none', { method: 'GET', path: '/v1/payments/42' }, 404, 'not_found'],
  ['an id to capture that is none', { path: '/v1/payments/42/capture', body: {} }, 404, 'not_found'],
  ['a card number as id', { method: 'GET', path: `/v1/payments/${card}` }, 404, 'not_found'],
  ['an endless id', { method: 'GET', path: `/v1/payments/${'x'.repeat(5_000)}` }, 404, 'not_found'],
  ['a path that cannot be decoded', { method: 'GET', path: '/v1/payments/%ff%zz' }, 404, 'not_found'],
  ['a path that is none', { path: '/v2/payments', body: good }, 404, 'not_found'],
  ['a method that is none', { method: 'DELETE' }, 405, 'method_not_allowed'],
  [
    'PUT on a payment',
    { method: 'PUT', path: `/v1/payments/${PAYMENT_ID}`, body: good },
    405,
    'method_not_allowed',
  ],
  [
    'a form',
    { body: 'amount=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  ['text', { body: json, headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  [
    'UTF-16',
    { body: json, headers: { 'content-type': 'application/json; charset=utf-16' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    { body: json, headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a content type that is none',
    { body: json, headers: { 'content-type': ';;;' } },
    415,
    'unsupported_media_type',
  ],
  ['headers over 16 kB', { body: good, headers: { 'x-a': 'x'.repeat(17_000) } }, 431, 'headers_too_large'],
];

const bodies: Line[] = [
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

const cards: Line[] = [
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

const queries: Line[] = [
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

describe('bad input', () => {
  let api: RunningApi;

  beforeAll(async () => {
    api = await RunningApi.start();
    // What is timed is the service, not the first compilation of its code.
    for (let i = 0; i < 50; i++) await api.send({ body: good });
  });
  afterAll(() => api.app.close());
  beforeEach(() => {
    api.payments.calls.length = 0;
  });

  describe.each([
    ['headers and paths', headers],
    ['bodies', bodies],
    ['card numbers', cards],
    ['queries', queries],
  ])('%s', (_part, lines) => {
    test.each(lines.map((line) => ({ what: line[0], line })))('$what', async ({ line }) => {
      const [, ask, status, code, pointer] = line;
      const answer = await api.send(ask);
      const problem = answer.json();
      expect({ status: answer.status, code: problem.code }).toEqual({ status, code });
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.headers['request-id']).toBe(problem['request_id']);
      expect(problem).toMatchObject({
        type: expect.stringContaining(code),
        title: expect.any(String),
        status,
      });
      if (pointer !== undefined)
        expect(problem.errors).toContainEqual({ pointer, message: expect.any(String) });
      expect(answer.ms).toBeLessThan(100);
      expect(answer.text).not.toMatch(/4242|٤٢|４２|22463/);
      expect(api.payments.calls).toEqual([]);
      expect((await api.send({ method: 'GET', path: '/health/live' })).status).toBe(200);
    });
  });

  it('lists every fault, at most twenty', async () => {
    const several = await api.send({ body: { amount: 0, currency: 'xx', colour: 1 } });
    expect(
      several
        .json()
        .errors?.map(({ pointer }) => pointer)
        .toSorted(),
    ).toEqual(['/amount', '/colour', '/currency', '/payment_method', '/reference']);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}`, 1]));
    expect((await api.send({ body: { ...good, ...many } })).json().errors).toHaveLength(20);
  });

  it('says nothing of what was wrong with credentials', async () => {
    const answers = await Promise.all([
      api.send({ body: good, apiKey: null }),
      api.send({ body: good, apiKey: 'po_live_wrong' }),
      api.send({ body: good, apiKey: null, headers: { authorization: 'nonsense' } }),
    ]);
    expect(new Set(answers.map((answer) => answer.json()['detail'])).size).toBe(1);
    for (const answer of answers) expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['EUR', 'JPY', 'KWD', 'XOF'])('takes %s', async (currency) => {
    expect((await api.send({ body: { ...smallestPaymentRequest, currency } })).status).toBe(201);
  });

  it('takes an amount of 2^53 - 1 and what only looks odd', async () => {
    for (const amount of ['9007199254740991', '1', '1e3', '1000.0']) {
      expect((await api.send({ body: written('amount', amount) })).status).toBe(201);
    }
    expect(
      (await api.send({ body: { ...good, reference: 'Größe 🎁', metadata: { a: '', b: 'x'.repeat(500) } } }))
        .status,
    ).toBe(201);
  });

  it('logged nothing that was sent', () => {
    const log = api.logged.join('');
    expect(log).not.toMatch(/4242|order-1234|po_live|pm_card|example\.com|colour|yesterday/);
    for (const line of api.logged) expect(() => JSON.parse(line) as object).not.toThrow();
  });
});
