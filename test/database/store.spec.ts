import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Client, type Pool } from 'pg';
import { entities } from '../../src/entities.js';
import { type Clock, ManualClock, SystemClock } from '../../src/core/clock.js';
import {
  type Change,
  commitOf,
  type CommitResult,
  fromNow,
  insert,
  NoneOf,
  update,
} from '../../src/core/change.js';
import { MemoryStore } from '../support/memory-store.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Table } from '../../src/core/table.js';
import { SystemIds } from '../../src/core/ids.js';
import { event } from '../../src/database/event.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { type Route } from '../../src/request-storage/route.entity.js';
import { nonExecutionProofs, pspAttempts, pspRequests } from '../../src/request-storage/route.table.js';
import { payments } from '../../src/payments/payment.table.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { paymentFixture } from '../support/fixtures.js';

const merchantId = '01900000-0000-7000-8000-000000000001';
const tokens = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'] as const;
const at = new Date(Date.UTC(2026, 0, 1));
const clock = new SystemClock();
const ids = new SystemIds(clock);

let database: FreshDatabase;
let opened: Database;
let pool: Pool;
let store: PostgresStore;
let runs = 0;

const newStore = (clockOfStore: Clock = clock) =>
  new PostgresStore({
    url: database.serviceUrl,
    pool,
    tenantPool: pool,
    clock: clockOfStore,
    random: Math.random,
    lanes: 3,
  });

beforeAll(async () => {
  database = await freshDatabase();
  opened = await openDatabase({
    url: database.url,
    entities,
    migrations: [],
    poolSize: 4,
    applicationName: 'store-spec',
  });
  pool = opened.pool;
  await pool.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET synchronous_commit = off`);
  store = newStore();
});

afterAll(async () => {
  await store.close();
  await opened.close();
  await database.drop();
});

const empty = () =>
  pool.query(
    'TRUNCATE orphan_effects, non_execution_proofs, psp_attempts, psp_requests, idempotency_keys, audit_records',
  );

afterEach(empty);

function keyRow(key: string) {
  return {
    merchantId,
    key,
    operation: 'POST /v1/payments',
    fingerprint: 'f',
    subjectId: null,
    params: {},
    recoveryPoint: 'accepted',
    lockToken: tokens[0] as string,
    resumableAt: fromNow(60_000),
    responseStatus: null,
    responseBody: null,
    createdAt: at,
    finishedAt: null,
  };
}

function requestRow(entityKey: string, route: number): Route {
  return {
    merchantId,
    entityKey,
    route,
    operation: 'charge',
    payoutId: null,
    lookAgainAt: null,
    paymentId: merchantId,
    psp: 'stripe',
    amount: 1000,
    currency: 'EUR',
    pspIdempotencyKey: `${entityKey}/${route}`,
    pspReference: null,
    verdict: 'open',
    nextStepAt: at,
    stuckAt: null,
    version: 1,
    leasedBy: null,
    leasedUntil: null,
    restsOnRoute: route === 1 ? null : route - 1,
    openedAt: at,
    decidedAt: null,
  };
}

function attemptRow(entityKey: string, route: number, attempt: number) {
  return {
    merchantId,
    entityKey,
    route,
    attempt,
    kind: 'execute' as const,
    outcome: null,
    decline: null,
    pspCode: null,
    httpStatus: null,
    latencyMs: null,
    traceId: 't',
    request: { text: 'quotes " and \\ and {braces}, commas' },
    response: null,
    startedAt: at,
    endedAt: null,
  };
}

const entityKeys = ['payment-a-charge', 'payment-b-charge'];
const arbitraryKey = fc.constantFrom('k1', 'k2');
const arbitraryEntity = fc.constantFrom(...entityKeys);
const arbitraryRoute = fc.integer({ min: 1, max: 3 });

const gates: fc.Arbitrary<Change> = fc.oneof(
  arbitraryKey.map((key) => insert(idempotencyKeys, keyRow(key))),
  fc
    .record({ key: arbitraryKey, had: fc.constantFrom(...tokens), next: fc.constantFrom(...tokens) })
    .map(({ key, had, next }) =>
      update(idempotencyKeys, { merchantId, key }, { lockToken: next }, { lockToken: had }),
    ),
  fc
    .record({ key: arbitraryKey, ms: fc.constantFrom(-60_000, 60_000) })
    .map(({ key, ms }) =>
      update(idempotencyKeys, { merchantId, key }, { resumableAt: fromNow(ms) }, {}, 'resumableAt'),
    ),
);

const furtherChanges: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(arbitraryEntity, arbitraryRoute)
    .map(([entity, route]) => insert(pspRequests, requestRow(entity, route))),
  fc
    .tuple(arbitraryEntity, arbitraryRoute, fc.integer({ min: 1, max: 2 }))
    .map(([entity, route, attempt]) => insert(pspAttempts, attemptRow(entity, route, attempt))),
  fc
    .tuple(arbitraryEntity, arbitraryRoute)
    .map(([entityKey, route]) =>
      update(
        pspAttempts,
        { merchantId, entityKey, route, attempt: 1 },
        { outcome: 'not_sent', endedAt: at },
        { outcome: null },
      ),
    ),
  fc
    .tuple(arbitraryEntity, arbitraryRoute, fc.integer({ min: 1, max: 3 }))
    .map(([entityKey, route, version]) =>
      update(
        pspRequests,
        { merchantId, entityKey, route },
        { verdict: 'ruled_out', decidedAt: at, nextStepAt: null, version: version + 1 },
        { version, verdict: 'open' },
      ),
    ),
  fc.tuple(arbitraryEntity, arbitraryRoute).map(([entityKey, route]) =>
    insert(nonExecutionProofs, {
      merchantId,
      entityKey,
      route,
      kind: 'not_sent',
      attempt: 1,
      provedAt: at,
    }),
  ),
);

/** A commit never changes a row twice, nor adds one twice. */
const commits = fc.tuple(gates, fc.uniqueArray(furtherChanges, { maxLength: 4, selector: rowOf }));

function rowOf(change: Change): string {
  const { table } = change;
  const values = change.op === 'insert' ? change.row : change.key;
  return `${change.op} ${table.name} ${table.primary.map((property) => JSON.stringify(values[property])).join('/')}`;
}

function ownedBy(merchantId: string, change: Change): Change {
  return change.op === 'insert'
    ? { ...change, row: { ...change.row, merchantId } }
    : { ...change, key: { ...change.key, merchantId } };
}

/** The proof's own trigger is a rule that memory does not have; those cases are left to its own test. */
function isComparable(result: CommitResult): boolean {
  return result.done || result.refused.by !== 'check' || result.refused.rule !== 'non_execution_proofs_hold';
}

describe('the two stores', () => {
  it('answer the same random sequences of commits alike, and end with the same rows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commits, { minLength: 1, maxLength: 14 }), async (sequence) => {
        // A merchant of its own for each run, instead of emptying the tables in between.
        const own = ids.uuid();
        const memory = new MemoryStore(clock);
        for (const [gate, further] of sequence) {
          const commit = commitOf(
            ownedBy(own, gate),
            further.map((change) => ownedBy(own, change)),
          );
          const real = await store.commit(commit);
          if (!isComparable(real)) continue;
          const told = await memory.commit(commit);
          // Which of several broken rules is named first is the database's choice.
          expect(told.done ? told : told.refused.by === 'gate').toEqual(
            real.done ? real : real.refused.by === 'gate',
          );
        }
        const shown = { merchantId: own } as const;
        for (const table of [pspRequests, pspAttempts, nonExecutionProofs] as Table<object>[]) {
          expect(await memory.find(table, shown)).toEqual(await store.find(table, shown));
        }
        const withoutTimes = (rows: object[]) => rows.map((row) => ({ ...row, resumableAt: null }));
        expect(withoutTimes(await memory.find(idempotencyKeys, shown))).toEqual(
          withoutTimes(await store.find(idempotencyKeys, shown)),
        );
        // Random commits have more shapes than a service ever has.
        if (++runs % 50 === 0) {
          await store.close();
          store = newStore();
        }
      }),
      { numRuns: 300 },
    );
  });

  it('find alike what has none of some values', async () => {
    const arbitraryName = fc.constantFrom('stripe', 'Stripe', 'stripe-2', "it's", '{a,b}', '', '$1', 'NULL');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ psp: arbitraryName, pspReference: fc.option(arbitraryName) }), { maxLength: 6 }),
        fc.array(arbitraryName, { maxLength: 4 }),
        async (rows, values) => {
          const own = ids.uuid();
          const memory = new MemoryStore(clock);
          for (const [n, row] of rows.entries()) {
            const inserted = { ...requestRow(`payment-${n}-charge`, 1), ...row, merchantId: own };
            const key = { ...keyRow(String(n)), merchantId: own };
            const commit = commitOf(insert(idempotencyKeys, key), [insert(pspRequests, inserted)]);
            for (const each of [memory, store]) expect(await each.commit(commit)).toEqual({ done: true });
          }
          for (const column of ['psp', 'pspReference'] as const) {
            const where = { merchantId: own, verdict: 'open', [column]: new NoneOf(values) } as const;
            const found = await memory.find(pspRequests, where);
            expect(found).toEqual(await store.find(pspRequests, where));
            expect(found).toHaveLength(
              rows.filter((row) => row[column] !== null && !values.includes(row[column])).length,
            );
            expect(await memory.findDue(pspRequests, where, 'nextStepAt', clock.now(), 3)).toHaveLength(
              (await store.findDue(pspRequests, where, 'nextStepAt', 'now', 3)).length,
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('writes a hundred commits at once, each with its own result, past one that is poisoned', async () => {
    const opening = (key: string, name: string) =>
      commitOf(insert(idempotencyKeys, keyRow(key)), [insert(pspRequests, requestRow(name, 1))]);
    const good = Array.from({ length: 100 }, (_, i) => opening(`batch-${i}`, `payment-${i}-charge`));
    const poison = opening('poison', 'payment-7-charge');
    const results = await Promise.all(
      [...good.slice(0, 50), poison, ...good.slice(50)].map((c) => store.commit(c)),
    );
    const refused = results.filter((result) => !result.done);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ refused: { by: 'unique' } });
    expect(await store.find(pspRequests, { merchantId })).toHaveLength(100);
    expect(await store.find(idempotencyKeys, { merchantId })).toHaveLength(100);
  });

  it('refuses to have an answered key taken up again, in memory too', async () => {
    const ended = { recoveryPoint: 'finished', lockToken: null, resumableAt: null, finishedAt: at };
    const answered = { ...keyRow('answered'), ...ended, responseStatus: 201, responseBody: '{}' };
    const key = { merchantId, key: 'answered' };
    const later = { resumableAt: fromNow(60_000) };
    for (const each of [store, new MemoryStore(clock)]) {
      expect(await each.commit(commitOf(insert(idempotencyKeys, answered)))).toEqual({ done: true });
      const again = await each.commit(
        commitOf(update(idempotencyKeys, key, later, { lockToken: null }, 'resumableAt')),
      );
      expect(again).toMatchObject({ done: false, refused: { rule: 'idempotency_keys_finished' } });
    }
  });

  it('lets one of fifty through a gate', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, () => store.commit(commitOf(insert(idempotencyKeys, keyRow('same'))))),
    );
    expect(results.filter((result) => result.done)).toHaveLength(1);
    expect(results.filter((result) => !result.done && result.refused.by === 'gate')).toHaveLength(49);
  });

  it('stores what differs from everything before it', async () => {
    const alike = Array.from({ length: 40 }, (_, n) => keyRow(`alike-${n}`));
    for (const row of alike)
      expect(await store.commit(commitOf(insert(idempotencyKeys, row)))).toEqual({ done: true });
    const others = [
      { ...keyRow('word'), recoveryPoint: 'executing' },
      { ...keyRow('null'), subjectId: merchantId },
      { ...keyRow('time'), createdAt: new Date(0) },
      { ...keyRow('text'), fingerprint: "o'brien" },
    ];
    await Promise.all(others.map((row) => store.commit(commitOf(insert(idempotencyKeys, row)))));
    for (const { resumableAt: _, ...row } of [...alike, ...others]) {
      expect(await store.find(idempotencyKeys, { merchantId, key: row.key })).toMatchObject([row]);
    }
  });

  it('wakes who waits for a commit of another process, and holds a connection only meanwhile', async () => {
    // Looks by itself only as this clock is moved: what wakes is the commit.
    const still = new ManualClock();
    const waiter = newStore(still);
    const watch = waiter.watchCommits();
    await watch.next(10_000); // It listens from here.
    still.advance(100);
    const woken = watch.next(10_000).then(() => 'woken');
    await store.commit(commitOf(insert(idempotencyKeys, keyRow('no event'))));
    await store.commit(
      commitOf(event({ merchantId, id: ids.uuid(), type: 't', subject: 's', data: {}, at })),
    );
    expect(await woken).toBe('woken');

    await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
    const areBack = () => pool.totalCount === pool.idleCount;
    await eventually(areBack, 'the session that was ended is given up');
    const again = waiter.watchCommits();
    await again.next(10_000);
    watch.close();
    again.close();
    await eventually(areBack, 'no connection is held when nobody waits');
    await waiter.close();
  });

  it('writes other commits while one waits for a lock', async () => {
    const other = await pool.connect();
    await store.commit(commitOf(insert(idempotencyKeys, keyRow('held'))));
    await other.query('BEGIN');
    await other.query("SELECT 1 FROM idempotency_keys WHERE key = 'held' FOR UPDATE");
    const key = { merchantId, key: 'held' };
    const waiting = store.commit(
      commitOf(update(idempotencyKeys, key, { lockToken: tokens[1] }, { lockToken: tokens[0] })),
    );
    try {
      const free = store.commit(commitOf(insert(idempotencyKeys, keyRow('free'))));
      expect(await Promise.race([free, sleep(4_000, 'still waits')])).toEqual({ done: true });
    } finally {
      await other.query('COMMIT');
      other.release();
    }
    expect(await waiting).toEqual({ done: true });
  });
});

describe('the rules that the database holds', () => {
  const sql = async (text: string) => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  };
  const route = (
    n: number,
    verdict: string,
    rests: string,
  ) => `INSERT INTO psp_requests (merchant_id, entity_key,
    route, operation, payment_id, psp, amount, currency, psp_idempotency_key, verdict, next_step_at, fence,
    rests_on_route, opened_at, decided_at) VALUES ('${merchantId}', 'payment-x-charge', ${n}, 'charge',
    '${merchantId}', 'psp${n}', 100, 'EUR', 'key-${n}', '${verdict}',
    ${verdict === 'open' ? 'now()' : 'NULL'}, 1, ${rests}, now(), ${verdict === 'open' ? 'NULL' : 'now()'})`;

  it('refuses a second live route for an entity key', async () => {
    await sql(route(1, 'open', 'NULL'));
    await expect(sql(route(2, 'open', '1'))).rejects.toMatchObject({
      constraint: 'psp_requests_one_live_route',
    });
  });

  it('refuses a switch without a proof, and one that leaves the proof out', async () => {
    await sql(route(1, 'ruled_out', 'NULL'));
    await expect(sql(route(2, 'open', '1'))).rejects.toMatchObject({
      constraint: 'psp_requests_rests_on_proof',
    });
    await expect(sql(route(2, 'open', 'NULL'))).rejects.toMatchObject({
      constraint: 'psp_requests_needs_proof',
    });
  });

  it('refuses a proof that rests on an attempt which does not say so', async () => {
    await sql(route(1, 'ruled_out', 'NULL'));
    await sql(`INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, trace_id, request,
      started_at, ended_at) VALUES ('${merchantId}', 'payment-x-charge', 1, 1, 'execute', 'unknown', 't', '{}', now(), now())`);
    const proof = (
      kind: string,
    ) => `INSERT INTO non_execution_proofs (merchant_id, entity_key, route, kind, attempt,
      proved_at) VALUES ('${merchantId}', 'payment-x-charge', 1, '${kind}', 1, now())`;
    for (const kind of ['not_sent', 'declined', 'rejected', 'cancel_acknowledged', 'lookup_final']) {
      await expect(sql(proof(kind))).rejects.toMatchObject({ constraint: 'non_execution_proofs_hold' });
    }
  });

  it('refuses to capture more than was authorized and to refund more than was captured, with what is in progress', async () => {
    const payment = paymentFixture({ merchantId, id: tokens[0], amount: 1_000, amountCaptured: 600 });
    await store.commit(commitOf(insert(payments, payment)));
    const change = (set: string) => sql(`UPDATE payments SET ${set} WHERE id = '${payment.id}'`);
    for (const set of [
      'amount_captured = 1001',
      'capture_reserved = 401',
      'capture_reserved = -1',
      'amount_refunded = 601',
      'refund_reserved = 601',
      'amount_refunded = 300, refund_reserved = 301',
      'refund_reserved = -1',
    ]) {
      await expect(change(set)).rejects.toMatchObject({ constraint: 'payments_balance' });
    }
    await change('capture_reserved = 400, amount_refunded = 300, refund_reserved = 300');
  });

  it('refuses to change the audit chain and its witness, to their owner too', async () => {
    for (const table of ['records', 'witness']) {
      for (const change of [`UPDATE TABLE SET number = 1`, 'DELETE FROM TABLE', 'TRUNCATE TABLE']) {
        await expect(sql(change.replace('TABLE', `payonce_audit.${table}`))).rejects.toThrow(
          `payonce_audit.${table} is append-only`,
        );
      }
    }
  });

  it('refuses to edit or delete history', async () => {
    const insertLine = `INSERT INTO audit_records VALUES ('${merchantId}', '${tokens[0]}', now(), 'a', 'b', 'c', '{}')`;
    await sql(insertLine);
    await expect(sql(`UPDATE audit_records SET actor = 'x'`)).rejects.toThrow('append-only');
    await expect(sql(`DELETE FROM audit_records`)).rejects.toThrow('append-only');
  });
});
