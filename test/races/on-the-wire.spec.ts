import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';
import { PostgresTap, type Said } from './postgres-tap.js';

let environment: TestEnvironment;
let tap: PostgresTap;
let service: Service;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  tap = await PostgresTap.open(environment.database.url);
  service = await environment.start({
    databaseUrl: tap.url,
    // No worker polls, and the one lane has every statement prepared after one payment.
    env: { PAYONCE_ROLE: 'api', PAYONCE_COMMIT_LANES: '1' },
  });
});

afterAll(async () => {
  await environment.close();
  await tap.close();
});

/** A shop that has just paid once: its API key is believed for 5 s, and every statement is prepared. */
async function warmClient(): Promise<ApiClient> {
  const client = new ApiClient(() => service.url, await environment.merchant());
  expect((await client.post('/v1/payments', orderOf(), 'warm-up')).status).toBe(201);
  tap.reset();
  return client;
}

function saidForPayments(): Omit<Said, 'wake'> {
  const { wake: _, ...said } = tap.said();
  return said;
}

describe('what a payment says to Postgres', () => {
  it('is two statements, each one round trip, with nothing read first', async () => {
    const client = await warmClient();
    const before = environment.effects().length;

    const reply = await client.post('/v1/payments', orderOf(), 'measured');

    expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
    expect(paymentOf(reply).status).toBe('captured');
    expect(environment.effects()).toHaveLength(before + 1);
  });

  it('is one of them before the PSP is called, and one after', async () => {
    const client = await warmClient();
    environment.simulator.faults('stripe', { fault: 'delay_before', delay_ms: 500, next: 1 });
    const before = environment.orders('stripe').length;

    const asked = client.post('/v1/payments', orderOf(), 'held');
    await eventually(() => environment.orders('stripe').length > before, 'the call');
    const first = saidForPayments();
    expect((await asked).status).toBe(201);

    expect(first).toEqual({ parse: 0, bind: 1, execute: 1, sync: 1, query: 0 });
    expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
  });

  it('keeps to two on each of many', async () => {
    const many = 10;
    const client = await warmClient();

    for (let i = 0; i < many; i++) {
      expect((await client.post('/v1/payments', orderOf(), `many-${i}`)).status).toBe(201);
    }

    const { query, ...said } = saidForPayments();
    // Beside them, not before an answer, and however many payments there are: at most one in 20 ms.
    expect(tap.said().wake).toBeLessThanOrEqual(many + 1);
    expect(said).toEqual({ parse: 0, bind: 2 * many, execute: 2 * many, sync: 2 * many });
    // A lane makes its plans anew after 16, 64, 256 … statements: once in this many at most.
    expect(query).toBeLessThanOrEqual(1);
  });
});
