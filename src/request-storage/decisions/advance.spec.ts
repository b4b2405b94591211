import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { type Change } from '../../core/change.js';
import { type Answer, type Capabilities, type Outcome, outcomes } from '../../psp/contract.js';
import { type AnsweredCall, type OperationHistory, isCall, sentAtOf } from './attempt.js';
import { type PspAttempt } from '../route.entity.js';
import { advance, type StepResult, evidenceOnly, handIn, startOperation } from './advance.js';
import { type StepFacts } from './next-step.js';
import { nonExecutionProofs, orphanEffects, pspAttempts, pspRequests } from '../route.table.js';

const START = Date.UTC(2026, 0, 1);
const token = '01900000-0000-7000-8000-00000000000a';
const driver = { lockToken: token, heldToken: token, leaseMs: 20_000, traceId: 't' };
const opening = {
  merchantId: '01900000-0000-7000-8000-000000000001',
  paymentId: '01900000-0000-7000-8000-000000000002',
  payoutId: null,
  entityKey: 'payment-1-charge',
  operation: 'charge',
  amount: 1_000,
  currency: 'EUR',
  pspIdempotencyKey: 'key of route 1',
} as const;
const atFirst = { psp: 'first', accountFingerprint: 'account of first' };

const can: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * 3_600_000, replays: 'all' },
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 60_000 },
  cancel: 'reference',
  captures: 'one',
};

function factsAt(atMs: number, more: Partial<StepFacts> = {}): StepFacts {
  const now = new Date(atMs);
  return {
    now,
    deadline: new Date(START + 25_000),
    capabilities: () => can,
    fingerprintOf: (psp) => `account of ${psp}`,
    mayBeginAt: () => true,
    candidates: ['first', 'second'],
    clientWaiting: true,
    intent: 'finish',
    cancelBeforeFailover: false,
    clockTrusted: true,
    hold: 'none',
    leaseMs: driver.leaseMs,
    ...more,
  };
}

function answered(stepResult: StepResult, answer: Answer, atMs: number): AnsweredCall {
  return { call: stepResult.call!, answer, endedAt: new Date(atMs), latencyMs: 10 };
}

const on = (changes: readonly Change[], table: object, op: Change['op']) =>
  changes.filter((change) => change.table === table && change.op === op);

describe('driving an operation', () => {
  it('opens route 1 with an attempt in flight, and names the one call that may be made', () => {
    const stepResult = startOperation(opening, atFirst, driver, new Date(START));
    expect(stepResult.changes.map(({ op, table }) => `${op} ${table.name}`)).toEqual([
      'insert psp_requests',
      'insert psp_attempts',
    ]);
    expect(stepResult.call).toMatchObject({
      request: { route: 1, psp: 'first' },
      attempt: { attempt: 1, kind: 'execute' },
    });
  });

  it('settles with the answer, the verdict and nothing else', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const yes = answered(opened, { outcome: 'succeeded', pspReference: 'pi_1' }, START + 10);
    const stepResult = advance(opened.history, factsAt(START + 10), driver, yes);
    expect(stepResult.changes.map(({ op, table }) => `${op} ${table.name}`)).toEqual([
      'update psp_attempts',
      'update psp_requests',
    ]);
    expect(stepResult.changes[1]).toMatchObject({
      set: { verdict: 'effective', pspReference: 'pi_1', leasedBy: null, nextStepAt: null },
      guard: { version: 1, verdict: 'open' },
    });
    expect(stepResult.call).toBeNull();
  });

  it('opens the next route in the commit that proves the last one empty', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const refused = answered(opened, { outcome: 'not_sent', pspCode: 'ECONNREFUSED' }, START + 10);
    const stepResult = advance(opened.history, factsAt(START + 10), driver, refused);
    expect(on(stepResult.changes, nonExecutionProofs, 'insert')).toMatchObject([
      { row: { route: 1, attempt: 1, kind: 'not_sent' } },
    ]);
    expect(on(stepResult.changes, pspRequests, 'insert')).toMatchObject([
      { row: { route: 2, psp: 'second', restsOnRoute: 1, verdict: 'open' } },
    ]);
    expect(stepResult.call).toMatchObject({ request: { route: 2, psp: 'second' } });
    expect(stepResult.call!.request.pspIdempotencyKey).not.toBe(opened.call!.request.pspIdempotencyKey);
  });

  it('looks for the object around the executes that can have made it, not around repeated replays', () => {
    const failed: Answer = { outcome: 'unknown', httpStatus: 500 };
    // The first request is never heard of, the second fails, and the others get the stored answer of that.
    const toExecutes: Answer[] = [{ outcome: 'unknown' }, failed];
    const replay: Answer = { ...failed, isReplay: true };
    let atMs = START;
    let step = startOperation(opening, atFirst, driver, new Date(atMs));
    const executes: number[] = [];
    while (executes.length < 5) {
      const { attempt, sentAt } = step.call!;
      const isExecute = attempt.kind === 'execute';
      if (isExecute) executes.push(atMs);
      else expect(sentAt.map((sent) => sent.getTime())).toEqual(executes.slice(0, 3));
      const answer = isExecute ? (toExecutes.shift() ?? replay) : failed;
      const facts = () => factsAt(atMs, { deadline: new Date(atMs + 600_000) });
      step = advance(step.history, facts(), driver, answered(step, answer, atMs));
      while (step.call === null) {
        atMs += 60_000;
        step = advance(step.history, facts(), driver);
      }
    }
  });

  it('does not know when, where a replay tells of an execute that no row is left of', () => {
    const at = (second: number) => new Date(START + second * 1_000);
    const opened = startOperation(opening, atFirst, driver, at(0)).history.routes[0]!.attempts[0]!;
    const attempt = (second: number, outcome: Outcome | null, response: PspAttempt['response'] = null) => ({
      ...opened,
      startedAt: at(second),
      outcome,
      response,
    });
    const replay = attempt(30, 'unknown', { is_replay: true });
    expect(sentAtOf([replay, replay])).toEqual([]);
    expect(sentAtOf([attempt(0, 'throttled'), replay])).toEqual([]);
    expect(sentAtOf([attempt(0, null), replay])).toEqual([at(0), at(30)]);
    expect(sentAtOf([attempt(0, 'throttled'), attempt(10, 'unknown')])).toEqual([at(0), at(10)]);
  });

  it('opens nothing after an end that was decided while its answer was on its way', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const [route] = opened.history.routes;
    const decided = {
      ...route!.request,
      verdict: 'ruled_out',
      decidedAt: new Date(START + 5),
      version: 2,
    } as const;
    const failed: OperationHistory = { ...opened.history, routes: [{ ...route!, request: decided }] };
    const late = answered(opened, { outcome: 'not_sent' }, START + 10);
    const stepResult = advance(failed, factsAt(START + 10), driver, late);
    expect([stepResult.step.do, stepResult.call]).toEqual(['none', null]);
    expect(on(stepResult.changes, pspRequests, 'insert')).toEqual([]);
    // What it came back with is written down all the same.
    expect(on(stepResult.changes, pspAttempts, 'update')).toHaveLength(1);
  });

  it('asks about a stuck route again, which is then no longer stuck', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const inDoubt = answered(opened, { outcome: 'unknown' }, START + 10);
    const { history } = advance(opened.history, factsAt(START + 10), driver, inDoubt);
    const [route] = history.routes;
    const stuck = { ...route!.request, leasedBy: null, nextStepAt: null, stuckAt: new Date(START + 20) };
    const unknowns = route!.attempts.map((a) => ({
      ...a,
      outcome: 'unknown' as const,
      endedAt: new Date(START),
    }));
    const routes = [{ request: stuck, attempts: unknowns }];
    const stepResult = advance({ ...history, routes }, factsAt(START + 20_000), driver);
    expect(stepResult.call).not.toBeNull();
    const [update] = on(stepResult.changes, pspRequests, 'update');
    expect(update).toMatchObject({ set: { stuckAt: null, nextStepAt: expect.any(Date) as Date } });
  });

  it('takes a route that another holds only once its lease has run out', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const [lockToken, heldToken] = [
      '01900000-0000-7000-8000-00000000000b',
      '01900000-0000-7000-8000-00000000000b',
    ];
    const other = { ...driver, lockToken, heldToken };
    const stepResult = advance(opened.history, factsAt(START + 21_500), other);
    expect(on(stepResult.changes, pspRequests, 'update')).toMatchObject([{ lapsed: 'leasedUntil' }]);
  });

  it('records a late yes for a route that was ruled out as an orphan, once', () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const [route] = opened.history.routes;
    const ruledOut: OperationHistory = {
      ...opened.history,
      routes: [
        { ...route!, request: { ...route!.request, verdict: 'ruled_out', decidedAt: new Date(START) } },
      ],
    };
    const late = answered(opened, { outcome: 'succeeded', pspReference: 'pi_1' }, START + 90_000);
    const changes = evidenceOnly(ruledOut, late);
    expect(on(changes, orphanEffects, 'insert')).toMatchObject([
      { row: { route: 1, attempt: 1, psp: 'first' } },
    ]);
    const [known] = advance(ruledOut, factsAt(START + 90_000, { clientWaiting: false }), driver, late).history
      .routes;
    expect(evidenceOnly({ ...ruledOut, routes: [known!] }, late)).toEqual([]);
  });

  it("keeps the PSP's id on an open route, though the run that heard it may no longer decide", () => {
    const opened = startOperation(opening, atFirst, driver, new Date(START));
    const heard = answered(opened, { outcome: 'requires_action', pspReference: 'pi_1' }, START + 30_000);
    expect(on(evidenceOnly(opened.history, heard), pspRequests, 'update')).toMatchObject([
      { set: { version: 2, pspReference: 'pi_1' } },
    ]);
  });

  describe('with a cancel before failover', () => {
    const order: Capabilities = { ...can, lookup: null, cancel: 'reference', cancelIsOrder: true };
    const fenced = (atMs: number, more: Partial<StepFacts> = {}) =>
      factsAt(atMs, { cancelBeforeFailover: true, capabilities: () => order, ...more });
    const authorization = { ...opening, entityKey: 'payment-1-authorize', operation: 'authorize' } as const;

    /** Opened, lost, sent again, lost again: what comes next. */
    function lostTwice(of: typeof authorization | typeof opening, facts: typeof fenced): StepResult {
      const opened = startOperation(of, atFirst, driver, new Date(START));
      const resent = advance(
        opened.history,
        facts(START + 500),
        driver,
        answered(opened, { outcome: 'unknown' }, START + 500),
      );
      const lost = answered(resent, { outcome: 'unknown' }, START + 1_000);
      return advance(resent.history, facts(START + 1_000), driver, lost);
    }

    it('cancels what is still in doubt, and asks another PSP on the receipt; a late yes is an orphan', () => {
      const canceling = lostTwice(authorization, fenced);
      expect(canceling.step).toEqual({ do: 'cancel', beforeFailover: true });
      expect(canceling.call!.attempt.request).toMatchObject({ fence: true, operation: 'authorize' });
      const receipt = answered(canceling, { outcome: 'pending' }, START + 1_100);
      const stepResult = advance(canceling.history, fenced(START + 1_100), driver, receipt);
      expect(stepResult.call).toMatchObject({ request: { route: 2, psp: 'second' } });
      expect(on(stepResult.changes, nonExecutionProofs, 'insert')).toMatchObject([
        { row: { kind: 'cancel_acknowledged', attempt: 3 } },
      ]);
      const [first] = stepResult.history.routes;
      const call = { ...canceling.call!, request: first!.request, attempt: first!.attempts.find(isCall)! };
      const unanswered = [{ ...first!.attempts[0]!, outcome: null }, ...first!.attempts.slice(1)];
      const history = {
        ...stepResult.history,
        routes: [{ ...first!, attempts: unanswered }, stepResult.history.routes[1]!],
      };
      const late = {
        call,
        answer: { outcome: 'succeeded' },
        endedAt: new Date(START + 9_000),
        latencyMs: 1,
      } as const;
      expect(on(evidenceOnly(history, late), orphanEffects, 'insert')).toMatchObject([
        { row: { route: 1, psp: 'first', operation: 'authorize', status: 'open' } },
      ]);
    });

    it('does not once the customer has authenticated, though the answer to that is lost', () => {
      const completable: Capabilities = { ...order, completion: { repeatable: false } };
      const facts = (atMs: number) => fenced(atMs, { capabilities: () => completable });
      const opened = startOperation(authorization, atFirst, driver, new Date(START));
      const waiting = answered(opened, { outcome: 'requires_action', pspReference: 'P' }, START + 10);
      const { history } = advance(opened.history, facts(START + 10), driver, waiting);
      const handedIn = handIn(history, facts(START + 500), driver)!;
      const lost = answered(handedIn, { outcome: 'unknown' }, START + 900);
      const { step, call } = advance(handedIn.history, facts(START + 900), driver, lost);
      expect([step.do, call]).toEqual(['stuck', null]);
    });

    it('does not where the rule is off, for a charge that is only ordered back, or once nobody waits', () => {
      expect(lostTwice(authorization, (at) => fenced(at, { cancelBeforeFailover: false })).step.do).not.toBe(
        'cancel',
      );
      expect(lostTwice(opening, fenced).step.do).not.toBe('cancel');
      expect(
        lostTwice(authorization, (at) => fenced(at, { deadline: new Date(START + 900) })).step.do,
      ).not.toBe('cancel');
      const sure: Capabilities = { ...order };
      delete (sure as { cancelIsOrder?: true }).cancelIsOrder;
      expect(lostTwice(opening, (at) => fenced(at, { capabilities: () => sure })).step).toEqual({
        do: 'cancel',
        beforeFailover: true,
      });
    });
  });

  it('writes, over whole stories, at most one update per row, a proof for every switch and a row for every call', () => {
    const answers = fc.array(fc.tuple(fc.constantFrom(...outcomes), fc.constantFrom(10, 2_000, 70_000)), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(answers, (drawn) => {
        let atMs = START;
        let stepResult = startOperation(opening, atFirst, driver, new Date(START));
        for (const [outcome, tookMs] of drawn) {
          if (!stepResult.call) return;
          atMs += tookMs;
          const before = stepResult;
          stepResult = advance(before.history, factsAt(atMs), driver, answered(before, { outcome }, atMs));
          checkCommit(stepResult);
        }
      }),
      runs(5_000),
    );
  });
});

function checkCommit({ changes, call, history }: StepResult): void {
  const rows = changes.map(
    (change) =>
      `${change.table.name} ${change.table.primary
        .map((property) =>
          JSON.stringify(change.op === 'insert' ? change.row[property] : change.key[property]),
        )
        .join('/')}`,
  );
  expect(new Set(rows).size).toBe(rows.length);
  expect(changes[0]?.op).toBe('update');
  expect(on(changes, pspAttempts, 'insert')).toHaveLength(call ? 1 : 0);
  expect(on(changes, pspRequests, 'insert').length).toBeLessThanOrEqual(
    on(changes, nonExecutionProofs, 'insert').length,
  );
  const live = history.routes.filter(({ request }) => request.verdict !== 'ruled_out');
  expect(live.length).toBeLessThanOrEqual(1);
}
