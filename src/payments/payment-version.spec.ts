import fc from 'fast-check';
import { paymentFixture } from '../../test/support/fixtures.js';
import { MemoryStore } from '../../test/support/memory-store.js';
import { type Clock } from '../core/clock.js';
import { commitOf, gatedByFirst, insert, update } from '../core/change.js';
import { payments } from './payment.table.js';
import { moveOn } from './decide-payment.js';

const now = new Date(Date.UTC(2026, 10, 22));
const key = { merchantId: 'm', id: 'p' };
const payment = paymentFixture({
  version: 1,
  status: 'captured',
  amount: 10_000,
  amountCaptured: 10_000,
});

/** A write that read the payment before `others` more writes were committed. */
interface Write {
  readonly kind: 'opens an operation' | 'settles a refund';
  readonly others: number;
}
const writes = fc.array(
  fc.record<Write>({
    kind: fc.constantFrom('opens an operation', 'settles a refund'),
    others: fc.nat({ max: 3 }),
  }),
  { minLength: 2, maxLength: 12 },
);

describe('the version of a payment', () => {
  it('lets no write through that read an older payment, so that no amount is lost', async () => {
    await fc.assert(
      fc.asyncProperty(writes, async (all) => {
        const store = new MemoryStore({ now: () => now } as Clock);
        await store.commit(commitOf(insert(payments, payment)));
        const read = async () => (await store.find(payments, key, 1))[0]!;
        const seen = [await read()];
        let refunded = 0;
        for (const { kind, others } of all) {
          const before = seen[Math.max(0, seen.length - 1 - others)]!;
          const { version, amountRefunded } = before;
          // An operation that opens raises the version alone, and leaves no line in the payment's history.
          const changes =
            kind === 'opens an operation'
              ? [update(payments, key, { version: version + 1 }, { version })]
              : moveOn(
                  { payment: before, order: null },
                  { amountRefunded: amountRefunded + 100 },
                  { event: 'part_refunded', actor: 'psp:stripe', entityKey: 'payment-p-refund' },
                  () => 'id',
                  now,
                ).changes;
          const { done } = await store.commit(gatedByFirst(changes));
          expect(done).toBe(before.version === seen.at(-1)!.version);
          if (!done) continue;
          if (kind === 'settles a refund') refunded += 100;
          seen.push(await read());
        }
        expect((await read()).amountRefunded).toBe(refunded);
      }),
    );
  });
});
