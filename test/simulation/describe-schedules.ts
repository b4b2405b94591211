import { play, type Played } from './schedule.js';

/**
 * The flows of the service over an in-memory store with the same guards, simulated PSPs, network
 * and clock, in one thread: every interleaving of crashes, lost answers, takeovers, freezes and
 * late effects that a seed draws. Two files share the seeds, so that two cores share the work.
 *
 *   SIMULATION_SEED=17 npx jest test/simulation/first          replays one schedule
 *   SIMULATION_SCHEDULES=1000000 npx jest test/simulation      plays more of them
 */
export function describeSchedules(half: 0 | 1): void {
  const one = process.env['SIMULATION_SEED'];
  const schedules = Number(process.env['SIMULATION_SCHEDULES'] ?? 100_000);
  const seeds = one === undefined ? seedsOf(half, schedules) : [Number(one)];

  describe(`${seeds.length} schedules, each drawn by its seed`, () => {
    it(
      'charge once, lose nothing, and answer the same again',
      async () => {
        const sum = await playAll(seeds);
        if (one !== undefined) return;
        // A storm in which nothing happens proves nothing.
        expect(sum.crashes).toBeGreaterThan(seeds.length / 10);
        expect(sum.takeovers).toBeGreaterThan(seeds.length / 10);
        expect(sum.switches).toBeGreaterThan(seeds.length / 20);
        expect(sum.effects).toBeGreaterThan(seeds.length / 2);
      },
      30 * 60_000,
    );
  });
}

function seedsOf(half: 0 | 1, schedules: number): number[] {
  const each = Math.ceil(schedules / 2);
  return Array.from({ length: each }, (_, i) => 1 + half * each + i);
}

async function playAll(seeds: readonly number[]): Promise<Record<keyof Played, number>> {
  const sum: Record<keyof Played, number> = {
    crashes: 0,
    effects: 0,
    switches: 0,
    stuck: 0,
    takeovers: 0,
    orphans: 0,
  };
  const begunMs = performance.now();
  for (const seed of seeds) {
    const played = await play(seed);
    for (const name of Object.keys(sum) as (keyof Played)[]) sum[name] += played[name];
  }
  const seconds = ((performance.now() - begunMs) / 1_000).toFixed(1);
  process.stdout.write(`${seeds.length} schedules in ${seconds} s: ${JSON.stringify(sum)}\n`);
  return sum;
}
