import { startSimulator, type Simulator } from '@payonce/simulator';
import { effects, failure, StripeClient } from './support.js';

describe('a simulated PSP without idempotency keys', () => {
  let simulator: Simulator;
  let keyless: StripeClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    keyless = new StripeClient(simulator.urls.keyless);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  it('executes whatever it is sent, however often', async () => {
    const first = await keyless.charge({ key: 'k1' });
    const second = await keyless.charge({ key: 'k1' });
    expect(second.body.id).not.toBe(first.body.id);
    expect(effects(simulator, 'keyless')).toHaveLength(2);
    expect(effects(simulator, 'stripe')).toEqual([]);
  });

  it('charges twice when a lost answer is simply sent again', async () => {
    simulator.faults('keyless', { fault: 'reset_after', next: 1 });
    expect(await failure(keyless.charge({ key: 'k1' }))).not.toBe('answered');
    await keyless.charge({ key: 'k1' });
    expect(effects(simulator, 'keyless')).toHaveLength(2);
  });

  it('can be asked what it did', async () => {
    simulator.faults('keyless', { fault: 'reset_after', next: 1 });
    await failure(keyless.charge());
    const { data } = (await keyless.search('payment-1-charge')).body;
    expect(data.map(({ status }) => status)).toEqual(['succeeded']);
  });
});
