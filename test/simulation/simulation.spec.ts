import { type Played } from './payment-schedule.js';
import { spawnNode } from '../support/process.js';

/**
 * The flows of the service over an in-memory store with the same guards, simulated PSPs, network
 * and clock, in one thread: every interleaving of crashes, lost answers, takeovers, freezes and
 * late effects that a seed draws. Two processes share the seeds, outside Jest, whose sandbox makes
 * them four times as slow.
 */
const SCHEDULES = Number(process.env['SIMULATION_SCHEDULES'] ?? 100_000);

type Sum = Played & { readonly schedules: number };

async function playAll(from: number, to: number): Promise<Sum> {
  const child = spawnNode('dist/test/simulation/main.js', {
    args: ['--from', String(from), '--to', String(to)],
  });
  const { code } = await child.exit;
  if (code !== 0) throw new Error(child.output());
  return JSON.parse(child.stdout()) as Sum;
}

describe(`${SCHEDULES} schedules, each drawn by its seed`, () => {
  it(
    'charge once, lose nothing, and answer the same again',
    async () => {
      const middle = Math.floor(SCHEDULES / 2);
      const halves = await Promise.all([playAll(1, middle), playAll(middle + 1, SCHEDULES)]);
      const total = (name: keyof Sum) => halves.reduce((sum, half) => sum + half[name], 0);
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
      expect(total('contradictions')).toBe(0);
      expect(total('told')).toBeGreaterThan(SCHEDULES / 2);
    },
    20 * 60_000,
  );

  it('fall when a rule is broken: a call in doubt taken for none', async () => {
    const child = spawnNode('dist/test/simulation/main.js', {
      args: ['--from', '1', '--to', '200'],
      preload: 'test/simulation/break-the-rule.mjs',
    });
    expect((await child.exit).code).toBe(1);
    expect(child.output()).toMatch(/seed \d+: I\d/);
  });
});
