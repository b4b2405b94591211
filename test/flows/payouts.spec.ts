import { randomUUID } from 'node:crypto';
import { Payout } from '../../src/payouts/payout.entity.js';
import { entities } from '../../src/entities.js';
import { type Clock, SystemClock } from '../../src/core/clock.js';
import { type Store } from '../../src/core/change.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { payouts, payoutTransitions } from '../../src/payouts/payout.table.js';
import { PayoutReader } from '../../src/payouts/payout.reader.js';
import { orphanEffects } from '../../src/request-storage/psp-request.table.js';
import { type FreshDatabase, freshDatabase, newMerchant } from '../support/database.js';
import { Bank, payoutsInMemory, payoutOf, pspsOf } from '../support/payouts-in-memory.js';

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
  store = new PostgresStore({ url: fresh.serviceUrl, pool, clock, random: Math.random, lanes: 2 });
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
    expect(await refusal(environment.send(await newMerchant(database), '3', payoutOf({ previous })))).toEqual(
      {
        code: 'payout_sequence_stale',
        payout_id: null,
      },
    );
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
