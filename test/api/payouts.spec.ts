import { firstPayoutRequest, payoutRequest } from '../../src/payouts/payout.examples.js';
import { Problem } from '../../src/core/problem.js';
import { type Line } from './bad-input.lines.js';
import { type Ask, KEY, PAYMENT_ID, PAYOUT_KEY, READ_ONLY_KEY, RunningApi } from './fake-api.js';
import { callerFixture } from '../support/caller.js';

const path = '/v1/payouts';
const card = '4242424242424242';
const good = payoutRequest;
const { recipient } = good;

const bad: readonly Line[] = [
  ['no body', {}, 422, 'validation_failed', ''],
  ['no key', { body: good, idempotencyKey: null }, 400, 'idempotency_key_missing'],
  ['an unknown field', { body: { ...good, capture: 'manual' } }, 422, 'validation_failed', '/capture'],
  [
    'an unknown field inside',
    { body: { ...good, recipient: { ...recipient, iban: 'x' } } },
    422,
    'validation_failed',
    '/recipient/iban',
  ],
  ['no recipient', { body: { ...good, recipient: undefined } }, 422, 'validation_failed', '/recipient'],
  [
    'no tokens',
    { body: { ...good, recipient: { ...recipient, tokens: {} } } },
    422,
    'validation_failed',
    '/recipient/tokens',
  ],
  [
    'no reference of the recipient',
    { body: { ...good, recipient: { tokens: recipient.tokens } } },
    422,
    'validation_failed',
    '/recipient/reference',
  ],
  [
    'a line break in it',
    { body: { ...good, recipient: { ...recipient, reference: 'a\nb' } } },
    422,
    'validation_failed',
    '/recipient/reference',
  ],
  [
    'a previous that is no id',
    { body: { ...good, previous: 'last' } },
    422,
    'validation_failed',
    '/previous',
  ],
  ['an empty previous', { body: { ...good, previous: '' } }, 422, 'validation_failed', '/previous'],
  ['a previous that is a number', { body: { ...good, previous: 7 } }, 422, 'validation_failed', '/previous'],
  ['an amount of 0', { body: { ...good, amount: 0 } }, 422, 'validation_failed', '/amount'],
  ['half a cent', { body: { ...good, amount: 10.5 } }, 422, 'validation_failed', '/amount'],
  ['no such currency', { body: { ...good, currency: 'EUX' } }, 422, 'validation_failed', '/currency'],
  [
    'a card for a token',
    { body: { ...good, recipient: { ...recipient, tokens: { stripe: card } } } },
    422,
    'card_number_refused',
    '/recipient/tokens/stripe',
  ],
  [
    'a card for a recipient',
    { body: { ...good, recipient: { ...recipient, reference: card } } },
    422,
    'card_number_refused',
    '/recipient/reference',
  ],
  ['a card for a previous', { body: { ...good, previous: card } }, 422, 'card_number_refused', '/previous'],
  ['a card in the query', { method: 'GET', path: `${path}?recipient=${card}` }, 422, 'card_number_refused'],
  ['an unknown filter', { method: 'GET', path: `${path}?customer=x` }, 422, 'validation_failed', '/customer'],
  ['no such status', { method: 'GET', path: `${path}?status=captured` }, 422, 'validation_failed', '/status'],
  ['no uuid', { method: 'GET', path: `${path}/1` }, 404, 'not_found'],
  ['a key for payments', { body: good, apiKey: KEY }, 403, 'forbidden'],
  ['no credentials', { body: good, apiKey: null }, 401, 'unauthorized'],
  ['another method', { method: 'DELETE', path }, 405, 'method_not_allowed'],
];

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
  // What is timed is the service, not the first compilation of its code.
  for (let i = 0; i < 50; i++) await send({ body: good });
});
afterAll(() => api.app.close());
beforeEach(() => {
  api.payouts.calls.length = 0;
});

function send(ask: Ask) {
  return api.send({ path, apiKey: PAYOUT_KEY, ...ask });
}

describe('POST /v1/payouts', () => {
  it('hands a payout on as the flow takes it', async () => {
    const previous = good.previous.toUpperCase();
    const answer = await send({ body: { ...good, previous }, idempotencyKey: 'key-1' });
    expect(answer.status).toBe(201);
    expect(api.payouts.calls).toEqual([
      [
        'create',
        {
          caller: callerFixture({ scopes: ['payouts:write'], sourceAddress: '127.0.0.1' }),
          key: 'key-1',
          waitMs: 0,
          deadlineMs: null,
          requestId: answer.headers['request-id'],
        },
        {
          reference: 'salary-2026-11',
          recipient: { reference: 'recipient-1', tokens: { ...recipient.tokens } },
          amount: 1000,
          currency: 'EUR',
          previous: good.previous,
          statementDescriptor: 'SHOP SALARY',
          metadata: {},
        },
      ],
    ]);
  });

  it('takes no previous for none', async () => {
    const { previous: _, ...without } = firstPayoutRequest;
    for (const body of [firstPayoutRequest, without]) await send({ body });
    const [withNull, absent] = api.payouts.calls.map(([, , ask]) => ask);
    expect(absent).toEqual(withNull);
    expect(absent).toMatchObject({ previous: null, statementDescriptor: null, metadata: {} });
  });

  it('tells which payout is in the way', async () => {
    const was = api.payouts.create.bind(api.payouts);
    const members = { payout_id: good.previous };
    api.payouts.create = () => Promise.reject(new Problem('payout_in_progress', 'Wait.', { members }));
    const answer = await send({ body: good });
    api.payouts.create = was;
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'payout_in_progress', status: 409, ...members });
  });

  it.each(bad.map((line) => ({ what: line[0], line })))('$what is refused at once', async ({ line }) => {
    const [, ask, status, code, pointer] = line;
    let answer = await send(ask);
    // The machine may be busy with something else: the best of three counts.
    for (let i = 0; i < 2 && answer.cpuMs >= 100; i++) answer = await send(ask);
    const problem = answer.json();
    expect({ status: answer.status, code: problem.code }).toEqual({ status, code });
    if (pointer !== undefined) {
      expect(problem.errors).toContainEqual({ pointer, message: expect.any(String) });
    }
    expect(answer.cpuMs).toBeLessThan(100);
    expect(api.payouts.calls).toEqual([]);
    expect(answer.text).not.toContain(card);
    expect(api.logged.join('\n')).not.toContain(card);
  });
});

describe('GET /v1/payouts', () => {
  it.each([
    ['who sends them', PAYOUT_KEY],
    ['who reads payments', READ_ONLY_KEY],
  ])('is open to %s', async (_who, apiKey) => {
    const one = await send({ method: 'GET', path: `${path}/${PAYMENT_ID.toUpperCase()}`, apiKey });
    const query = 'limit=7&status=paid&recipient=recipient-1&created[gte]=2026-11-21T10:00:00Z';
    const all = await send({ method: 'GET', path: `${path}?${query}`, apiKey });
    expect([one.status, all.status]).toEqual([200, 200]);
    expect(api.payouts.calls.map(([call, , ...args]) => [call, ...args])).toEqual([
      ['get', PAYMENT_ID],
      [
        'list',
        { status: 'paid', recipient: 'recipient-1', createdFrom: new Date('2026-11-21T10:00:00Z') },
        7,
        null,
      ],
    ]);
  });

  it('gives who may only send payouts no payment to read', async () => {
    for (const other of ['/v1/payments', `/v1/payments/${PAYMENT_ID}`]) {
      const answer = await send({ method: 'GET', path: other });
      expect([answer.status, answer.json().code]).toEqual([403, 'forbidden']);
    }
  });
});
