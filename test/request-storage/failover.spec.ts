import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';

describe('failover without a proof', () => {
  let environment: TestEnvironment;
  let client: ApiClient;
  let connection: Client;
  let paymentId: string;
  let entityKey: string;

  const body = orderOf({ first: 'stripe' });

  /** A real charge in doubt: nothing answers, so its route stays open. */
  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    const apiKey = await environment.merchant();
    const service = await environment.start();
    client = new ApiClient(() => service.url, apiKey);
    environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', times: 1_000 });
    const reply = await client.post('/v1/payments', body, 'in-doubt');
    expect(reply.status).toBe(202);
    paymentId = paymentOf(reply).id;
    const [route] = await environment.sql<{ entity_key: string; route: number; verdict: string }>(
      'SELECT entity_key, route, verdict FROM psp_requests WHERE payment_id = $1',
      [paymentId],
    );
    expect(route).toMatchObject({ route: 1, verdict: 'open' });
    entityKey = route!.entity_key;
    connection = new Client({
      connectionString: environment.database.url,
      application_name: 'payonce-operator',
    });
    await connection.connect();
  });

  afterAll(async () => {
    await connection.end();
    await environment.close();
  });

  // Whatever is done by hand is taken back: the charge goes on as it was.
  beforeEach(() => connection.query('BEGIN'));
  afterEach(() => connection.query('ROLLBACK'));

  /** The rule that refuses the statement; null when it is written. */
  async function ruleAgainst(text: string, values: readonly unknown[] = []): Promise<string | null> {
    await connection.query('SAVEPOINT before_it');
    try {
      await connection.query(text, [...values]);
      return null;
    } catch (error) {
      await connection.query('ROLLBACK TO SAVEPOINT before_it');
      if (error instanceof DatabaseError) return error.constraint ?? error.message;
      throw error;
    }
  }

  /** Route 2 at another PSP, as the service would open it. */
  function openRouteTwo(restsOn: number | null = 1): Promise<string | null> {
    return ruleAgainst(
      `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
       psp_idempotency_key, verdict, next_step_at, fence, rests_on_route, opened_at)
     SELECT merchant_id, entity_key, 2, operation, payment_id, 'adyen', amount, currency,
            'by-hand', 'open', now(), 1, $2::smallint, now()
       FROM psp_requests WHERE entity_key = $1 AND route = 1`,
      [entityKey, restsOn],
    );
  }

  function ruleOutByHand(): Promise<string | null> {
    return ruleAgainst(
      `UPDATE psp_requests SET verdict = 'ruled_out', decided_at = now(), next_step_at = NULL, stuck_at = NULL,
            leased_by = NULL, leased_until = NULL
      WHERE entity_key = $1 AND route = 1`,
      [entityKey],
    );
  }

  function prove(kind: string, attempt: number): Promise<string | null> {
    return ruleAgainst(
      `INSERT INTO non_execution_proofs (merchant_id, entity_key, route, kind, attempt, proved_at)
     SELECT merchant_id, entity_key, route, $2, $3::smallint, now()
       FROM psp_requests WHERE entity_key = $1 AND route = 1`,
      [entityKey, kind, attempt],
    );
  }

  describe('a charge in doubt, handled with SQL', () => {
    it('cannot be routed elsewhere while its route is open', async () => {
      expect(await openRouteTwo()).toBe('psp_requests_one_live_route');
    });

    it('cannot be routed elsewhere when its route is ruled out without a proof', async () => {
      expect(await ruleOutByHand()).toBeNull();
      expect(await openRouteTwo()).toBe('psp_requests_rests_on_proof');
    });

    it('cannot be routed elsewhere by leaving out what the route rests on', async () => {
      expect(await ruleOutByHand()).toBeNull();
      expect(await openRouteTwo(null)).toBe('psp_requests_needs_proof');
    });

    it.each(['not_sent', 'declined', 'rejected', 'cancel_acknowledged', 'lookup_final'])(
      'cannot be proved not to have happened by an attempt that does not say so (%s)',
      async (kind) => {
        expect(await ruleOutByHand()).toBeNull();
        const attempts = await connection.query<{ attempt: number; kind: string; outcome: string }>(
          'SELECT attempt, kind, outcome FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt',
          [entityKey],
        );
        expect([...new Set(attempts.rows.map((row) => row.kind))].toSorted()).toEqual(['execute', 'lookup']);
        for (const { attempt, outcome } of attempts.rows) {
          expect(outcome).toBe('unknown');
          expect(await prove(kind, attempt)).toBe('non_execution_proofs_hold');
        }
        expect(await openRouteTwo()).toBe('psp_requests_rests_on_proof');
      },
    );

    it('cannot be proved by an attempt that was never made', async () => {
      expect(await prove('not_sent', 99)).not.toBeNull();
    });

    it('can be routed elsewhere with a proof that holds', async () => {
      // As if the first call had never been sent, which nobody can make its row say.
      await connection.query(
        `SET LOCAL session_replication_role = replica;
         UPDATE psp_attempts SET outcome = 'not_sent', ended_at = now() WHERE entity_key = '${entityKey}' AND attempt = 1;
         SET LOCAL session_replication_role = origin`,
      );
      expect(await ruleOutByHand()).toBeNull();
      expect(await prove('not_sent', 1)).toBeNull();
      expect(await openRouteTwo()).toBeNull();
    });

    it('is charged once in the end, at the PSP that it was bound to', async () => {
      await connection.query('ROLLBACK');
      await environment.simulator.clearFaults('stripe');

      const reply = await client.until(() => client.post('/v1/payments', body, 'in-doubt'), atRest);

      expect(paymentOf(reply)).toMatchObject({ id: paymentId, status: 'captured', psp: 'stripe' });
      expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([
        ['stripe', 'charge'],
      ]);
    });
  });
});

describe('a cancel before failover', () => {
  /**
   * A routing rule that says `fence`: an authorization in doubt is canceled by our reference, and on the
   * PSP's acknowledgement another PSP is asked, inside the request that waits.
   */
  describe.each([true, false])('with a fence: %s', (fence) => {
    let environment: TestEnvironment;
    let client: ApiClient;

    beforeAll(async () => {
      ({ environment, client } = await openWithService({
        hangs: true,
        fence,
      }));
    });
    afterAll(() => environment.close());
    beforeEach(() => environment.simulator.reset());

    const moved = (id: string) => environment.effects(id).map(({ psp, operation }) => `${psp} ${operation}`);
    const pay = (capture: 'automatic' | 'manual', key: string, deadlineMs: number) =>
      client.post('/v1/payments', orderOf({ first: 'adyen', capture, reference: key }), key, { deadlineMs });

    it('an authorization whose answers are all lost', async () => {
      environment.simulator.faults('adyen', { fault: 'hang_after', on: 'execute', rate: 1, times: 2 });
      const reply = await pay('manual', 'lost', 6_000);
      const payment = paymentOf(reply);
      if (!fence) {
        // The same key is sent once more when the PSP is well again.
        const told = await client.until(() => pay('manual', 'lost', 6_000), atRest);
        expect(paymentOf(told)).toMatchObject({ status: 'authorized', psp: 'adyen' });
        expect(moved(payment.id)).toEqual(['adyen authorize']);
        return;
      }
      expect([reply.status, payment.status, payment.psp]).toEqual([201, 'authorized', 'stripe']);
      expect(moved(payment.id).toSorted()).toEqual(['adyen authorize', 'adyen void', 'stripe authorize']);
      const attempts = await client.attempts(payment.id);
      expect(attempts.map(({ psp, kind, outcome }) => `${psp} ${kind} ${outcome}`)).toEqual([
        'adyen execute unknown',
        'adyen execute unknown',
        'adyen cancel pending',
        'stripe execute succeeded',
      ]);
      const [proof] = await environment.sql<{ kind: string; attempt: number }>(
        'SELECT kind, attempt FROM non_execution_proofs WHERE entity_key = $1',
        [payment.entity_key],
      );
      expect(proof).toEqual({ kind: 'cancel_acknowledged', attempt: 3 });
    });

    it('a charge is never given up on a mere receipt', async () => {
      environment.simulator.faults('adyen', { fault: 'hang_after', on: 'execute', rate: 1, times: 2 });
      const reply = await pay('automatic', 'charge', 3_000);
      const { id } = paymentOf(reply);
      const told = await client.until(() => pay('automatic', 'charge', 3_000), atRest);
      expect(paymentOf(told)).toMatchObject({ id, status: 'captured', psp: 'adyen' });
      expect(moved(id)).toEqual(['adyen charge']);
    });

    it('asks nobody else once the caller does not wait any more', async () => {
      environment.simulator.faults('adyen', { fault: 'hang_after', on: 'any', rate: 1 });
      const reply = await pay('manual', 'late', 700);
      expect(reply.status).toBe(202);
      expect(moved(paymentOf(reply).id)).not.toContain('stripe authorize');
    });

    it('refuses a deadline that it cannot read', async () => {
      const reply = await pay('manual', 'wrong', 60_001);
      expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
        422,
        { code: 'validation_failed', errors: [{ pointer: 'Payonce-Deadline' }] },
      ]);
    });
  });
});

describe('dropped connections of the database', () => {
  /** The database drops every connection, again and again, while payments flow. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService());
  });
  afterAll(() => environment.close());

  const PAYMENTS = 40;
  const OUTAGES = 6;
  const MAX_TRIES = 200;

  /** How many connections of the service were dropped. */
  async function dropConnections(): Promise<number> {
    const [row] = await environment.sql<{ dropped: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS dropped FROM pg_stat_activity
      WHERE datname = current_database() AND application_name ~ '^payonce(-commit|-process .*)?$'`,
    );
    return row!.dropped;
  }

  it('charges everything once though the database drops its connections again and again', async () => {
    // The PSPs take their time, so that connections are lost before, during and after calls.
    for (const psp of ['stripe', 'adyen'] as const) {
      environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 60, rate: 1 });
    }
    const seen = new Map<number, number>();
    const wrong: Reply[] = [];
    const keepAsking = async (n: number): Promise<Reply> => {
      const first = n % 2 === 0 ? 'stripe' : 'adyen';
      const body = orderOf({ first, reference: `outage-${n}`, amount: 5_000 + n });
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const reply = await client.post('/v1/payments', body, `outage-${n}`);
        seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
        if (![201, 202, 409, 503].includes(reply.status)) wrong.push(reply);
        if (atRest(reply)) return reply;
        await sleep(100);
      }
      throw new Error(`payment ${n} did not come to rest`);
    };

    let dropped = 0;
    const outages = (async () => {
      for (let outage = 0; outage < OUTAGES; outage++) {
        dropped += await dropConnections();
        await sleep(120);
      }
    })();
    const asked = Array.from({ length: PAYMENTS }, async (_, n) => {
      // Not all at once, or the first outage would be the only one that matters.
      await sleep(n * 20);
      return keepAsking(n);
    });
    const [replies] = await Promise.all([Promise.all(asked), outages]);

    const told = service.output().split('\n');
    const why = ({ text }: Reply) => {
      const { request_id } = JSON.parse(text) as { request_id: string };
      return told.filter((line) => line.includes(request_id));
    };
    expect(wrong.flatMap((reply) => [reply.text, ...why(reply)])).toEqual([]);
    expect(dropped).toBeGreaterThan(2);
    expect(seen.get(201)).toBe(PAYMENTS);
    for (const [n, reply] of replies.entries()) {
      const payment = paymentOf(reply);
      expect(payment).toMatchObject({ status: 'captured', amount: 5_000 + n, reference: `outage-${n}` });
      expect(environment.effects(payment.id)).toMatchObject([{ operation: 'charge', amount: 5_000 + n }]);
    }
    expect(environment.effects()).toHaveLength(PAYMENTS);
    // Nothing is left in the dark, nowhere.
    expect(await environment.sql("SELECT entity_key FROM psp_requests WHERE verdict = 'open'")).toEqual([]);
    expect(await environment.sql('SELECT key FROM idempotency_keys WHERE response_status IS NULL')).toEqual(
      [],
    );
    expect(await environment.sql('SELECT entity_key FROM orphan_effects')).toEqual([]);
    expect(await environment.sql("SELECT id FROM payments WHERE status <> 'captured'")).toEqual([]);
  });
});

describe('a slow DNS server', () => {
  /** The names of one merchant's endpoints do not resolve. The payments of another merchant do not notice. */
  const ENDPOINTS = 16;
  /** Of these so many are looked up at once; the others are refused. */
  const LOOKED_UP = 4;
  const PAYMENTS = 6;
  /** Less than a DNS server is waited for (4.5 s). */
  const BOUND_MS = 4_000;

  let environment: TestEnvironment;
  let service: ServiceProcess;
  let dns: Socket;
  let questions = 0;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'payonce-dns-'));
    const fifo = join(directory, 'silent');
    execFileSync('mkfifo', [fifo]);
    dns = createSocket('udp4').on('message', () => (questions += 1));
    dns.bind(0, '127.0.0.1');
    await once(dns, 'listening');
    // A connection to a PSP needs its name resolved, as it does outside of tests.
    environment = await TestEnvironment.open({ pspHost: 'localhost' });
    service = await environment.startProcess({
      preload: 'test/support/silent-dns.mjs',
      env: { SILENT_DNS: `127.0.0.1:${dns.address().port}`, SILENT_FIFO: fifo },
    });
  });
  afterAll(async () => {
    await environment.close();
    dns.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('payments are captured while names of another merchant wait for a DNS server', async () => {
    const [one, other] = await Promise.all([environment.merchant(), environment.merchant()]);
    const slow = new ApiClient(() => service.url, one);
    let waiting = ENDPOINTS;
    const creations = Array.from({ length: ENDPOINTS }, async (_, n) => {
      const url = `https://hooks-${n}.merchant.example/payonce`;
      const reply = await slow.post('/v1/webhook_endpoints', { url }, `endpoint-${n}`);
      waiting -= 1;
      return codeOf(reply);
    });
    await eventually(() => waiting === LOOKED_UP, 'only so many names are looked up');

    const client = new ApiClient(() => service.url, other);
    const inTime = { signal: AbortSignal.timeout(BOUND_MS) };
    const ends = await Promise.all(
      Array.from({ length: PAYMENTS }, async (_, n) => {
        const order = orderOf({ reference: `paid-${n}` });
        const reply = await client.post('/v1/payments', order, `paid-${n}`, inTime).catch(() => null);
        if (reply === null) return 'not answered in time';
        const { status, psp, routes } = paymentOf(reply);
        return `${status} at ${psp}, route ${routes.length}`;
      }),
    );
    expect(ends).toEqual(Array(PAYMENTS).fill('captured at stripe, route 1'));
    expect(waiting).toBe(LOOKED_UP);

    const codes = await Promise.all(creations);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(ENDPOINTS - LOOKED_UP);
    expect(codes.filter((code) => code === 'webhook_target_refused')).toHaveLength(LOOKED_UP);
    expect(questions).toBeGreaterThanOrEqual(LOOKED_UP);
  });
});

describe('an account that was removed', () => {
  /** A PSP account is taken out of the configuration while a charge there is in doubt. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    service = await environment.start();
    client = new ApiClient(() => service.url, await environment.merchant());
  });
  afterAll(() => environment.close());

  it('doubt at an account that is no longer configured becomes stuck, and is listed', async () => {
    environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
    const order = orderOf({ first: 'adyen' });
    const { id, status } = paymentOf(await client.post('/v1/payments', order, 'doubt', { deadlineMs: 100 }));
    expect(status).toBe('processing');
    await service.stop();
    service = await environment.start({ role: 'all', without: 'adyen' });
    const listed = () =>
      environment.command('stuck', 'list') as Promise<{ entity_key: string; psp: string }[]>;
    await eventually(async () => (await listed()).length > 0, 'the route is stuck');
    expect(await listed()).toMatchObject([{ entity_key: `payment-${id}-charge`, psp: 'adyen' }]);
    expect(environment.effects(id).map(({ psp }) => psp)).toEqual(['adyen']);
  });
});
