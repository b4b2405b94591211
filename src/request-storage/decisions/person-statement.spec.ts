import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { situation } from '../../../test/support/arbitrary-history.js';
import { type RouteHistory, assessRoute } from './assess-route.js';
import { nextStep } from './next-step.js';
import { statedBy, statementAttempt } from './person-statement.js';

const most = runs(5_000);

function stated(route: RouteHistory, isDone: boolean, now: Date): RouteHistory {
  const seenAttempt = route.attempts.at(-1)!.attempt;
  const said = { evidence: 'Seen in the dashboard', pspReference: 'pi_1', by: 'cli:ada' };
  const statement = { isDone, ...said, seenAttempt, overrulesPsp: false };
  return { ...route, attempts: [...route.attempts, statementAttempt(route, statement, now, 't')] };
}

describe("a person's statement about a route", () => {
  it('decides what the PSP has left open, by whatever clock, and leads to no other PSP', () => {
    fc.assert(
      fc.property(situation, fc.boolean(), ({ route, can, facts }, clockTrusted) => {
        if (assessRoute(route, can, facts).verdict !== 'open') return;
        const decide = (isDone: boolean) =>
          nextStep([stated(route, isDone, facts.now)], { ...facts, clockTrusted });
        expect(decide(true)).toMatchObject({ do: 'finish', by: { kind: 'notice' } });
        expect(decide(false)).toMatchObject({ do: 'fail', evidence: { kind: 'person', advice: 'never' } });
      }),
      most,
    );
  });

  it('says nothing against what the PSP itself says was done', () => {
    fc.assert(
      fc.property(situation, ({ route, can, facts }) => {
        if (assessRoute(route, can, facts).verdict !== 'effective') return;
        expect(assessRoute(stated(route, false, facts.now), can, facts).verdict).toBe('effective');
      }),
      most,
    );
  });

  it('is stored as the next attempt, with its author, its evidence and what the person saw', () => {
    const { route, facts } = fc.sample(situation, { numRuns: 1, seed: 1 })[0]!;
    const said = { evidence: 'Seen in the dashboard', by: 'operator:ada', seenAttempt: 1 };
    const attemptOf = (
      more: Pick<Parameters<typeof statementAttempt>[1], 'isDone' | 'pspReference' | 'overrulesPsp'>,
    ) => statementAttempt(route, { ...said, ...more }, facts.now, 't');
    const done = attemptOf({ isDone: true, pspReference: 'pi_1', overrulesPsp: true });
    expect(done).toMatchObject({
      attempt: route.attempts.at(-1)!.attempt + 1,
      kind: 'notice',
      outcome: 'succeeded',
      request: { about: 'operation', seen_attempt: 1, overrules_psp: true },
      response: { evidence: said.evidence, psp_reference: 'pi_1' },
    });
    expect(statedBy(done)).toBe(said.by);
    const notDone = attemptOf({ isDone: false, pspReference: null, overrulesPsp: false });
    expect(notDone.outcome).toBe('not_found');
    expect(notDone.request).not.toHaveProperty('overrules_psp');
    expect(notDone.response).toEqual({ evidence: said.evidence });
  });
});
