import { type Refusal } from '../core/change.js';
import { Problem } from '../core/problem.js';

/** What a payout may be too much for; the rule of the database is `payouts_limit_<name>` (migration 0100). */
const payoutLimitNames = [
  'merchant_amount',
  'merchant_count',
  'recipient_amount',
  'recipient_count',
  'currency',
] as const;
type PayoutLimitName = (typeof payoutLimitNames)[number];

const details: Readonly<Record<PayoutLimitName, string>> = {
  merchant_amount: 'With this payout you would pay out more of this currency in a day (UTC) than you may.',
  merchant_count: 'You have made as many payouts in this currency as you may in a day (UTC).',
  recipient_amount:
    'With this payout you would pay this recipient more of this currency in a day (UTC) than you may.',
  recipient_count:
    'You have made as many payouts to this recipient in this currency as you may in a day (UTC).',
  currency: 'Your payouts are limited by currency, and none is allowed in this one.',
};

/** Says which limit the commit of a payout ran into, if any. @throws Problem `payout_limit_exceeded` */
export function refuseOverLimit(refused: Refusal): void {
  if (refused.by !== 'check') return;
  const limit = payoutLimitNames.find((name) => refused.rule === `payouts_limit_${name}`);
  if (!limit) return;
  throw new Problem('payout_limit_exceeded', details[limit], { members: { limit } });
}
