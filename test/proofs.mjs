/**
 * `npm run proofs [-- --long] [-- options of Jest]`: the specs that end in `.proof.ts`, and properties with three times as
 * many cases as in `npm test`. Seeds move on from commit to commit, so that every change meets schedules that no change before
 * it has met; of surroundings in which the same promise is proved one is played at each commit, in turn. A failure names its
 * seed; the variables that play it again are printed first. With --long all surroundings, a hundred times as many schedules,
 * and the mutants (test/mutants.mjs), which takes hours.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const given = process.argv.slice(2).filter((option) => option !== '--long');
// Beside more than one other they fail for want of time, not of correctness.
const options = given.some((option) => option.startsWith('--maxWorkers'))
  ? given
  : ['--maxWorkers=2', ...given];
const isLong = process.argv.includes('--long');
/** The seeds of a commit begin where no other commit's are. */
const SEEDS_APART = 1_000_000;

const counted = spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' });
/** The number of this commit; 1 outside a repository. */
const commit = Number(counted.status === 0 ? counted.stdout.trim() : 1);

const campaign = {
  ...(isLong ? { PROPERTY_FACTOR: '1' } : { PROPERTY_FACTOR: '0.3', PROOF_TURN: String(commit) }),
  SIMULATION_FROM: String(commit * SEEDS_APART + 1),
  // A schedule computes for about 10 ms.
  SIMULATION_SCHEDULES: isLong ? '1000000' : '10000',
  CRASH_SEED: String(commit),
  CRASH_RUNS: isLong ? '200' : '10',
  REFUND_RACES: isLong ? '2000' : '50',
  CHAOS_SEED: String(commit),
  NOTIFICATIONS_SEED: String(commit),
  PROPERTY_SEED: String(commit),
  FUZZ_SEED: String(commit),
  FUZZ_REQUESTS: isLong ? '100000' : '2500',
  SLOW_SECONDS: '12',
};
const properties = [
  'core/card-number',
  'core/redact',
  'http/json-body',
  'payments/settle',
  'psp/router',
  'request-storage/(advance|next-step|statement)',
];

const variables = Object.entries(campaign).map(([name, value]) => `${name}=${value}`);
process.stdout.write(`proofs of commit ${commit}:\n  ${variables.join('\n  ')}\n`);

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const paths = ['\\.proof\\.ts$', ...properties.map((spec) => `src/${spec}\\.spec\\.ts$`)];
const { status } = spawnSync(
  process.execPath,
  [jest, '--selectProjects', 'proofs', 'pure', ...options, '--testPathPatterns', ...paths],
  {
    stdio: 'inherit',
    // A value from outside wins: that is how one campaign is played again.
    env: { ...campaign, ...process.env },
  },
);
const mutants = isLong ? [[], ['--core']] : [];
const missed = mutants.map(
  (options) => spawnSync(process.execPath, ['test/mutants.mjs', ...options], { stdio: 'inherit' }).status,
);
process.exit([status, ...missed].every((code) => code === 0) ? 0 : 1);
