import { setTimeout as sleep } from 'node:timers/promises';
import { PayonceClient } from '@payonce/client';
import {
  atRest,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

/**
 * A charge is done, its answer is lost, and the PSP is away for a while. However often clients ask
 * meanwhile, the payment is found when the PSP is back; it is neither given up nor given back.
 */
const OUTAGE_MS = 13_000;
/** After it the next ask is at most 30 s away, and the next round of the schedule at most 40 s after the doubt. */
const PATIENCE_MS = OUTAGE_MS + 45_000;

let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  [service, apiKey] = await Promise.all([environment.start({ role: 'all' }), environment.merchant()]);
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(() => environment.close());

/** Asks so often, until it is at rest. Returns the payment's id. */
async function askEvery(ms: number, first: PspName): Promise<string> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (Date.now() < giveUpAt) {
    const reply = await client.post(
      '/v1/payments',
      orderOf({ first, reference: `every-${ms}` }),
      `${first}-${ms}`,
    );
    if (atRest(reply)) return paymentOf(reply).id;
    await sleep(ms);
  }
  throw new Error(`asked every ${ms} ms of ${first} it did not come to rest`);
}

async function waitWithClient(first: PspName): Promise<string> {
  const client = new PayonceClient({ apiKey, baseUrl: service.url });
  const { payment_method, ...rest } = orderOf({ first, reference: 'client' });
  const order = { ...rest, payment_method: { type: 'card' as const, tokens: payment_method.tokens } };
  const options = { idempotencyKey: `${first}-client`, waitUntilSettledMs: 60_000 };
  const { body } = await client.payments.create(order, options);
  expect(body.status).toBe('captured');
  return body.id;
}

describe('an answer that is lost, and an outage after it', () => {
  it('end captured, once, however often clients ask', async () => {
    const psps = ['stripe', 'adyen'] as const;
    for (const psp of psps) environment.simulator.faults(psp, { fault: 'reset_after', on: 'any', rate: 1 });
    const asking = Promise.all(
      psps.flatMap((psp) => [askEvery(1_000, psp), askEvery(10_000, psp), waitWithClient(psp)]),
    );
    const outage = async () => {
      for (const endsAt = Date.now() + OUTAGE_MS; Date.now() < endsAt; await sleep(500)) {
        const sql = "SELECT 1 FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NULL";
        const routes = await environment.sql(sql);
        expect(routes).toEqual([]);
      }
      await environment.simulator.clearFaults();
    };
    const [ids] = await Promise.all([asking, outage()]);

    for (const id of ids) {
      expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
      expect(environment.effects(id)).toMatchObject([{ operation: 'charge', amount: 1_999 }]);
    }
    expect(environment.effects()).toHaveLength(ids.length);
    const cancels = await environment.sql("SELECT 1 FROM psp_attempts WHERE kind = 'cancel'");
    expect(cancels).toEqual([]);
  });
});
