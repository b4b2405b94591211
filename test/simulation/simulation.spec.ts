import { type Played } from './payment-schedule.js';
import { type PlayedPayouts } from './payout-schedule.js';
import { spawnNode } from '../support/process.js';

/**
 * The flows of the service over an in-memory store with the same guards, simulated PSPs, network
 * and clock, in one thread: every interleaving of crashes, lost answers, takeovers, freezes and
 * late effects that a seed draws. Two processes share the seeds, outside Jest, whose sandbox makes
 * them four times as slow.
 */
const SCHEDULES = Number(process.env['SIMULATION_SCHEDULES'] ?? 100_000);

/** A payout has less that can come in between, and the tests are to end within twenty minutes. */
const OF_PAYOUTS = Math.ceil(SCHEDULES / 10);

type Sums = Readonly<Record<'schedules' | keyof Played | keyof PlayedPayouts, number>>;

async function play(of: string, from: number, to: number): Promise<Sums> {
  const child = spawnNode('dist/test/simulation/main.js', {
    args: ['--of', of, '--from', String(from), '--to', String(to)],
  });
  const { code } = await child.exit;
  if (code !== 0) throw new Error(child.output());
  return JSON.parse(child.stdout()) as Sums;
}

/** What came of seeds 1 to `count`, in two processes. */
async function playAll(of: string, count: number): Promise<(name: keyof Sums) => number> {
  const middle = Math.floor(count / 2);
  const halves = await Promise.all([play(of, 1, middle), play(of, middle + 1, count)]);
  return (name) => halves.reduce((sum, half) => sum + half[name], 0);
}

describe(`${SCHEDULES} schedules, each drawn by its seed`, () => {
  it(
    'charge once, lose nothing, and answer the same again',
    async () => {
      const total = await playAll('payment', SCHEDULES);
      expect(total('schedules')).toBe(SCHEDULES);
      // A storm in which nothing happens proves nothing.
      expect(total('crashes')).toBeGreaterThan(SCHEDULES / 10);
      expect(total('takeovers')).toBeGreaterThan(SCHEDULES / 10);
      expect(total('switches')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('effects')).toBeGreaterThan(SCHEDULES / 2);
      expect(total('compensated')).toBeGreaterThan(SCHEDULES / 500);
      expect(total('refunds')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('noticed')).toBeGreaterThan(SCHEDULES / 20);
      // No false alarm: whatever these PSPs tell, in whatever order, agrees with what was decided.
      expect(total('falseAlarms')).toBe(0);
      expect(total('told')).toBeGreaterThan(SCHEDULES / 2);
    },
    20 * 60_000,
  );

  it(
    'pay out once, though several pay who do not know of each other',
    async () => {
      const total = await playAll('payouts', OF_PAYOUTS);
      expect(total('schedules')).toBe(OF_PAYOUTS);
      expect(total('crashes')).toBeGreaterThan(OF_PAYOUTS / 10);
      expect(total('takeovers')).toBeGreaterThan(OF_PAYOUTS / 10);
      expect(total('switches')).toBeGreaterThan(OF_PAYOUTS / 20);
      expect(total('effects')).toBeGreaterThan(OF_PAYOUTS / 2);
      expect(total('outOfTurn')).toBeGreaterThan(OF_PAYOUTS);
      expect(total('noticed')).toBeGreaterThan(OF_PAYOUTS / 20);
      expect(total('falseAlarms')).toBe(0);
      expect(total('told')).toBeGreaterThan(OF_PAYOUTS / 2);
    },
    10 * 60_000,
  );

  it.each(['payment', 'payouts'])(
    'of %s fall when a rule is broken: a call in doubt taken for none',
    async (of) => {
      const child = spawnNode('dist/test/simulation/main.js', {
        args: ['--of', of, '--from', '1', '--to', '200'],
        preload: 'test/simulation/break-the-rule.mjs',
      });
      expect((await child.exit).code).toBe(1);
      expect(child.output()).toMatch(/seed \d+: I\d/);
    },
  );
});
