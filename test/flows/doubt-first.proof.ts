import { type PspName } from '@payonce/simulator';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

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

const firstOutcome = async (reference: string) => {
  const [row] = await environment.sql<{ outcome: string | null }>(
    `SELECT a.outcome FROM psp_attempts a JOIN payments p ON strpos(a.entity_key, p.id::text) > 0
      WHERE p.reference = $1 AND a.route = 1 AND a.attempt = 1`,
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
    expect(paymentOf(settled)).toMatchObject({ id, status: 'captured', psp: first, amount_captured: 1_999 });
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
