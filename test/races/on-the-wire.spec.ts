import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';
import { PostgresTap, type Said } from './postgres-tap.js';

let stage: TestEnvironment;
let tap: PostgresTap;
let service: Service;

beforeAll(async () => {
  stage = await TestEnvironment.open();
  tap = await PostgresTap.open(stage.database.url);
  service = await stage.start({
    databaseUrl: tap.url,
    // No worker polls, and the one lane has every statement prepared after one payment.
    env: { PAYONCE_ROLE: 'api', PAYONCE_COMMIT_LANES: '1' },
  });
});

afterAll(async () => {
  await stage.close();
  await tap.close();
});

/** A shop that has just paid once: its API key is believed for 5 s, and every statement is prepared. */
async function warmShop(): Promise<ApiClient> {
  const shop = new ApiClient(() => service.url, await stage.merchant());
  expect((await shop.post('/v1/payments', orderOf(), 'warm-up')).status).toBe(201);
  tap.reset();
  return shop;
}

function saidForPayments(): Omit<Said, 'wake'> {
  const { wake: _, ...said } = tap.said();
  return said;
}

describe('what a payment says to Postgres', () => {
  it('is two statements, each one round trip, with nothing read first', async () => {
    const shop = await warmShop();
    const before = stage.effects().length;

    const reply = await shop.post('/v1/payments', orderOf(), 'measured');

    expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
    expect(paymentOf(reply).status).toBe('captured');
    expect(stage.effects()).toHaveLength(before + 1);
  });

  it('is one of them before the PSP is called, and one after', async () => {
    const shop = await warmShop();
    stage.simulator.faults('stripe', { fault: 'delay_before', delay_ms: 500, next: 1 });
    const before = stage.orders('stripe').length;

    const asked = shop.post('/v1/payments', orderOf(), 'held');
    await eventually(() => stage.orders('stripe').length > before, 'the call');
    const first = saidForPayments();
    expect((await asked).status).toBe(201);

    expect(first).toEqual({ parse: 0, bind: 1, execute: 1, sync: 1, query: 0 });
    expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
  });

  it('keeps to two on each of many', async () => {
    const many = 10;
    const shop = await warmShop();

    for (let i = 0; i < many; i++) {
      expect((await shop.post('/v1/payments', orderOf(), `many-${i}`)).status).toBe(201);
    }

    const { query, ...said } = saidForPayments();
    // Beside them, not before an answer, and however many payments there are: at most one in 20 ms.
    expect(tap.said().wake).toBeLessThanOrEqual(many + 1);
    expect(said).toEqual({ parse: 0, bind: 2 * many, execute: 2 * many, sync: 2 * many });
    // A lane makes its plans anew after 16, 64, 256 … statements: once in this many at most.
    expect(query).toBeLessThanOrEqual(1);
  });
});
