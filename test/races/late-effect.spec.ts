import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

let environment: TestEnvironment;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  const apiKey = await environment.merchant();
  const service = await environment.start();
  client = new ApiClient(() => service.url, apiKey);
});

afterAll(() => environment.close());

beforeEach(() => environment.simulator.reset());

const LATE_MS = 1_500;
const body = orderOf({ first: 'stripe' });

async function expectOneRoute(paymentId: string): Promise<void> {
  const routes = await environment.sql<{ route: number; psp: string; verdict: string }>(
    'SELECT route, psp, verdict FROM psp_requests WHERE payment_id = $1',
    [paymentId],
  );
  expect(routes).toEqual([{ route: 1, psp: 'stripe', verdict: 'effective' }]);
  expect(environment.simulator.ledger('adyen').effects).toEqual([]);
  expect(environment.simulator.calls('adyen')).toEqual([]);
  expect(environment.simulator.calls('keyless')).toEqual([]);
}

/** When lookups said "not found", as the service wrote it down. */
async function misses(): Promise<Date[]> {
  const rows = await environment.sql<{ ended_at: Date }>(
    "SELECT ended_at FROM psp_attempts WHERE kind = 'lookup' AND outcome = 'not_found' ORDER BY ended_at",
  );
  return rows.map((row) => row.ended_at);
}

describe('a charge that lands after a lookup said that it is not there', () => {
  it('is not failed over, and is found once it lands', async () => {
    // Every charge is late, so what the ledger shows first is the late effect and no retry.
    environment.simulator.faults('stripe', { fault: 'late_effect', delay_ms: LATE_MS, times: 100 });
    const before = (await misses()).length;
    const settled = client.until(() => client.post('/v1/payments', body, 'late-effect'), atRest, 40_000);

    const miss = await eventually(async () => (await misses())[before], 'a lookup that finds nothing');
    const effect = await eventually(() => environment.effects()[0], 'the late effect');
    await environment.simulator.clearFaults('stripe');

    expect(new Date(effect.at).getTime()).toBeGreaterThan(miss.getTime());
    const payment = paymentOf(await settled);
    expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
    await expectOneRoute(payment.id);
    expect(environment.effects()).toEqual([effect]);
  });

  it('is one charge with the retry that overtook it', async () => {
    environment.simulator.faults('stripe', { fault: 'late_effect', delay_ms: LATE_MS, next: 1 });
    const before = (await misses()).length;

    const reply = await client.until(() => client.post('/v1/payments', body, 'overtaken'), atRest);

    const payment = paymentOf(reply);
    expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
    expect((await misses()).length).toBeGreaterThan(before);
    const sent = environment.orders('stripe').map((call) => call.idempotency_key);
    expect(sent).toEqual([sent[0], sent[0]]);
    // Now the late one lands, and is the same charge by its key.
    environment.simulator.advance(LATE_MS, 'stripe');
    await expectOneRoute(payment.id);
    expect(environment.effects(payment.id)).toHaveLength(1);
    expect(environment.effects()).toHaveLength(1);
  });
});
