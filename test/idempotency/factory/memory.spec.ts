import { MemoryCallStore } from '@payonce/idempotency';
import { SystemClock } from '../../../src/core/clock.js';
import { exerciseCallStore } from './exercise-call-store.js';

describe('calls that a process remembers', () => {
  exerciseCallStore(async () => {
    const store = new MemoryCallStore(new SystemClock());
    return { connect: async () => store, close: async () => {} };
  });
});
