import { availableParallelism } from 'node:os';
import { type Outcome } from './outcome.js';
import { CrashRun } from './play.js';
import { asks, draw, everyPlan, orphanKinds, type Run, titleOf } from './plan.js';

/**
 * The real service is killed with SIGKILL, wherever the dice say, and started again. The client's
 * retry with the same key gets one answer, and the PSPs' ledgers hold one effect.
 *
 * `npm run crashes -- --runs 200 --seed 7` plays more of them.
 */
const SEED = Number(process.env['CRASH_SEED'] ?? 20_261);
const RUNS = Number(process.env['CRASH_RUNS'] ?? 8);
const ONLY = (process.env['CRASH_ONLY'] ?? '').split(',').filter(Boolean);
const AT_ONCE = Number(process.env['CRASH_AT_ONCE'] ?? Math.max(4, availableParallelism() * 2));

describe('a service that is killed', () => {
  it('has a place to die on each side of each commit and of each call', () => {
    const places = new Set(everyPlan().map(({ death }) => (death.by === 'hook' ? death.place : death.when)));
    expect([...places].toSorted()).toEqual([
      'after_effect',
      'arrival',
      'commit:after:accepted',
      'commit:after:compensating',
      'commit:after:driven',
      'commit:after:finished',
      'commit:after:looked',
      'commit:after:new:accepted',
      'commit:before:accepted',
      'commit:before:compensating',
      'commit:before:driven',
      'commit:before:finished',
      'commit:before:looked',
      'commit:before:new:accepted',
      'psp:after:execute',
      'psp:after:lookup',
      'psp:before:execute',
      'psp:before:lookup',
    ]);
  });

  it('is killed at every kind of operation, even in a few runs', () => {
    const orphans: readonly string[] = orphanKinds;
    const kinds = draw(SEED, asks.length + 1).map(({ ask }) => (orphans.includes(ask) ? 'orphan' : ask));
    expect(new Set(kinds)).toEqual(new Set([...asks, 'orphan']));
  });

  it(
    `does everything once and says so once, over ${RUNS} runs of seed ${SEED}`,
    async () => {
      const runs = draw(SEED, RUNS, ONLY);
      const startedAt = Date.now();
      const { outcomes, failures } = await playAll(runs);
      const deaths = outcomes.reduce((sum, outcome) => sum + outcome.deaths, 0);
      const late = outcomes.filter(({ waitedForProof }) => waitedForProof).length;
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(0);
      process.stdout.write(
        `crashes: seed ${SEED}, ${outcomes.length} of ${RUNS} runs as they should be, ${deaths} processes killed, ` +
          `${late} at rest only when "not found" was final, ${seconds} s\n`,
      );
      expect(failures).toEqual([]);
      expect(deaths).toBeGreaterThanOrEqual(RUNS);
    },
    60_000 + RUNS * 10_000,
  );
});

/** So many side by side: most of a run is waiting for a lock to lapse. */
async function playAll(
  runs: readonly Run[],
): Promise<{ outcomes: readonly Outcome[]; failures: readonly string[] }> {
  const outcomes: Outcome[] = [];
  const failures: string[] = [];
  const waiting = [...runs];
  const playUntilDone = async () => {
    const player = new CrashRun();
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      try {
        outcomes.push(await player.play(run));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        failures.push(`seed ${SEED}, run ${titleOf(run)}\n${why.slice(0, 6_000)}`);
      }
    }
    await player.close();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs.length) }, playUntilDone));
  return { outcomes, failures };
}
