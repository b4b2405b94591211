import { type PspName, pspNames } from '@payonce/simulator';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * Two API processes whose clocks are 100 s apart. A charge is 8 s on its way; what one process stamps
 * and the other judges must not make "not found" final before it has arrived.
 */
const APART_MS = 100_000;
const ON_ITS_WAY_MS = 8_000;

let stage: TestEnvironment;
let apiKey: string;

beforeAll(async () => {
  stage = await TestEnvironment.open({ timeoutMs: 600, lockTtlMs: 1_700, env: { PAYONCE_ROLE: 'api' } });
  apiKey = await stage.merchant();
});
afterAll(() => stage.close());

const skewed = (ms: number) => stage.start({ env: { PAYONCE_CLOCK_OFFSET_MS: String(ms) } });

it.each([
  ['keyless', 0, APART_MS],
  ['keyless', -APART_MS, 0],
  ['keyless', -APART_MS / 2, APART_MS / 2],
] as const)(
  'charges once at %s when one process is %d ms off and the other %d ms',
  async (first: PspName, offsetOfA: number, offsetOfB: number) => {
    await stage.simulator.reset();
    const [a, b] = [await skewed(offsetOfA), await skewed(offsetOfB)];
    const key = `${first} ${offsetOfA} ${offsetOfB}`;
    const body = orderOf({ first, reference: key });
    const at = (url: string) => new ApiClient(() => url, apiKey).post('/v1/payments', body, key);
    stage.simulator.faults(first, { fault: 'late_effect', delay_ms: ON_ITS_WAY_MS, next: 1 });

    const asked = await at(a.url);
    expect(asked.status).toBe(202);
    const { id } = paymentOf(asked);
    // The client goes on asking, now the one and now the other, until it is told how it ended.
    const late = Date.now() + ON_ITS_WAY_MS + 2_000;
    let turn = 0;
    let last = asked;
    while (Date.now() < late || !atRest(last)) {
      last = await at((turn++ % 2 === 0 ? b : a).url);
      await new Promise((resolve) => setTimeout(resolve, 400));
      if (Date.now() > late + 20_000) break;
    }
    await eventually(() => stage.effects(id).length > 0, 'the effect');
    const effects = pspNames.flatMap((psp) =>
      stage.simulator.ledger(psp).effects.map(({ operation }) => `${operation} at ${psp}`),
    );
    expect(effects).toEqual([`charge at ${first}`]);
    for (const service of [a, b]) {
      service.kill();
      await service.exit;
    }
  },
  120_000,
);
