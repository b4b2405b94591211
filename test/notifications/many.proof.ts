import { type FaultKind } from '@payonce/simulator';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type Page } from '../../src/core/page.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type EventView } from '../../src/events/event.view.js';
import { eachOf } from '../support/a-few-at-a-time.js';
import { randomFrom } from '../support/random.js';
import {
  ApiClient,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  TestEnvironment,
  type PspName,
  pspNames,
} from '../support/test-environment.js';
import { Receiver } from '../events/receiver.js';

/**
 * Every notification five times, shuffled and late, at two APIs and two workers over one database, while
 * answers are lost and the merchant's endpoint fails now and then. In the end the books are held against
 * the ledgers, and what the merchant was told against the books.
 *
 * NOTIFICATIONS_SEED plays another mix.
 */
const SEED = Number(process.env['NOTIFICATIONS_SEED'] ?? 5);
const PAYMENTS = 36;
const AMOUNT = 2_000;
/** Copies are spread over this long: many come long after the answer, and some before it. */
const SPREAD_MS = 1_500;
/** Of the events that reach the merchant, one in so many is refused at first, and one is answered with a reset. */
const EVERY = 8;

const random = randomFrom(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const chance = (share: number): boolean => random() < share;

/** What a client asks for next, of a payment that stands. */
interface Step {
  readonly path: 'capture' | 'cancel' | 'refunds';
  readonly body: object;
  readonly fault: FaultKind | null;
}

interface Plan {
  readonly key: string;
  readonly psp: PspName;
  readonly api: 0 | 1;
  readonly capture: 'automatic' | 'manual';
  readonly isDeclined: boolean;
  readonly fault: FaultKind | null;
  readonly steps: readonly Step[];
}

type Ask = Omit<Step, 'fault'>;
const whole = (path: Step['path']): Ask => ({ path, body: {} });
const part = (path: Step['path'], amount: number, reference: string): Ask => ({
  path,
  body: { amount, reference },
});
const afterAuthorization: readonly (readonly Ask[])[] = [
  [],
  [whole('capture')],
  [whole('capture'), whole('refunds')],
  [part('capture', 500, 'first'), part('capture', 700, 'second')],
  [part('capture', 500, 'first'), whole('capture')],
  [part('capture', 500, 'first'), part('refunds', 200, 'some')],
  [whole('cancel')],
];
const afterCharge: readonly (readonly Ask[])[] = [
  [],
  [whole('refunds')],
  [part('refunds', 300, 'first'), part('refunds', 400, 'second')],
  [part('refunds', 300, 'first'), whole('refunds')],
];

/** Cards that no issuer takes any more. */
const declined: Readonly<Record<PspName, string>> = {
  stripe: 'pm_decline_stolen_card',
  keyless: 'pm_decline_stolen_card',
  adyen: 'refuse_5',
  checkout: 'src_decline_30043',
  square: 'cnon:decline-CARD_EXPIRED',
  mollie: 'tkn_decline_stolen_card',
  gocardless: 'MD_failed_mandate_cancelled',
  paypal: 'vault-decline-9500',
};

/** It was done, and the answer was lost. */
const lostAnswers: readonly FaultKind[] = ['close_after', 'hang_after', 'error_500_after'];
const fault = () => (chance(0.25) ? pick(lostAnswers) : null);

const plans: readonly Plan[] = Array.from({ length: PAYMENTS }, (_, n) => {
  const psp = pspNames[n % pspNames.length]!;
  const capture = chance(0.55) && psp !== 'gocardless' ? 'manual' : 'automatic';
  return {
    key: `order-${n}`,
    psp,
    api: chance(0.5) ? 0 : 1,
    capture,
    isDeclined: n % 9 === 0,
    fault: fault(),
    steps: pick(capture === 'manual' ? afterAuthorization : afterCharge).map((ask) => ({
      ...ask,
      fault: fault(),
    })),
  };
});

let environment: TestEnvironment;
let receiver: Receiver;
let apis: readonly [ServiceProcess, ServiceProcess];
let shops: readonly [ApiClient, ApiClient];
let verifier: Webhook;
/** What came to the merchant: each id, and every body under it. */
const told = new Map<string, Set<string>>();
const seen = { faults: 0, refused: 0, forged: 0 };

beforeAll(async () => {
  const env = { PAYONCE_WEBHOOK_TARGETS: 'any', PAYONCE_DEADLINE_MS: '3000', PAYONCE_DB_POOL: '5' };
  [environment, receiver] = await Promise.all([
    TestEnvironment.open({ timeoutMs: 500, lockTtlMs: 1_600, env }),
    Receiver.open((response, { headers, body }) => {
      // Checked as a merchant would, by the specification's own library.
      try {
        verifier.verify(body, signatureOf(headers));
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        seen.forged += 1;
      }
      const id = String(headers['webhook-id']);
      const isNew = !told.has(id);
      told.set(id, (told.get(id) ?? new Set()).add(body));
      const turn = isNew ? told.size % EVERY : -1;
      if (turn === 1 || turn === 2) seen.refused += 1;
      if (turn === 1) response.writeHead(500).end();
      else if (turn === 2) response.socket?.resetAndDestroy();
      else response.writeHead(204).end();
    }),
  ]);
  const [one, two] = await Promise.all([
    environment.startProcess({ env: { PAYONCE_ROLE: 'api' } }),
    environment.startProcess({ env: { PAYONCE_ROLE: 'api' } }),
    environment.startProcess({ env: { PAYONCE_ROLE: 'worker' } }),
    environment.startProcess({ env: { PAYONCE_ROLE: 'worker' } }),
  ]);
  apis = [one, two];
  const apiKey = await environment.merchant();
  shops = [new ApiClient(() => one.url, apiKey), new ApiClient(() => two.url, apiKey)];
});
afterAll(async () => {
  await receiver.close();
  await environment.close();
});

function signatureOf(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  return Object.fromEntries(names.map((name) => [name, String(headers[name])]));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what a caller expects
function read<T>({ text }: Reply): T {
  return JSON.parse(text) as T;
}

/** Neither "not yet" nor "not now". */
function isFinal(reply: Reply): boolean {
  const isBusy = reply.status === 409 && codeOf(reply) === 'request_in_progress';
  return reply.status !== 202 && reply.status < 500 && !isBusy;
}

/** The next order that reaches the PSP is carried out, and its answer lost: whosever it is. */
function lose(psp: PspName, kind: FaultKind | null): void {
  if (kind === null) return;
  seen.faults += 1;
  environment.simulator.faults(psp, { fault: kind, next: 1 });
}

/** Asks with one key until there is an answer for good; the other API is asked every second time. */
function ask(plan: Plan, path: string, body: object, key: string): Promise<Reply> {
  let turn: number = plan.api;
  return shops[0].until(() => shops[turn++ % 2]!.post(path, body, key), isFinal);
}

async function play(plan: Plan): Promise<string> {
  const { key, psp, capture, isDeclined, steps } = plan;
  // Another PSP has no token then, so that a declined payment fails.
  const tokens = isDeclined ? { tokens: { [psp]: declined[psp] } } : {};
  lose(psp, plan.fault);
  const body = orderOf({ first: psp, capture, amount: AMOUNT, reference: key, ...tokens });
  const payment = paymentOf(await ask(plan, '/v1/payments', body, key));
  if (payment.status === 'failed') return payment.id;
  for (const [n, step] of steps.entries()) {
    lose(psp, step.fault);
    await ask(plan, `/v1/payments/${payment.id}/${step.path}`, step.body, `${key}-${n}`);
  }
  return payment.id;
}

/** What is not over yet, by the tables, in one look. */
async function unrest(): Promise<Readonly<Record<string, number>>> {
  const [found] = await environment.sql<Record<string, number>>(`
    SELECT (SELECT count(*)::int FROM idempotency_keys WHERE recovery_point <> 'finished') AS keys,
           (SELECT count(*)::int FROM psp_requests WHERE verdict = 'open') AS routes,
           (SELECT count(*)::int FROM webhook_inbox WHERE state = 'received') AS inbox,
           (SELECT count(*)::int FROM events WHERE fanned_out_at IS NULL) AS events,
           (SELECT count(*)::int FROM webhook_deliveries WHERE status <> 'delivered') AS deliveries,
           (SELECT count(*)::int FROM staged_jobs) AS jobs`);
  return found ?? {};
}

async function rest(): Promise<void> {
  let last = '';
  const isOver = async () => {
    // Notifications first: what they bring is in the tables before the last of them is answered.
    const { waiting } = environment.notifications();
    const left = { notifications: waiting, ...(await unrest()) };
    last = JSON.stringify(left);
    return Object.values(left).every((count) => count === 0);
  };
  await eventually(isOver, 'all is at rest').catch((error: unknown) => {
    throw new Error(`${String(error)}; left: ${last}`);
  });
}

async function allEvents(): Promise<EventView[]> {
  const events: EventView[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page: Page<EventView> = read(await shops[0].get(`/v1/events?limit=100${after}`));
    events.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return events;
}

/** Who hears of what, as docs/webhooks-out.md has it; of everything else nobody does. */
const heard: Readonly<Record<string, string>> = {
  authorized: 'payment.authorized',
  charged: 'payment.captured',
  captured: 'payment.captured',
  captured_part_refunded: 'payment.captured',
  part_captured: 'payment.captured',
  rest_voided: 'payment.captured',
  rest_voided_part_refunded: 'payment.captured',
  rest_voided_refunded: 'payment.captured',
  failed: 'payment.failed',
  voided: 'payment.canceled',
  action_required: 'payment.requires_action',
};

/** Every change that the merchant is to hear of, by what the tables hold. */
async function changes(): Promise<string[]> {
  const moved = await environment.sql<{ id: string; event: string; status: string }>(
    'SELECT payment_id AS id, event, to_status AS status FROM payment_transitions',
  );
  const refunds = await environment.sql<{ id: string; status: string }>('SELECT id, status FROM refunds');
  return [
    ...moved.flatMap(({ id, event, status }) => {
      const type = heard[event];
      return type === undefined ? [] : [`${type} ${id} ${status}`];
    }),
    ...refunds.map(({ id, status }) => `refund.${status} ${id} ${status}`),
  ].toSorted();
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

/** What the books of a payment and the ledgers say that the other does not. */
async function complaintsOf(payment: PaymentView): Promise<string[]> {
  const { id } = payment;
  const routes = await environment.sql<{
    psp: string;
    operation: string;
    entity_key: string;
    verdict: string;
  }>('SELECT psp, operation, entity_key, verdict FROM psp_requests WHERE payment_id = $1', [id]);
  const effects = environment.effects(id);
  const effective = routes.filter(({ verdict }) => verdict === 'effective');
  const named = (all: readonly { psp: string; operation: string }[]) =>
    all
      .map(({ psp, operation }) => `${operation} at ${psp}`)
      .toSorted()
      .join(', ');
  const complaints: string[] = [];
  const must = (holds: boolean, otherwise: string) => void (holds || complaints.push(`${id}: ${otherwise}`));
  must(named(effective) === named(effects), `books ${named(effective)}; ledgers ${named(effects)}`);
  const keys = new Set(effective.map((route) => route.entity_key));
  must(keys.size === effective.length, `an operation was done on two routes: ${JSON.stringify(effective)}`);
  const moved = (...operations: readonly string[]) =>
    sum(effects.filter(({ operation }) => operations.includes(operation)).map(({ amount }) => amount));
  const [taken, back] = [moved('charge', 'capture'), moved('refund')];
  must(payment.amount_captured === taken, `${payment.amount_captured} captured; the ledgers took ${taken}`);
  must(payment.amount_refunded === back, `${payment.amount_refunded} refunded; the ledgers gave ${back}`);
  if (complaints.length > 0) complaints.push(JSON.stringify({ payment, routes, effects }, null, 1));
  return complaints;
}

it(`five of each, shuffled and late: the books equal the ledgers, one event for each change (seed ${SEED})`, async () => {
  const made = await shops[0].post('/v1/webhook_endpoints', { url: receiver.url }, 'endpoint');
  const { secret } = read<{ secret: string }>(made);
  environment.hide(secret, secret.slice('whsec_'.length));
  verifier = new Webhook(secret);
  const storm = { mode: 'storm', delay_ms: SPREAD_MS, seed: SEED, tries: 20 };
  environment.notify(apis[0].url, storm, ['stripe']);
  environment.notify(
    apis[1].url,
    storm,
    pspNames.filter((psp) => psp !== 'stripe'),
  );

  const ids: string[] = [];
  await eachOf(plans, async (plan) => void ids.push(await play(plan)));
  await rest();

  // The storm was one: five of each, all taken, and each kept once.
  const events = sum(pspNames.map((psp) => environment.simulator.webhooks(psp).events));
  expect(environment.notifications()).toEqual({ waiting: 0, delivered: 5 * events, failed: 0 });
  const inbox = await environment.sql<{ psp: string; state: string; count: number }>(
    'SELECT psp, state, count(*)::int AS count FROM webhook_inbox GROUP BY psp, state',
  );
  expect(sum(inbox.map(({ count }) => count))).toBe(events);
  expect(new Set(inbox.map(({ psp }) => psp)).size).toBe(pspNames.length);
  expect(await environment.sql("SELECT * FROM webhook_inbox WHERE state = 'break'")).toEqual([]);
  expect(await environment.sql('SELECT * FROM orphan_effects')).toEqual([]);
  expect(await environment.sql('SELECT kind, cause, error FROM dead_letters')).toEqual([]);

  const payments = (await environment.sql<{ id: string }>('SELECT id FROM payments')).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(payments.toSorted());
  expect(payments).toHaveLength(PAYMENTS);
  const complaints: string[] = [];
  await eachOf(payments, async (id) => {
    complaints.push(...(await complaintsOf(await shops[1].payment(id))));
  });
  expect(complaints).toEqual([]);

  // One event for each change: in the tables, as the API lists them, and as the merchant got them.
  const listed = await allEvents();
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  const asTold = listed.map(({ type, data }) => `${type} ${String(data['id'])} ${String(data['status'])}`);
  expect(asTold.toSorted()).toEqual(await changes());
  expect(seen.forged).toBe(0);
  expect([...told.keys()].toSorted()).toEqual(listed.map(({ id }) => id).toSorted());
  for (const event of listed) {
    expect([...told.get(event.id)!].map((body) => JSON.parse(body) as object)).toEqual([event]);
  }
  // Refused ones came again.
  expect(seen.refused).toBeGreaterThan(0);
  expect(receiver.received.length).toBeGreaterThanOrEqual(listed.length + seen.refused);
  const states = inbox.map(({ psp, state, count }) => `${psp} ${state} ${count}`).toSorted();
  process.stdout.write(
    `notifications: seed ${SEED}, ${PAYMENTS} payments, ${environment.effects().length} effects, ${seen.faults} answers lost, ` +
      `${events} notifications (${states.join(', ')}), ${listed.length} events, ${receiver.received.length} deliveries\n`,
  );
});
