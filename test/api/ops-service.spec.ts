import { randomBytes } from 'node:crypto';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import {
  eventually,
  codeOf,
  type Reply,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** /ops/api of the real service over a real database. */
const TOKEN = randomBytes(32).toString('hex');

let environment: TestEnvironment;
let service: Service;
let apiKey: string;
beforeAll(async () => {
  environment = await TestEnvironment.open();
  environment.hide(TOKEN);
  apiKey = await environment.merchant();
  // Answers requests and works on nothing: what is staged stays where it can be looked at.
  service = await environment.start({ env: { PAYONCE_ROLE: 'api', PAYONCE_OPS_TOKEN: TOKEN } });
});
// Fails when the token stands in a log or in a table.
afterAll(() => environment.close());
beforeEach(() => environment.sql('TRUNCATE dead_letters, staged_jobs, audit_records'));

async function ask(path: string, body?: object, bearer = TOKEN): Promise<Reply> {
  const response = await fetch(`${service.url}/ops/api/dead-letters${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(10_000),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function json<T>(path: string, body?: object): Promise<T> {
  const { status, text } = await ask(path, body);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as T;
}

interface Page {
  readonly data: readonly { readonly id: string; readonly job_id: string }[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** So many letters, a second apart, the last the newest. */
function plant(count: number, cause = 'exhausted') {
  return environment.sql(
    `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
     SELECT gen_random_uuid(), 'webhook.apply', 'webhook.apply.' || $2 || n,
            '{"merchantId": "01900000-0000-7000-8000-000000000009"}', $2, 'no such payment', 5,
            now() - interval '1 h', date_trunc('second', now()) - ($1 - n) * interval '1 s'
       FROM generate_series(1, $1::int) n`,
    [count, cause],
  );
}

describe('/ops/api/dead-letters', () => {
  it('pages through letters, newest first', async () => {
    await plant(5);
    const seen: string[] = [];
    let path = '?limit=2';
    for (let pages = 1; ; pages++) {
      const page: Page = await json(path);
      seen.push(...page.data.map(({ job_id }) => job_id.slice(-1)));
      expect(page.has_more).toBe(pages < 3);
      if (page.next_cursor === null) break;
      path = `?limit=2&cursor=${page.next_cursor}`;
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
  });

  it('sends letters back: the job is staged with its story, the letter is gone, the record names who', async () => {
    await plant(1);
    const { data } = await json<Page>('');
    const { id } = data[0]!;
    expect(await json(`/${id}`)).toEqual(data[0]);
    expect(await json('/merge', { ids: [id] })).toEqual({ merged: 1, left: 0 });
    expect(await environment.sql('SELECT kind, job_id, story FROM staged_jobs')).toEqual([
      {
        kind: 'webhook.apply',
        job_id: 'webhook.apply.exhausted1',
        story: expect.objectContaining({
          tries: 5,
          lastError: 'no such payment',
          cause: 'exhausted',
        }) as object,
      },
    ]);
    expect(await environment.acts({})).toMatchObject([
      {
        merchantId: '01900000-0000-7000-8000-000000000009',
        actor: 'operator:ops-token@127.0.0.1',
        action: 'dead_letter.merged',
        subject: `dead-letter:${id}`,
      },
    ]);
    expect(await json('')).toMatchObject({ data: [] });
    for (const [path, body] of [
      [`/${id}`, undefined],
      ['/merge', { ids: [id] }],
      ['/purge', { ids: [id] }],
    ] as const) {
      const gone = await ask(path, body);
      expect([gone.status, codeOf(gone)]).toEqual([404, 'not_found']);
    }
  });

  it('gives one letter to one of ten operators, and forty to ten between them', async () => {
    await plant(1);
    const { data } = await json<Page>('');
    const { id } = data[0]!;
    const ten = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 10 }, call));
    const answers = await ten(() => ask('/merge', { ids: [id] }));
    const told = answers.map(({ status }) => status);
    expect(told.filter((status) => status === 200)).toHaveLength(1);
    expect(told.filter((status) => status === 404)).toHaveLength(9);
    await plant(40, 'route_unknown');
    const merged = await ten(() => json<{ merged: number }>('/merge', { cause: 'route_unknown' }));
    expect(merged.reduce((sum, one) => sum + one.merged, 0)).toBe(40);
    const [counted] = await environment.sql<{ jobs: number; audits: number }>(
      `SELECT (SELECT count(*) FROM staged_jobs)::int AS jobs, (SELECT count(*) FROM audit_records)::int AS audits`,
    );
    expect(counted).toEqual({ jobs: 41, audits: 41 });
  });

  it('counts them, here and in the metrics, and purges by cause', async () => {
    await plant(3);
    await plant(2, 'route_unknown');
    expect(await json('/counts')).toMatchObject({
      data: [
        { kind: 'webhook.apply', cause: 'exhausted', count: 3 },
        { kind: 'webhook.apply', cause: 'route_unknown', count: 2 },
      ],
    });
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
    const three = 'payonce_dead_letters{kind="webhook.apply",cause="exhausted"} 3\n';
    await eventually(async () => (await metrics()).includes(three), 'the figures with them');
    expect(await metrics()).toMatch(
      /^payonce_dead_letters_oldest_age_seconds\{kind="webhook.apply"\} \d+(\.\d+)?$/m,
    );
    expect(await json('/purge', { cause: 'exhausted' })).toEqual({ purged: 3, left: 0 });
    // A figure may be shown for 3 s after it was looked up.
    await eventually(
      async () => !(await metrics()).includes('cause="exhausted"'),
      'the figures without them',
    );
    expect(await environment.sql('SELECT FROM staged_jobs')).toEqual([]);
    expect(await environment.acts({ action: 'dead_letter.purged' })).toHaveLength(3);
  });

  it('takes a session of the console at the same paths, by role, and writes down who merged', async () => {
    await plant(2);
    const [sent, kept] = (await json<Page>('')).data;
    const url = () => service.url;
    const operator = await ConsoleClient.signedIn(url, await newOperator(environment, 'olga', 'operator'));
    expect((await operator.get<Page>('dead-letters')).body.data).toHaveLength(2);
    const merged = await operator.post('dead-letters/merge', { ids: [sent!.id] });
    expect([merged.status, merged.body]).toEqual([200, { merged: 1, left: 0 }]);
    expect((await operator.post('dead-letters/purge', { ids: [kept!.id] })).status).toBe(403);
    expect(await environment.acts({ action: 'dead_letter.merged' })).toMatchObject([
      { actor: 'operator:olga', subject: `dead-letter:${sent!.id}` },
    ]);
    const purge = (headers: Readonly<Record<string, string>>, from = operator) =>
      from.send('POST', 'dead-letters/purge', { ids: [kept!.id] }, headers);
    const console = { 'payonce-console': 'active', origin: new URL(service.url).origin };
    // The session alone, as a page of another site would bring it, and a session beside another credential.
    expect((await purge({ origin: 'https://evil.example' })).status).toBe(401);
    expect((await purge({ ...console, origin: 'https://evil.example' })).status).toBe(403);
    expect((await purge({ ...console, authorization: `Bearer ${apiKey}` })).status).toBe(401);
    expect(await json(`/${kept!.id}`)).toMatchObject({ id: kept!.id });
    // A proxy's own credential is none of ours: the session counts, which is an operator's.
    expect((await purge({ ...console, authorization: 'Basic YTpi' })).status).toBe(403);
    // The token opens its routes beside a session too, and none of those that take a session alone.
    const token = { ...console, authorization: `Bearer ${TOKEN}` };
    expect((await purge(token)).body).toEqual({ purged: 1, left: 0 });
    expect(await environment.acts({ action: 'dead_letter.purged' })).toMatchObject([
      { actor: 'operator:ops-token@127.0.0.1' },
    ]);
    const stranger = new ConsoleClient(url);
    expect((await stranger.send('GET', 'payments', undefined, token)).status).toBe(401);
    expect((await stranger.send('GET', 'reconciliation/breaks.csv', undefined, token)).status).toBe(401);
  });

  it("opens to no merchant's key, and its token to nothing of a merchant", async () => {
    expect((await ask('', undefined, apiKey)).status).toBe(401);
    const bearer = { headers: { authorization: `Bearer ${TOKEN}` } };
    expect((await fetch(`${service.url}/v1/payments`, bearer)).status).toBe(401);
  });
});
