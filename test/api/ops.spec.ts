import { deadLetter } from '../../src/ops/dead-letter.examples.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { type Ask, FakeDeadLetters, KEY, OPS_TOKEN, PAYMENT_ID, RunningApi } from './fake-api.js';

/** /ops/api at its edge: who gets in, and what is refused before anything is touched. */
const LETTERS = '/ops/api/dead-letters';
const everyRoute = [
  ['GET', LETTERS],
  ['GET', `${LETTERS}/counts`],
  ['GET', `${LETTERS}/${PAYMENT_ID}`],
  ['POST', `${LETTERS}/merge`],
  ['POST', `${LETTERS}/purge`],
] as const;

let api: RunningApi;
beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.app.close());

const ops = (ask: Ask) => api.send({ apiKey: OPS_TOKEN, idempotencyKey: null, ...ask });
const get = (path: string) => ops({ method: 'GET', path: `${LETTERS}${path}` });

describe('who gets in', () => {
  it.each(everyRoute)('%s %s takes the token for operators and nothing else', async (method, path) => {
    const body = method === 'POST' ? { body: { all: true } } : {};
    expect((await ops({ method, path, ...body })).status).toBe(200);
    const before = api.deadLetters.calls.length;
    for (const apiKey of [null, KEY, OPS_TOKEN.slice(0, -1), `${OPS_TOKEN}0`, OPS_TOKEN.toUpperCase()]) {
      const answer = await ops({ method, path, ...body, apiKey });
      expect([apiKey, answer.status, answer.json().code]).toEqual([apiKey, 401, 'unauthorized']);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.json()['detail']).toContain('token for operators');
    }
    expect(api.deadLetters.calls).toHaveLength(before);
  });

  it('asks for credentials before it looks at a body or an id', async () => {
    const unread = await ops({ path: `${LETTERS}/merge`, body: 'not json', apiKey: KEY });
    expect(unread.json().code).toBe('unauthorized');
    expect((await ops({ method: 'GET', path: `${LETTERS}/x`, apiKey: KEY })).json().code).toBe(
      'unauthorized',
    );
  });

  it('opens nothing under /v1 with that token', async () => {
    const answer = await ops({ method: 'GET', path: '/v1/payments' });
    expect([answer.status, answer.json().code]).toEqual([401, 'unauthorized']);
    expect(answer.json()['detail']).toContain('API key');
  });

  it('is not there for programs where no token is set: the console alone asks for a session', async () => {
    const closed = await RunningApi.start({ opsToken: null });
    try {
      for (const [method, path] of [...everyRoute, ['GET', '/ops/api']] as const) {
        for (const apiKey of [OPS_TOKEN, KEY, null]) {
          const answer = await closed.send({ method, path, apiKey });
          expect([path, answer.status, answer.json().code]).toEqual([path, 404, 'not_found']);
        }
        if (path === '/ops/api') continue;
        const headers = { 'payonce-console': 'active', origin: `http://127.0.0.1:${closed.port}` };
        const page = await closed.send({ method, path, apiKey: null, headers });
        expect([path, page.status, page.json()['detail']]).toEqual([path, 401, 'Sign in to the console.']);
      }
    } finally {
      await closed.app.close();
    }
  });

  it('writes the token into no line of the log, sent as it should be or not', async () => {
    await ops({ method: 'GET', path: `${LETTERS}?cause=${OPS_TOKEN}` });
    await ops({ method: 'GET', path: `${LETTERS}/${OPS_TOKEN}` });
    await ops({ path: `${LETTERS}/merge`, body: { ids: [OPS_TOKEN] } });
    await api.send({ path: `${LETTERS}/merge`, headers: { authorization: `Basic ${OPS_TOKEN}` } });
    expect(api.logged.length).toBeGreaterThan(10);
    expect(api.logged.filter((line) => line.includes(OPS_TOKEN))).toEqual([]);
    expect(api.logged.some((line) => line.includes(`"route":"${LETTERS}/:id"`))).toBe(true);
  });
});

describe('what is answered', () => {
  it('shows letters as they are documented, and never keeps them in a cache', async () => {
    const page = await get('?limit=1&kind=webhook.apply&cause=exhausted&died[lte]=2026-11-21T10:00:00Z');
    expect(page.json()).toEqual({ data: [deadLetter], has_more: false, next_cursor: null });
    expect(page.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'request-id': expect.any(String) as string,
    });
    expect((await get(`/${deadLetter.id.toUpperCase()}`)).json()).toEqual(deadLetter);
    expect((await get('/counts')).json()).toEqual({
      data: [
        {
          kind: 'webhook.apply',
          cause: 'exhausted',
          count: 1,
          oldest_died_at: deadLetter.died_at,
          oldest_age_seconds: 1,
        },
      ],
    });
  });

  it.each([
    [{ ids: [PAYMENT_ID] }, { ids: [PAYMENT_ID] }],
    [{ kind: 'webhook.apply' }, { kind: 'webhook.apply' }],
    [
      { kind: 'a.b', cause: 'c' },
      { kind: 'a.b', cause: 'c' },
    ],
    [{ all: true }, {}],
  ])('takes the selection %j', async (body, selection) => {
    for (const verb of ['merge', 'purge'] as const) {
      const answer = await ops({ path: `${LETTERS}/${verb}`, body });
      expect([answer.status, answer.json()]).toEqual([200, { [`${verb}d`]: 1, left: 0 }]);
      expect(api.deadLetters.calls.at(-1)).toEqual([verb, selection, 'operator:ops-token@127.0.0.1']);
    }
  });
});

describe('what is refused', () => {
  it.each<[what: string, body: Ask['body'], code: string, pointer: string | null]>([
    ['without a body', undefined, 'validation_failed', ''],
    ['of nothing', {}, 'validation_failed', ''],
    ['that is a list', [], 'validation_failed', ''],
    ['of all and of a cause', { all: true, cause: 'exhausted' }, 'validation_failed', ''],
    ['of all and of ids', { ids: [PAYMENT_ID], all: true }, 'validation_failed', ''],
    ['of ids and of a kind', { ids: [PAYMENT_ID], kind: 'webhook.apply' }, 'validation_failed', ''],
    ['of not all', { all: false }, 'validation_failed', '/all'],
    ['of all, as a string', { all: 'true' }, 'validation_failed', '/all'],
    ['of no ids', { ids: [] }, 'validation_failed', '/ids'],
    ['of ids, as a string', { ids: 'all' }, 'validation_failed', '/ids'],
    ['of something that is no id', { ids: ['nonsense'] }, 'validation_failed', '/ids/0'],
    [
      'of too many ids',
      { ids: Array.from({ length: 1_001 }, () => PAYMENT_ID) },
      'validation_failed',
      '/ids',
    ],
    ['of an empty cause', { cause: '' }, 'validation_failed', '/cause'],
    ['of a cause with SQL in it', { cause: "x' OR 1=1" }, 'validation_failed', '/cause'],
    ['of an endless kind', { kind: 'k'.repeat(101) }, 'validation_failed', '/kind'],
    ['by a field that is not known', { causes: 'exhausted' }, 'validation_failed', '/causes'],
    ['with one field twice', '{"all":true,"all":true}', 'validation_failed', ''],
    ['by a card number', { cause: '4242424242424242' }, 'card_number_refused', '/cause'],
    ['cut short', '{"all":true', 'body_malformed', null],
    ['of 300 kB', { cause: 'x'.repeat(300_000) }, 'body_too_large', null],
  ])('a selection %s', async (_what, body, code, pointer) => {
    for (const verb of ['merge', 'purge']) {
      const before = api.deadLetters.calls.length;
      const answer = await ops({ path: `${LETTERS}/${verb}`, ...(body === undefined ? {} : { body }) });
      expect(answer.json().code).toBe(code);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      if (pointer !== null) expect(answer.json().errors?.map((each) => each.pointer)).toEqual([pointer]);
      expect(api.deadLetters.calls).toHaveLength(before);
    }
  });

  it('a body that is no JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await ops({ path: `${LETTERS}/merge`, headers, body: '{"all":true}' });
    expect([answer.status, answer.json().code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    ['?limit=0', '/limit'],
    ['?limit=101', '/limit'],
    ['?limit=ten', '/limit'],
    ['?cursor=x', '/cursor'],
    [`?cursor=${PAYMENT_ID}`, '/cursor'],
    ['?kind=', '/kind'],
    ['?kind=a&kind=b', '/kind'],
    ['?died[lte]=yesterday', '/died[lte]'],
    ['?died[lte]=2026-02-30T00:00:00Z', '/died[lte]'],
    ['?older_than=1h', '/older_than'],
  ])('the list %s', async (query, pointer) => {
    const answer = await get(query);
    expect([answer.status, answer.json().code]).toEqual([422, 'validation_failed']);
    expect(answer.json().errors?.map((each) => each.pointer)).toEqual([pointer]);
  });

  it('ids that are none, paths that are none, and methods that a path does not take', async () => {
    expect((await get('/nonsense')).json().code).toBe('not_found');
    expect((await ops({ method: 'GET', path: '/ops/api/live-letters' })).json().code).toBe('not_found');
    const wrong = await ops({ method: 'DELETE', path: LETTERS });
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining('GET')]);
    for (const path of ['merge', 'purge']) {
      const read = await get(`/${path}`);
      expect([read.status, read.json().code, read.headers['allow']]).toEqual([
        405,
        'method_not_allowed',
        'POST',
      ]);
    }
  });

  it('everything, for a moment, while the store is away', async () => {
    const away = new FakeDeadLetters();
    away.merge = () => Promise.reject(new StoreUnavailable(new Error('connection refused')));
    const other = await RunningApi.start({ deadLetters: away });
    try {
      const answer = await other.send({
        path: `${LETTERS}/merge`,
        apiKey: OPS_TOKEN,
        body: { all: true },
      });
      expect([answer.status, answer.json().code]).toEqual([503, 'overloaded']);
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      await other.app.close();
    }
  });

  it('one request more than the process takes', async () => {
    const full = await RunningApi.start({ limits: { maxOfOperators: 0 } });
    try {
      const answer = await full.send({ method: 'GET', path: LETTERS, apiKey: OPS_TOKEN });
      expect([answer.status, answer.json().code]).toEqual([503, 'overloaded']);
    } finally {
      await full.app.close();
    }
  });
});
