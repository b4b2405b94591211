import { setTimeout as sleep } from 'node:timers/promises';
import { orderOf, type Reply, ApiClient, type TestEnvironment } from './test-environment.js';
import { Receiver } from '../events/receiver.js';

const PAY_EVERY_MS = 100;
/** A customer waits for so long; then the answer is 202 and the resolver goes on. */
const DEADLINE_MS = 800;
const PATIENCE_MS = 60_000;

/** Everything that may be under way, and how much of it is. */
const UNDER_WAY = `
SELECT (SELECT count(*) FROM webhook_inbox WHERE state = 'received')::int AS inbox,
       (SELECT count(*) FROM events WHERE fanned_out_at IS NULL)::int
         + (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')::int AS deliveries,
       (SELECT count(*) FROM psp_requests WHERE verdict = 'open')::int AS routes,
       (SELECT count(*) FROM idempotency_keys WHERE finished_at IS NULL)::int AS keys,
       (SELECT count(*) FROM staged_jobs)::int AS staged`;

interface UnderWay {
  readonly inbox: number;
  readonly deliveries: number;
  readonly routes: number;
  readonly keys: number;
  readonly staged: number;
}

/** Customers who pay, PSPs that lose answers and notify, and a merchant's endpoint that is told. */
export class PaymentFlow {
  /** How often each status was answered; `0`: no answer. */
  readonly answers = new Map<number, number>();
  private readonly asked: Promise<void>[] = [];
  private over = new AbortController();
  private paying: Promise<void> = Promise.resolve();
  private count = 0;
  private readonly refused = new Set<string>();

  private constructor(
    private readonly environment: TestEnvironment,
    private readonly client: ApiClient,
    readonly receiver: Receiver,
  ) {}

  /** @param url of the API */
  static async open(environment: TestEnvironment, url: () => string): Promise<PaymentFlow> {
    const client = new ApiClient(url, await environment.merchant());
    const flow = new PaymentFlow(environment, client, await Receiver.open());
    try {
      await flow.connect(url());
      return flow;
    } catch (error) {
      await flow.close();
      throw error;
    }
  }

  private async connect(url: string): Promise<void> {
    const { environment, receiver, refused } = this;
    receiver.behaviour = (response, { headers }) => {
      const id = String(headers['webhook-id']);
      // One in sixteen is refused the first time, so that there are tries to make again.
      const refuses = id.endsWith('7') && !refused.has(id);
      refused.add(id);
      response.writeHead(refuses ? 500 : 200).end();
    };
    const made = await this.client.post('/v1/webhook_endpoints', { url: receiver.url }, 'endpoint');
    const { secret } = JSON.parse(made.text) as { secret: string };
    environment.hide(secret, secret.slice('whsec_'.length));
    environment.notify(url, { tries: 20 });
    for (const psp of ['stripe', 'adyen'] as const) {
      environment.simulator.faults(psp, { fault: 'close_after', rate: 0.1, seed: 3 });
      environment.simulator.faults(psp, { fault: 'hang_after', rate: 0.05, seed: 5 });
    }
  }

  /** Ten a second from now on. */
  start(): void {
    this.over = new AbortController();
    const { signal } = this.over;
    this.paying = (async () => {
      while (!signal.aborted) {
        this.burst(1);
        await sleep(PAY_EVERY_MS);
      }
    })();
  }

  /** So many at once. */
  burst(count: number): void {
    for (let n = 0; n < count; n++) this.asked.push(this.pay((this.count += 1)));
  }

  /** Resolves when every customer was told something to act upon. */
  async stop(): Promise<void> {
    this.over.abort();
    await this.paying;
    await Promise.all(this.asked.splice(0));
  }

  async close(): Promise<void> {
    this.over.abort();
    await Promise.allSettled([this.paying, ...this.asked]);
    await this.receiver.close();
  }

  async underWay(): Promise<UnderWay> {
    const [row] = await this.environment.sql<UnderWay>(UNDER_WAY);
    return row!;
  }

  /**
   * Resolves when nothing is under way any more, with the seconds after `sinceMs` that each kind of work
   * took. @throws after 60 s, with what is left
   */
  async atRest(sinceMs: number): Promise<Readonly<Record<string, string>>> {
    const took: Record<string, string> = {};
    for (;;) {
      const left = { ...(await this.underWay()), notifications: this.environment.notifications().waiting };
      const afterMs = performance.now() - sinceMs;
      for (const [what, count] of Object.entries(left)) {
        if (count > 0) delete took[what];
        else took[what] ??= (afterMs / 1_000).toFixed(1);
      }
      if (Object.keys(took).length === Object.keys(left).length) return took;
      if (afterMs > PATIENCE_MS) throw new Error(`under way after 60 s: ${JSON.stringify(left)}`);
      await sleep(50);
    }
  }

  /** What is wrong with books, ledgers, events and dead letters, once everything is at rest. */
  async complaints(): Promise<string[]> {
    const { environment } = this;
    const payments = await environment.sql<{
      id: string;
      status: string;
      captured: string;
      unreached: boolean;
      history: string[];
    }>(
      `SELECT id, status, amount_captured AS captured,
              NOT EXISTS (SELECT 1 FROM psp_requests r JOIN psp_attempts a USING (merchant_id, entity_key, route)
                           WHERE r.payment_id = p.id AND a.outcome IS DISTINCT FROM 'not_sent') AS unreached,
              ARRAY(SELECT event FROM payment_transitions WHERE payment_id = p.id ORDER BY version) AS history
         FROM payments p`,
    );
    const found: string[] = [];
    const effects = grouped(environment.effects(), ({ reference }) => reference ?? 'nobody');
    for (const [key, all] of effects) if (all.length > 1) found.push(`${key}: ${all.length} effects`);
    if (payments.length !== this.count)
      found.push(`${this.count} were asked for, ${payments.length} are there`);
    // On a machine that stands still for a moment no PSP is reached in time: then nothing is done, and said so.
    const made = payments.filter(({ unreached }) => !unreached).length;
    if (made < payments.length / 2) found.push(`of ${payments.length} payments ${made} reached a PSP`);
    if (effects.size !== made) found.push(`${effects.size} effects of ${made} payments`);
    for (const { id, status, captured, unreached, history } of payments) {
      const moved = environment.effects(id).reduce((sum, { amount }) => sum + amount, 0);
      if (moved !== Number(captured)) found.push(`${id}: books ${captured}, ledgers ${moved}`);
      const told = `${status} by ${history.join()}`;
      if (told !== (unreached ? 'failed by opened,failed' : 'captured by opened,charged')) {
        found.push(`${id}: ${told}`);
      }
    }
    return [...found, ...(await this.ofEvents(payments.length, made)), ...(await this.ofRows())];
  }

  private async ofEvents(payments: number, made: number): Promise<string[]> {
    const events = await this.environment.sql<{ id: string; type: string; subject: string }>(
      'SELECT id, type, subject FROM events',
    );
    const found: string[] = [];
    const captured = new Set(events.filter(({ type }) => type === 'payment.captured').map((e) => e.subject));
    if (captured.size !== made || events.length !== payments) {
      found.push(`${events.length} events of ${captured.size} captures of ${made} in ${payments} payments`);
    }
    const bodies = grouped(this.receiver.received, ({ headers }) => String(headers['webhook-id']));
    for (const { id } of events) {
      const told = new Set(bodies.get(id)?.map(({ body }) => body));
      if (told.size !== 1) found.push(`event ${id} was received with ${told.size} bodies`);
    }
    if (bodies.size !== events.length) found.push(`${bodies.size} ids received of ${events.length}`);
    return found;
  }

  private async ofRows(): Promise<string[]> {
    const rows = await this.environment.sql<{ what: string }>(
      `SELECT concat_ws(' ', 'dead letter', kind, cause, error) AS what FROM dead_letters
       UNION ALL SELECT concat_ws(' ', 'notification', psp, type, state, reason, taken::text) FROM webhook_inbox
                  WHERE state <> 'applied'
       UNION ALL SELECT concat_ws(' ', 'delivery', event_id, status) FROM webhook_deliveries
                  WHERE status <> 'delivered'
       UNION ALL SELECT concat_ws(' ', 'orphan', entity_key) FROM orphan_effects`,
    );
    return rows.map(({ what }) => what);
  }

  /** Asks with one key until there is an answer that says what became, or becomes, of it. */
  private async pay(number: number): Promise<void> {
    const key = `order-${number}`;
    const body = orderOf({ first: number % 2 === 0 ? 'stripe' : 'adyen', reference: key });
    const giveUpAtMs = performance.now() + PATIENCE_MS;
    while (performance.now() < giveUpAtMs) {
      const status = await this.client
        .post('/v1/payments', body, key, { deadlineMs: DEADLINE_MS, signal: AbortSignal.timeout(20_000) })
        .then((reply: Reply) => reply.status)
        .catch(() => 0);
      this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
      if (status >= 200 && status < 300) return;
      await sleep(500);
    }
    throw new Error(`${key} was not taken`);
  }
}

function grouped<T>(all: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}
