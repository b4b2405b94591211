/**
 * `npm run crashes -- --runs 200 --seed 7`: plays that many crashes of the real service. The seed is
 * drawn where none is given, and printed; the same seed gives the same runs. `--only "refund,payout"`
 * plays those kinds alone; they are named in plan.ts.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    'at-once': { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
for (const [name, value] of Object.entries(values)) {
  if (name === 'only' || /^[1-9]\d{0,9}$/.test(value)) continue;
  process.stderr.write(`--${name} takes a whole number from 1\n`);
  process.exit(2);
}
process.stdout.write(`${values.runs} runs, seed ${values.seed}\n`);

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const atOnce = values['at-once'] ? { CRASH_AT_ONCE: values['at-once'] } : {};
const { status } = spawnSync(
  process.execPath,
  [jest, '--runInBand', '--selectProjects', 'proofs', '--testPathPatterns', 'test/crashes/'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CRASH_RUNS: values.runs,
      CRASH_SEED: values.seed,
      CRASH_ONLY: values.only,
      ...atOnce,
    },
  },
);
process.exit(status ?? 1);
