import { randomBytes, randomUUID } from 'node:crypto';
import { type PoolClient } from 'pg';
import { type Store } from '../../src/core/change.js';
import { type Clock, SystemClock } from '../../src/core/clock.js';
import { Encryption } from '../../src/core/encryption.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { rotateSealKey } from '../../src/database/sealed-values.js';
import { sqlState } from '../../src/database/sql-state.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { entities } from '../../src/entities.js';
import { type Caller } from '../../src/core/caller.js';
import { type PayoutLimit, PayoutLimits } from '../../src/merchants/payout-limits.js';
import { encryptTokens } from '../../src/payouts/payout-operations.js';
import { Payout } from '../../src/payouts/payout.entity.js';
import { PayoutReader } from '../../src/payouts/payout.reader.js';
import { payouts, payoutTransitions } from '../../src/payouts/payout.table.js';
import { Recipients } from '../../src/payouts/recipients.js';
import { orphanEffects } from '../../src/request-storage/route.table.js';
import { freshDatabase, type FreshDatabase, newMerchant } from '../support/database.js';
import { Bank, payoutOf, payoutsInMemory, pspsOf, sequencesIn } from '../support/payouts-in-memory.js';
import { callerFixture } from '../support/caller.js';

describe('payouts', () => {
  /** The machine's clock, moved on by hand where hours have to pass. */
  class MovedClock extends SystemClock implements Clock {
    movedMs = 0;

    override now(): Date {
      return new Date(super.now().getTime() + this.movedMs);
    }

    override monotonicMs(): number {
      return super.monotonicMs() + this.movedMs;
    }
  }

  let fresh: FreshDatabase;
  let database: Database;
  let store: PostgresStore;
  let reader: PayoutReader;
  let clock: MovedClock;
  let ids: SystemIds;

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = await openDatabase({
      url: fresh.url,
      entities,
      migrations: [],
      poolSize: 4,
      applicationName: 'payouts-spec',
    });
    clock = new MovedClock();
    ids = new SystemIds(clock);
    const { pool } = database;
    store = new PostgresStore({
      url: fresh.serviceUrl,
      pool,
      tenantPool: pool,
      clock,
      random: Math.random,
      lanes: 2,
    });
    reader = new PayoutReader(
      database.dataSource.getRepository(Payout),
      new TenantDatabase(database.dataSource),
    );
  });

  afterAll(async () => {
    await store.close();
    await database.close();
    await fresh.drop();
  });

  let merchantId: string;
  let first: Bank;
  let second: Bank;
  let asked: { commits: number; reads: number };
  let environment: ReturnType<typeof payoutsInMemory>;

  beforeEach(async () => {
    merchantId = await newMerchant(database);
    [first, second] = [new Bank('first'), new Bank('second')];
    asked = { commits: 0, reads: 0 };
    const counted: Store = {
      commit: (changes) => ((asked.commits += 1), store.commit(changes)),
      find: (...args) => ((asked.reads += 1), store.find(...args)),
      findByPrefix: (...args) => ((asked.reads += 1), store.findByPrefix(...args)),
      watchCommits: () => store.watchCommits(),
      // The resolver's own look, of this merchant alone: the specs share a database.
      // What is due is so by the clock that is moved on, which the database does not know.
      findDue: async (table, where, column, before, limit) =>
        (await store.findDue(table, where, column, before === 'now' ? clock.now() : before, limit)).filter(
          (row) => (row as { merchantId: string }).merchantId === merchantId,
        ),
    };
    environment = payoutsInMemory({
      store: counted,
      clock,
      ids,
      psps: pspsOf([first, second]),
      sequences: reader,
    });
  });

  const send = (key: string, ask = payoutOf()) => environment.send(merchantId, key, ask);

  async function refusal(sent: Promise<unknown>): Promise<{ code: string; payout_id?: unknown }> {
    const error: unknown = await sent.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Problem)) throw new Error(`no problem: ${String(error)}`);
    const { code, payout_id } = error.document();
    return { code, payout_id };
  }

  const ledger = () => [...first.sent, ...second.sent];

  describe('a payout', () => {
    it('is two commits around one call, and nothing is read', async () => {
      const { status, payout } = await send('k');
      expect(status).toBe(201);
      expect(payout).toMatchObject({
        object: 'payout',
        reference: 'salary-2026-11',
        recipient: 'recipient-1',
        status: 'paid',
        amount: 1_000,
        currency: 'EUR',
        psp: 'first',
        psp_reference: `first-${payout.entity_key}-1`,
        entity_key: `payout-${payout.id}-send`,
        routes: [{ route: 1, psp: 'first', verdict: 'effective', outcome: 'succeeded' }],
        failure: null,
        previous: null,
      });
      expect(asked).toEqual({ commits: 2, reads: 0 });
      expect(ledger()).toEqual([
        expect.objectContaining({ entityKey: payout.entity_key, token: 'ba_secret_first', amount: 1_000 }),
      ]);
    });

    it('is answered again to the byte, and made once', async () => {
      const one = await send('k');
      const again = await send('k');
      expect([again.status, again.body, again.replayed]).toEqual([201, one.body, true]);
      expect(ledger()).toHaveLength(1);
    });

    it('leaves its history and an audit record, and no token', async () => {
      const { payout } = await send('k');
      const history = await store.find(payoutTransitions, { merchantId });
      expect(
        history.map((line) => [line.version, line.event, line.fromStatus, line.toStatus, line.actor]),
      ).toEqual([
        [1, 'opened', null, 'processing', 'api-key:k'],
        [2, 'paid', 'processing', 'paid', 'psp:first'],
      ]);
      const audit = await database.pool.query(
        'SELECT action, subject, detail FROM audit_records WHERE merchant_id = $1',
        [merchantId],
      );
      const detail = expect.objectContaining({ recipient_digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(audit.rows).toEqual([{ action: 'payout.opened', subject: `payout:${payout.id}`, detail }]);
      expect(JSON.stringify(audit.rows)).not.toContain(payout.recipient);
      expect((await store.find(payouts, { merchantId }))[0]!.sealed).toBeNull();
      const tables = await database.pool.query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      for (const { name } of tables.rows) {
        const hits = await database.pool.query(`SELECT 1 FROM ${name} t WHERE t::text LIKE '%ba_secret%'`);
        expect([name, hits.rowCount]).toEqual([name, 0]);
      }
      await expect(
        database.pool.query('UPDATE payout_transitions SET actor = $1', ['somebody']),
      ).rejects.toThrow('append-only');
    });

    it('stays with the PSP that did not answer, and is found there by the retry', async () => {
      first.fates.push('loses_answer', ...Array.from({ length: 10 }, () => 'loses_request' as const));
      const lost = await send('k');
      first.fates.length = 0;
      expect([lost.status, lost.payout.status]).toEqual([202, 'processing']);
      expect((await store.find(payouts, { merchantId }))[0]!.sealed).not.toBeNull();

      clock.movedMs += 2_000;
      const found = await send('k');
      expect([found.status, found.payout.status, found.payout.id]).toEqual([201, 'paid', lost.payout.id]);
      expect(second.calls).toEqual([]);
      expect(ledger()).toHaveLength(1);
      const executes = first.calls.filter(({ kind }) => kind === 'execute');
      expect(executes.length).toBeGreaterThan(1);
      expect(new Set(executes.map(({ instruction }) => instruction.idempotencyKey)).size).toBe(1);
    });

    it('is found by the resolver when nobody asks, and never cancelled on the way', async () => {
      first.fates.push('loses_answer', ...Array<'loses_request'>(7).fill('loses_request'));
      const { payout } = await send('k');
      expect(payout.status).toBe('processing');
      for (let passes = 0; passes < 30; passes++) {
        clock.movedMs += 30 * 60_000;
        await environment.resolver.runOnce();
        if ((await store.find(payouts, { merchantId }))[0]!.status === 'paid') break;
      }
      const again = await send('k');
      expect([again.status, again.payout.status]).toEqual([201, 'paid']);
      expect(ledger()).toHaveLength(1);
      expect(second.calls).toEqual([]);
      expect(first.calls.map(({ kind }) => kind)).not.toContain('cancel');
    });

    it('waits for a person when nobody can tell, and holds up the next one', async () => {
      first.fates.push(...Array<'loses_request'>(200).fill('loses_request'));
      const { payout } = await send('k');
      for (let passes = 0; passes < 40; passes++) {
        clock.movedMs += 26 * 3_600_000;
        await environment.resolver.runOnce();
      }
      const stuck = await database.pool.query(
        'SELECT payout_id FROM psp_requests WHERE merchant_id = $1 AND stuck_at IS NOT NULL',
        [merchantId],
      );
      expect(stuck.rows).toEqual([{ payout_id: payout.id }]);
      expect(first.calls.map(({ kind }) => kind)).not.toContain('cancel');
      expect(second.calls).toEqual([]);
      expect(await refusal(send('next', payoutOf({ previous: payout.id })))).toEqual({
        code: 'payout_in_progress',
        payout_id: payout.id,
      });
    });

    it('goes to another PSP once it is proved that the first did nothing', async () => {
      first.fates.push('is_down');
      const { status, payout } = await send('k');
      expect(status).toBe(201);
      expect(payout).toMatchObject({
        status: 'paid',
        psp: 'second',
        routes: [
          { route: 1, psp: 'first', verdict: 'ruled_out', outcome: 'not_sent' },
          { route: 2, psp: 'second', verdict: 'effective', outcome: 'succeeded' },
        ],
      });
      expect(ledger()).toEqual([expect.objectContaining({ psp: 'second', token: 'ba_secret_second' })]);
      const proofs = await database.pool.query(
        'SELECT route, kind FROM non_execution_proofs WHERE merchant_id = $1',
        [merchantId],
      );
      expect(proofs.rows).toEqual([{ route: 1, kind: 'not_sent' }]);
    });

    it('fails where nobody could make it, and says why', async () => {
      first.fates.push('is_down');
      second.fates.push('is_down');
      expect((await send('down')).payout).toMatchObject({
        status: 'failed',
        psp: null,
        failure: { category: 'psp_unavailable', code: 'not_sent', psp_code: 'ECONNREFUSED' },
      });
      first.fates.push('declines');
      expect((await send('closed', payoutOf({ to: 'recipient-2' }))).payout).toMatchObject({
        status: 'failed',
        failure: { category: 'declined', code: 'revoked', psp_code: 'account_closed' },
      });
      expect(ledger()).toEqual([]);
    });

    it('is looked for again where nothing was found, and what came late is left to a person', async () => {
      // Nothing of it arrives in the first minute: neither the request nor its second sending.
      // On a machine that stands still for a second there is another round of both; then as many are lost.
      first.fates.push('loses_request');
      for (let rounds = 0; rounds < 5; rounds++) first.fates.push('does', 'loses_request');
      expect((await send('k')).status).toBe(202);
      first.fates.length = 0;
      clock.movedMs += 70_000;
      const { payout } = await send('k');
      expect(payout).toMatchObject({ status: 'paid', psp: 'second' });

      // What was sent at first gets there after all.
      const lost = first.calls.find(({ kind }) => kind === 'execute')!;
      first.answer('execute', lost.instruction);
      clock.movedMs += 6 * 60_000;
      expect(await environment.orphans.runOnce()).toEqual({ looked: 1, compensated: 0, failed: 0 });
      const found = await store.find(orphanEffects, { merchantId });
      expect(found).toMatchObject([{ psp: 'first', operation: 'payout', amount: 1_000, status: 'failed' }]);
      // Money that went out is not called back by itself, and what was paid stays paid.
      expect(ledger()).toHaveLength(2);
      expect((await send('k')).payout).toMatchObject({ status: 'paid', psp: 'second' });
      expect(await environment.orphans.runOnce()).toEqual({ looked: 0, compensated: 0, failed: 0 });
    });

    it('has no route without a token that a PSP takes', async () => {
      const nobody = payoutOf({ recipient: { reference: 'r', tokens: { elsewhere: 't' } } });
      expect(await refusal(send('k', nobody))).toMatchObject({ code: 'no_route' });
      expect(asked.commits).toBe(0);
    });
  });

  describe('the payouts to a recipient', () => {
    it('follow one another, and one that failed is followed too', async () => {
      const one = await send('1');
      first.fates.push('declines');
      const two = await send('2', payoutOf({ previous: one.payout.id }));
      expect(two.payout).toMatchObject({ status: 'failed', previous: one.payout.id });
      const three = await send('3', payoutOf({ previous: two.payout.id }));
      expect(three.payout).toMatchObject({ status: 'paid', previous: two.payout.id });
      expect(ledger()).toHaveLength(2);

      for (const previous of [null, one.payout.id, two.payout.id, randomUUID()]) {
        expect(await refusal(send(`late after ${previous}`, payoutOf({ previous })))).toEqual({
          code: 'payout_sequence_stale',
          payout_id: three.payout.id,
        });
      }
      expect(ledger()).toHaveLength(2);
    });

    it('wait for the one that has not ended, which is named; then the same key goes through', async () => {
      first.fates.push('says_later');
      const { status, payout } = await send('1');
      expect([status, payout.status]).toEqual([202, 'processing']);
      for (const previous of [null, payout.id]) {
        expect(await refusal(send('2', payoutOf({ previous })))).toEqual({
          code: 'payout_in_progress',
          payout_id: payout.id,
        });
      }

      first.carryOut();
      clock.movedMs += 60_000;
      await environment.resolver.runOnce();
      expect((await send('1')).payout).toMatchObject({ id: payout.id, status: 'paid' });
      // Nothing was stored under the refused key: the mended request is its first.
      expect((await send('2', payoutOf({ previous: payout.id }))).payout.status).toBe('paid');
      expect(ledger()).toHaveLength(2);
    });

    it('are nobody else’s: another recipient, another merchant', async () => {
      const { payout } = await send('1');
      const previous = payout.id;
      expect(await refusal(send('2', payoutOf({ to: 'recipient-2', previous })))).toEqual({
        code: 'payout_sequence_stale',
        payout_id: null,
      });
      expect(
        await refusal(environment.send(await newMerchant(database), '3', payoutOf({ previous }))),
      ).toEqual({
        code: 'payout_sequence_stale',
        payout_id: null,
      });
      expect((await send('4', payoutOf({ to: 'recipient-2' }))).payout.status).toBe('paid');
      expect(ledger()).toHaveLength(2);
    });

    it('are listed newest first, page by page', async () => {
      const made = [await send('1')];
      for (const key of ['2', '3']) {
        made.push(await send(key, payoutOf({ previous: made.at(-1)!.payout.id })));
      }
      await send('4', payoutOf({ to: 'recipient-2' }));
      const mine = { recipient: 'recipient-1' };
      const page = await reader.list(merchantId, mine, 2, null);
      const rest = await reader.list(merchantId, mine, 2, page.next_cursor);
      expect([page.has_more, rest.has_more]).toEqual([true, false]);
      const newestFirst = made.map(({ payout }) => payout).toReversed();
      expect([...page.data, ...rest.data]).toEqual(newestFirst);
      expect((await reader.list(merchantId, {}, 20, null)).data).toHaveLength(4);
      expect((await reader.list(merchantId, { status: 'failed' }, 20, null)).data).toEqual([]);
    });
  });
});

describe('limits of payouts', () => {
  const clock = new SystemClock();
  const ids = new SystemIds(clock);
  const bank = new Bank('first');
  let fresh: FreshDatabase;
  let database: Database;
  let limits: PayoutLimits;
  /** Two processes, as to the database. */
  let stores: PostgresStore[];
  let environments: ReturnType<typeof payoutsInMemory>[];
  let merchantId: string;

  beforeAll(async () => {
    fresh = await freshDatabase();
    const options = { entities, migrations: [], poolSize: 4, applicationName: 'payout-limits-spec' };
    database = await openDatabase({ url: fresh.url, ...options });
    const { pool } = database;
    limits = new PayoutLimits(database.dataSource, clock, ids);
    stores = [1, 2].map(
      () =>
        new PostgresStore({
          url: fresh.serviceUrl,
          pool,
          tenantPool: pool,
          clock,
          random: Math.random,
          lanes: 4,
        }),
    );
    environments = stores.map((store) =>
      payoutsInMemory({ store, clock, ids, psps: pspsOf([bank]), sequences: sequencesIn(store) }),
    );
  });

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.close();
    await fresh.drop();
  });

  beforeEach(async () => {
    merchantId = await newMerchant(database);
    bank.fates.length = 0;
  });

  const limit = (more: Partial<PayoutLimit>) =>
    limits.set(
      merchantId,
      { currency: 'EUR', per: 'merchant', amount: null, count: null, ...more },
      'cli:ada',
    );
  const send = (to: string, more: Parameters<typeof payoutOf>[0] = {}, by = 0) =>
    environments[by]!.send(merchantId, randomUUID(), payoutOf({ to, ...more }));

  /** What it was refused for, else its status. */
  async function outcome(sent: ReturnType<typeof send>): Promise<string> {
    try {
      return (await sent).payout.status;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { code, limit: of } = error.document() as { code: string; limit?: string };
      return `${code} ${of ?? ''}`;
    }
  }

  it.each([
    [{ amount: 10_000 }, 'merchant_amount'],
    [{ count: 10 }, 'merchant_count'],
  ] as const)('lets fifty at once come to the limit %j and no further', async (most, name) => {
    await limit(most);
    const all = Array.from({ length: 50 }, (_, n) =>
      outcome(send(`recipient-${n}`, { amount: 1_000 }, n % 2)),
    );
    const refused = `payout_limit_exceeded ${name}`;
    expect((await Promise.all(all)).toSorted()).toEqual([
      ...Array<string>(10).fill('paid'),
      ...Array<string>(40).fill(refused),
    ]);
    const { rows } = await database.pool.query<{ amount: number }>(
      'SELECT sum(amount)::int AS amount FROM payouts WHERE merchant_id = $1',
      [merchantId],
    );
    expect(rows).toEqual([{ amount: 10_000 }]);
  });

  it('judges a commit only once the one before it has ended', async () => {
    await limit({ count: 2 });
    const { payout } = await send('ada');
    const open = (client: PoolClient, to: string) =>
      client.query(
        `INSERT INTO payouts SELECT (jsonb_populate_record(
         p, jsonb_build_object('recipient', $2::text, 'id', $3::text))).* FROM payouts p WHERE p.id = $1`,
        [payout.id, to, ids.uuid()],
      );
    const [one, other] = await Promise.all([database.pool.connect(), database.pool.connect()]);
    try {
      await one.query('BEGIN');
      await open(one, 'bob');
      await other.query("SET lock_timeout = '200ms'");
      await expect(open(other, 'cay')).rejects.toMatchObject({ code: sqlState.LOCK_NOT_AVAILABLE });
      await one.query('COMMIT');
      await expect(open(other, 'cay')).rejects.toMatchObject({ constraint: 'payouts_limit_merchant_count' });
    } finally {
      one.release(true);
      other.release(true);
    }
  });

  it('holds each recipient to a limit of its own, and a currency without one to none', async () => {
    await limit({ per: 'recipient', amount: 1_500, count: 5 });
    const { payout } = await send('ada');
    expect(await outcome(send('ada', { previous: payout.id }))).toBe(
      'payout_limit_exceeded recipient_amount',
    );
    expect(await outcome(send('ada', { previous: payout.id, amount: 500 }))).toBe('paid');
    expect(await outcome(send('bob'))).toBe('paid');
    expect(await outcome(send('bob', { currency: 'USD' }))).toMatch('payout_sequence_stale');
    expect(await outcome(send('cay', { currency: 'USD' }))).toBe('payout_limit_exceeded currency');
    await limit({ per: 'recipient', count: 1 });
    await limit({ currency: 'USD', count: 0 });
    expect(await outcome(send('cay', { currency: 'USD' }))).toBe('payout_limit_exceeded merchant_count');
    expect(await outcome(send('cay'))).toBe('paid');
  });

  it('gives its share back when the payout fails or comes back, not while its outcome is unknown', async () => {
    await limit({ count: 1 });
    bank.fates.push('declines');
    expect(await outcome(send('ada'))).toBe('failed');
    bank.fates.push(...Array<'loses_request'>(50).fill('loses_request'));
    expect(await outcome(send('bob'))).toBe('processing');
    expect(await outcome(send('cay'))).toBe('payout_limit_exceeded merchant_count');
    await database.pool.query(
      "UPDATE payouts SET status = 'returned', sealed = NULL WHERE merchant_id = $1 AND recipient = 'bob'",
      [merchantId],
    );
    bank.fates.length = 0;
    expect(await outcome(send('cay'))).toBe('paid');
  });

  it('counts what was paid out today before the limit was set, and nothing of yesterday', async () => {
    await send('ada');
    await send('bob');
    // An id keeps the time at which it was made: what was opened yesterday has one of yesterday.
    await database.pool.query(
      "UPDATE payouts SET created_at = created_at - interval '24 hours' WHERE merchant_id = $1 AND recipient = 'bob'",
      [merchantId],
    );
    await limit({ count: 2 });
    expect([await outcome(send('cay')), await outcome(send('dan'))]).toEqual([
      'paid',
      'payout_limit_exceeded merchant_count',
    ]);
  });

  it('is kept by an administrator, on record', async () => {
    await limit({ amount: 5, count: 2 });
    await limit({ per: 'recipient', count: 1 });
    expect(await limits.list(merchantId)).toEqual([
      { currency: 'EUR', per: 'merchant', amount: 5, count: 2 },
      { currency: 'EUR', per: 'recipient', amount: null, count: 1 },
    ]);
    await limits.remove(merchantId, { currency: 'EUR', per: 'merchant' }, 'cli:ada');
    await expect(limits.remove(merchantId, { currency: 'EUR', per: 'merchant' }, 'cli:ada')).rejects.toThrow(
      'not_found',
    );
    for (const wrong of [
      { amount: -1 },
      { amount: 1.5 },
      { count: NaN },
      {},
      { currency: 'EURO', count: 1 },
    ]) {
      await expect(limit(wrong)).rejects.toThrow('validation_failed');
    }
    const other = { currency: 'EUR', per: 'merchant', amount: 1, count: null } as const;
    await expect(limits.set(randomUUID(), other, 'cli:ada')).rejects.toThrow('not_found');
    const { rows } = await database.pool.query<{ action: string }>(
      'SELECT action FROM audit_records WHERE merchant_id = $1 ORDER BY id',
      [merchantId],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'payout_limit.set',
      'payout_limit.set',
      'payout_limit.removed',
    ]);
  });
});

describe('recipients of payouts', () => {
  /** Payouts to registered recipients, over the rules of the database; the bank's book is the judge. */
  const clock = new SystemClock();
  const ids = new SystemIds(clock);
  /** The first is that of payouts-in-memory. */
  const [key, nextKey] = [Buffer.alloc(32, 7), Buffer.alloc(32, 2)];
  const bank = new Bank('first');
  let fresh: FreshDatabase;
  let database: Database;
  /** As the service's role, which sees one merchant at a time. */
  let asService: Database;
  let recipients: Recipients;
  let store: PostgresStore;
  let merchantId: string;
  let caller: Caller;

  const recipientsWith = (seal: Encryption) =>
    new Recipients(new TenantDatabase(asService.dataSource), clock, ids, seal, asService.pool);

  beforeAll(async () => {
    fresh = await freshDatabase();
    const options = { entities, migrations: [], poolSize: 4, applicationName: 'recipients-spec' };
    database = await openDatabase({ url: fresh.url, ...options });
    asService = await openDatabase({ url: fresh.serviceUrl, ...options });
    recipients = recipientsWith(new Encryption(key));
    const { pool } = asService;
    store = new PostgresStore({
      url: fresh.serviceUrl,
      pool,
      tenantPool: pool,
      clock,
      random: Math.random,
      lanes: 4,
    });
  });

  afterAll(async () => {
    await store.close();
    await asService.close();
    await database.close();
    await fresh.drop();
  });

  beforeEach(async () => {
    merchantId = await newMerchant(database);
    caller = callerFixture({
      merchantId,
      apiKeyId: randomUUID(),
      scopes: ['recipients:write'],
      payoutRecipients: 'approved',
    });
  });

  const rule = (is: Caller['payoutRecipients']) =>
    database.pool.query('UPDATE merchants SET payout_recipients = $2 WHERE id = $1', [merchantId, is]);
  const register = (token = 'SE32AAAA1111', reference = 'driver-7') =>
    recipients.register(caller, { reference, tokens: { first: token, other: 'token-0002' } });

  /** `knows`: the process has heard of the merchant's rule. */
  async function pay(
    token = 'SE32AAAA1111',
    { knows = true, previous = null as string | null } = {},
  ): Promise<string> {
    const options = { store, clock, ids, psps: pspsOf([bank]), sequences: sequencesIn(store), recipients };
    const payouts = payoutsInMemory({ ...options, needsRecipient: knows });
    const ask = payoutOf({ to: 'driver-7', previous });
    const tokens = { first: token };
    try {
      const { payout } = await payouts.send(merchantId, randomUUID(), {
        ...ask,
        recipient: { ...ask.recipient, tokens },
      });
      return payout.status;
    } catch (error) {
      if (error instanceof Problem) return error.code;
      throw error;
    }
  }

  async function operator(
    name: string,
    person = name,
  ): Promise<{ id: string; name: string; sourceAddress: string }> {
    const id = randomUUID();
    await database.pool.query(
      `INSERT INTO operators (id, name, role, person, created_at) VALUES ($1, $2, 'approver', $3, now())`,
      [id, `${name}-${id}`, person],
    );
    return { id, name: `${name}-${id}`, sourceAddress: '127.0.0.1' };
  }

  it.each([true, false])(
    'pays registered recipients alone, by their tokens (process knows: %s)',
    async (knows) => {
      expect(await pay('SE32ANYBODY', { knows: false })).toBe('paid');
      await rule('registered');
      const { data: none } = await recipients.list(caller, undefined, 10, null);
      expect(none).toEqual([]);
      const { id: last } = await lastPayout();
      const next = { knows, previous: last };
      const before = bank.sent.length;
      expect(await pay('SE32AAAA1111', next)).toBe('recipient_not_registered');
      await register();
      expect(await pay('SE32BBBB2222', next)).toBe('recipient_not_registered');
      expect(bank.sent).toHaveLength(before);
      expect(await pay('SE32AAAA1111', next)).toBe('paid');
      expect(bank.sent.slice(before).map(({ token }) => token)).toEqual(['SE32AAAA1111']);
    },
  );

  it.each([true, false])('pays what was approved, and nothing else (process knows: %s)', async (knows) => {
    await rule('approved');
    const { id, version, status } = await register();
    expect([version, status]).toEqual([1, 'waiting_for_approval']);
    expect(await pay(undefined, { knows })).toBe('recipient_not_approved');
    await recipients.approve(merchantId, { id, version }, await operator('ben'));
    // The same again changes nothing.
    expect(await register()).toMatchObject({
      id,
      version: 1,
      status: 'active',
      accounts: { first: '1111', other: '0002' },
    });
    expect(await pay(undefined, { knows })).toBe('paid');
    const { id: previous } = await lastPayout();
    expect(await register('SE32BBBB2222')).toMatchObject({ id, version: 2, status: 'waiting_for_approval' });
    expect(await pay('SE32BBBB2222', { knows, previous })).toBe('recipient_not_approved');
    expect(await pay('SE32AAAA1111', { knows, previous })).toBe('recipient_not_registered');
    await expect(
      recipients.approve(merchantId, { id, version: 1 }, await operator('ben')),
    ).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await recipients.approve(merchantId, { id, version: 2 }, await operator('ben'));
    await recipients.remove(merchantId, id, 'cli:ada');
    expect(await pay('SE32BBBB2222', { knows, previous })).toBe('recipient_not_registered');
    expect(await recipients.get(caller, id)).toMatchObject({
      version: 3,
      status: 'removed',
      approved_at: null,
    });
    expect(await register('SE32BBBB2222')).toMatchObject({ id, version: 4, status: 'waiting_for_approval' });
  });

  it('lets nobody approve what an API key of their own registered, under whatever name', async () => {
    const [ada, adaToo, ben] = [
      await operator('ada', 'ada@x'),
      await operator('ada', 'ada@x'),
      await operator('ben'),
    ];
    await database.pool.query(
      `INSERT INTO api_keys (merchant_id, id, hash, prefix, scopes, created_at, created_by)
     VALUES ($1, $2, $3, 'po_live_1', '{recipients:write}', now(), $4)`,
      [merchantId, caller.apiKeyId, randomBytes(32), `operator:${ada.name}`],
    );
    const { id, version } = await register();
    for (const own of [ada, adaToo])
      await expect(recipients.approve(merchantId, { id, version }, own)).rejects.toMatchObject({
        code: 'forbidden',
      });
    await recipients.approve(merchantId, { id, version }, ben);
    expect(await recipients.get(caller, id)).toMatchObject({ status: 'active' });
    const acts = await database.pool.query<{ action: string; detail: object }>(
      'SELECT action, detail FROM audit_records WHERE subject = $1 ORDER BY at, id',
      [`recipient:${id}`],
    );
    expect(acts.rows.map(({ action }) => action)).toEqual(['recipient.registered', 'recipient.approved']);
    expect(JSON.stringify(acts.rows)).not.toMatch(/SE32|driver-7/);
  });

  it('is registered once by twenty requests at once, with the tokens of one of them', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, n) => register(`SE32AAAA${1_000 + (n % 2)}`)),
    );
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    const { data } = await recipients.list(caller, 'driver-7', 10, null);
    expect(data).toHaveLength(1);
    expect(data[0]!.version).toBe(Math.max(...all.map(({ version }) => version)));
  });

  it('is held by the database, whatever the service believes', async () => {
    await rule('approved');
    const { id, version } = await register();
    const by = (sql: string, values: unknown[] = [merchantId, id]) => database.pool.query(sql, values);
    const broken = { constraint: 'recipients_version' };
    const payout = (of: number | null, payoutId = randomUUID()) =>
      by(
        `INSERT INTO payouts (merchant_id, recipient, id, version, reference, status, amount, currency, metadata, candidates,
         sealed, recipient_version, created_at, updated_at)
       VALUES ($1, 'driver-7', $2, 1, 'r', 'processing', 1, 'EUR', '{}', '["first"]', $3, $4, now(), now())`,
        [merchantId, payoutId, encryptTokens(new Encryption(key), merchantId, payoutId, {}), of],
      );
    // Registered, and not approved yet.
    await expect(payout(1)).rejects.toMatchObject({ constraint: 'payouts_known_recipient' });
    await recipients.approve(merchantId, { id, version }, await operator('ben'));
    await expect(
      by('UPDATE recipients SET version = 2 WHERE merchant_id = $1 AND id = $2'),
    ).rejects.toMatchObject(broken);
    await expect(
      by('UPDATE recipients SET version = 0 WHERE merchant_id = $1 AND id = $2'),
    ).rejects.toMatchObject(broken);
    for (const version of [null, 2])
      await expect(payout(version)).rejects.toMatchObject({ constraint: 'payouts_known_recipient' });
    await payout(1);
  });

  it('is seen by its own merchant alone', async () => {
    const { id } = await register();
    const other = await newMerchant(database);
    const theirs = { ...caller, merchantId: other };
    await expect(recipients.get(theirs, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(recipients.remove(other, id, 'cli:eve')).rejects.toMatchObject({ code: 'not_found' });
    expect((await recipients.list(theirs, undefined, 10, null)).data).toEqual([]);
  });

  it('is known under the next seal key too', async () => {
    await rule('registered');
    await register();
    await rotateSealKey(database.pool, new Encryption(nextKey, key));
    recipients = recipientsWith(new Encryption(nextKey));
    expect(await pay()).toBe('paid');
  });

  async function lastPayout(): Promise<{ id: string }> {
    const { rows } = await database.pool.query<{ id: string }>(
      'SELECT id FROM payouts WHERE merchant_id = $1 ORDER BY id DESC LIMIT 1',
      [merchantId],
    );
    return rows[0]!;
  }
});
