import { isDeepStrictEqual } from 'node:util';
import { createHmac } from 'node:crypto';
import { type ServerResponse } from 'node:http';
import { verifyWebhook } from '@payonce/client';
import { Webhook } from 'standardwebhooks';
import { MAX_TRIES } from '../../src/events/delivery-schedule.js';
import { onDatabase } from '../support/database.js';
import { eventually } from '../support/test-environment.js';
import { OutgoingEnvironment } from './events-environment.js';
import { answering, inTurn, type Received, Receiver } from './receiver.js';

/** Events delivered to real receivers over HTTP, and everything that these can do. */
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let environment: OutgoingEnvironment;
let receiver: Receiver;
const others: Receiver[] = [];

beforeEach(async () => {
  [environment, receiver] = await Promise.all([OutgoingEnvironment.open(), Receiver.open()]);
});
afterEach(async () => {
  await Promise.all([receiver, ...others.splice(0)].map((one) => one.close()));
  await environment.close();
});

async function another(...behaviour: Parameters<typeof Receiver.open>): Promise<Receiver> {
  const one = await Receiver.open(...behaviour);
  others.push(one);
  return one;
}

/** By hand, with nothing but what the specification says. */
function signatureByHand(secret: string, { headers, body }: Received): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

describe('an event on its way to an endpoint', () => {
  it('is sent once, signed, and recorded', async () => {
    const { id, secret } = await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    expect(await environment.deliver()).toEqual(['webhook.deliver']);
    expect(await environment.deliver()).toEqual([]);

    const [received] = receiver.received as [Received];
    expect(receiver.received).toHaveLength(1);
    expect(received.headers).toMatchObject({
      'webhook-id': eventId,
      'content-type': 'application/json',
      host: `127.0.0.1:${receiver.port}`,
    });
    expect(received.headers['webhook-signature']).toBe(signatureByHand(secret, received));
    expect(JSON.parse(received.body)).toEqual({
      object: 'event',
      id: eventId,
      test: false,
      type: 'payment.captured',
      timestamp: environment.clock.now().toISOString(),
      data: { object: 'payment', id: 'p' },
    });
    const headers = received.headers as Record<string, string>;
    expect(new Webhook(secret).verify(received.body, headers)).toEqual(JSON.parse(received.body));
    expect(() => new Webhook(secret).verify(`${received.body} `, headers)).toThrow(/signature/i);
    expect(await verifyWebhook(secret, received.headers, received.body)).toEqual(JSON.parse(received.body));
    expect(await environment.deliveries(eventId)).toEqual([
      {
        object: 'webhook_delivery',
        event_id: eventId,
        endpoint_id: id,
        status: 'delivered',
        next_attempt_at: null,
        attempts: [
          {
            attempt: 1,
            started_at: environment.clock.now().toISOString(),
            http_status: 200,
            error_code: null,
            latency_ms: 0,
          },
        ],
      },
    ]);
  });

  it('goes to the endpoints of its merchant that want its type', async () => {
    const [all, some, none] = await Promise.all([another(), another(), another()]);
    const ask = (url: string, events: readonly ['refund.failed'] | null) =>
      environment.out.endpoints.create(environment.merchant, { url, events, description: null });
    await ask(all.url, null);
    await ask(some.url, ['refund.failed']);
    await environment.endpoint(none.url, await environment.newMerchant());
    await environment.event('payment.captured');
    await environment.event('refund.failed');
    await environment.deliver();
    expect([all, some, none].map(({ received }) => received.length)).toEqual([2, 1, 0]);
  });

  it('is looked at once, endpoints or none', async () => {
    for (let n = 0; n < 3; n++) await environment.event();
    expect(await environment.out.outboxSource(environment.pool)).toBe(3);
    expect(await environment.out.outboxSource(environment.pool)).toBe(0);
    await environment.endpoint(receiver.url);
    expect(await environment.deliver()).toEqual([]);
  });

  it('carries both signatures for a day after the secret was rotated, and the new one from then on', async () => {
    const { id, secret: old } = await environment.endpoint(receiver.url);
    const { secret: fresh } = await environment.out.endpoints.rotateSecret(environment.merchant, id);
    expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await environment.event();
    await environment.deliver();
    environment.clock.advance(DAY);
    await environment.event();
    await environment.deliver();
    const signatures = receiver.received.map((one) => one.headers['webhook-signature']);
    const [first, second] = receiver.received as [Received, Received];
    expect(signatures).toEqual([
      `${signatureByHand(fresh, first)} ${signatureByHand(old, first)}`,
      signatureByHand(fresh, second),
    ]);
    const tables = await environment.tables();
    for (const secret of [old, fresh]) {
      expect(tables).not.toContain(secret);
      expect(tables).not.toContain(secret.slice('whsec_'.length));
    }
  });
});

describe('an endpoint that does not take it', () => {
  it.each<[string, Receiver['behaviour'], [number | null, string]]>([
    ['says 500', answering(500), [500, 'http_error']],
    ['sends elsewhere', answering(301, { location: 'http://127.0.0.1:1/' }), [301, 'redirect']],
    ['says nothing', () => {}, [null, 'timeout']],
    ['hangs in the middle', (response) => response.writeHead(200).write('{'), [200, 'timeout']],
    ['resets', (response) => response.socket?.resetAndDestroy(), [null, 'connection_reset']],
    [
      'speaks something else',
      (response) => response.socket?.end('220 mail\r\n'),
      [null, 'answer_unreadable'],
    ],
  ])('%s', async (_, behaviour, expected) => {
    receiver.behaviour = behaviour;
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([expected]);
    expect(receiver.received).toHaveLength(1);

    // Told again under the same id, once that is due and not before.
    receiver.behaviour = answering(204);
    expect(await environment.deliver()).toEqual([]);
    environment.clock.advance(6_000);
    expect(await environment.deliver()).toEqual(['webhook.deliver_apart']);
    expect(await environment.tries(eventId)).toEqual([expected, [204, null]]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([eventId]),
    );
  });

  it('has nobody listening', async () => {
    const dead = await Receiver.open();
    await dead.close();
    await environment.endpoint(dead.url);
    const eventId = await environment.event();
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([[null, 'connection_refused']]);
  });

  it('answers with more than anybody reads', async () => {
    let written = 0;
    let closed = Promise.resolve();
    receiver.behaviour = (response) => {
      closed = new Promise((done) => response.once('close', done));
      response.writeHead(200);
      const more = () => {
        do written += 65_536;
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([[200, null]]);
    await closed;
    expect(written).toBeLessThan(20_000_000);
  });

  it('is seen in the metrics, by results and by how late it is', async () => {
    receiver.behaviour = answering(500);
    await environment.endpoint(receiver.url);
    await environment.event();
    // A figure may be shown for 3 s after it was looked up.
    const shows = (...expected: readonly string[]) =>
      eventually(async () => {
        const text = await environment.metrics.metrics();
        const lines = [...text.matchAll(/^payonce_webhook_deliver\S* .*$/gm)].map(([line]) => line);
        return isDeepStrictEqual(lines, expected);
      }, expected.join(', '));
    await environment.deliver();
    const failed = 'payonce_webhook_deliveries_total{result="http_error"} 1';
    const late = (s: number) => `payonce_webhook_deliveries_late_seconds ${s}`;
    await shows(failed, late(0));

    const { rows } = await environment.pool.query<{ at: Date }>(
      'SELECT next_at AS at FROM webhook_deliveries',
    );
    environment.clock.advance(rows[0]!.at.getTime() - environment.clock.now().getTime() + 90_000);
    await shows(failed, late(90));

    receiver.behaviour = answering(200);
    await environment.deliver();
    const delivered = 'payonce_webhook_deliveries_total{result="delivered"} 1';
    await shows(failed, delivered, late(0));
  });

  it('is tried 16 times over three days, then the delivery is exhausted and can be replayed', async () => {
    receiver.behaviour = answering(500);
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    const begunMs = environment.clock.now().getTime();
    let lastMs = begunMs;
    for (let tries = 0; tries < 40; tries++) {
      if ((await environment.deliver()).length > 0) lastMs = environment.clock.now().getTime();
      const [delivery] = await environment.deliveries(eventId);
      if (delivery?.status !== 'pending') break;
      environment.clock.advance(Date.parse(delivery.next_attempt_at!) - environment.clock.now().getTime());
    }
    const [delivery] = await environment.deliveries(eventId);
    expect(delivery).toMatchObject({ status: 'exhausted', next_attempt_at: null });
    expect(receiver.received).toHaveLength(MAX_TRIES);
    expect((lastMs - begunMs) / HOUR).toBeGreaterThan(60);
    expect((lastMs - begunMs) / HOUR).toBeLessThan(80);

    receiver.behaviour = answering(200);
    expect(await environment.out.events.replay(environment.merchant, eventId, null)).toMatchObject({
      deliveries: 1,
    });
    await environment.deliver();
    const [replayed] = await environment.deliveries(eventId);
    expect(replayed).toMatchObject({ status: 'delivered' });
    expect(replayed!.attempts).toHaveLength(MAX_TRIES + 1);
  });

  it('is left alone for as long as Retry-After says, with everything that waits for it', async () => {
    const date = new Date(environment.clock.now().getTime() + 2 * HOUR).toUTCString();
    receiver.behaviour = inTurn(
      answering(429, { 'retry-after': '3600' }),
      answering(503, { 'retry-after': date }),
      answering(200),
    );
    await environment.endpoint(receiver.url);
    const first = await environment.event();
    await environment.deliver();
    const second = await environment.event();
    environment.clock.advance(59 * 60_000);
    await environment.deliver();
    expect(receiver.received).toHaveLength(1);
    environment.clock.advance(60_000);
    await environment.deliver();
    expect(receiver.received).toHaveLength(2);
    environment.clock.advance(58 * 60_000);
    await environment.deliver();
    expect(receiver.received).toHaveLength(2);
    environment.clock.advance(10 * 60_000);
    await environment.deliver();
    expect(
      [await environment.tries(first), await environment.tries(second)].map((tries) => tries.at(-1)),
    ).toEqual([
      [200, null],
      [200, null],
    ]);
  });

  it('is disabled when it is gone; what waits for it is canceled and comes when it is replayed', async () => {
    receiver.behaviour = inTurn(answering(500), answering(410), answering(200));
    const { id } = await environment.endpoint(receiver.url);
    const [first, from] = [await environment.event(), environment.clock.now()];
    await environment.deliver();
    const second = await environment.event();
    await environment.deliver();
    const endpoint = () => environment.out.endpoints.get(environment.merchant, id);
    expect(await endpoint()).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const statuses = async () =>
      Promise.all([first, second].map(async (event) => (await environment.deliveries(event))[0]?.status));
    expect(await statuses()).toEqual(['canceled', 'canceled']);
    environment.clock.advance(DAY);
    const third = await environment.event();
    await environment.deliver();
    expect(await environment.deliveries(third)).toEqual([]);
    expect(receiver.received).toHaveLength(2);

    await environment.out.endpoints.enable(environment.merchant, id);
    expect(await endpoint()).toMatchObject({ status: 'enabled', disabled_reason: null, failing_since: null });
    const to = environment.clock.now();
    expect(await environment.out.endpoints.replay(environment.merchant, id, from, to)).toMatchObject({
      deliveries: 3,
    });
    await environment.deliver();
    expect(await statuses()).toEqual(['delivered', 'delivered']);
    expect(receiver.received).toHaveLength(5);
  });

  it('is disabled after five days without a success', async () => {
    receiver.behaviour = answering(500);
    const { id } = await environment.endpoint(receiver.url);
    const fail = async () => {
      await environment.event();
      await environment.deliver();
      return environment.out.endpoints.get(environment.merchant, id);
    };
    const since = environment.clock.now().toISOString();
    expect(await fail()).toMatchObject({ status: 'enabled', failing_since: since });
    environment.clock.advance(5 * DAY - 1);
    expect(await fail()).toMatchObject({ status: 'enabled', failing_since: since });
    receiver.behaviour = inTurn(answering(200), answering(500));
    environment.clock.advance(1);
    // One that is taken starts the five days anew.
    expect(await fail()).toMatchObject({ status: 'enabled' });
    environment.clock.advance(5 * DAY);
    await fail();
    environment.clock.advance(5 * DAY);
    expect(await fail()).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  });
});

describe('endpoints beside one another', () => {
  it('do not wait for one that is slow, and it goes to a queue of its own', async () => {
    receiver.behaviour = () => {};
    await environment.endpoint(receiver.url);
    const quick = await another();
    await environment.endpoint(quick.url);
    for (let n = 0; n < 20; n++) await environment.event();
    await environment.out.outboxSource(environment.pool);
    const jobs = await environment.staged();
    expect(jobs.map(({ kind }) => kind)).toEqual(['webhook.deliver', 'webhook.deliver']);
    const startedMs = performance.now();
    const running = jobs.map((job) => environment.run(job));
    await quick.reached(20);
    const quickMs = performance.now() - startedMs;
    await Promise.all(running);
    const allMs = performance.now() - startedMs;
    // The hanging one was given up after the first requests: four at once, and no more.
    expect(receiver.received).toHaveLength(4);
    expect(allMs).toBeGreaterThan(1_000);
    expect(quickMs).toBeLessThan(allMs);
    expect((await environment.staged()).map(({ kind }) => kind)).toEqual(['webhook.deliver_apart']);
  });

  it('are never sent more than four requests at once', async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    const answerHeld = async () => {
      // Long enough for a fifth to come, if it were to.
      for (let n = 0; n < 20; n++) await environment.pool.query('SELECT 1');
      most = Math.max(most, held.length);
      for (const response of held.splice(0)) response.writeHead(200).end();
    };
    receiver.behaviour = (response) => {
      if (held.push(response) === 4) void answerHeld();
    };
    await environment.endpoint(receiver.url);
    for (let n = 0; n < 40; n++) await environment.event();
    await environment.deliver();
    expect(receiver.received).toHaveLength(40);
    expect(most).toBe(4);
    expect(receiver.connections).toBe(40);
  });
});

describe('processes beside one another', () => {
  it('deliver an event once', async () => {
    await environment.endpoint(receiver.url);
    for (let n = 0; n < 30; n++) await environment.event();
    await environment.out.outboxSource(environment.pool);
    const [job] = await environment.staged();
    const processes = [environment.out, environment.service(), environment.service()];
    await Promise.all(processes.map((out) => environment.run(job!, out)));
    await environment.deliver();
    expect(receiver.received).toHaveLength(30);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(30);
  });

  it('leave an endpoint alone that another one delivers to', async () => {
    const held: ServerResponse[] = [];
    receiver.behaviour = (response) => void held.push(response);
    await environment.endpoint(receiver.url);
    for (let n = 0; n < 10; n++) await environment.event();
    await environment.out.outboxSource(environment.pool);
    const [job] = await environment.staged();
    const running = environment.run(job!);
    await receiver.reached(4);
    expect(await environment.out.kinds[0]!.due(10)).toEqual([]);
    await environment.run(job!, environment.service());
    expect(receiver.received).toHaveLength(4);
    receiver.behaviour = answering(200);
    for (const response of held) response.writeHead(200).end();
    await running;
    expect(receiver.received).toHaveLength(10);
  });

  it('find what a process left that died between sending and recording, and send it under the same id', async () => {
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    await environment.out.outboxSource(environment.pool);
    const [job] = await environment.staged();
    // As a crash leaves it: the try is begun, the endpoint held, and nothing comes after.
    const crashing = environment.service({ limits: {} });
    const rename = (from: string, to: string) =>
      onDatabase(environment.fresh.url, (owner) => owner.query(`ALTER TABLE ${from} RENAME TO ${to}`));
    receiver.behaviour = (response) => {
      void rename('webhook_delivery_attempts', 'webhook_delivery_attempts_away').then(() =>
        response.writeHead(200).end(),
      );
    };
    await expect(environment.run(job!, crashing)).rejects.toThrow(/webhook_delivery_attempts/);
    await rename('webhook_delivery_attempts_away', 'webhook_delivery_attempts');
    await environment.pool.query(
      "UPDATE webhook_endpoints SET leased_until = now() + interval '1 hour', leased_by = $1",
      [environment.ids.uuid()],
    );
    receiver.behaviour = answering(200);
    environment.clock.advance(21_000);
    expect(await environment.deliver()).toEqual([]);
    // Its hold runs out by the database's clock.
    await environment.pool.query("UPDATE webhook_endpoints SET leased_until = now() - interval '1 second'");
    expect(await environment.out.kinds[0]!.due(10)).toEqual([job!.args]);
    await environment.deliver();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(await environment.tries(eventId)).toEqual([
      [null, null],
      [200, null],
    ]);
    expect(await environment.out.kinds[0]!.due(10)).toEqual([]);
  });
});
