import { type Effect, pspNames } from '@payonce/simulator';
import { isOfOrphan } from '../../src/request-storage/entity-key.js';
import { type Installation } from './installation.js';
import { type Asked } from './asked-book.js';

/** One thing that must not be, with all that is known of the payment or payout. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
  /** The faults that were played when it was asked for. */
  readonly during: readonly string[];
  readonly story?: unknown;
}

export type Rule =
  | 'one effect for each operation'
  | 'nothing unknown to us'
  | 'nothing claimed that no PSP did'
  | 'sums as at the PSPs'
  | 'an order is paid once'
  | 'an answer stands'
  | 'everything has a next step'
  | 'a healthy PSP fails nobody'
  | 'books in balance'
  | 'answers come back'
  | 'one primary at a time'
  | 'no secret is written down';

export interface Verdict {
  readonly violations: Violation[];
  /** Payments that failed when a day had passed: their calls were in doubt, and their customers had gone unanswered. */
  readonly expired: number;
}

export interface RouteRow {
  readonly entity_key: string;
  readonly route: number;
  readonly operation: string;
  readonly subject: string;
  readonly psp: string;
  /** Under which the PSP was asked. */
  readonly key: string;
  readonly amount: number;
  readonly verdict: 'open' | 'effective' | 'ruled_out';
  readonly stuck_reason: string | null;
}

export interface PaymentRow {
  readonly id: string;
  readonly status: string;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly order: string | null;
  readonly due: number | null;
  /** Whether a PSP declined it; then it may fail. */
  readonly declined: boolean;
  readonly failure: string | null;
}

/** Failures of payments of which nobody knew whether their call was sent, until time alone proved that it was not. */
const IN_DOUBT: ReadonlySet<string> = new Set(['not_executed', 'canceled']);

const READ_PAYMENTS = `
SELECT p.id, p.status, p.amount_captured::float8, p.amount_refunded::float8, p.order_reference AS order,
       o.amount_due::float8 AS due, p.failure ->> 'code' AS failure,
       p.status = 'failed' AND EXISTS (
         SELECT FROM psp_requests r JOIN psp_attempts a USING (merchant_id, entity_key, route)
          WHERE r.payment_id = p.id AND a.outcome = 'declined') AS declined
  FROM payments p LEFT JOIN orders o ON o.merchant_id = p.merchant_id AND o.reference = p.order_reference`;

const READ_ROUTES = `
SELECT entity_key, route, operation, coalesce(payment_id, payout_id) AS subject, psp, psp_idempotency_key AS key,
       amount::float8, verdict, stuck_reason
  FROM psp_requests`;

const MOST_STORIES = 20;
const SUBJECT = /(?:payment|payout)-([0-9a-f-]{36})-/;

/** The ledgers of the PSPs are held against our tables; the ledgers are right. */
export async function judge(
  installation: Installation,
  asked: readonly Asked[],
  healthy: (asked: Asked) => boolean,
): Promise<Verdict> {
  const payments = await installation.sql<PaymentRow>(READ_PAYMENTS);
  const rows = await installation.sql<RouteRow>(READ_ROUTES);
  const routes = groupBy(rows, ({ subject }) => subject);
  // What a lost commit asked for bears the name of its payment, and the one that asked again has its key.
  const subjects = new Map(rows.map(({ key, subject }) => [key, subject]));
  const effects = groupBy(
    allEffects(installation),
    ({ idempotency_key: key, reference }) =>
      subjects.get(key ?? '') ?? SUBJECT.exec(reference ?? '')?.[1] ?? '',
  );
  const payouts = await installation.sql<{ id: string; status: string }>('SELECT id, status FROM payouts');
  const known = new Set([...payments, ...payouts].map(({ id }) => id));
  const askedFor = new Map(asked.flatMap((one) => [...one.named].map((id) => [id, one] as const)));
  const found: Omit<Violation, 'during'>[] = [];
  let expired = 0;

  for (const payment of payments) {
    const of = { routes: routes.get(payment.id) ?? [], effects: effects.get(payment.id) ?? [] };
    found.push(...judgePayment(payment, of.routes, of.effects));
    const asker = askedFor.get(payment.id);
    if (payment.status !== 'failed' || payment.declined || payment.failure === null || !asker) continue;
    if (asker.answeredAfterMs === null && IN_DOUBT.has(payment.failure)) expired += 1;
    else if (healthy(asker))
      found.push({ rule: 'a healthy PSP fails nobody', what: `${payment.id} failed: ${payment.failure}` });
  }
  for (const { id } of payouts)
    found.push(...judgeOperations(id, routes.get(id) ?? [], effects.get(id) ?? []));
  found.push(...judgeOrders(payments, effects));
  for (const [subject, all] of effects) {
    if (!known.has(subject))
      found.push({ rule: 'nothing unknown to us', what: `nobody's: ${JSON.stringify(all)}` });
  }
  found.push(...(await judgeAnswers(installation, asked, known)));
  const violations = await Promise.all(
    found.map(async (violation, n) => {
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(violation.what)?.[0];
      const story =
        id && n < MOST_STORIES ? await storyOf(installation, id, effects.get(id) ?? []) : undefined;
      return {
        ...violation,
        during: (id ? askedFor.get(id)?.during : undefined) ?? [],
        ...(story ? { story } : {}),
      };
    }),
  );
  return { violations, expired };
}

function allEffects({ simulator }: Installation): Effect[] {
  return pspNames
    .flatMap((psp) => simulator.ledger(psp).effects)
    .filter(({ undone_at: undoneAt }) => undoneAt === undefined);
}

/** What still stands: without what was given back because its route had been ruled out, and what gave it back. */
function standing(effects: readonly Effect[], routes: readonly RouteRow[]): readonly Effect[] {
  const ruledOut = new Set(
    routes.filter(({ verdict }) => verdict === 'ruled_out').map((r) => `${r.entity_key} ${r.route}`),
  );
  const undone = new Set(
    effects.filter(({ operation }) => ['void', 'refund'].includes(operation)).map((e) => e.parent_reference),
  );
  const calledBack = new Set(
    effects
      .filter((e) => undone.has(e.psp_reference) && ruledOut.has(`${e.reference} ${e.route}`))
      .map((e) => e.psp_reference),
  );
  return effects.filter((e) => !calledBack.has(e.psp_reference) && !calledBack.has(e.parent_reference ?? ''));
}

function judgePayment(
  payment: PaymentRow,
  routes: readonly RouteRow[],
  all: readonly Effect[],
): Omit<Violation, 'during'>[] {
  const found = judgeOperations(payment.id, routes, all);
  const effects = standing(all, routes);
  const sums = [
    ['captured', payment.amount_captured, sumOf(effects, 'charge', 'capture')],
    ['refunded', payment.amount_refunded, sumOf(effects, 'refund')],
  ] as const;
  for (const [name, ours, theirs] of sums) {
    if (ours !== theirs)
      found.push({
        rule: 'sums as at the PSPs',
        what: `${payment.id}: ${ours} ${name}, at the PSPs ${theirs}`,
      });
  }
  return found;
}

/** How an operation of ours is called in the ledger of a PSP. */
const inLedger = (operation: string) => (operation === 'send' ? 'payout' : operation);

/** The same operations, as often and at the same PSPs. */
export function judgeOperations(
  id: string,
  routes: readonly RouteRow[],
  all: readonly Effect[],
): Omit<Violation, 'during'>[] {
  const found: Omit<Violation, 'during'>[] = [];
  const done = routes.filter((r) => r.verdict === 'effective' && !isOfOrphan(id, r.entity_key));
  const books = countOf(done.map((r) => `${inLedger(r.operation)} of ${r.amount} at ${r.psp}`));
  const ledgers = countOf(standing(all, routes).map((e) => `${e.operation} of ${e.amount} at ${e.psp}`));
  for (const [name, times] of ledgers) {
    const ours = books.get(name) ?? 0;
    if (times <= ours) continue;
    const [operation] = name.split(' ');
    const keys = standing(all, routes)
      .filter((e) => e.operation === operation)
      .map((e) => e.reference);
    const isDouble = new Set(keys).size < keys.length;
    const rule = isDouble ? 'one effect for each operation' : 'nothing unknown to us';
    found.push({ rule, what: `${id}: ${name}, ${times} times; by our books ${ours} times` });
  }
  for (const [name, times] of books) {
    const theirs = ledgers.get(name) ?? 0;
    if (times > theirs)
      found.push({
        rule: 'nothing claimed that no PSP did',
        what: `${id}: ${name}, ${times} times; at the PSPs ${theirs} times`,
      });
  }
  for (const { entity_key: key, verdict, stuck_reason: reason } of routes) {
    if (verdict === 'open' && reason === null)
      found.push({ rule: 'everything has a next step', what: `${key} is open a day later` });
  }
  return found;
}

/** What all payments of an order took together, authorizations included, is not more than is due. */
export function judgeOrders(
  payments: readonly PaymentRow[],
  effects: ReadonlyMap<string, readonly Effect[]>,
): Omit<Violation, 'during'>[] {
  const orders = groupBy(payments, ({ order }) => order ?? '');
  orders.delete('');
  return [...orders].flatMap(([order, tries]) => {
    const taken = tries.reduce((sum, { id }) => sum + takenBy(effects.get(id) ?? []), 0);
    const due = tries[0]?.due ?? 0;
    return taken > due
      ? [
          {
            rule: 'an order is paid once' as const,
            what: `${tries[0]!.id}: order ${order} of ${due} was paid ${taken}`,
          },
        ]
      : [];
  });
}

/** Minor units that a customer misses: captured, or reserved as long as nothing was released. */
function takenBy(effects: readonly Effect[]): number {
  const captured = sumOf(effects, 'charge', 'capture');
  const isReleased = effects.some(({ operation }) => operation === 'void');
  const reserved = isReleased ? captured : Math.max(captured, sumOf(effects, 'authorize'));
  return reserved - sumOf(effects, 'refund');
}

/** What a client was told is what is stored, byte for byte, and what it was told of is there. */
async function judgeAnswers(
  installation: Installation,
  asked: readonly Asked[],
  known: ReadonlySet<string>,
): Promise<Omit<Violation, 'during'>[]> {
  const rows = await installation.sql<{ key: string; answer: string | null }>(
    // Answers end with an end of line, which is not stored.
    `SELECT key, response_status || ' ' || response_body || E'\\n' AS answer FROM idempotency_keys`,
  );
  const stored = new Map(rows.map(({ key, answer }) => [key, answer]));
  return asked.flatMap((one) => {
    const wrong: Omit<Violation, 'during'>[] = [];
    const say = (what: string) => wrong.push({ rule: 'an answer stands', what });
    for (const id of one.named)
      if (!known.has(id)) say(`${id} was acknowledged to ${one.key}, and is not there`);
    if (one.answers.size > 1) say(`${one.key} was answered differently: ${[...one.answers].join(' / ')}`);
    for (const answer of one.answers) {
      const now = stored.get(one.key);
      // A refusal that stored nothing may become another answer later.
      const isKept = now !== undefined || answer.startsWith('2');
      if (isKept && now !== answer) say(`${one.key} was answered ${answer}; stored is ${now ?? 'nothing'}`);
    }
    return wrong;
  });
}

async function storyOf(installation: Installation, id: string, effects: readonly Effect[]): Promise<object> {
  const attempts = await installation.sql(
    `SELECT a.entity_key, a.route, a.attempt, a.kind, r.psp, a.outcome, a.psp_code, a.http_status, a.started_at, a.ended_at,
            r.verdict, r.stuck_reason
       FROM psp_requests r JOIN psp_attempts a USING (merchant_id, entity_key, route)
      WHERE coalesce(r.payment_id, r.payout_id) = $1 ORDER BY a.started_at`,
    [id],
  );
  const history = await installation.sql(
    'SELECT event, from_status, to_status, actor, entity_key, at FROM payment_transitions WHERE payment_id = $1 ORDER BY version',
    [id],
  );
  return { effects, attempts, history };
}

function sumOf(effects: readonly Effect[], ...operations: readonly string[]): number {
  return effects
    .filter(({ operation }) => operations.includes(operation))
    .reduce((sum, { amount }) => sum + amount, 0);
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function groupBy<T>(all: readonly T[], by: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(by(one));
    if (group) group.push(one);
    else groups.set(by(one), [one]);
  }
  return groups;
}
