/**
 * `npm run proofs`: the long campaigns and properties of the tests, and what the image is made of. A campaign plays what its
 * spec plays in `npm test`, if it does there, far longer, and with seeds that move on from commit to commit, so that every change
 * meets schedules that no change before it has met. A failure names its seed; the command that plays it again
 * is printed first.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** They compute for about 10 ms each; the seeds of a commit begin where no other commit's are. */
const SCHEDULES = 40_000;
const SEEDS_APART = 100_000;

const counted = spawnSync('git', ['rev-list', '--count', 'HEAD'], { encoding: 'utf8' });
/** The number of this commit; 1 outside a repository. */
const commit = Number(counted.status === 0 ? counted.stdout.trim() : 1);

const campaign = {
  CAMPAIGN: 'whole',
  SIMULATION_FROM: String(commit * SEEDS_APART + 1),
  SIMULATION_SCHEDULES: String(SCHEDULES),
  CRASH_SEED: String(commit),
  CRASH_RUNS: '24',
  REFUND_RACES: '200',
  STORM_SEED: String(commit),
  STORM_SECONDS: '20',
  NOTIFICATIONS_SEED: String(commit),
  PROPERTY_SEED: String(commit),
  FUZZ_SEED: String(commit),
  FUZZ_REQUESTS: '10000',
  SLOW_SECONDS: '12',
};
const specs = [
  'simulation/simulation',
  'crashes/crashes',
  'races/refunds',
  'races/storm',
  'races/storm-of-two-clocks',
  'races/notifications',
  'fuzz/fuzz',
  'fuzz/grpc-fuzz',
  'races/workers-in-trouble',
  'races/queue-trouble',
  'flows/roles',
  'jobs/processes',
  'bank-files/crashes',
  'contracts/stripe',
  'demo/rehearse',
  'ops/pages',
  'api/slow-clients',
  'docker',
];
/** With ten times as many cases as in `npm test`, see test/support/property-runs.ts. */
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
const paths = [
  ...specs.map((spec) => `test/${spec}\\.spec\\.ts$`),
  ...properties.map((spec) => `src/${spec}\\.spec\\.ts$`),
];
// Arguments go to Jest: `npm run proofs -- --onlyFailures --maxWorkers=1`.
const options = process.argv.length > 2 ? process.argv.slice(2) : ['--maxWorkers=2'];
// The simulation, which comes first and takes longest, only computes, and in the background. The others go
// one after the other: beside each other they fail for want of time, not of correctness.
const { status } = spawnSync(process.execPath, [jest, ...options, '--testPathPatterns', ...paths], {
  stdio: 'inherit',
  // A value from outside wins: that is how one campaign is played again.
  env: { ...campaign, ...process.env },
});
process.exit(status ?? 1);
