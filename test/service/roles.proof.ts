import { Client } from 'pg';
import { redisBinary, RedisServer } from '../support/redis-server.js';
import {
  ApiClient,
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  TestEnvironment,
} from '../support/test-environment.js';
import { Receiver } from '../events/receiver.js';
import { inTurn } from '../support/turns.js';

/** APIs and workers in processes of their own, over one database and one queue. */
const backends = redisBinary ? (['postgres', 'redis'] as const) : (['postgres'] as const);
const ENQUEUES = /relays staged jobs from now on/;
const PAYMENTS = 40;
/** Where an order that died on its way is repeated at once; at a PSP without keys its absence has to be final first. */
const psps = ['stripe', 'adyen'] as const;
const GRACE_MS = 4_000;
/** What a killed process had in hand is free again after this long at most (docs/jobs.md), and then some. */
const TAKEN_OVER_MS = 60_000;

describe.each(inTurn(backends))('roles, with queues in %s', (backend) => {
  let redis: RedisServer | null;
  let environment: TestEnvironment;
  let receiver: Receiver;
  let apiKey: string;

  beforeEach(async () => {
    redis = backend === 'redis' ? await RedisServer.start(true) : null;
    const env = {
      PAYONCE_WEBHOOK_TARGETS: 'any',
      PAYONCE_SHUTDOWN_GRACE_MS: String(GRACE_MS),
      PAYONCE_DB_POOL: '5',
      ...(redis ? { REDIS_URL: redis.url } : {}),
    };
    [environment, receiver] = await Promise.all([
      // Forty at once are slow to connect on a busy machine; a PSP that is not reached in time does nothing.
      TestEnvironment.open({ env, timeoutMs: 2_000, lockTtlMs: 3_500 }),
      Receiver.open(),
    ]);
    apiKey = await environment.merchant();
  });
  afterEach(async () => {
    await receiver.close();
    await environment.close();
    await redis?.stop();
  });

  const start = (role: 'all' | 'api' | 'worker') => environment.startProcess({ env: { PAYONCE_ROLE: role } });
  /** A worker whose runs of periodic tasks are recorded. */
  const namedWorker = (name: string) => {
    const url = new URL(environment.database.url);
    url.searchParams.set('options', `-c stage.worker=${name}`);
    return environment.startProcess({ env: { PAYONCE_ROLE: 'worker' }, databaseUrl: url.href });
  };
  const shopAt = (service: () => ServiceProcess) => new ApiClient(() => service().url, apiKey);

  const asks = Array.from({ length: PAYMENTS }, (_, n) => ({
    key: `order-${n}`,
    body: orderOf({ first: psps[Math.floor(n / 2) % 2]!, reference: `order-${n}`, amount: 1_000 + n }),
  }));

  async function listen(client: ApiClient): Promise<void> {
    const made = await client.post('/v1/webhook_endpoints', { url: receiver.url }, 'endpoint');
    const { secret } = JSON.parse(made.text) as { secret: string };
    environment.hide(secret, secret.slice('whsec_'.length));
  }

  /** Nobody asks any more: what is left is done by workers alone. */
  async function rest(): Promise<void> {
    let last: object | undefined;
    const isOver = async () => {
      const [left] = await environment.sql<Record<string, number>>(`
        SELECT (SELECT count(*)::int FROM idempotency_keys WHERE recovery_point <> 'finished') AS keys,
               (SELECT count(*)::int FROM webhook_inbox WHERE state = 'received') AS inbox,
               (SELECT count(*)::int FROM events WHERE fanned_out_at IS NULL) AS events,
               (SELECT count(*)::int FROM webhook_deliveries WHERE status <> 'delivered') AS deliveries,
               (SELECT count(*)::int FROM staged_jobs) AS jobs`);
      last = { ...left, notifications: environment.notifications().waiting };
      return Object.values(last).every((count) => count === 0);
    };
    await eventually(isOver, 'all is at rest', TAKEN_OVER_MS).catch((error: unknown) => {
      throw new Error(`${String(error)}; left: ${JSON.stringify(last)}`);
    });
  }

  /** Everybody asks again: each is told, once charged, and what was answered before is answered the same. */
  async function expectNothingLost(client: ApiClient, before: readonly (Reply | null)[]): Promise<void> {
    const replies = await Promise.all(
      asks.map(({ key, body }) => client.until(() => client.post('/v1/payments', body, key), atRest)),
    );
    for (const [n, reply] of replies.entries()) {
      const payment = paymentOf(reply);
      expect(payment).toMatchObject({ status: 'captured', amount: asks[n]!.body.amount });
      expect(environment.effects(payment.id)).toMatchObject([
        { operation: 'charge', amount: payment.amount },
      ]);
      const told = before[n];
      if (told?.status === 201) expect(reply.text).toBe(told.text);
      if (told?.status === 202) expect(payment.id).toBe(paymentOf(told).id);
    }
    expect(environment.effects()).toHaveLength(PAYMENTS);
    expect(await environment.sql('SELECT * FROM dead_letters')).toEqual([]);
    expect(await environment.sql("SELECT * FROM webhook_inbox WHERE state = 'break'")).toEqual([]);
  }

  /** Every payment's event, and nothing but it, has come to the merchant. */
  async function expectAllTold(): Promise<void> {
    const events = await environment.sql<{ id: string; type: string }>('SELECT id, type FROM events');
    expect(events.map(({ type }) => type)).toEqual(asks.map(() => 'payment.captured'));
    const came = new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])));
    expect([...came].toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  }

  /** Connections of queues and of the enqueuer. */
  async function queueConnections(): Promise<number> {
    const rows = await environment.sql(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND application_name IN ('payonce-queue', 'payonce-enqueuer')`,
    );
    const clients = redis ? String(await redis.command('CLIENT', 'LIST')) : '';
    return rows.length + [...clients.matchAll(/ name=\S*payonce/g)].length;
  }

  /** In `npm test` the kill is played over Postgres, and the signal over Redis where it is there. */

  it('two APIs and two workers: one of each is killed, and the others take everything over', async () => {
    // Every lease of a periodic task: which run took it, and whether another run had it still.
    await environment.sql(`
      CREATE TABLE turns (task text, worker text, was_taken boolean);
      CREATE FUNCTION turn() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.leased_by IS NOT NULL AND (TG_OP = 'INSERT' OR NEW.leased_by IS DISTINCT FROM OLD.leased_by) THEN
          INSERT INTO turns VALUES (NEW.name, current_setting('stage.worker'),
            TG_OP = 'UPDATE' AND OLD.leased_by IS NOT NULL AND OLD.leased_until >= clock_timestamp());
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER turn AFTER INSERT OR UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION turn()`);
    const [dying, living] = await Promise.all([start('api'), start('api')]);
    const shops = [shopAt(() => dying), shopAt(() => living)] as const;
    await listen(shops[1]);
    environment.notify(living.url);
    // A payment is made and its event written: an API has all it needs, and no queue.
    const first = await shops[0].post('/v1/payments', asks[0]!.body, asks[0]!.key);
    expect(paymentOf(first).status).toBe('captured');
    expect(await queueConnections()).toBe(0);

    const workers = [await namedWorker('one'), await namedWorker('two')] as const;
    expect(await queueConnections()).toBeGreaterThan(0);
    const turnsOf = (worker: string) => environment.sql('SELECT 1 FROM turns WHERE worker = $1', [worker]);
    await eventually(
      async () => (await turnsOf('one')).length > 0 && (await turnsOf('two')).length > 0,
      'both have had turns',
    );
    await holdTasksUp();

    for (const psp of psps) {
      environment.simulator.faults(psp, { fault: 'delay_after', delay_ms: 400, rate: 1 });
    }
    const given = asks.map(({ key, body }, n) =>
      shops[n % 2]!.post('/v1/payments', body, key).catch(() => null),
    );
    await eventually(() => environment.effects().length >= 6, 'a few calls are under way');
    // Started first, it hands the staged jobs over.
    expect(workers[0].output()).toMatch(ENQUEUES);
    dying.kill();
    workers[0].kill();
    await Promise.all([dying.exit, workers[0].exit]);
    const replies = await Promise.all(given);
    expect(replies.filter((reply) => reply === null).length).toBeGreaterThan(0);
    await environment.simulator.clearFaults();
    // What the dead API had begun is brought to its end by the living worker, though nobody asks.
    await rest();
    expect(workers[1].output()).toMatch(ENQUEUES);
    const begun = await environment.sql<{ status: string }>('SELECT status FROM payments');
    expect(new Set(begun.map(({ status }) => status))).toEqual(new Set(['captured']));
    await expectNothingLost(shops[1], replies);
    await rest();
    await expectAllTold();
    expect(await environment.sql('SELECT * FROM turns WHERE was_taken')).toEqual([]);
  });

  /** The resolver's run lasts for three of its intervals, in which others would begin if they could. */
  async function holdTasksUp(): Promise<void> {
    const client = new Client({
      connectionString: environment.database.url,
      application_name: 'payonce-stage',
    });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query('LOCK TABLE psp_requests IN ACCESS EXCLUSIVE MODE');
      await eventually(
        async () =>
          (
            await environment.sql(
              "SELECT 1 FROM schedules WHERE name = 'resolver-stripe' AND leased_by IS NOT NULL",
            )
          ).length === 1,
        'the resolver waits',
      );
      await client.query('SELECT pg_sleep(3.5)');
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  }

  const signalled: [name: string, roles: ('all' | 'api' | 'worker')[]][] = [
    ['api and worker', ['api', 'worker']],
    ['all', ['all']],
  ];
  it.each(signalled)(
    'SIGTERM under load, %s: nothing acknowledged is lost, and jobs in hand end or are given back',
    async (_, roles) => {
      const services = await Promise.all(roles.map(start));
      const serving = { at: services[0]! };
      const client = shopAt(() => serving.at);
      await listen(client);
      environment.notify(serving.at.url, { mode: 'early', tries: 1 });
      // A slow endpoint: deliveries are in hand when the signal comes, and end within the grace.
      receiver.behaviour = (response) => void setTimeout(() => response.writeHead(204).end(), 500);
      const given = asks.map(({ key, body }) => client.post('/v1/payments', body, key).catch(() => null));
      await Promise.race([receiver.reached(4), Promise.all(given)]);
      const ends = await Promise.all(services.map((service) => service.stop()));
      // A process that outlasts its grace by 5 s ends with 1.
      expect(ends).toEqual(roles.map(() => ({ code: 0, signal: null })));
      const replies = await Promise.all(given);
      const statuses = new Set(replies.map((reply) => reply?.status ?? 0));
      expect([...statuses].filter((status) => ![0, 201, 202, 409, 503].includes(status))).toEqual([]);
      expect(statuses.has(201)).toBe(true);

      await eventually(() => environment.notifications().waiting === 0, 'nobody tells any more');
      const { delivered } = environment.notifications();
      const stored = await environment.sql('SELECT 1 FROM webhook_inbox');
      expect(stored.length).toBeGreaterThanOrEqual(delivered);
      expect(delivered).toBeGreaterThan(0);
      // Something is left behind, at whichever place the signal met it.
      const left = await environment.sql(
        `SELECT 1 FROM webhook_deliveries WHERE status = 'pending' UNION ALL
         SELECT 1 FROM events WHERE fanned_out_at IS NULL UNION ALL
         SELECT 1 FROM webhook_inbox WHERE next_at IS NOT NULL UNION ALL
         SELECT 1 FROM staged_jobs UNION ALL
         SELECT 1 FROM idempotency_keys WHERE resumable_at IS NOT NULL`,
      );
      expect(left.length).toBeGreaterThan(0);
      // What was in hand has ended, and every turn was given back: nobody has to wait for one to lapse.
      expect(
        await environment.sql('SELECT attempt FROM webhook_delivery_attempts WHERE ended_at IS NULL'),
      ).toEqual([]);
      expect(await environment.sql('SELECT id FROM webhook_endpoints WHERE leased_by IS NOT NULL')).toEqual(
        [],
      );
      expect(await environment.sql('SELECT name FROM schedules WHERE leased_by IS NOT NULL')).toEqual([]);

      receiver.behaviour = (response) => void response.writeHead(204).end();
      // A worker alone does what was left behind.
      await start('worker');
      await rest();
      serving.at = await start('api');
      await expectNothingLost(client, replies);
      await rest();
      await expectAllTold();
    },
  );
});
