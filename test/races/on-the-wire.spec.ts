import { eventually, orderOf, paymentOf, type Service, Shop, Stage } from '../support/service.js';
import { PostgresTap } from './postgres-tap.js';

let stage: Stage;
let tap: PostgresTap;
let service: Service;
let shop: Shop;

beforeAll(async () => {
  stage = await Stage.open();
  tap = await PostgresTap.open(stage.database.url);
  const apiKey = await stage.merchant();
  service = await stage.start({
    databaseUrl: tap.url,
    // No worker polls, and the one lane has every statement prepared after one payment.
    env: { PAYONCE_ROLE: 'api', PAYONCE_COMMIT_LANES: '1' },
  });
  shop = new Shop(() => service.url, apiKey);
});

afterAll(async () => {
  await stage.close();
  await tap.close();
});

/** The API key is believed for 5 s, and every statement is prepared. */
async function warmUp(name: string): Promise<void> {
  expect((await shop.post('/v1/payments', orderOf(), `warm-up-${name}`)).status).toBe(201);
  tap.reset();
}

describe('what a payment says to Postgres', () => {
  it('is two statements, each one round trip, with nothing read first', async () => {
    const before = stage.effects().length;
    await warmUp('charge');

    const reply = await shop.post('/v1/payments', orderOf(), 'measured');

    expect(tap.said()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
    expect(paymentOf(reply).status).toBe('captured');
    expect(stage.effects()).toHaveLength(before + 2);
  });

  it('is one of them before the PSP is called, and one after', async () => {
    await warmUp('held');
    stage.simulator.faults('stripe', { fault: 'delay_before', delay_ms: 500, next: 1 });
    const before = stage.orders('stripe').length;

    const asked = shop.post('/v1/payments', orderOf(), 'held');
    await eventually(() => stage.orders('stripe').length > before, 'the call');
    const first = tap.said();
    expect((await asked).status).toBe(201);

    expect(first).toEqual({ parse: 0, bind: 1, execute: 1, sync: 1, query: 0 });
    expect(tap.said()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
  });

  it('keeps to two on each of many', async () => {
    const many = 20;
    await warmUp('many');

    for (let i = 0; i < many; i++) {
      expect((await shop.post('/v1/payments', orderOf(), `many-${i}`)).status).toBe(201);
    }

    // The API key may have been read anew on the way, when that took longer than it is believed.
    const { sync, query } = tap.said();
    expect(query).toBe(0);
    expect(sync).toBeGreaterThanOrEqual(2 * many);
    expect(sync).toBeLessThan(2 * many + many);
  });
});
