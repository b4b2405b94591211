import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * The workers end together when the files that take longest begin first. Jest itself knows the durations only where it ran
 * before; this knows the files that wait longest, and takes the others by their size.
 */
const LONGEST = [
  'request-storage/doubt.spec',
  'simulation/simulation.proof',
  'console/pages.proof',
  'jobs/queue-trouble.proof',
];

const place = ({ path }) => {
  const found = LONGEST.findIndex((name) => path.endsWith(`test/${name}.ts`));
  return found === -1 ? LONGEST.length : found;
};

const sizeOf = ({ path }) => statSync(path).size;

export default class SlowFirstSequencer extends Sequencer {
  sort(tests) {
    return [...tests].toSorted((a, b) => place(a) - place(b) || sizeOf(b) - sizeOf(a));
  }
}
