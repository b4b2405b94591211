import {
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

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
    expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([[first, 'charge']]);
    const again = await client.post('/v1/payments', body, key);
    expect([again.status, again.text]).toEqual([settled.status, settled.text]);
    expect(await a.stop()).toEqual({ code: 0, signal: null });
  });
});
