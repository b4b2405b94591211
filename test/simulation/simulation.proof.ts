import { type Played } from './payment-schedule.js';
import { type PlayedOrders } from './order-schedule.js';
import { type PlayedPayouts } from './payout-schedule.js';
import { type PlayedRestored } from './restored-schedule.js';
import { spawnNode } from '../support/process.js';
import { inTurn } from '../support/turns.js';
import { brokenRules } from './broken-rules.js';

/**
 * The flows of the service over an in-memory store with the same guards, simulated PSPs, network
 * and clock, in one thread: every interleaving of crashes, lost answers, takeovers, freezes and
 * late effects that a seed draws. Two processes share the seeds, outside Jest, whose sandbox makes
 * them four times as slow.
 */
const SCHEDULES = Number(process.env['SIMULATION_SCHEDULES'] ?? 1_000);
/** The first seed. `npm run proofs` plays 10,000 others at every commit. */
const FROM = Number(process.env['SIMULATION_FROM'] ?? 1);

/** A payout has less that can come in between. */
const OF_PAYOUTS = Math.ceil(SCHEDULES / 10);

/** Each of them plays two payments. */
const OF_RESTORED = Math.ceil(SCHEDULES / 10);

type Sums = Readonly<
  Record<'schedules' | keyof Played | keyof PlayedOrders | keyof PlayedPayouts | keyof PlayedRestored, number>
>;

async function play(of: string, from: number, to: number): Promise<Sums> {
  const child = spawnNode('dist/test/simulation/main.js', {
    args: ['--of', of, '--from', String(from), '--to', String(to)],
    inBackground: true,
  });
  const { code } = await child.exit;
  if (code !== 0) throw new Error(child.output());
  return JSON.parse(child.stdout()) as Sums;
}

/** What came of `count` seeds, in two processes. */
async function playAll(of: string, count: number): Promise<(name: keyof Sums) => number> {
  const middle = FROM + Math.floor(count / 2);
  const halves = await Promise.all([play(of, FROM, middle - 1), play(of, middle, FROM + count - 1)]);
  return (name) => halves.reduce((sum, half) => sum + half[name], 0);
}

describe(`${SCHEDULES} schedules from seed ${FROM} on`, () => {
  it(
    'charge once, lose nothing, and answer the same again',
    async () => {
      const total = await playAll('payment', SCHEDULES);
      expect(total('schedules')).toBe(SCHEDULES);
      // A storm in which nothing happens proves nothing.
      expect(total('crashes')).toBeGreaterThan(SCHEDULES / 10);
      expect(total('takeovers')).toBeGreaterThan(SCHEDULES / 10);
      expect(total('cuts')).toBeGreaterThan(SCHEDULES / 50);
      expect(total('rotations')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('statements')).toBeGreaterThan(SCHEDULES / 200);
      expect(total('switches')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('effects')).toBeGreaterThan(SCHEDULES / 2);
      expect(total('compensated')).toBeGreaterThan(SCHEDULES / 2_000);
      expect(total('refunds')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('noticed')).toBeGreaterThan(SCHEDULES / 20);
      // No false alarm: whatever these PSPs tell, in whatever order, agrees with what was decided.
      expect(total('falseAlarms')).toBe(0);
      expect(total('told')).toBeGreaterThan(SCHEDULES / 2);
    },
    20 * 60_000 + SCHEDULES * 20,
  );

  it(
    'take no more for an order than is due, however it is tried',
    async () => {
      const total = await playAll('orders', SCHEDULES);
      expect(total('schedules')).toBe(SCHEDULES);
      expect(total('crashes')).toBeGreaterThan(SCHEDULES / 10);
      expect(total('goneAhead')).toBeGreaterThan(SCHEDULES / 5);
      expect(total('refusedPaid')).toBeGreaterThan(SCHEDULES);
      expect(total('inDoubt')).toBeGreaterThan(SCHEDULES / 2);
      expect(total('replaced')).toBeGreaterThan(SCHEDULES / 100);
      expect(total('refunds')).toBeGreaterThan(SCHEDULES / 20);
      expect(total('paid')).toBeGreaterThan(SCHEDULES / 2);
    },
    20 * 60_000 + SCHEDULES * 20,
  );

  it(
    'pay out once, though several pay who do not know of each other',
    async () => {
      const total = await playAll('payouts', OF_PAYOUTS);
      expect(total('schedules')).toBe(OF_PAYOUTS);
      expect(total('crashes')).toBeGreaterThan(OF_PAYOUTS / 10);
      expect(total('takeovers')).toBeGreaterThan(OF_PAYOUTS / 10);
      expect(total('switches')).toBeGreaterThan(OF_PAYOUTS / 20);
      expect(total('effects')).toBeGreaterThan(OF_PAYOUTS / 2);
      expect(total('outOfTurn')).toBeGreaterThan(OF_PAYOUTS);
      expect(total('noticed')).toBeGreaterThan(OF_PAYOUTS / 20);
      expect(total('falseAlarms')).toBe(0);
      expect(total('told')).toBeGreaterThan(OF_PAYOUTS / 2);
    },
    10 * 60_000 + SCHEDULES * 20,
  );

  it(
    'do nothing twice after the last commits are lost',
    async () => {
      const total = await playAll('restored', OF_RESTORED);
      expect(total('schedules')).toBe(OF_RESTORED);
      expect(total('crashes')).toBeGreaterThan(OF_RESTORED);
      expect(total('forgotten')).toBeGreaterThan(OF_RESTORED / 10);
      expect(total('metAgain')).toBeGreaterThan(OF_RESTORED / 20);
      expect(total('refused')).toBeGreaterThan(OF_RESTORED);
      expect(total('givenBack')).toBeGreaterThan(OF_RESTORED / 200);
    },
    10 * 60_000 + SCHEDULES * 20,
  );

  const plays = brokenRules.flatMap((rule) => rule.of.map((of) => ({ ...rule, of })));
  it.each(inTurn(plays, 2))(
    'of $of fall when a rule is broken: $rule',
    async ({ rule, of, seeds: [from, to] }) => {
      const child = spawnNode('dist/test/simulation/main.js', {
        args: ['--of', of, '--from', String(from), '--to', String(to)],
        preload: 'dist/test/simulation/break-rule.js',
        env: { BROKEN_RULE: rule },
        inBackground: true,
      });
      expect((await child.exit).code).toBe(1);
      expect(child.output()).toMatch(/seed \d+: (I\d|two effects|the lock of)/);
    },
    10 * 60_000 + SCHEDULES * 20,
  );
});
