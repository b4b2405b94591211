import { statSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * The workers end together when the slowest files begin first. Jest itself knows the durations only
 * where it ran before; this starts with the slowest files, then with the largest.
 */
const SLOWEST = [
  'test/simulation/simulation',
  'test/races/workers-in-trouble',
  'test/ops/pages',
  'test/jobs/processes',
  'test/races/queue-trouble',
  'test/flows/roles',
  'test/bank-files/crashes',
  'test/flows/doubt',
  'test/bank-files/faults',
  'test/installations',
  'test/webhooks/incoming',
  'test/demo/rehearse',
  'test/docker',
  'test/jobs/queue-outages',
  'test/demo/demo',
  'test/flows/asking',
  'test/races/payouts',
  'test/webhooks/outgoing',
  'test/jobs/schedules',
  'test/contracts/stripe',
  'test/crashes/crashes',
  'test/database/embedded-postgres',
  'test/flows/seal-key',
  'test/flows/lost-commits',
  'test/client/service',
  'test/flows/faults',
  'test/races/zombie',
  'test/races/refunds',
  'test/jobs/staged-jobs',
  'test/psp/one-request',
  'test/flows/capture-cancel',
  'test/api/monitoring',
  'test/flows/clock',
  'test/flows/orphan',
  'test/flows/foreign-objects',
  'test/flows/stuck',
  'test/flows/complete',
  'test/races/storm',
  'test/races/storm-of-two-clocks',
  'test/races/notifications',
  'test/races/killed-process',
  'test/races/clock-skew',
  'test/flows/fence',
  'src/core/linear-patterns',
  'src/core/redact',
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
