import { parseArgs } from 'node:util';
import { playPayment } from './payment-schedule.js';
import { playOrders } from './order-schedule.js';
import { playPayouts } from './payout-schedule.js';
import { playRestored } from './restored-schedule.js';

/**
 * Plays schedules, one after the other; ends with one line of JSON that sums up what happened in
 * them, or with the story of the first seed that breaks a rule and exit code 1.
 *
 *   npm run simulation -- --seed 17                  one schedule of a payment
 *   npm run simulation -- --from 1 --to 1000000      more of them
 *   npm run simulation -- --of payouts               schedules of payouts to one person
 *   npm run simulation -- --of orders                schedules of an order that is tried several times
 *   npm run simulation -- --of restored              schedules in which the last commits are lost
 */
const { values } = parseArgs({
  options: {
    of: { type: 'string', default: 'payment' },
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '10000' },
  },
});
const from = Number(values.seed ?? values.from);
const to = Number(values.seed ?? values.to);

async function playAll(play: (seed: number) => Promise<object>): Promise<object> {
  const sum: Record<string, number> = {};
  for (let seed = from; seed <= to; seed++) {
    for (const [name, count] of Object.entries(await play(seed)) as [string, number][]) {
      sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return { schedules: to - from + 1, ...sum };
}

try {
  const plays = { payment: playPayment, orders: playOrders, payouts: playPayouts, restored: playRestored };
  const play = plays[values.of as keyof typeof plays] as (typeof plays)[keyof typeof plays] | undefined;
  if (!play) throw new Error(`--of ${Object.keys(plays).join(' or ')}`);
  process.stdout.write(`${JSON.stringify(await playAll(play))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
