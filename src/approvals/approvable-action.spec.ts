import { type ApprovableAction, hashOfAction, overrulesPsp } from './approvable-action.js';

const action: ApprovableAction = {
  kind: 'resolve_stuck',
  merchant_id: 'm',
  entity_key: 'payment-1-charge',
  route: 1,
  as: 'done',
  psp_reference: 'pi_1',
  evidence: 'Seen',
};

describe('the hash of an action', () => {
  it('is the same in whatever order its members are stored', () => {
    const turned = Object.fromEntries(Object.entries(action).toReversed()) as unknown as ApprovableAction;
    expect(hashOfAction(turned)).toBe(hashOfAction(action));
  });

  it('is the same in whatever order the members of a rule are stored, and another one for other rules', () => {
    const routed = (rules: readonly object[]) =>
      hashOfAction({ kind: 'set_routing', merchant_id: 'm', rules, replaces: 1 });
    const rule = { when: { currency: ['EUR'], amountFrom: 1 }, order: ['a', 'b'] };
    const turned = { order: ['a', 'b'], when: { amountFrom: 1, currency: ['EUR'] } };
    expect(routed([turned])).toBe(routed([rule]));
    expect(routed([{ ...rule, order: ['b', 'a'] }])).not.toBe(routed([rule]));
    expect(routed([{ ...rule, when: { ...rule.when, amountFrom: 2 } }])).not.toBe(routed([rule]));
  });

  it.each<[string, unknown]>([
    ['merchant_id', 'n'],
    ['entity_key', 'payment-2-charge'],
    ['route', 2],
    ['as', 'not-done'],
    ['psp_reference', null],
    ['evidence', 'seen'],
  ])('is another one where %s is another', (name, value) => {
    const other = { ...action, [name]: value } as ApprovableAction;
    expect(hashOfAction(other)).not.toBe(hashOfAction(action));
  });
});

describe('a statement', () => {
  const not = { as: 'not-done', overrules_psp: true } as const;
  it.each([
    [true, { as: 'done', overrules_psp: true } as const],
    [true, { ...not, given_back: true }],
    [true, { ...not, evidence_file: 'f' }],
    [false, not],
    [false, { ...not, evidence_file: null, given_back: false }],
    [false, { ...not, overrules_psp: false, given_back: true, evidence_file: 'f' }],
    [false, { as: 'done' } as const],
  ])('overrules the PSP (%s) by %j', (overrules, said) => {
    expect(overrulesPsp(said)).toBe(overrules);
  });
});
