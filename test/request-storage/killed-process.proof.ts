import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('a process that is killed', () => {
  /**
   * A process is killed with calls under way. Nobody waits for its 20 s locks: its keys and routes are taken
   * up within seconds, and each payment rests with one effect.
   */
  const PAYMENTS = 24;
  const LOCK_MS = 20_000;
  /** 3 s on a machine that does nothing else; half of what the locks would last, on one that does. */
  const PATIENCE_MS = 10_000;

  let environment: TestEnvironment;
  let apiKey: string;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ timeoutMs: 3_000, lockTtlMs: LOCK_MS });
    apiKey = await environment.merchant();
  });
  afterAll(() => environment.close());

  interface Row {
    readonly id: string;
    readonly status: string;
  }
  const payments = () => environment.sql<Row>('SELECT id, status FROM payments');

  async function killUnderLoad(victim: ServiceProcess): Promise<number> {
    for (const psp of ['stripe', 'adyen'] as const) {
      environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 1_500, next: PAYMENTS });
    }
    const client = new ApiClient(() => victim.url, apiKey);
    for (let n = 0; n < PAYMENTS; n++) {
      const body = orderOf({ first: n % 2 ? 'stripe' : 'adyen', reference: `order-${n}` });
      client.post('/v1/payments', body, `order-${n}`).catch(() => null);
    }
    await eventually(() => environment.effects().length >= PAYMENTS / 2, 'calls that have had their effect');
    victim.kill();
    await victim.exit;
    await environment.simulator.clearFaults();
    return performance.now();
  }

  it('what a killed process had in hand rests within seconds, once', async () => {
    const [victim] = await Promise.all([environment.startProcess(), environment.startProcess()]);
    const killedAt = await killUnderLoad(victim);
    const left = (await payments()).filter(({ status }) => status === 'processing').map(({ id }) => id);
    expect(left.length).toBeGreaterThan(PAYMENTS / 4);

    const restedMs = new Map<string, number>();
    await eventually(async () => {
      for (const { id, status } of await payments()) {
        if (status !== 'processing' && left.includes(id) && !restedMs.has(id)) {
          restedMs.set(id, performance.now() - killedAt);
        }
      }
      return restedMs.size === left.length;
    }, 'every payment rests');
    const times = [...restedMs.values()].toSorted((a, b) => a - b);
    const [median, worst] = [times[Math.floor(times.length / 2)]!, times.at(-1)!];
    process.stdout.write(
      `after kill -9: ${left.length} payments rest after ${Math.round(median)} ms (median), ${Math.round(worst)} ms (worst)\n`,
    );
    expect(worst).toBeLessThan(PATIENCE_MS);
    for (const id of left)
      expect(environment.effects(id).map(({ operation }) => operation)).toEqual(['charge']);
  });

  it('a process that only stands still keeps its locks', async () => {
    const [still] = await Promise.all([environment.startProcess(), environment.startProcess()]);
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 1_000, next: 1 });
    const asked = new ApiClient(() => still.url, apiKey).post('/v1/payments', orderOf(), 'stands-still');
    const held = () =>
      environment.sql("SELECT 1 FROM idempotency_keys WHERE key = 'stands-still' AND lock_token IS NOT NULL");
    await eventually(async () => (await held()).length > 0, 'the lock');
    process.kill(still.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const [{ left }] = (await environment.sql<{ left: boolean }>(
      "SELECT resumable_at > statement_timestamp() + interval '5 s' AS left FROM idempotency_keys WHERE key = 'stands-still'",
    )) as [{ left: boolean }];
    expect(left).toBe(true);
    process.kill(still.pid, 'SIGCONT');
    expect((await asked).status).toBe(201);
  });
});

describe('a process that was frozen', () => {
  let environment: TestEnvironment;
  let apiKey: string;
  /** The service that does not sleep. */
  let b: ServiceProcess;

  beforeAll(async () => {
    // Only the client drives: no worker takes the key over in its place.
    environment = await TestEnvironment.open({
      timeoutMs: 1_000,
      lockTtlMs: 2_000,
      env: { PAYONCE_ROLE: 'api' },
    });
    apiKey = await environment.merchant();
    b = await environment.startProcess();
  });

  afterAll(() => environment.close());

  beforeEach(() => environment.simulator.reset());

  interface AttemptRow {
    readonly attempt: number;
    readonly kind: string;
    readonly outcome: string | null;
  }

  const attemptsOf = (paymentId: string) =>
    environment.sql<AttemptRow>(
      `SELECT attempt, kind, outcome FROM psp_attempts
      WHERE entity_key LIKE '%' || $1 || '%' ORDER BY route, attempt`,
      [paymentId],
    );

  /** Every row that speaks of the payment, but for the attempt that the frozen service made. */
  async function everythingElse(paymentId: string): Promise<Record<string, string[]>> {
    const of: Readonly<Record<string, string>> = {
      idempotency_keys: 'subject_id = $1::uuid',
      payments: 'id = $1::uuid',
      payment_transitions: 'payment_id = $1::uuid',
      psp_requests: 'payment_id = $1::uuid',
      psp_attempts: 'strpos(entity_key, $1::text) > 0 AND (route, attempt) <> (1, 1)',
      non_execution_proofs: 'strpos(entity_key, $1::text) > 0',
      orphan_effects: 'strpos(entity_key, $1::text) > 0',
      audit_records: 'strpos(subject, $1::text) > 0',
    };
    const found: Record<string, string[]> = {};
    for (const [table, condition] of Object.entries(of)) {
      const sql = `SELECT t::text AS row FROM ${table} t WHERE ${condition} ORDER BY 1`;
      found[table] = (await environment.sql<{ row: string }>(sql, [paymentId])).map(({ row }) => row);
    }
    return found;
  }

  /** Whether the first commit under the key was written. */
  async function begun(key: string): Promise<boolean> {
    return (await environment.sql('SELECT 1 FROM idempotency_keys WHERE key = $1', [key])).length === 1;
  }

  async function isAlive(url: string): Promise<boolean> {
    const response = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  }

  describe('a service that was frozen while it had a call under way', () => {
    it.each([
      ['whose answer never comes', { fault: 'hang_after' }],
      ['whose answer came while it slept', { fault: 'delay_after', delay_ms: 500 }],
    ] as const)('writes down what it learned, and nothing else: a call %s', async (name, fault) => {
      const a = await environment.startProcess();
      const body = orderOf({ reference: name });
      environment.simulator.faults('stripe', { ...fault, next: 1 });

      const shopOfA = new ApiClient(() => a.url, apiKey);
      const asked = shopOfA.post('/v1/payments', body, name);
      const effect = await eventually(() => environment.effects()[0], 'the effect');
      process.kill(a.pid, 'SIGSTOP');

      // The retry goes elsewhere: refused while the lock lasts, and then it takes over.
      const client = new ApiClient(() => b.url, apiKey);
      const settled = await client.until(() => client.post('/v1/payments', body, name), atRest);
      const payment = paymentOf(settled);
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
      const [slept, ...more] = await attemptsOf(payment.id);
      expect(slept).toEqual({ attempt: 1, kind: 'execute', outcome: null });
      expect(more.at(-1)?.outcome).toBe('succeeded');
      const before = await everythingElse(payment.id);
      expect(before['payment_transitions']).toHaveLength(2);

      process.kill(a.pid, 'SIGCONT');
      await eventually(() => isAlive(a.url).catch(() => false), 'the zombie lives');
      // A client that still waits there hears that another run holds the key.
      const late = await asked;
      expect([late.status, codeOf(late)]).toEqual([409, 'request_in_progress']);

      const [own] = await attemptsOf(payment.id);
      expect(['succeeded', 'unknown']).toContain(own?.outcome);
      expect(await everythingElse(payment.id)).toEqual(before);
      expect(environment.effects()).toEqual([effect]);
      for (const asker of [client, shopOfA]) {
        const again = await asker.post('/v1/payments', body, name);
        expect([again.status, again.text]).toEqual([settled.status, settled.text]);
      }
      expect(await a.stop()).toEqual({ code: 0, signal: null });
    });
  });

  describe('a service that was frozen before its call', () => {
    it('does not make it once its lock is too old', async () => {
      // It sleeps between the commit and the look at its lock.
      const a = await environment.startProcess({
        at: { place: 'commit:after:new:accepted', signal: 'SIGSTOP' },
      });
      const key = 'too-old';
      const body = orderOf({ reference: key });

      const asked = new ApiClient(() => a.url, apiKey).post('/v1/payments', body, key);
      await eventually(() => begun(key), 'the key');
      const client = new ApiClient(() => b.url, apiKey);
      const settled = await client.until(() => client.post('/v1/payments', body, key), atRest);
      const { id } = paymentOf(settled);
      const before = await everythingElse(id);
      const calls = environment.simulator.calls('stripe').length;

      process.kill(a.pid, 'SIGCONT');
      expect((await asked).status).toBe(409);

      expect((await attemptsOf(id))[0]).toEqual({ attempt: 1, kind: 'execute', outcome: 'not_sent' });
      expect(environment.simulator.calls('stripe')).toHaveLength(calls);
      expect(environment.orders('stripe')).toHaveLength(1);
      expect(await everythingElse(id)).toEqual(before);
      expect(environment.effects(id)).toHaveLength(1);
      expect(await a.stop()).toEqual({ code: 0, signal: null });
    });

    it.each(['stripe', 'adyen'] as const)('charges nothing twice when it wakes (%s)', async (first) => {
      const at = { place: 'psp:before:execute', signal: 'SIGSTOP' } as const;
      const a = await environment.startProcess({ at });
      const key = `before-the-call-${first}`;
      const body = orderOf({ first, reference: key });

      const asked = new ApiClient(() => a.url, apiKey).post('/v1/payments', body, key);
      await eventually(() => begun(key), 'the key');
      const client = new ApiClient(() => b.url, apiKey);
      const settled = await client.until(() => client.post('/v1/payments', body, key), atRest);
      const payment = paymentOf(settled);
      expect(payment).toMatchObject({ status: 'captured', psp: first });
      const before = await everythingElse(payment.id);

      process.kill(a.pid, 'SIGCONT');
      expect((await asked).status).toBe(409);

      expect(await everythingElse(payment.id)).toEqual(before);
      expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([
        [first, 'charge'],
      ]);
      const again = await client.post('/v1/payments', body, key);
      expect([again.status, again.text]).toEqual([settled.status, settled.text]);
      expect(await a.stop()).toEqual({ code: 0, signal: null });
    });
  });
});

describe('a process that dies in doubt', () => {
  /**
   * Doubt comes before health: a PSP that may have charged is not left because it is down now. Its
   * answer is lost, then it refuses connections, and the service dies in between.
   */
  let environment: TestEnvironment;
  let service: ServiceProcess;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open({
      timeoutMs: 700,
      lockTtlMs: 1_800,
      env: { PAYONCE_DEADLINE_MS: '2000' },
    });
    client = new ApiClient(() => service.url, await environment.merchant());
  });
  afterAll(() => environment.close());
  beforeEach(async () => {
    await environment.simulator.reset();
    service = await environment.startProcess();
  });
  afterEach(async () => {
    service.kill();
    await service.exit;
  });

  const idOf = async (reference: string) => {
    const [row] = await environment.sql<{ id: string }>('SELECT id FROM payments WHERE reference = $1', [
      reference,
    ]);
    return row!.id;
  };

  /** Of the first call that left: one that our lock kept back on a busy machine did nothing. */
  const firstOutcome = async (reference: string) => {
    const [row] = await environment.sql<{ outcome: string | null }>(
      `SELECT a.outcome FROM psp_attempts a JOIN payments p ON strpos(a.entity_key, p.id::text) > 0
      WHERE p.reference = $1 AND a.route = 1 AND a.psp_code IS DISTINCT FROM 'lock_too_old'
      ORDER BY a.attempt LIMIT 1`,
      [reference],
    );
    return row?.outcome;
  };

  const routesOf = (paymentId: string) =>
    environment.sql<{ route: number; psp: string; verdict: string }>(
      'SELECT route, psp, verdict FROM psp_requests WHERE payment_id = $1 ORDER BY entity_key, route',
      [paymentId],
    );

  const others: Readonly<Record<'stripe' | 'adyen', readonly PspName[]>> = {
    stripe: ['adyen', 'keyless'],
    adyen: ['stripe', 'keyless'],
  };

  it.each([
    ['stripe', 'while the call is out', null],
    ['adyen', 'once the call is in doubt', 'unknown'],
  ] as const)(
    'a charge whose answer %s never gave stays there while it is down, though the service is killed %s',
    async (first, when, known) => {
      const reference = `${first}-${when.replaceAll(' ', '-')}`;
      const body = orderOf({ first, reference });
      const ask = () => client.post('/v1/payments', body, reference);
      environment.simulator.faults(first, { fault: 'hang_after', next: 1 });
      environment.simulator.faults(first, { fault: 'hang_before', on: 'any', rate: 1 });
      const unanswered = ask().then(
        ({ status }) => status,
        () => null,
      );
      await eventually(() => environment.effects().length === 1, 'the effect');
      await eventually(async () => (await firstOutcome(reference)) === known, `the outcome ${known}`);
      if (known === null) service.kill();
      environment.simulator.faults(first, { fault: 'refuse' });
      service.kill();
      await service.exit;
      expect(await unanswered).toBeNull();
      expect(await firstOutcome(reference)).toBe(known);
      const id = await idOf(reference);

      service = await environment.startProcess();
      const answers: Reply[] = [];
      const toldTwice = () => answers.filter(({ status }) => status === 202).length === 2;
      await client.until(async () => {
        const reply = await ask();
        answers.push(reply);
        return reply;
      }, toldTwice);
      expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);
      const told = paymentOf(answers.find(({ status }) => status === 202)!);
      expect(told).toMatchObject({ id, status: 'processing', failure: null });
      expect(told.routes).toMatchObject([{ route: 1, psp: first, verdict: 'open' }]);
      expect(await routesOf(id)).toEqual([{ route: 1, psp: first, verdict: 'open' }]);

      await environment.simulator.clearFaults(first);
      const settled = await client.until(ask, atRest);
      expect(settled.status).toBe(201);
      expect(paymentOf(settled)).toMatchObject({
        id,
        status: 'captured',
        psp: first,
        amount_captured: 1_999,
      });
      const again = await ask();
      expect([again.status, again.text]).toEqual([201, settled.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');

      expect(await routesOf(id)).toEqual([{ route: 1, psp: first, verdict: 'effective' }]);
      expect(environment.effects(id)).toMatchObject([{ psp: first, operation: 'charge', amount: 1_999 }]);
      expect(environment.effects()).toHaveLength(1);
      for (const other of others[first]) expect(environment.simulator.calls(other)).toEqual([]);
      const keysUsed = environment.orders(first).map((call) => call.idempotency_key);
      expect(new Set(keysUsed).size).toBe(1);
    },
  );
});

describe('keys that a dead process left', () => {
  /** One PSP hangs. Keys that a dead process left at another PSP are completed as fast as if the first one answered. */
  const HANGING = 50;
  /** How many keys a completer takes up at once. */
  const SIDE_BY_SIDE = 8;

  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.open({ timeoutMs: 4_000, lockTtlMs: 6_000 });
  });
  afterAll(() => environment.close());

  it('a key at Adyen is completed while 50 keys that a dead process left hang at Stripe', async () => {
    environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', rate: 1 });
    environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
    const victim = await environment.startProcess({ env: { PAYONCE_ROLE: 'api' } });
    const apiKey = await environment.merchant();
    const other = orderOf({ first: 'adyen', reference: 'other' });
    const orders = Array.from({ length: HANGING }, (_, n) => orderOf({ reference: `hangs-${n}` }));
    for (const order of [...orders, other]) {
      new ApiClient(() => victim.url, apiKey).post('/v1/payments', order, order.reference).catch(() => null);
    }
    const called = () => environment.sql('SELECT DISTINCT entity_key FROM psp_attempts');
    await eventually(async () => (await called()).length > HANGING, 'every call is under way');
    // Else the fault waits for the next call, which then hangs as well.
    await eventually(() => environment.effects().length === 1, 'the call to Adyen has arrived');
    victim.kill();
    await victim.exit;
    // The keys at Stripe come first.
    await environment.sql(
      "UPDATE idempotency_keys SET resumable_at = resumable_at - interval '1 minute' WHERE key LIKE 'hangs-%'",
    );

    const service = await environment.startProcess();
    // How many of the others a completer has taken up, in the very statement that sees the end of this one.
    const [atItsEnd] = await eventually(async () => {
      const seen = await environment.sql<{ begun: number }>(
        `SELECT (SELECT count(DISTINCT entity_key)::int FROM psp_attempts a JOIN psp_requests r USING (merchant_id, entity_key, route)
                WHERE a.trace_id LIKE 'completer-%' AND r.psp = 'stripe') AS begun
         FROM idempotency_keys WHERE key = 'other' AND recovery_point = 'finished'`,
      );
      return seen.length === 1 && seen;
    }, 'the key at Adyen');
    // Behind the others in one line it has its turn after three rounds of those that hang.
    expect(atItsEnd!.begun).toBeLessThanOrEqual(2 * SIDE_BY_SIDE);
    const answer = await new ApiClient(() => service.url, apiKey).post('/v1/payments', other, 'other');
    const { id, status } = paymentOf(answer);
    expect(status).toBe('captured');
    expect(environment.effects(id)).toHaveLength(1);
  });
});

describe('a start with another account', () => {
  /** Started again with another account under the same name: what the first one did, it knows nothing of. */
  const SETTLED_MS = 120_000;

  let environment: TestEnvironment;
  let service: ServiceProcess;
  let client: ApiClient;
  let directory: string;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ timeoutMs: 800, lockTtlMs: 2_000 });
    directory = mkdtempSync(join(tmpdir(), 'payonce-accounts-'));
    client = new ApiClient(() => service.url, await environment.merchant());
  });
  afterAll(async () => {
    await environment.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The name `stripe` stands for an account with a ledger of its own. */
  function otherAccount(): string {
    const file = join(directory, 'psps.json');
    const { keyless, adyen } = environment.simulator.urls;
    const [secretKey, merchantAccount] = ['sk_test_another', 'PayonceStage'];
    const psps = [
      { name: 'stripe', adapter: 'stripe', baseUrl: keyless, timeoutMs: 800, credentials: { secretKey } },
      {
        name: 'adyen',
        adapter: 'adyen',
        baseUrl: `${adyen}/v71`,
        timeoutMs: 800,
        credentials: { apiKey: 'stage-adyen-api-key', merchantAccount },
      },
    ];
    writeFileSync(file, JSON.stringify({ psps, routing: [{ order: ['stripe', 'adyen'] }] }));
    return file;
  }

  it('nothing is promised for its routes: neither sent again, nor proved, nor failed over, nor refunded', async () => {
    const order = orderOf({ first: 'stripe' });
    service = await environment.startProcess({ env: { PAYONCE_ROLE: 'api' }, watched: true });
    const held = paymentOf(await client.post('/v1/payments', order, 'held'));
    expect(held.status).toBe('captured');
    await service.arm({ place: 'commit:before:accepted' });
    environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
    await expect(client.post('/v1/payments', order, 'in-doubt')).rejects.toThrow();
    await service.exit;
    expect(environment.effects()).toHaveLength(2);
    const asked = environment.orders('stripe').length;

    await environment.travel(SETTLED_MS);
    service = await environment.startProcess({ env: { PAYONCE_PSPS_FILE: otherAccount() } });
    const reply = await client.until(
      () => client.post('/v1/payments', order, 'in-doubt'),
      ({ status }) => status < 300,
    );
    expect(reply.status).toBe(202);
    expect(paymentOf(reply).routes).toMatchObject([{ route: 1, psp: 'stripe', verdict: 'open' }]);
    const stuck = await eventually(async () => {
      const rows = await environment.sql('SELECT stuck_reason FROM psp_requests WHERE stuck_at IS NOT NULL');
      return rows.length > 0 && rows;
    }, 'stuck');
    expect(stuck).toEqual([{ stuck_reason: 'another account is configured under the name of this PSP' }]);

    const refund = await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund');
    expect([refund.status, codeOf(refund)]).toEqual([409, 'psp_account_changed']);
    for (const psp of ['keyless', 'adyen'] as const) expect(environment.simulator.calls(psp)).toEqual([]);
    expect(environment.orders('stripe')).toHaveLength(asked);

    // The account is configured as it was: it goes on from there.
    await service.stop();
    service = await environment.startProcess();
    const settled = await client.until(() => client.post('/v1/payments', order, 'in-doubt'), atRest);
    expect(paymentOf(settled)).toMatchObject({ status: 'captured', psp: 'stripe' });
    expect((await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund')).status).toBe(409);
    expect((await client.post(`/v1/payments/${held.id}/refunds`, {}, 'refund-again')).status).toBe(201);
    expect(environment.effects().map(({ psp, operation }) => `${psp} ${operation}`)).toEqual([
      'stripe charge',
      'stripe charge',
      'stripe refund',
    ]);
  });
});
