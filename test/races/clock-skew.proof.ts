import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, orderOf, paymentOf, ApiClient, TestEnvironment } from '../support/test-environment.js';

/**
 * Two API processes whose clocks are 100 s apart. A charge is 6 s on its way; what one process stamps
 * and the other judges must not make "not found" final before it has arrived.
 */
const APART_MS = 100_000;
const ON_ITS_WAY_MS = 6_000;

let environment: TestEnvironment;
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({
    timeoutMs: 600,
    lockTtlMs: 1_700,
    env: { PAYONCE_ROLE: 'api' },
  });
  apiKey = await environment.merchant();
});
afterAll(() => environment.close());

const skewed = (ms: number) => environment.start({ env: { PAYONCE_CLOCK_OFFSET_MS: String(ms) } });

it('charges once, whichever of two processes is off', async () => {
  const offsets = [0, -APART_MS, -APART_MS / 2];
  const pairs = await Promise.all(offsets.map((ofA) => Promise.all([skewed(ofA), skewed(ofA + APART_MS)])));
  environment.simulator.faults('keyless', {
    fault: 'late_effect',
    delay_ms: ON_ITS_WAY_MS,
    on: 'execute',
    next: pairs.length,
  });
  const late = Date.now() + ON_ITS_WAY_MS + 2_000;

  const charges = pairs.map(async ([a, b], n) => {
    const body = orderOf({ first: 'keyless', reference: `pair-${n}` });
    const at = (url: string) => new ApiClient(() => url, apiKey).post('/v1/payments', body, `pair-${n}`);
    const asked = await at(a.url);
    expect(asked.status).toBe(202);
    const { id } = paymentOf(asked);
    // The client goes on asking, now the one and now the other.
    for (let turn = 0; Date.now() < late; turn++) {
      await at((turn % 2 === 0 ? b : a).url);
      await sleep(400);
    }
    return id;
  });
  const ids = await Promise.all(charges);
  await eventually(() => environment.effects().length >= ids.length, 'the effects');
  for (const id of ids) {
    expect(environment.effects(id).map(({ operation, psp }) => `${operation} at ${psp}`)).toEqual([
      'charge at keyless',
    ]);
  }
}, 120_000);
