import { SystemClock } from '../../src/kernel/index.js';
import { exercisePsp } from './exercise-psp.js';
import { PspBench } from './psp-under-test.js';
import { stripeSubject } from './stripe-subject.js';

exercisePsp('stripe', stripeSubject('stripe'));

describe('stripe: the bound of a lookup by list', () => {
  const bench = new PspBench(stripeSubject('stripe'));
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());
  beforeEach(() => bench.fresh());
  afterEach(() => bench.end());

  it('does not know, and never says not found, when there is more than it may read', async () => {
    bench.searchLag(600_000);
    const oldest = bench.instruction();
    await bench.execute(oldest);
    for (let batch = 0; batch < 20; batch++) {
      await Promise.all(Array.from({ length: 50 }, () => bench.execute(bench.instruction())));
    }
    const requests = bench.requests();
    expect(await bench.lookup(oldest)).toMatchObject({ outcome: 'unknown', pspCode: 'too_many_to_list' });
    // One search and ten pages.
    expect(bench.requests() - requests).toBe(11);
    expect((await bench.lookup(bench.instruction())).outcome).toBe('unknown');
    bench.searchLag(0);
    expect((await bench.lookup(oldest)).outcome).toBe('succeeded');
  });

  it('does not say not found by a clock that is hours apart from the PSP, but still finds', async () => {
    await bench.end();
    await bench.fresh(new SystemClock(3 * 3_600_000));
    const firstSentAt = new Date(Date.now() + 3 * 3_600_000);
    const charge = bench.instruction({ firstSentAt });
    await bench.execute(charge);
    expect((await bench.lookup(charge)).outcome).toBe('succeeded');
    bench.searchLag(600_000);
    expect(await bench.lookup(charge)).toMatchObject({ outcome: 'unknown', pspCode: 'clocks_differ' });
  });

  it('sees two payments for one route as a conflict', async () => {
    const charge = bench.instruction();
    await bench.execute(charge);
    await bench.execute({ ...charge, idempotencyKey: 'another-key' });
    expect(await bench.lookup(charge)).toMatchObject({ outcome: 'conflict', pspCode: 'several_found' });
  });
});
