import { commitOf } from '../core/change.js';
import { isCall, type AnsweredCall } from './decisions/attempt.js';
import { ManualClock } from '../core/clock.js';
import { MemoryStore } from '../../test/support/memory-store.js';
import { SeededIds } from '../core/ids.js';
import { type Psps } from '../psp/contract.js';
import { accountFilters } from './account-filters.js';
import { newRun } from '../idempotency/operation-run.js';
import { advance, startOperation } from './decisions/advance.js';
import { type Route } from './route.entity.js';
import { pspRequests } from './route.table.js';
import { RequestStorage } from './request-storage.js';
import { Resolver } from './resolver.js';

const merchantId = '01900000-0000-7000-8000-000000000001';
const token = '01900000-0000-7000-8000-00000000000a';
const driver = { lockToken: token, heldToken: token, leaseMs: 1_000, traceId: 't' };

/** No PSP is configured any more. */
const noPsps: Psps = {
  has: () => false,
  capabilities: () => {
    throw new RangeError('not configured');
  },
  fingerprint: () => {
    throw new RangeError('not configured');
  },
  mayBegin: () => false,
  timeoutMs: () => {
    throw new RangeError('not configured');
  },
  call: async () => ({ outcome: 'not_sent', pspCode: 'psp_not_configured' }),
};

async function world(routes: number) {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const storage = new RequestStorage({
    store,
    psps: noPsps,
    clock,
    hold: () => 'none',
    leaseMs: 1_000,
    deadlineMs: 25_000,
  });
  for (let n = 0; n < routes; n++) {
    const opening = {
      merchantId,
      paymentId: merchantId,
      payoutId: null,
      entityKey: `payment-${n}-charge`,
      operation: 'charge',
      amount: 100,
      currency: 'EUR',
      pspIdempotencyKey: `key of ${n}`,
    } as const;
    const { changes } = startOperation(
      opening,
      { psp: 'gone', accountFingerprint: 'a' },
      driver,
      clock.now(),
    );
    for (const change of changes) store.commitNow(commitOf(change));
  }
  clock.advance(5_000);
  return { clock, store, storage };
}

describe('the resolver', () => {
  it('puts off what it cannot drive, and drives the others', async () => {
    const { clock, store, storage } = await world(3);
    const stepResult: string[] = [];
    const failures: unknown[] = [];
    const advance = async ({ entityKey }: Route) => {
      if (entityKey === 'payment-1-charge') throw new Error('poison');
      stepResult.push(entityKey);
      return true;
    };
    const ids = new SeededIds(1, clock);
    const resolver = new Resolver(
      storage,
      advance,
      () => ids.uuid(),
      (error) => failures.push(error),
    );
    expect(await resolver.runOnce()).toEqual({ done: 2, failed: 1 });
    expect(failures).toHaveLength(1);
    const [poison] = await store.find(pspRequests, { merchantId, entityKey: 'payment-1-charge' });
    expect(poison!.nextStepAt!.getTime()).toBe(clock.now().getTime() + 60_000);
    expect((await storage.due(10)).map(({ entityKey }) => entityKey)).not.toContain('payment-1-charge');
  });
});

describe('a route at a PSP that is no longer configured', () => {
  it.each([[['stripe', 'adyen']], [['gone', 'stripe']]])(
    'is due for one resolver, whatever accounts there are: %j',
    async (accounts) => {
      const { storage } = await world(1);
      const psps = accounts.map((name) => ({ name, adapter: 'stripe', timeoutMs: 1, credentials: {} }));
      const found = await Promise.all(
        accountFilters({ psps }).map(async ({ psp }) => (await storage.due(10, psp)).length),
      );
      expect(found.reduce((sum, count) => sum + count)).toBe(1);
    },
  );

  it('is a matter for a person, and never for another PSP', async () => {
    const { clock, store, storage } = await world(1);
    const histories = await storage.historiesOf(merchantId, '0');
    const given = {
      candidates: ['gone', 'other'],
      intent: 'finish',
      cancelBeforeFailover: false,
      now: clock.now(),
    } as const;
    const tools = { store, clock, ids: new SeededIds(1, clock), leaseMs: 1_000 };
    const history = histories.get('payment-0-charge')!;
    const call = { request: history.routes[0]!.request, attempt: history.routes[0]!.attempts.find(isCall)! };
    const answered: AnsweredCall = {
      call: { ...call, sentAt: [clock.now()], undo: false },
      answer: { outcome: 'unknown' },
      endedAt: clock.now(),
      latencyMs: 1,
    };
    const run = newRun(tools, 't', 10_000);
    const { step } = advance(history, storage.factsFor(history, given, run), run, answered);
    expect(step).toMatchObject({ do: 'stuck' });
  });
});
