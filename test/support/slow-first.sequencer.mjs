import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * Two workers end together when the slowest files begin first. Jest itself knows the durations only
 * where it ran before; this starts with the slowest files, then with the largest.
 */
const SLOWEST = [
  'test/simulation/simulation',
  'test/crashes/crashes',
  'test/races/notifications',
  'test/races/payout-sequence',
  'test/jobs/staged-jobs',
  'test/database/embedded-postgres',
  'test/races/storm',
  'test/flows/roles',
  'test/flows/refund',
  'test/flows/faults',
  'test/docker',
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
