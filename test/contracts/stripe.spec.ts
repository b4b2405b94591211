import { SystemClock } from '../../src/core/clock.js';
import { exercisePsp } from './exercise-psp.js';
import { PATIENT_MS, PspBench, TIMEOUT_MS } from './psp-under-test.js';
import { stripeSubject } from './stripe-subject.js';

exercisePsp('stripe', stripeSubject('stripe'));

describe('stripe: the bound of a lookup by list', () => {
  const bench = new PspBench(stripeSubject('stripe'));
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());
  beforeEach(() => bench.fresh(undefined, PATIENT_MS));
  afterEach(() => bench.end());

  /** Charges of other orders, all of them made in the time that a lookup looks at. */
  const others = async (many: number) => {
    for (let made = 0; made < many; made += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => bench.execute(bench.instruction())));
      expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['succeeded']));
    }
  };

  it.each([500])(
    'finds ours among %i others of the same minute, and says not found of what is not there',
    async (many) => {
      bench.searchLag(600_000);
      const oldest = bench.instruction();
      await bench.execute(oldest);
      await others(many);
      const requests = bench.requests();
      expect((await bench.lookup(oldest)).outcome).toBe('succeeded');
      // One search, the pages of the others, and the page that ours is on.
      expect(bench.requests() - requests).toBe(1 + many / 100 + 1);
      expect((await bench.lookup(bench.instruction())).outcome).toBe('not_found');
    },
  );

  it('does not know, and never says not found, when the call ends before the list', async () => {
    bench.searchLag(600_000);
    const oldest = bench.instruction();
    await bench.execute(oldest);
    await others(400);
    await bench.end();
    await bench.fresh(undefined, TIMEOUT_MS, false);
    bench.fault({ fault: 'delay_after', on: 'lookup', rate: 1, delay_ms: TIMEOUT_MS / 4 });
    expect(['too_many_to_list', 'timeout']).toContain((await bench.lookup(oldest)).pspCode);
    expect((await bench.lookup(bench.instruction())).outcome).toBe('unknown');
    await bench.clearFaults();
    bench.searchLag(0);
    expect((await bench.lookup(oldest)).outcome).toBe('succeeded');
  });

  it('reads no more than the minutes around each execute', async () => {
    const hour = 3_600_000;
    const first = new Date();
    await others(500);
    bench.advance(hour);
    await others(500);
    bench.advance(hour);
    await bench.end();
    await bench.fresh(new SystemClock(2 * hour), PATIENT_MS, false);
    await others(100);
    const sentAt = [first, new Date(first.getTime() + 2 * hour)];
    const requests = bench.requests();
    expect((await bench.lookup(bench.instruction({ sentAt }))).outcome).toBe('not_found');
    // One search, five pages of the first minutes, one of the last; and none of the hour between.
    expect(bench.requests() - requests).toBe(7);
  });

  it('looks by the clock of Stripe where ours is minutes behind or ahead', async () => {
    for (const skewMs of [-120_000, 120_000]) {
      await bench.end();
      await bench.fresh(new SystemClock(skewMs), PATIENT_MS);
      bench.searchLag(600_000);
      const now = new Date(Date.now() + skewMs);
      const charge = bench.instruction({ sentAt: [now] });
      await bench.execute(charge);
      expect((await bench.lookup(charge)).outcome).toBe('succeeded');
      expect((await bench.lookup(bench.instruction({ sentAt: [now] }))).outcome).toBe('not_found');
    }
  });

  it('does not say not found by a clock that is hours apart from the PSP, but still finds', async () => {
    await bench.end();
    await bench.fresh(new SystemClock(3 * 3_600_000), PATIENT_MS);
    const sentAt = [new Date(Date.now() + 3 * 3_600_000)];
    const charge = bench.instruction({ sentAt });
    await bench.execute(charge);
    expect((await bench.lookup(charge)).outcome).toBe('succeeded');
    bench.searchLag(600_000);
    expect((await bench.lookup(charge)).outcome).toBe('succeeded');
    const nothing = await bench.lookup(bench.instruction({ sentAt }));
    expect(nothing).toMatchObject({ outcome: 'unknown', pspCode: 'clocks_differ' });
  });

  it('knows a stored failure from one of now', async () => {
    const charge = bench.instruction();
    bench.fault({ fault: 'error_500_before', next: 1 });
    const answers = [await bench.execute(charge), await bench.execute(charge)];
    expect(answers.map(({ httpStatus, isReplay }) => [httpStatus, isReplay])).toEqual([
      [500, undefined],
      [500, true],
    ]);
  });

  it('sees two payments for one route as a conflict', async () => {
    const charge = bench.instruction();
    await bench.execute(charge);
    await bench.execute({ ...charge, idempotencyKey: 'another-key' });
    expect(await bench.lookup(charge)).toMatchObject({ outcome: 'conflict', pspCode: 'several_found' });
  });
});
