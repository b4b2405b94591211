import { Client } from 'pg';
import { migrations } from '../migrations/index.js';
import { PROCESS_CLASS } from '../src/database/process-session.js';
import { type FreshDatabase, freshDatabase } from './support/database.js';
import { payonceCommand, type Ran } from './support/payonce-command.js';

let fresh: FreshDatabase;
beforeAll(async () => (fresh = await freshDatabase()));
afterAll(() => fresh.drop());

const payonce = (line: string | readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  payonceCommand(line, { DATABASE_URL: fresh.url, ...env });

async function json<T>(line: string, env: Record<string, string> = {}): Promise<T> {
  const { code, stdout, stderr } = await payonce(`${line} --json`, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout) as T;
}

async function sql(text: string, values: readonly unknown[]): Promise<unknown[]> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

describe('payonce stuck', () => {
  it('lists open routes that need a person, and nothing else', async () => {
    expect(await json('stuck list')).toEqual([]);
    const merchant = '01900000-0000-7000-8000-000000000001';
    await sql(
      `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
         psp_idempotency_key, verdict, next_step_at, stuck_at, fence, opened_at)
       VALUES ($1, 'payment-1-charge', 1, 'charge', $1, 'stripe', 1234, 'EUR', 'k1', 'open', NULL, now(), 1, now()),
              ($1, 'payment-2-charge', 1, 'charge', $1, 'stripe', 1234, 'EUR', 'k2', 'open', now(), NULL, 1, now())`,
      [merchant],
    );
    expect(await json('stuck list')).toMatchObject([
      {
        merchant_id: merchant,
        entity_key: 'payment-1-charge',
        psp: 'stripe',
        amount: 1234,
        last_outcome: null,
      },
    ]);
    expect((await payonce('stuck list')).stdout).toMatch(
      new RegExp(
        `^STUCK +PSP +AMOUNT +LAST OUTCOME\n\n\\d+ s ago +stripe +12\\.34 EUR +none\n` +
          ` +operation +payment-1-charge\n +merchant +${merchant}\n +reason +not known\n +last attempt +0\n$`,
      ),
    );
  });
});

describe('payonce orphans', () => {
  const merchant = '01900000-0000-7000-8000-000000000002';
  const approve = (n: number, json = ' --json') =>
    payonce(`orphans approve --merchant ${merchant} --entity-key payment-${n}-charge --route 1${json}`);

  /** The rows that a late yes of a PSP leaves behind. */
  async function found(statuses: readonly string[]): Promise<void> {
    for (const [i, status] of statuses.entries()) {
      const key = `payment-${i + 1}-charge`;
      await sql(
        `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
           psp_idempotency_key, verdict, next_step_at, fence, opened_at)
         VALUES ($1, $2, 1, 'charge', $1, 'stripe', 1234, 'EUR', $2, 'open', now(), 1, now())`,
        [merchant, key],
      );
      await sql(
        `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, trace_id, request,
           started_at, ended_at)
         VALUES ($1, $2, 1, 1, 'lookup', 'succeeded', 't', '{}', now(), now())`,
        [merchant, key],
      );
      await sql(
        `INSERT INTO orphan_effects (merchant_id, entity_key, route, attempt, psp, psp_reference, amount,
           currency, found_at, status)
         VALUES ($1, $2, 1, 1, 'stripe', 'pi_1', 1234, 'EUR', now() + $3 * interval '1 s', $4)`,
        [merchant, key, i, status],
      );
    }
  }

  it('lists what is not given back, and lets a person approve it, once, with their name on it', async () => {
    expect(await json('orphans list')).toEqual([]);
    expect((await payonce('orphans list')).stdout).toBe('None.\n');
    await found(['open', 'failed', 'compensating', 'compensated']);
    const listed = await json<{ entity_key: string; status: string }[]>('orphans list');
    expect(listed.map((effect) => [effect.entity_key, effect.status])).toEqual([
      ['payment-1-charge', 'open'],
      ['payment-2-charge', 'failed'],
      ['payment-3-charge', 'compensating'],
    ]);
    expect(listed[0]).toEqual({
      merchant_id: merchant,
      entity_key: 'payment-1-charge',
      route: 1,
      attempt: 1,
      operation: 'charge',
      psp: 'stripe',
      psp_reference: 'pi_1',
      amount: 1234,
      currency: 'EUR',
      found_at: expect.any(String) as string,
      status: 'open',
    });
    expect((await payonce('orphans list')).stdout).toMatch(
      /^FOUND .*\n\n.* open +stripe +12\.34 EUR +1\n +psp reference +pi_1\n +entity key +payment-1-charge\n +merchant +\S+\n/,
    );

    expect(JSON.parse((await approve(1)).stdout)).toEqual({ ...listed[0], status: 'approved' });
    expect((await approve(2, '')).stdout).toBe(
      'Approved: 12.34 EUR at stripe; a running worker gives it back within seconds.\n',
    );
    const records = await sql(
      'SELECT actor, action, subject, detail FROM audit_records WHERE merchant_id = $1 ORDER BY id',
      [merchant],
    );
    expect(records).toEqual(
      [1, 2].map((n) => ({
        actor: expect.stringMatching(/^cli:[\w.@+-]+$/),
        action: 'orphan.approved',
        subject: `payment-${n}-charge`,
        detail: { route: 1, psp_reference: 'pi_1' },
      })),
    );
  });

  it.each([
    ['was approved before', 1],
    ['is being given back', 3],
    ['was given back', 4],
    ['was never found', 5],
  ])('approves none that %s', async (_what, n) => {
    const { code, stderr } = await approve(n);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found' } });
    expect(await sql('SELECT FROM audit_records WHERE merchant_id = $1', [merchant])).toHaveLength(2);
  });

  it('wants to know which one is meant where a PSP made several for one route', async () => {
    for (const [object, id] of [
      [2, 'pi_2'],
      [3, 'pi_3'],
    ] as const) {
      await sql(
        `INSERT INTO orphan_effects (merchant_id, entity_key, route, object, attempt, psp, psp_reference, amount,
           currency, found_at, status)
         VALUES ($1, 'payment-1-charge', 1, $2, 1, 'stripe', $3, 1234, 'EUR', now(), 'open')`,
        [merchant, object, id],
      );
    }
    expect((await approve(1)).code).toBe(1);
    const approved = await approve(1, ' --psp-reference pi_3 --json');
    expect(JSON.parse(approved.stdout)).toMatchObject({ psp_reference: 'pi_3', status: 'approved' });
    const listed = await json<{ psp_reference: string; status: string }[]>('orphans list');
    const later = listed.filter((each) => each.psp_reference !== 'pi_1');
    expect(later.map((each) => `${each.psp_reference} ${each.status}`).toSorted()).toEqual([
      'pi_2 open',
      'pi_3 approved',
    ]);
  });

  it.each([
    `--merchant nobody --entity-key payment-1-charge --route 1`,
    `--merchant ${merchant} --entity-key payment-1-charge --route first`,
    `--merchant ${merchant} --entity-key payment-1-charge --route 99999`,
  ])('finds none by %s', async (which) => {
    const { code, stderr } = await payonce(`orphans approve ${which} --json`);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found' } });
  });
});

describe('payonce --json', () => {
  it('takes a merchant from its creation to the revocation of its key', async () => {
    expect(await json('migrate')).toEqual({ migrated: [] });
    const merchant = await json<{ id: string }>('merchants create --name Shop');
    expect(await json('merchants list')).toEqual([merchant]);
    const created = `api-keys create --merchant ${merchant.id} --scopes payments:read,payments:write`;
    const issued = await json<{ id: string; key: string }>(created);
    expect(Object.keys(issued)).toEqual(['id', 'key']);
    const [listed] = await json<object[]>(`api-keys list --merchant ${merchant.id}`);
    expect(listed).toEqual({
      id: issued.id,
      prefix: issued.key.split('_').slice(0, 3).join('_'),
      scopes: ['payments:read', 'payments:write'],
      needs_certificate: false,
      created_at: expect.any(String) as string,
      revoked_at: null,
      expires_at: null,
      last_used_at: null,
    });
    const rotated = await json<{ id: string; key: string; previous: object }>(
      `api-keys rotate --merchant ${merchant.id} --id ${issued.id} --grace 2`,
    );
    expect(Object.keys(rotated)).toEqual(['id', 'key', 'previous']);
    expect(rotated.previous).toEqual({ ...listed, expires_at: expect.any(String) as string });
    const revoked = await json(`api-keys revoke --merchant ${merchant.id} --id ${issued.id}`);
    expect(revoked).toEqual({ ...rotated.previous, revoked_at: expect.any(String) as string });
  });

  it('sets for how long a payment like another is refused, and shows it', async () => {
    const made = await json<{ id: string }>('merchants create --name Twice --duplicate-window 30');
    expect(made).toMatchObject({ duplicate_window: 30 });
    const set = `merchants set-duplicate-window --merchant ${made.id} --seconds`;
    expect(await json(`${set} 0`)).toEqual({ ...made, duplicate_window: 0 });
    expect(await json<object[]>('merchants list')).toContainEqual({ ...made, duplicate_window: 0 });
    expect((await payonce(`${set} 3600`)).stdout).toBe(
      'Twice, same payment refused: within 3600 s; running services notice within 5 s.\n',
    );
    for (const wrong of ['-1', '1.5', '86401', 'soon']) {
      const { code, stderr } = await payonce(`${set}=${wrong} --json`);
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'validation_failed' } });
    }
    expect((await payonce('merchants list')).stdout).toMatch(/ within 3600 s +Twice\n/);
  });

  it.each([
    ['api-keys list --merchant nobody', 1, 'not_found'],
    ['merchants create', 2, 'usage'],
    ['merchants', 2, 'usage'],
    ['nonsense', 2, 'usage'],
  ])('says in one JSON value on stderr what is wrong with: %s', async (line, exitCode, errorCode) => {
    const { code, stdout, stderr } = await payonce(`${line} --json`);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: errorCode, message: expect.any(String) as string },
    });
  });

  it('says what is wrong with the configuration', async () => {
    const { code, stderr } = await payonce('migrate --json', { PAYONCE_LOCK_TLL_MS: '1', PORT: 'x' });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'configuration_invalid' } });
    expect(stderr).toMatch(/PAYONCE_LOCK_TLL_MS is not known.*PORT is/);
  });

  it('says that the database is away, without its password', async () => {
    const { stderr } = await payonce('merchants list --json', {
      DATABASE_URL: 'postgresql://pay:hunter2@127.0.0.1:1/books',
    });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'database_unavailable' } });
    expect(stderr).toContain('127.0.0.1:1');
    expect(stderr).not.toContain('hunter2');
  });
});

describe('payonce for people', () => {
  it('shows a new key once and says so, and lists in columns', async () => {
    const { id } = await json<{ id: string }>('merchants create --name Boutique');
    const { stdout } = await payonce(`api-keys create --merchant ${id} --scopes payments:read`);
    expect(stdout).toMatch(/^po_live_\S+\nKeep it now, it is not shown again\./);
    const list = await payonce(`api-keys list --merchant ${id}`);
    expect(list.stdout).toMatch(
      /^KEY +CREATED +LAST USED +STATE\n\npo_live_[0-9a-f]{12}_… +\d+ s ago +never +live\n +id +\S+\n +scopes +payments:read\n$/,
    );
    expect(list.stdout).not.toContain(stdout.split('\n')[0]);
  });

  it('answers a command that it does not know with help', async () => {
    const { code, stderr } = await payonce('merchants creat');
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean create?');
    expect(stderr).toContain('Add --help');
  });
});

describe('payonce, when it fails,', () => {
  it.each([
    ['merchants create', 2],
    ['stuck resolve x --as perhaps --evidence y', 2],
    ['stuck', 2],
    [`payments show ${'x'.repeat(20)}`, 1],
    ['stuck retry 01900000-0000-7000-8000-000000000009', 1],
    ['stuck retry order-1234', 1],
    ['dlq purge --all', 2],
  ])('keeps to 80 columns: %s', async (line, expected) => {
    const { code, stderr } = await payonce(line);
    expect(code).toBe(expected);
    expect(stderr.split('\n').filter((each) => each.length > 80)).toEqual([]);
  });

  it('says where to look next', async () => {
    const { stderr } = await payonce('stuck retry 01900000-0000-7000-8000-000000000009');
    expect(stderr).toContain('npx payonce stuck list');
  });
});

describe('payonce breaks', () => {
  const note = (text: string) => ['--note', text];
  const resolve = (args: readonly string[]) =>
    payonce(['breaks', 'resolve', '--psp', 'stripe', '--event', 'evt_1', ...args, '--json']);

  it('lists what waits for a person, and takes their note, once', async () => {
    expect(await json('breaks list')).toEqual([]);
    const fact = {
      entityKey: 'payment-1-charge',
      route: 1,
      pspReference: 'pi_1',
      parentReference: null,
      operation: 'charge',
      about: 'operation',
      cancelReference: null,
      answer: { outcome: 'declined', pspCode: 'expired_card', money: { amount: 1234, currency: 'EUR' } },
    };
    await sql(
      `INSERT INTO webhook_inbox (psp, event_id, type, facts, entity_key, received_at, trace_id, state, reason,
         taken, tries, decided_at)
       VALUES ('stripe', 'evt_1', 'payment_intent.payment_failed', $1, 'payment-1-charge', now(), 't-1', 'break',
         'contradiction', '{contradiction}', 1, now()),
        ('stripe', 'evt_2', 'x', '[]', NULL, now(), 't-2', 'ignored', NULL, '{}', 1, now())`,
      [JSON.stringify([fact])],
    );
    const [listed, ...others] = await json<Record<string, unknown>[]>('breaks list');
    expect(others).toEqual([]);
    expect(listed).toEqual({
      psp: 'stripe',
      id: expect.any(String) as string,
      category: 'contradiction',
      state: 'open',
      run_id: null,
      line: null,
      merchant_id: null,
      psp_reference: 'pi_1',
      currency: 'EUR',
      expected: null,
      reported: 1234,
      owner: null,
      resolved_by: null,
      event_id: 'evt_1',
      type: 'payment_intent.payment_failed',
      reason: 'contradiction',
      entity_key: 'payment-1-charge',
      facts: [
        {
          taken: 'contradiction',
          entity_key: 'payment-1-charge',
          route: 1,
          operation: 'charge',
          about: 'operation',
          psp_reference: 'pi_1',
          parent_reference: null,
          outcome: 'declined',
          psp_code: 'expired_card',
          money: { amount: 1234, currency: 'EUR' },
        },
      ],
      trace_id: 't-1',
      occurred_at: null,
      received_at: expect.any(String) as string,
      since: expect.any(String) as string,
      resolved_at: null,
      resolution: null,
    });
    expect((await payonce('breaks list')).stdout).toMatch(
      /^FOUND .*\n\n.* contradiction +stripe +none\n +type +payment_intent\.payment_failed\n +reported +12\.34 EUR\n +operation +payment-1-charge\n +PSP reference +pi_1\n +event +evt_1\n +break +[0-9a-f-]{36}\n$/,
    );
    const id = String(listed!['id']);
    const assigned = await json(`breaks assign ${id} --to ada`);
    expect(assigned).toMatchObject({ id, state: 'assigned', owner: 'ada' });
    expect((await payonce(['breaks', 'note', id, ...note('Asked the PSP.'), '--by', 'eva'])).code).toBe(0);
    expect(await json(`breaks show ${id}`)).toMatchObject({
      owner: 'ada',
      notes: [{ by: 'cli:eva', note: 'Asked the PSP.' }],
    });
    expect((await payonce(`breaks show ${id}`)).stdout).toMatch(/cli:eva:\nAsked the PSP\.\n$/);
    const card = await resolve(note('Card 4242 4242 4242 4242 was charged.'));
    expect([card.code, card.stdout]).toEqual([1, '']);
    expect(JSON.parse(card.stderr)).toMatchObject({ error: { code: 'card_number_refused' } });
    const done = await resolve(note('Right at the PSP; refunded by hand.'));
    expect(JSON.parse(done.stdout)).toMatchObject({
      event_id: 'evt_1',
      resolution: 'Right at the PSP; refunded by hand.',
    });
    expect((await payonce('breaks list')).stdout).toBe('None.\n');
    expect(await json(`breaks show ${id}`)).toMatchObject({
      state: 'closed',
      resolved_by: expect.stringMatching(/^cli:/) as string,
    });
    const audited = await sql(
      'SELECT action FROM audit_records WHERE subject = $1 AND starts_with(action, $2)',
      ['payment-1-charge', 'break.'],
    );
    expect(audited.map((row) => String((row as { action: unknown }).action)).toSorted()).toEqual([
      'break.assigned',
      'break.noted',
      'break.resolved',
    ]);
    const again = await resolve(note('Again.'));
    expect([again.code, JSON.parse(again.stderr)]).toMatchObject([1, { error: { code: 'not_found' } }]);
  });
});

describe('payonce tasks', () => {
  const worker = {
    PAYONCE_SIMULATOR: 'external',
    PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
  };

  it('takes the configuration of a worker, and no simulator that nobody asked for', async () => {
    const { code, stderr } = await payonce('tasks run duplicates --json');
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is no PSP account')]);
  });

  it('makes a pass of what workers do, under its turn, and shows when it was done', async () => {
    await sql(
      `INSERT INTO duplicate_guards (merchant_id, digest, payment_id, until)
       VALUES ($1, $2, $1, clock_timestamp() - interval '1 minute')`,
      ['01900000-0000-7000-8000-00000000d0d0', '0'.repeat(64)],
    );
    expect(await json('tasks list', worker)).toContainEqual({
      name: 'resolver-stripe',
      every_ms: 1_000,
      done_ms_ago: null,
    });
    expect(await json('tasks run duplicates', worker)).toEqual({ name: 'duplicates', deleted: 1 });
    expect((await payonce('tasks list', worker)).stdout).toMatch(/^duplicates +60 s +\d+ s ago$/m);

    await sql(
      `UPDATE schedules SET leased_by = $1, leased_until = clock_timestamp() + interval '1 minute'
        WHERE name = 'duplicates'`,
      ['01900000-0000-7000-8000-00000000d0d1'],
    );
    const { code, stderr } = await payonce('tasks run duplicates --json', worker);
    expect([code, JSON.parse(stderr)]).toEqual([
      1,
      { error: { code: 'invalid_state', message: 'duplicates is under way in another process.' } },
    ]);
    expect((await payonce('tasks run nothing', worker)).stderr).toContain(
      'No periodic task is called "nothing"',
    );
  });
});

describe('payonce payments show', () => {
  const merchants = ['01900000-0000-7000-8000-0000000000a1', '01900000-0000-7000-8000-0000000000a2'];
  const id = (n: number) => `01900000-0000-7000-8000-0000000000b${n}`;
  const secret = 'tok_secret_of_the_customer';

  beforeAll(async () => {
    for (const [i, merchant] of merchants.entries()) {
      await sql(`INSERT INTO merchants (id, name, created_at) VALUES ($1, 'Shop', now())`, [merchant]);
      await sql(
        `INSERT INTO payments (merchant_id, id, version, reference, status, capture_mode, amount, amount_captured,
           amount_refunded, refund_reserved, currency, metadata, candidates, fence, sealed, psp, psp_reference,
           next_action, disputes, created_at, updated_at)
         VALUES ($1, $2, 3, 'order-1', 'captured', 'automatic', 1234, 1234, 0, 200, 'EUR', $3, '["stripe"]', false,
           $4, 'adyen', 'pi_1', $3, $5, now() - interval '3 minutes', now())`,
        [
          merchant,
          id(i),
          JSON.stringify({ secret }),
          Buffer.from(secret),
          JSON.stringify([
            {
              id: id(9),
              pspReference: 'dp_1',
              status: 'open',
              reason: 'fraudulent',
              amount: 1000,
              amountWithheld: 1000,
              environment: 1,
              openedAt: '2026-11-21T00:00:00.000Z',
              closedAt: null,
            },
          ]),
        ],
      );
    }
    const [merchant] = merchants;
    const charge = `payment-${id(0)}-charge`;
    const refund = `payment-${id(0)}-refund`;
    await sql(
      `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
         psp_idempotency_key, psp_reference, verdict, next_step_at, fence, opened_at, decided_at)
       VALUES ($1, $2, 1, 'charge', $4, 'stripe', 1234, 'EUR', 'c1', NULL, 'ruled_out', NULL, 1,
           now() - interval '3 minutes', now()),
         ($1, $3, 1, 'refund', $4, 'adyen', 200, 'EUR', 'r1', NULL, 'open', now() + interval '5 minutes', 1,
           now(), NULL)`,
      [merchant, charge, refund, id(0)],
    );
    await sql(
      `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, http_status, latency_ms,
         trace_id, request, response, started_at, ended_at)
       VALUES ($1, $2, 1, 1, 'execute', 'unknown', NULL, 30000, 't', $4, $4, now() - interval '3 minutes', now()),
         ($1, $2, 1, 2, 'lookup', 'not_found', 404, 12, 't', $4, $4, now() - interval '2 minutes', now()),
         ($1, $3, 1, 1, 'execute', NULL, NULL, NULL, 't', $4, NULL, now(), NULL)`,
      [merchant, charge, refund, JSON.stringify({ secret })],
    );
    await sql(
      `INSERT INTO non_execution_proofs (merchant_id, entity_key, route, kind, attempt, proved_at)
       VALUES ($1, $2, 1, 'lookup_final', 2, now())`,
      [merchant, charge],
    );
    await sql(
      `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
         psp_idempotency_key, psp_reference, verdict, fence, opened_at, decided_at, rests_on_route)
       VALUES ($1, $2, 2, 'charge', $3, 'adyen', 1234, 'EUR', 'c2', 'pi_1', 'effective', 1, now(), now(), 1)`,
      [merchant, charge, id(0)],
    );
    await sql(
      `INSERT INTO refunds (merchant_id, entity_key, id, payment_id, reference, status, amount, currency, metadata,
         created_at, updated_at)
       VALUES ($1, $2, $3, $4, NULL, 'pending', 200, 'EUR', '{}', now(), now())`,
      [merchant, refund, id(8), id(0)],
    );
    await sql(
      `INSERT INTO orphan_effects (merchant_id, entity_key, route, attempt, psp, psp_reference, amount, currency,
         found_at, status)
       VALUES ($1, $2, 1, 1, 'stripe', 'pi_late', 1234, 'EUR', now(), 'open')`,
      [merchant, charge],
    );
  });

  it('shows amounts, routes with attempts, what is open, disputes and orphan effects, for people', async () => {
    const { code, stdout } = await payonce(`payments show ${id(0)}`);
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const shown = stdout.replaceAll(/ +/g, ' ');
    for (const line of [
      `Payment ${id(0)}\n status captured\n reference order-1\n merchant ${merchants[0]}`,
      ' amount 12.34 EUR, automatic capture\n captured 12.34 EUR\n refunded 0.00 EUR',
      ' reserved 0.00 EUR to capture, 2.00 EUR to refund\n PSP adyen pi_1',
      `\n open operation payment-${id(0)}-refund`,
      `\nOperation payment-${id(0)}-charge\n route 1 stripe 12.34 EUR ruled_out\n`,
      ' 1. execute: unknown, 30000 ms, 3 min ago\n 2. lookup: not_found, HTTP 404, 12 ms,',
      '\n route 2 adyen 12.34 EUR effective\n PSP reference pi_1\n',
      '\nRefunds\n 2.00 EUR pending, ',
      '\nDisputes\n 10.00 EUR open, ',
      '\nOrphan effects (docs/runbooks/orphan-effect.md)\n 12.34 EUR open, found ',
    ]) {
      expect(shown).toContain(line);
    }
    expect(shown).toMatch(/ at adyen,\s+tried next at 20\S+\s\S+\sUTC\s\(in 5 min\)/);
  });

  it('tells programs the same with exact times', async () => {
    const shown = await json<Record<string, unknown>>(`payments show payment-${id(0)}-charge`);
    expect(shown).toMatchObject({
      id: id(0),
      status: 'captured',
      refund_reserved: 200,
      open_operation: {
        entity_key: `payment-${id(0)}-refund`,
        route: 1,
        psp: 'adyen',
        next_step_at: expect.stringMatching(/^20.*Z$/) as string,
        stuck_at: null,
        stuck_reason: null,
      },
      operations: [
        {
          entity_key: `payment-${id(0)}-charge`,
          routes: [
            { route: 1, verdict: 'ruled_out', attempts: [{ outcome: 'unknown' }, { outcome: 'not_found' }] },
            { route: 2, verdict: 'effective', attempts: [] },
          ],
        },
        { entity_key: `payment-${id(0)}-refund`, routes: [{ verdict: 'open' }] },
      ],
      refunds: [{ id: id(8), status: 'pending' }],
      disputes: [{ id: id(9), status: 'open', amount_withheld: 1000 }],
      orphan_effects: [{ psp_reference: 'pi_late', status: 'open' }],
    });
  });

  it('shows no token, no metadata and nothing that was said to a PSP', async () => {
    for (const line of [`payments show ${id(0)}`, `payments show ${id(0)} --json`]) {
      expect((await payonce(line)).stdout).not.toContain('secret');
    }
  });

  it('finds a payment by its reference, and asks which where there are several', async () => {
    const several = await payonce('payments show order-1 --json');
    expect([several.code, JSON.parse(several.stderr)]).toMatchObject([
      1,
      { error: { code: 'invalid_state' } },
    ]);
    for (const n of [0, 1]) expect(several.stderr).toContain(id(n));
    const named = await json<{ id: string }>(`payments show order-1 --merchant ${merchants[1]}`);
    expect(named.id).toBe(id(1));
    expect((await payonce(`payments show ${id(7)}`)).stderr).toContain(
      'No payment has the id or the reference',
    );
  });
});

describe('payonce status', () => {
  it('says which installation answers and what waits in it', async () => {
    await sql(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       VALUES ('01900000-0000-7000-8000-0000000000d1', 'a.b', 'a', '{}', 'c', 'e', 1, now(), now())`,
      [],
    );
    const status = await json<{ waiting: Record<string, number>; clock_difference_ms: number }>('status');
    const { pathname } = new URL(fresh.url);
    expect(status).toMatchObject({
      version: expect.any(String) as string,
      installation: expect.stringContaining(pathname) as string,
      schema: migrations.at(-1)!.name,
      postgres: expect.stringMatching(/^\d+/) as string,
      processes: 0,
    });
    expect(Math.abs(status.clock_difference_ms)).toBeLessThan(2_000);
    const stuck = await json<unknown[]>('stuck list');
    const orphans = await json<unknown[]>('orphans list');
    expect(status.waiting).toMatchObject({
      stuck_routes: stuck.length,
      orphan_effects: orphans.length,
      breaks: 0,
      dead_letters: 1,
      outbox: 0,
      deliveries: 0,
    });
    expect(status.waiting['open_routes']).toBeGreaterThan(0);
    const { stdout } = await payonce('status');
    expect(stdout).toMatch(/\n {2}dead letters +1, see: npx payonce dlq list\n/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('counts the processes that show that they live', async () => {
    const process = new Client({ connectionString: fresh.url });
    await process.connect();
    await process.query(`SELECT pg_advisory_lock(${PROCESS_CLASS}, 7)`);
    expect(await json('status')).toMatchObject({ processes: 1 });
    await process.end();
  });
});
