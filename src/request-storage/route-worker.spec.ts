import { commitOf, gatedByFirst } from '../core/change.js';
import { ManualClock } from '../core/clock.js';
import { MemoryStore } from '../../test/support/memory-store.js';
import { SeededIds } from '../core/ids.js';
import { type Capabilities, type Psps } from '../psp/contract.js';
import { type NotificationItem } from '../psp/notification.js';
import { newRun } from '../idempotency/operation-run.js';
import { advance, startOperation } from './decisions/advance.js';
import { type OperationHistory } from './decisions/attempt.js';
import { type SubjectOperations, RouteWorker } from './route-worker.js';
import { pspAttempts, pspRequests } from './route.table.js';
import { RequestStorage } from './request-storage.js';

const merchantId = '01900000-0000-7000-8000-000000000001';
const of = { merchantId, paymentId: merchantId, payoutId: null };
const name = 'payment-1-charge';
const leaseMs = 1_000;

const can: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
  lookup: null,
  cancel: null,
  captures: 'whole',
};
const psps: Psps = {
  has: () => true,
  capabilities: () => can,
  fingerprint: (psp) => `account of ${psp}`,
  mayBegin: () => true,
  timeoutMs: () => 500,
  call: () => new Promise(() => {}),
};

/** A charge that the first of two PSPs takes its time for; every call from now on hangs. */
async function pending() {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const hold = () => 'none' as const;
  const storage = new RequestStorage({ store, psps, clock, hold, leaseMs, deadlineMs: 25_000 });
  const opening = {
    ...of,
    entityKey: name,
    operation: 'charge',
    amount: 100,
    currency: 'EUR',
    pspIdempotencyKey: 'key',
  } as const;
  const tools = { store, clock, ids: new SeededIds(1, clock), leaseMs };
  const client = newRun(tools, 'client', 0);
  const opened = startOperation(
    opening,
    { psp: 'first', accountFingerprint: 'account of first' },
    client,
    clock.now(),
  );
  for (const change of opened.changes) store.commitNow(commitOf(change));

  const calls: string[] = [];
  const historyOf = (histories: ReadonlyMap<string, OperationHistory>) => histories.get(name)!;
  const operations: SubjectOperations<ReadonlyMap<string, OperationHistory>> = {
    read: () => storage.historiesOf(merchantId, '1'),
    historiesOf: (histories) => histories,
    decide: (state, history, run, answered) => {
      const given = {
        candidates: ['first', 'second'],
        intent: 'finish',
        cancelBeforeFailover: false,
        now: clock.now(),
      } as const;
      const stepResult = advance(history, storage.factsFor(history, given, run), run, answered);
      return { state, stepResult, changes: stepResult.changes };
    },
    withCall: (state) => state,
    call: () => new Promise(() => calls.push('a call that hangs')),
  };
  const resolver = new RouteWorker(operations, { ...tools, storage });
  const answer = { outcome: 'pending', pspReference: 'pi_1' } as const;
  const answered = { call: opened.call!, answer, endedAt: clock.now(), latencyMs: 1 };
  const decided = operations.decide(new Map(), historyOf(await operations.read(of)), client, answered);
  expect((await store.commit(gatedByFirst(decided.changes))).done).toBe(true);
  const stored = async () => {
    const requests = await store.find(pspRequests, { merchantId, entityKey: name });
    const attempts = await store.find(pspAttempts, { merchantId, entityKey: name });
    return { requests, kinds: attempts.map(({ kind, outcome }) => `${kind} ${outcome}`) };
  };
  return { clock, storage, resolver, calls, stored };
}

function itemWith(answer: NotificationItem['answer']): NotificationItem {
  return {
    entityKey: name,
    route: 1,
    pspReference: 'pi_1',
    ofPayment: null,
    operation: null,
    about: 'operation',
    cancelReference: null,
    answer: { pspReference: 'pi_1', ...answer },
  } as NotificationItem;
}

describe('a notification', () => {
  it('waits for no PSP: the call that follows from it is left to the resolver', async () => {
    const { clock, storage, resolver, calls, stored } = await pending();
    expect(await storage.due(10)).toEqual([]);
    const soft = itemWith({ outcome: 'declined', decline: 'do_not_honor' });
    expect(await resolver.recordNotification(of, 'first', soft, 'notice')).toBe('recorded');
    expect(calls).toEqual([]);
    const { requests, kinds } = await stored();
    expect(kinds).toEqual(['execute pending', 'notice declined']);
    expect(requests).toMatchObject([{ verdict: 'open', nextStepAt: clock.now(), leasedBy: null }]);

    clock.advance(1);
    const [due] = await storage.due(10);
    expect(due).toMatchObject({ entityKey: name, route: 1 });
    void resolver.advance(due!, 'resolver');
    for (let tries = 0; tries < 100 && calls.length === 0; tries++) await Promise.resolve();
    expect(calls).toHaveLength(1);
    expect((await stored()).requests).toMatchObject([
      { psp: 'first', verdict: 'ruled_out' },
      { psp: 'second', verdict: 'open' },
    ]);
  });

  it('opens no route at an account that is no longer for the merchant', async () => {
    const { clock, storage, resolver, stored } = await pending();
    await resolver.recordNotification(
      of,
      'first',
      itemWith({ outcome: 'declined', decline: 'do_not_honor' }),
      'n',
    );
    clock.advance(1);
    const [due] = await storage.due(10);
    const asked = jest.spyOn(psps, 'mayBegin').mockReturnValue(false);
    await resolver.advance(due!, 'resolver');
    expect(asked).toHaveBeenCalledWith('second', merchantId);
    asked.mockRestore();
    expect((await stored()).requests).toMatchObject([{ psp: 'first', verdict: 'ruled_out' }]);
  });

  it.each([
    [{ outcome: 'succeeded' }, 'effective'],
    [{ outcome: 'declined', decline: 'fraud_suspected' }, 'ruled_out'],
  ] as const)('that says %j decides at once', async (answer, verdict) => {
    const { resolver, calls, stored } = await pending();
    expect(await resolver.recordNotification(of, 'first', itemWith(answer), 'notice')).toBe('applied');
    expect((await stored()).requests).toMatchObject([{ verdict, nextStepAt: null }]);
    expect(calls).toEqual([]);
  });
});
