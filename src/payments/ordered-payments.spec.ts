import pino from 'pino';
import { MemoryStore } from '../../test/support/memory-store.js';
import { callerFixture } from '../../test/support/caller.js';
import { paymentFixture } from '../../test/support/fixtures.js';
import { commitOf, insert, update } from '../core/change.js';
import { ManualClock } from '../core/clock.js';
import { type KeyedAnswer } from '../core/keyed-request.js';
import { OrderInDoubt } from './ordered-charge.flow.js';
import { OrderedPayments } from './ordered-payments.js';
import { payments } from './payment.table.js';

const ANSWER: KeyedAnswer = { status: 201, body: '{}', replayed: false };
const DEADLINE_MS = 8_000;

/** A payment of an order whose first payment is in doubt: its PSP does not answer. */
async function scene() {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  await store.commit(commitOf(insert(payments, paymentFixture({ status: 'processing' }))));
  let looks = 0;
  const find: MemoryStore['find'] = (...args) => ((looks += 1), store.find(...args));
  const tools = { clock, store: { find, watchCommits: () => store.watchCommits() } };
  let tries = 0;
  const run = () =>
    (tries += 1) === 1 ? Promise.reject(new OrderInDoubt(['p'], [], 'p')) : Promise.resolve(ANSWER);
  const worker = { advanceForClient: () => new Promise(() => {}) };
  // Only these of their members are used.
  const one = new OrderedPayments(
    { tools } as never,
    { run } as never,
    worker as never,
    { deadlineMs: DEADLINE_MS } as never,
    pino({ enabled: false }),
  );
  const caller = callerFixture({ merchantId: 'm' });
  const context = { caller, key: 'k', waitMs: 0, deadlineMs: null, requestId: 'r' };
  const waiting = one.create(context, {} as never, {} as never, {} as never);
  const settled = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return { tries, looks };
  };
  return { clock, store, waiting, settled };
}

describe('a payment that waits for another one of its order', () => {
  it('is taken as soon as whoever decides the first has committed, without asking meanwhile', async () => {
    const { clock, store, waiting, settled } = await scene();
    expect(await settled()).toEqual({ tries: 1, looks: 1 });
    const first = { merchantId: 'm', id: 'p' };
    await store.commit(commitOf(update(payments, first, { amount: 999 }, {})));
    expect(await settled()).toEqual({ tries: 1, looks: 2 });
    await store.commit(commitOf(update(payments, first, { status: 'failed' }, {})));
    // A tenth of a second after the last look.
    clock.advance(100);
    expect(await waiting).toBe(ANSWER);
  });

  it('is refused at its deadline', async () => {
    const { clock, waiting } = await scene();
    const refused = expect(waiting).rejects.toBeInstanceOf(OrderInDoubt);
    for (let ms = 0; ms < DEADLINE_MS; ms += 500) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advance(500);
    }
    await refused;
  });
});
