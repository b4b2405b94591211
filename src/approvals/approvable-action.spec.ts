import { type ApprovableAction, hashOfAction } from './approvable-action.js';

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
