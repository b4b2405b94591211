import { MemoryCallStore } from '../../../src/idempotency/index.js';
import { SystemClock } from '../../../src/kernel/index.js';
import { exerciseCallStore } from './exercise-call-store.js';

describe('calls that a process remembers', () => {
  exerciseCallStore(async () => {
    const store = new MemoryCallStore(new SystemClock());
    return { connect: async () => store, close: async () => {} };
  });
});
