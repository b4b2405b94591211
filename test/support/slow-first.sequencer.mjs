import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Two workers end together when the slowest files begin first. Jest itself knows the durations only
 * where it ran before; this starts with the slowest files, then with the largest.
 */
const SLOWEST = [
  'test/simulation/simulation',
  'test/flows/roles',
  'test/races/workers-in-trouble',
  'test/races/queue-trouble',
  'test/races/clock-skew',
  'test/crashes/crashes',
  'test/flows/lost-commits',
  'test/jobs/processes',
  'test/docker',
  'test/database/embedded-postgres',
  'test/flows/doubt',
  'test/flows/stuck',
  'test/flows/seal-key',
  'test/races/storm',
  'test/races/storm-of-two-clocks',
  'test/races/notifications',
  'test/races/refunds',
  'test/races/payout-sequence',
  'test/races/payouts',
  'test/jobs/staged-jobs',
  'test/jobs/queue-outages',
  'test/installations',
  'test/flows/orphan',
  'test/flows/asking',
  'test/demo/demo',
  'test/flows/hanging-psp-keys',
  'test/flows/clock',
  'test/flows/faults',
  'test/races/zombie',
  'test/api/monitoring',
];

const place = ({ path }) => {
  const found = SLOWEST.findIndex((name) => path.endsWith(`${name}.spec.ts`));
  return found === -1 ? SLOWEST.length : found;
};

const sizeOf = ({ path }) => statSync(path).size;

export default class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    return [...tests].toSorted((a, b) => place(a) - place(b) || sizeOf(b) - sizeOf(a));
  }
}
