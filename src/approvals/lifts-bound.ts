import { type RecipientRule, recipientRules } from '../core/merchant-settings.js';
import { type PayoutLimit } from '../merchants/payout-limits.js';
import { type SettingAction } from './approvable-action.js';

/** The bounds of a merchant before a change. */
export interface Bounds {
  /** A merchant of test mode: none of its money is real. */
  readonly isTest: boolean;
  readonly rule: RecipientRule;
  readonly limits: readonly PayoutLimit[];
}

/**
 * Whether the change lets money go where it could not go before, and so takes two people. A limit that is not there is
 * not lifted: its removal is refused.
 */
export function liftsBound(
  action: Exclude<
    SettingAction,
    { kind: 'change_psp_account' | 'correct_ledger' | 'invite_operator' | 'reset_operator' }
  >,
  { isTest, rule, limits }: Bounds,
): boolean {
  if (isTest) return false;
  switch (action.kind) {
    case 'set_payout_recipients':
      return widens(rule, action.rule);
    case 'set_payout_limit':
      return loosens(limits, action);
    case 'remove_payout_limit':
      return limits.some((limit) => isSame(limit, action));
    // Other rules send payments to other accounts.
    case 'set_routing':
    case 'allow_payouts':
      return true;
  }
}

/** Whether the merchant may pay more recipients after it. The rules stand in their order, the widest first. */
export function widens(before: RecipientRule, after: RecipientRule): boolean {
  return recipientRules.indexOf(after) < recipientRules.indexOf(before);
}

/**
 * Whether the limit lets a payout through that the others refuse. A merchant that has limits pays out in no currency
 * without one, and without any as it likes.
 */
export function loosens(limits: readonly PayoutLimit[], to: PayoutLimit): boolean {
  const before = limits.find((limit) => isSame(limit, to));
  if (before) return isHigher(to.amount, before.amount) || isHigher(to.count, before.count);
  return limits.length > 0 && !limits.some(({ currency }) => currency === to.currency);
}

type NamedLimit = Pick<PayoutLimit, 'currency' | 'per'>;

function isSame(limit: NamedLimit, other: NamedLimit): boolean {
  return limit.currency === other.currency && limit.per === other.per;
}

/** A figure that is null bounds nothing. */
function isHigher(after: number | null, before: number | null): boolean {
  return before !== null && (after === null || after > before);
}
