import { HOUR, LEASE_MS, START } from '../../../test/support/arbitrary-history.js';
import { callOf, factOf, routeOf, historiesOfRoutes } from '../../../test/support/notified-routes.js';
import { type Capabilities, OTHER_PARAMETERS } from '../../psp/contract.js';
import { type NotificationItem } from '../../psp/notification.js';
import { orphansOf } from './attempt.js';
import { type RouteHistory, assessRoute } from './assess-route.js';
import { recordItem } from './record-notification.js';
import { type PspAttempt, type Route } from '../route.entity.js';
import { orphanEffects } from '../route.table.js';
import { statementAttempt } from './person-statement.js';

const now = new Date(START + HOUR);
const can: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * HOUR, replays: 'all' },
  lookup: null,
  cancel: 'reference',
  captures: 'several',
};

const taking = (route: RouteHistory, fact: NotificationItem, ...others: readonly RouteHistory[]) =>
  recordItem(
    { route, named: true },
    historiesOfRoutes(route, ...others),
    fact,
    can,
    { leaseMs: LEASE_MS },
    { now, traceId: 'notice' },
  );

/** What the notice that is written leaves of the route. */
function weighed(route: RouteHistory, fact: NotificationItem) {
  const written = taking(route, fact).changes.find((c) => c.table.name === 'psp_attempts');
  if (written?.op !== 'insert') throw new Error('nothing was written');
  const attempt = written.row as unknown as PspAttempt;
  return assessRoute({ ...route, attempts: [...route.attempts, attempt] }, can, { leaseMs: LEASE_MS });
}

describe('a fact about an open route', () => {
  const inDoubt = routeOf([callOf(1, 'unknown')]);

  it('is written down beside the calls, and raises the version so that it is decided with', () => {
    const { taken, changes } = taking(inDoubt, factOf('succeeded'));
    expect(taken).toBe('recorded');
    expect(changes).toMatchObject([
      { op: 'update', set: { version: 2, pspReference: 'pi_1' }, guard: { version: 1, verdict: 'open' } },
      {
        op: 'insert',
        row: { attempt: 2, kind: 'notice', outcome: 'succeeded', startedAt: now, endedAt: now },
      },
    ]);
  });

  it('settles what nobody answered: a yes, a no, a cancel that was carried out', () => {
    expect(weighed(inDoubt, factOf('succeeded'))).toMatchObject({ verdict: 'effective' });
    expect(weighed(inDoubt, factOf('declined'))).toMatchObject({ verdict: 'ruled_out', kind: 'declined' });
    const ofKey = routeOf([callOf(1, 'conflict', { pspCode: OTHER_PARAMETERS })]);
    expect(weighed(ofKey, factOf('succeeded'))).toMatchObject({ verdict: 'effective' });
    const ordered = routeOf([callOf(1, 'unknown'), callOf(2, 'pending', { kind: 'cancel' })]);
    const canceled = factOf('canceled', { about: 'cancel', cancelReference: 'c' });
    expect(weighed(ordered, canceled)).toMatchObject({ verdict: 'ruled_out', kind: 'cancel_acknowledged' });
  });

  it('takes no single no for the answer to two sendings, where the PSP would do it again', () => {
    const forgets: Capabilities = { ...can, idempotency: { windowMs: 24 * HOUR, replays: 'success' } };
    const attempts = [callOf(1, 'unknown'), callOf(2, 'unknown'), callOf(3, 'declined', { kind: 'notice' })];
    const flight = { leaseMs: LEASE_MS };
    expect(assessRoute(routeOf(attempts), forgets, flight)).toMatchObject({ verdict: 'open', why: 'doubt' });
    expect(assessRoute(routeOf(attempts), can, flight)).toMatchObject({ verdict: 'ruled_out' });
    // Sent again when the key was forgotten: the no may be about either.
    const late = [attempts[0]!, { ...attempts[1]!, startedAt: new Date(START + 25 * HOUR) }, attempts[2]!];
    expect(assessRoute(routeOf(late), can, flight)).toMatchObject({ verdict: 'open' });
  });

  it('is not taken for a no to the payment where a cancel was refused; the cancel is over then', () => {
    const cancel = callOf(3, 'pending', { kind: 'cancel', response: { psp_reference: 'c' } });
    const undoing = routeOf([callOf(1, 'unknown'), callOf(2, 'succeeded'), cancel]);
    expect(assessRoute(undoing, can, { leaseMs: LEASE_MS })).toMatchObject({
      verdict: 'open',
      why: 'undoing',
    });
    const refused = (cancelReference: string) => factOf('declined', { about: 'cancel', cancelReference });
    expect(weighed(undoing, refused('c'))).toMatchObject({ verdict: 'effective' });
    expect(weighed(undoing, refused('another'))).toMatchObject({ verdict: 'open', why: 'undoing' });
    // Its answer was lost, and with it its id: there is no other that could be meant, or there is.
    const lost = callOf(3, 'unknown', { kind: 'cancel' });
    const once = routeOf([callOf(1, 'unknown'), callOf(2, 'succeeded'), lost]);
    expect(weighed(once, refused('c'))).toMatchObject({ verdict: 'effective' });
    const twice = routeOf([...once.attempts, { ...lost, attempt: 4 }]);
    expect(weighed(twice, refused('c'))).toMatchObject({ verdict: 'open', why: 'undoing' });
  });

  it('is frozen where the PSP holds another amount', () => {
    const money = { amount: 99, currency: 'EUR' };
    const fact = factOf('succeeded', { answer: { outcome: 'succeeded', money } });
    expect(weighed(inDoubt, fact)).toMatchObject({ verdict: 'open', why: 'conflict' });
  });

  it('is written once, however often it is told, and without end not at all', () => {
    const answered = {
      kind: 'notice',
      request: { about: 'operation' },
      response: { psp_reference: 'pi_1' },
    } as const;
    const route = routeOf([callOf(1, 'unknown'), callOf(2, 'pending', answered)]);
    expect(taking(route, factOf('pending'))).toEqual({ taken: 'recorded', changes: [] });
    const many = Array.from({ length: 50 }, (_, i) =>
      callOf(i + 2, 'pending', { ...answered, response: { n: i } }),
    );
    expect(taking(routeOf([callOf(1, 'unknown'), ...many]), factOf('succeeded')).taken).toBe('contradiction');
  });
});

describe('a fact about a decided route', () => {
  const decided = { decidedAt: now, nextStepAt: null } as const;
  const effective = (more: Partial<Route> = {}) =>
    routeOf([callOf(1, 'succeeded')], { verdict: 'effective', ...decided, ...more });
  const refund = routeOf([callOf(1, 'succeeded', { response: { psp_reference: 'pi_1' } })], {
    operation: 'refund',
    verdict: 'effective',
    pspReference: 'pi_1',
    ...decided,
  });
  const ruledOut = (...attempts: PspAttempt[]) => routeOf(attempts, { verdict: 'ruled_out', ...decided });
  const notFound = ruledOut(callOf(1, 'unknown'), callOf(2, 'not_found', { kind: 'lookup' }));
  const canceled = ruledOut(callOf(1, 'unknown'), callOf(2, 'canceled', { kind: 'cancel' }));
  const voiding = routeOf([callOf(1, null)], { operation: 'void', entityKey: 'payment-1-void' });

  const money = { amount: 99, currency: 'EUR' };
  it.each<[string, RouteHistory, NotificationItem, string]>([
    ['a yes for what is done', effective(), factOf('succeeded'), 'known'],
    ['an old no for a payment that was made', effective(), factOf('declined'), 'known'],
    ['a refund that failed after all', refund, factOf('declined'), 'applied'],
    [
      'a refund that failed, by another id than the one that was done',
      refund,
      factOf('declined', { answer: { outcome: 'declined', pspReference: 're_2' } }),
      'contradiction',
    ],
    [
      'a refund that failed, by no id',
      refund,
      factOf('declined', { answer: { outcome: 'declined' } }),
      'contradiction',
    ],
    [
      'a payout that came back',
      { ...refund, request: { ...refund.request, operation: 'payout' } },
      factOf('declined'),
      'applied',
    ],
    [
      'a capture that failed after all',
      effective({ operation: 'capture' }),
      factOf('declined'),
      'contradiction',
    ],
    ['a payment that is void, and nobody asked for it', effective(), factOf('canceled'), 'contradiction'],
    [
      'another amount',
      effective(),
      factOf('succeeded', { answer: { outcome: 'succeeded', money } }),
      'contradiction',
    ],
    ['a no for what was ruled out', notFound, factOf('declined'), 'known'],
    ['a yes for what was not found', notFound, factOf('succeeded'), 'applied'],
    ['a yes for what was made and then canceled', canceled, factOf('succeeded'), 'known'],
  ])('%s', (_, route, fact, taken) => {
    expect(taking(route, fact).taken).toBe(taken);
  });

  it('takes a refund back once, and keeps its route effective', () => {
    const first = taking(refund, factOf('declined'));
    expect(first.reversed).toMatchObject({ verdict: 'ruled_out', kind: 'declined' });
    expect(first.changes).toMatchObject([
      { op: 'update', set: { version: 2 }, guard: { verdict: 'effective' } },
      { op: 'insert', row: { kind: 'notice', outcome: 'declined' } },
    ]);
    const notice = (first.changes[1] as unknown as { row: PspAttempt }).row;
    const again = taking({ ...refund, attempts: [...refund.attempts, notice] }, factOf('declined'));
    expect(again).toEqual({ taken: 'known', changes: [] });
  });

  it('is known where the merchant has it voided, told in either order', () => {
    expect(taking(effective(), factOf('canceled'), voiding).taken).toBe('known');
  });

  it('contradicts where the receipt of a cancel before failover was believed and the PSP did not cancel', () => {
    const failoverCancel = callOf(2, 'pending', {
      kind: 'cancel',
      request: { fence: true },
      response: { psp_reference: 'c' },
    });
    const fenced = routeOf([callOf(1, 'unknown'), failoverCancel], {
      operation: 'authorize',
      verdict: 'ruled_out',
      ...decided,
    });
    const refused = factOf('declined', { operation: 'authorize', about: 'cancel', cancelReference: 'c' });
    expect(taking(fenced, refused).taken).toBe('contradiction');
    const carriedOut = factOf('canceled', { operation: 'authorize', about: 'cancel', cancelReference: 'c' });
    expect(taking(fenced, carriedOut).taken).toBe('known');
  });

  it('makes no orphan of a refund that was made and came to nothing, told in either order', () => {
    const of = { operation: 'refund', entityKey: 'payment-1-refund' } as const;
    const no = callOf(2, 'declined', {
      kind: 'notice',
      request: { about: 'operation' },
      response: { psp_reference: 're_1' },
    });
    const yes = factOf('succeeded', { ...of, pspReference: 're_1' });
    const failed = routeOf([callOf(1, 'unknown'), no], { ...of, verdict: 'ruled_out', ...decided });
    expect(taking(failed, yes).taken).toBe('known');
    expect(taking(failed, { ...yes, pspReference: 're_2' }).taken).toBe('applied');
    const answered = {
      kind: 'notice',
      request: { about: 'operation' },
      response: { psp_reference: 're_1' },
    } as const;
    const both = [
      callOf(1, 'unknown'),
      { ...no, response: answered.response },
      callOf(3, 'succeeded', answered),
    ];
    expect(assessRoute(routeOf(both, of), can, { leaseMs: LEASE_MS })).toMatchObject({
      verdict: 'ruled_out',
    });
    // A payment is refused and then made.
    expect(assessRoute(routeOf(both), can, { leaseMs: LEASE_MS })).toMatchObject({ verdict: 'effective' });
  });

  it('makes an orphan effect of a late yes, once', () => {
    const { changes } = taking(notFound, factOf('succeeded'));
    expect(changes.map(({ table }) => table.name)).toEqual([
      'psp_requests',
      'psp_attempts',
      'orphan_effects',
    ]);
    expect(changes.at(-1)).toMatchObject({ table: orphanEffects, row: { attempt: 3, pspReference: 'pi_1' } });
    // Found by a look before the notice came: the yes is on record already.
    const found = {
      ...notFound,
      attempts: [...notFound.attempts, callOf(3, 'succeeded', { kind: 'lookup' })],
    };
    expect(taking(found, factOf('succeeded')).changes.some(({ table }) => table === orphanEffects)).toBe(
      false,
    );
  });
});

describe('a yes about a route that was given up for another PSP', () => {
  const ordered = callOf(2, 'pending', { kind: 'cancel', request: { fence: true } });
  const yes = factOf('succeeded', { operation: 'authorize' });
  const givenUp = (...attempts: readonly PspAttempt[]) =>
    routeOf([callOf(1, 'unknown'), ...attempts], {
      operation: 'authorize',
      verdict: 'ruled_out',
      decidedAt: now,
      nextStepAt: null,
    });

  it('records an orphan effect where the PSP received the cancel and reports the charge as made later, whatever became of the cancel', () => {
    const failed = callOf(3, 'declined', { kind: 'notice', request: { about: 'cancel', fence: true } });
    for (const route of [givenUp(ordered), givenUp(ordered, failed)]) {
      const { taken, changes } = taking(route, yes);
      expect(taken).toBe('applied');
      expect(changes.filter(({ table }) => table === orphanEffects)).toMatchObject([
        { row: { pspReference: 'pi_1', status: 'open' } },
      ]);
    }
  });

  it('is old news where the PSP has said that it is void', () => {
    const undone = callOf(3, 'canceled', { kind: 'notice', request: { about: 'cancel', fence: true } });
    expect(taking(givenUp(ordered, undone), yes)).toMatchObject({ taken: 'known', changes: [] });
  });
});

describe('an object that a person asked about', () => {
  const asked = (attempt: number, outcome: 'succeeded' | 'conflict', endedAt: Date) =>
    callOf(attempt, outcome, {
      kind: 'lookup',
      request: { stated_reference: 'pi_9' },
      response: { psp_reference: 'pi_9' },
      endedAt,
    });
  const ruledOut = (...attempts: readonly PspAttempt[]) =>
    routeOf([callOf(1, 'unknown'), ...attempts], { verdict: 'ruled_out', decidedAt: now, nextStepAt: null });
  const later = new Date(now.getTime() + 1);

  it('is no orphan effect where it is not ours', () => {
    expect(orphansOf(ruledOut(), asked(2, 'conflict', later))).toEqual([]);
  });

  it('is one where the PSP shows it under our name after the route was ruled out, and once', () => {
    const late = asked(2, 'succeeded', later);
    expect(orphansOf(ruledOut(), late)).toMatchObject([{ row: { pspReference: 'pi_9', object: 1 } }]);
    const notice = callOf(3, 'succeeded', { kind: 'notice', response: { psp_reference: 'pi_9' } });
    expect(orphansOf(ruledOut(late), notice)).toEqual([]);
    expect(orphansOf(ruledOut(asked(2, 'succeeded', new Date(now.getTime() - 1))), notice)).toHaveLength(1);
  });
});

describe('a second object of one route', () => {
  const decided = { decidedAt: now, nextStepAt: null } as const;
  const yes = (attempt: number, id: string, more: Partial<PspAttempt> = {}) =>
    callOf(attempt, 'succeeded', { response: { psp_reference: id }, ...more });

  it('is a conflict while the route is open, and outlives whatever is said later', () => {
    const flight = { leaseMs: LEASE_MS };
    const twice = [
      callOf(1, 'unknown'),
      yes(2, 'pi_1', { kind: 'notice' }),
      yes(3, 'pi_2', { kind: 'notice' }),
    ];
    expect(assessRoute(routeOf(twice), can, flight)).toMatchObject({ verdict: 'open', why: 'conflict' });
    expect(assessRoute(routeOf([...twice, yes(4, 'pi_1')]), can, flight)).toMatchObject({ why: 'conflict' });
    const several = callOf(2, 'conflict', { kind: 'lookup' });
    const frozen = routeOf([callOf(1, 'unknown'), several, yes(3, 'pi_1', { kind: 'lookup' })]);
    expect(assessRoute(frozen, can, flight)).toMatchObject({ verdict: 'open', why: 'conflict' });
    // The same one, said twice, and once without its id.
    const once = [callOf(1, 'unknown'), yes(2, 'pi_1'), callOf(3, 'succeeded'), yes(4, 'pi_1')];
    expect(assessRoute(routeOf(once), can, flight)).toMatchObject({ verdict: 'effective' });
  });

  it('is an orphan effect with its own id once the route is decided, and once', () => {
    const done = routeOf([yes(1, 'pi_1')], { verdict: 'effective', pspReference: 'pi_1', ...decided });
    const second = factOf('succeeded', {
      pspReference: 'pi_2',
      answer: { outcome: 'succeeded', pspReference: 'pi_2' },
    });
    const { taken, changes } = taking(done, second);
    expect(taken).toBe('applied');
    expect(changes.at(-1)).toMatchObject({
      table: orphanEffects,
      row: { route: 1, object: 2, pspReference: 'pi_2', status: 'open' },
    });
    const known = { ...done, attempts: [...done.attempts, yes(2, 'pi_2', { kind: 'lookup' })] };
    const orphans = taking(known, second).changes.filter(({ table }) => table === orphanEffects);
    expect(orphans).toEqual([]);
    // What becomes of it is no news of the first.
    for (const outcome of ['canceled', 'declined'] as const) {
      const gone = factOf(outcome, { pspReference: 'pi_2', answer: { outcome, pspReference: 'pi_2' } });
      expect(taking(known, gone).taken).toBe('known');
    }
  });

  it('is found by a late look, with every other: the trace of each is an orphan effect', () => {
    const looked = callOf(3, 'conflict', {
      kind: 'lookup',
      response: { psp_reference: 'pi_1', psp_references: ['pi_1', 'pi_2'] },
    });
    const lost = routeOf([callOf(1, 'unknown'), callOf(2, 'not_found', { kind: 'lookup' })], {
      verdict: 'ruled_out',
      ...decided,
    });
    const rows = orphansOf(lost, looked).map((change) => (change as { row: object }).row);
    expect(rows).toMatchObject([
      { object: 1, pspReference: 'pi_1' },
      { object: 2, pspReference: 'pi_2' },
    ]);
    // Another amount than was asked for: no yes, and no silence either.
    const differs = callOf(3, 'conflict', { kind: 'lookup', response: { psp_reference: 'pi_1' } });
    expect(orphansOf(lost, differs)).toHaveLength(1);
    expect(orphansOf({ ...lost, attempts: [...lost.attempts, looked] }, { ...differs, attempt: 4 })).toEqual(
      [],
    );
  });
});

describe('a yes about a conflict that a person ruled out', () => {
  const conflict = callOf(1, 'conflict', { response: { psp_reference: 'pi_1' } });
  const statement = {
    isDone: false,
    evidence: 'not in the dashboard',
    pspReference: null,
    seenAttempt: 1,
    overrulesPsp: true,
    by: 'cli:ada',
  };
  const inConflict = routeOf([conflict], { pspReference: 'pi_1' });
  const stated = statementAttempt(inConflict, statement, now, 't');
  const ruledOut = routeOf([conflict, stated], { verdict: 'ruled_out', pspReference: 'pi_1' });
  const yes = factOf('succeeded', {
    pspReference: 'pi_1',
    answer: { outcome: 'succeeded', pspReference: 'pi_1' },
  });

  it('is an orphan effect, by the id that the conflict named', () => {
    const { taken, changes } = taking(ruledOut, yes);
    expect(taken).toBe('applied');
    expect(changes.at(-1)).toMatchObject({
      table: orphanEffects,
      row: { route: 1, object: 1, pspReference: 'pi_1', status: 'open' },
    });
  });

  it('is recorded once', () => {
    const notice = callOf(3, 'succeeded', { kind: 'notice', response: { psp_reference: 'pi_1' } });
    const known = { ...ruledOut, attempts: [...ruledOut.attempts, notice] };
    const looked = callOf(4, 'succeeded', { kind: 'lookup', response: { psp_reference: 'pi_1' } });
    expect(orphansOf(known, looked)).toEqual([]);
    expect(orphansOf(ruledOut, looked)).toHaveLength(1);
  });
});
