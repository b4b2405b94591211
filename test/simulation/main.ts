import { parseArgs } from 'node:util';
import { playPayment as play, type Played } from './payment-schedule.js';

/**
 * Plays schedules, one after the other; ends with one line of JSON that sums up what happened in
 * them, or with the story of the first seed that breaks a rule and exit code 1.
 *
 *   npm run simulation -- --seed 17                  one schedule
 *   npm run simulation -- --from 1 --to 1000000      more of them
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    from: { type: 'string', default: '1' },
    to: { type: 'string', default: '10000' },
  },
});
const from = Number(values.seed ?? values.from);
const to = Number(values.seed ?? values.to);

const sum: Record<keyof Played, number> = {
  crashes: 0,
  effects: 0,
  refunds: 0,
  switches: 0,
  stuck: 0,
  takeovers: 0,
  orphans: 0,
  compensated: 0,
  noticed: 0,
  contradictions: 0,
  told: 0,
};
try {
  for (let seed = from; seed <= to; seed++) {
    const played = await play(seed);
    for (const name of Object.keys(sum) as (keyof Played)[]) sum[name] += played[name];
  }
  process.stdout.write(`${JSON.stringify({ schedules: to - from + 1, ...sum })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
}
