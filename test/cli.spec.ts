import { Client } from 'pg';
import { type FreshDatabase, freshDatabase } from './support/database.js';
import { spawnNode } from './support/process.js';

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let fresh: FreshDatabase;
beforeAll(async () => (fresh = await freshDatabase()));
afterAll(() => fresh.drop());

async function payonce(line: string, env: Record<string, string> = {}): Promise<Ran> {
  const args = line.split(' ').filter(Boolean);
  const child = spawnNode('bin/payonce.mjs', { args, env: { DATABASE_URL: fresh.url, ...env } });
  const { code } = await child.exit;
  const stdout = child.stdout();
  return { code, stdout, stderr: child.output().replace(stdout, '') };
}

async function json<T>(line: string): Promise<T> {
  const { code, stdout, stderr } = await payonce(`${line} --json`);
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
    expect((await payonce('stuck list')).stdout).toMatch(/stripe +12\.34 EUR +none/);
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
      /^FOUND .*\n.* open +stripe +pi_1 +12\.34 EUR +\S+ +payment-1-charge +1\n/,
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
        actor: 'cli',
        action: 'orphan.approved',
        subject: `payment-${n}-charge`,
        detail: { route: 1 },
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
      created_at: expect.any(String) as string,
      revoked_at: null,
    });
    const revoked = await json(`api-keys revoke --merchant ${merchant.id} --id ${issued.id}`);
    expect(revoked).toEqual({ ...listed, revoked_at: expect.any(String) as string });
  });

  it('sets for how long a payment like another is refused, and shows it', async () => {
    const made = await json<{ id: string }>('merchants create --name Twice --duplicate-window 30');
    expect(made).toMatchObject({ duplicate_window: 30 });
    const set = `merchants set-duplicate-window --merchant ${made.id} --seconds`;
    expect(await json(`${set} 0`)).toEqual({ ...made, duplicate_window: 0 });
    expect(await json<object[]>('merchants list')).toContainEqual({ ...made, duplicate_window: 0 });
    expect((await payonce(`${set} 3600`)).stdout).toBe(
      'Duplicate window of Twice: 3600 s; running services notice within 5 s.\n',
    );
    for (const wrong of ['-1', '1.5', '86401', 'soon']) {
      const { code, stderr } = await payonce(`${set}=${wrong} --json`);
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'validation_failed' } });
    }
    expect((await payonce('merchants list')).stdout).toMatch(/ 3600 s +Twice\n/);
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
      /^ID +KEY +CREATED +REVOKED +SCOPES\n\S+ +po_live_[0-9a-f]{12}_… .* live +payments:read\n$/,
    );
    expect(list.stdout).not.toContain(stdout.split('\n')[0]);
  });

  it('answers a command that it does not know with help', async () => {
    const { code, stderr } = await payonce('merchants creat');
    expect(code).toBe(2);
    expect(stderr).toContain('Did you mean create?');
  });
});

describe('payonce breaks', () => {
  const note = (text: string) => ['--note', text];
  const resolve = async (args: readonly string[]): Promise<Ran> => {
    const child = spawnNode('bin/payonce.mjs', {
      args: ['breaks', 'resolve', '--psp', 'stripe', '--event', 'evt_1', ...args, '--json'],
      env: { DATABASE_URL: fresh.url },
    });
    const { code } = await child.exit;
    const stdout = child.stdout();
    return { code, stdout, stderr: child.output().replace(stdout, '') };
  };

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
      /^SINCE .*\n.* contradiction +stripe +payment_intent\.payment_failed +payment-1-charge +evt_1\n/,
    );
    const card = await resolve(note('Card 4242 4242 4242 4242 was charged.'));
    expect([card.code, card.stdout]).toEqual([1, '']);
    expect(JSON.parse(card.stderr)).toMatchObject({ error: { code: 'card_number_refused' } });
    const done = await resolve(note('Right at the PSP; refunded by hand.'));
    expect(JSON.parse(done.stdout)).toMatchObject({
      event_id: 'evt_1',
      resolution: 'Right at the PSP; refunded by hand.',
    });
    expect((await payonce('breaks list')).stdout).toBe('None.\n');
    const again = await resolve(note('Again.'));
    expect([again.code, JSON.parse(again.stderr)]).toMatchObject([1, { error: { code: 'not_found' } }]);
  });
});

describe('payonce chores', () => {
  it('makes a pass of what workers do, under its turn, and shows when it was done', async () => {
    await sql(
      `INSERT INTO duplicate_guards (merchant_id, digest, payment_id, until)
       VALUES ($1, $2, $1, clock_timestamp() - interval '1 minute')`,
      ['01900000-0000-7000-8000-00000000d0d0', '0'.repeat(64)],
    );
    expect(await json('chores list')).toContainEqual({
      name: 'resolver',
      every_ms: 1_000,
      done_ms_ago: null,
    });
    expect(await json('chores run duplicates')).toEqual({ name: 'duplicates', deleted: 1 });
    expect((await payonce('chores list')).stdout).toMatch(/^duplicates +60 s +\d+ s ago$/m);

    await sql(
      `UPDATE schedules SET leased_by = $1, leased_until = clock_timestamp() + interval '1 minute'
        WHERE name = 'duplicates'`,
      ['01900000-0000-7000-8000-00000000d0d1'],
    );
    const { code, stderr } = await payonce('chores run duplicates --json');
    expect([code, JSON.parse(stderr)]).toEqual([
      1,
      { error: { code: 'invalid_state', message: 'duplicates is under way in another process.' } },
    ]);
    expect((await payonce('chores run nothing')).stderr).toContain('No chore is called "nothing"');
  });
});
