import { type Effect } from '@payonce/simulator';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type TestEnvironment, type PspName, pspNames } from '../support/test-environment.js';

export type Must = (holds: boolean, otherwise: string) => void;

/** What was written down of a call. */
export interface Attempt {
  readonly entity_key: string;
  readonly route: number;
  readonly attempt: number;
  readonly psp: string;
  readonly kind: string;
  readonly outcome: string | null;
  readonly verdict: string;
}

/** Complaints about one run, with the evidence they rest on. */
export class Verdict {
  private readonly complaints: string[] = [];
  readonly must: Must = (holds, otherwise) => void (holds || this.complaints.push(otherwise));

  /** @throws when there is anything to complain about */
  pronounce(attempts: readonly Attempt[], effects: readonly Effect[]): void {
    if (this.complaints.length === 0) return;
    throw new Error(
      [...this.complaints, JSON.stringify(attempts, null, 1), JSON.stringify(effects, null, 1)].join('\n'),
    );
  }
}

/** Everything that was asked of PSPs for a payment or a payout, as it happened. */
export function attemptsOf(environment: TestEnvironment, subjectId: string): Promise<Attempt[]> {
  return environment.sql<Attempt>(
    `SELECT a.entity_key, a.route, a.attempt, r.psp, a.kind, a.outcome, r.verdict
       FROM psp_attempts a JOIN psp_requests r USING (merchant_id, entity_key, route)
      WHERE coalesce(r.payment_id, r.payout_id) = $1
      ORDER BY a.started_at, a.entity_key, a.route, a.attempt`,
    [subjectId],
  );
}

/** Routes are decided, and every call on the wire is written down. */
export function checkRoutes(environment: TestEnvironment, attempts: readonly Attempt[], must: Must): void {
  must(!attempts.some(({ verdict }) => verdict === 'open'), 'a route is open still');
  for (const psp of pspNames) checkCalls(psp, environment.orders(psp).length, attempts, must);
}

/** Every call on the wire has an attempt; where there are no keys, no route is sent twice. */
function checkCalls(psp: PspName, orders: number, attempts: readonly Attempt[], must: Must): void {
  const written = attempts.filter((a) => a.psp === psp && a.kind !== 'lookup');
  must(orders <= written.length, `${psp} got ${orders} orders, ${written.length} are written down`);
  if (psp !== 'keyless') return;
  const routes = new Set(written.map((a) => `${a.entity_key} ${a.route}`));
  must(orders <= routes.size, `a PSP without keys got ${orders} orders for ${routes.size} routes`);
}

/** What the payment says was taken and given back is what the ledgers moved. */
export function checkBooks(payment: PaymentView, effects: readonly Effect[], must: Must): void {
  const moved = (...operations: readonly string[]) =>
    effects.filter((e) => operations.includes(e.operation)).reduce((sum, { amount }) => sum + amount, 0);
  const [taken, back] = [moved('charge', 'capture'), moved('refund')];
  must(payment.amount_captured === taken, `${payment.amount_captured} captured; the ledgers took ${taken}`);
  must(payment.amount_refunded === back, `${payment.amount_refunded} refunded; the ledgers gave ${back}`);
}

/** One payment or payout of the merchant, every key answered, and nothing in a history twice. */
export async function checkTables(
  environment: TestEnvironment,
  subjectId: string,
  must: Must,
): Promise<void> {
  const [found] = await environment.sql<{ subjects: number; unfinished: number; twice: number }>(
    `WITH subjects AS (SELECT merchant_id, id FROM payments UNION ALL SELECT merchant_id, id FROM payouts),
          events AS (SELECT payment_id AS id, event, entity_key FROM payment_transitions
                     UNION ALL SELECT payout_id, event, entity_key FROM payout_transitions)
     SELECT (SELECT count(*)::int FROM subjects WHERE merchant_id = mine.merchant_id) AS subjects,
            (SELECT count(*)::int FROM idempotency_keys
              WHERE merchant_id = mine.merchant_id AND recovery_point <> 'finished') AS unfinished,
            (SELECT count(*)::int FROM (SELECT 1 FROM events WHERE id = mine.id
               GROUP BY event, entity_key HAVING count(*) > 1) AS t) AS twice
       FROM subjects mine WHERE id = $1`,
    [subjectId],
  );
  const isRight = found?.subjects === 1 && found.unfinished === 0 && found.twice === 0;
  must(isRight, `the tables hold ${JSON.stringify(found)}`);
}
