import { median, percentile, type Sample, sampleOf } from './measure.js';
import { optionsOf } from './options.js';
import { plotOf } from './plot.js';
import { ratioLines, ratioOf, ratiosOf, type Series } from './report.js';

const sample = (paymentsPerSecond: number, cpuMsPerPayment: Sample['cpuMsPerPayment'] = {}): Sample => ({
  payments: 100,
  paymentsPerSecond,
  p50Ms: 1,
  p99Ms: 2,
  cpuMsPerPayment,
  walBytesPerPayment: 1_000,
});
const load = { inFlight: 16, pspMs: 0 };

const series = (contender: string, ...figures: readonly number[]): Series => ({
  contender,
  load,
  samples: figures.map((figure) => sample(figure)),
});

describe('ratios', () => {
  const all = [series('service', 50, 90, 30), series('pgbench', 100, 100, 100), series('bare', 50, 45, 30)];

  it('are taken within a round, and then the median of the rounds', () => {
    expect(ratioOf(all, 'service', 'pgbench', load)).toMatchObject({
      median: 0.5,
      lowest: 0.3,
      highest: 0.9,
    });
    expect(ratiosOf(all).map(({ to, median: middle }) => [to, middle])).toEqual([
      ['pgbench', 0.5],
      ['bare', 1],
    ]);
  });

  it('are not made up where a contender did not run', () => {
    expect(ratioOf(all, 'service', 'pgbench', { ...load, inFlight: 64 })).toBeNull();
    expect(ratiosOf([series('service', 1)])).toEqual([]);
  });

  it('are of CPU time too, all parts together, where all are known', () => {
    const costing = (contender: string, postgres: number | null, service: number): Series => ({
      contender,
      load,
      samples: [sample(1, { postgres, service })],
    });
    const cpuOf = (to: Series) => ratioOf([costing('service', 1, 2), to], 'service', to.contender, load)?.cpu;
    expect(cpuOf(costing('bare', 2, 4))).toBe(0.5);
    expect(cpuOf(costing('bare', null, 4))).toBeNull();
  });

  it('are told in a line each', () => {
    expect(ratioLines(ratiosOf(all))[1]).toMatch(/^service \/ pgbench +16 +0 ms +0\.50 +0\.30 to 0\.90 +-$/);
  });
});

it('plots a bar for each contender and load', () => {
  const plot = plotOf([series('service', 50, 90, 30), series('pgbench', 100)]);
  expect(plot.match(/<title>(service|pgbench): \d+\/s/g)).toEqual([
    '<title>service: 50/s',
    '<title>pgbench: 100/s',
  ]);
  // The bar of half the rate is half as high.
  const heights = [...plot.matchAll(/height="([\d.]+)" fill="[^"]+"><title>/g)].map(([, height]) =>
    Number(height),
  );
  expect(heights[0]! * 2).toBeCloseTo(heights[1]!);
});

it('spreads CPU time over the payments of the window, and knows where it knows nothing', () => {
  const counted = { payments: 200, p50Ms: 1, p99Ms: 2 };
  const made = sampleOf(
    counted,
    2_000,
    { cpuMs: { service: 100, postgres: null }, walBytes: 1_000 },
    { cpuMs: { service: 300, postgres: null, load: 5 }, walBytes: 401_000 },
  );
  expect([made.paymentsPerSecond, made.walBytesPerPayment]).toEqual([100, 2_000]);
  expect(made.cpuMsPerPayment).toEqual({ service: 1, postgres: null, load: null });
});

it('has medians and percentiles', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  expect([percentile([3, 1, 2], 0.5), percentile([1, 2], 0.99), percentile([], 0.5)]).toEqual([2, 2, NaN]);
});

describe('options', () => {
  it('have defaults for a run of two minutes', () => {
    expect(optionsOf([])).toMatchObject({ rounds: 3, beside: [], profile: null });
    expect(optionsOf([]).loads.map(({ inFlight, pspMs }) => [inFlight, pspMs])).toEqual([
      [1, 0],
      [16, 0],
      [64, 0],
      [256, 0],
      [64, 50],
      [512, 50],
    ]);
    expect(optionsOf(['--slow', '-', '--in-flight', '8']).loads).toEqual([{ inFlight: 8, pspMs: 0 }]);
  });

  it('measure the service alone where payments are stored first', () => {
    expect(optionsOf(['--growth', '1000,1000000'])).toMatchObject({
      growth: [1_000, 1_000_000],
      onlyServices: true,
    });
  });

  it('take further services, each with its settings', () => {
    expect(optionsOf(['--beside', '.,PAYONCE_COMMIT_LANES=2']).beside).toEqual([
      { checkout: '.', env: { PAYONCE_COMMIT_LANES: '2' } },
    ]);
  });

  it.each([['--rounds', '0'], ['--rounds', '1.5'], ['--in-flight', '1,x'], ['--beside', '.,x'], ['--fast']])(
    'refuse %s %s',
    (...args) => {
      expect(() => optionsOf(args)).toThrow(/--/);
    },
  );
});
