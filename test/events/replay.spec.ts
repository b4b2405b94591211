import { type ServerResponse } from 'node:http';
import { Problem } from '../../src/core/problem.js';
import { eventually } from '../support/test-environment.js';
import { OutgoingEnvironment } from './events-environment.js';
import { answering, Receiver } from './receiver.js';

/** What merchants do with their endpoints and events, and what is refused. */
let environment: OutgoingEnvironment;
let receiver: Receiver;

beforeEach(async () => {
  [environment, receiver] = await Promise.all([OutgoingEnvironment.open(), Receiver.open()]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), environment.close()]);
});

async function refused(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof Problem) return error.code;
  throw new Error(`not refused: ${String(error)}`);
}

describe('endpoints of a merchant', () => {
  it('are at most sixteen that are enabled, however many are asked for at once', async () => {
    const asked = Array.from({ length: 20 }, () =>
      environment.endpoint(receiver.url).then(
        ({ id }) => id,
        (error: unknown) => (error instanceof Problem ? error.code : String(error)),
      ),
    );
    const made = await Promise.all(asked);
    expect(made.filter((one) => one === 'webhook_endpoint_limit')).toHaveLength(4);
    const [first] = made.filter((one) => one !== 'webhook_endpoint_limit');
    const { endpoints } = environment.out;
    await endpoints.disable(environment.merchant, first!);
    await environment.endpoint(receiver.url);
    expect(await refused(endpoints.enable(environment.merchant, first!))).toBe('webhook_endpoint_limit');
    // Another merchant has sixteen of its own.
    await environment.endpoint(receiver.url, await environment.newMerchant());
  });

  it('are listed newest first, by cursor, and shown to nobody else', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      environment.clock.advance(1);
      ids.unshift((await environment.endpoint(receiver.url)).id);
    }
    const { endpoints } = environment.out;
    const first = await endpoints.list(environment.merchant, 2, null);
    expect(first).toMatchObject({ has_more: true, next_cursor: ids[1] });
    const second = await endpoints.list(environment.merchant, 2, first.next_cursor);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(JSON.stringify(first)).not.toContain('whsec_');
    const stranger = await environment.newMerchant();
    for (const call of ['get', 'rotateSecret', 'disable', 'enable', 'ping'] as const) {
      expect([call, await refused(endpoints[call](stranger, ids[0]!))]).toEqual([call, 'not_found']);
    }
    const now = environment.clock.now();
    expect(await refused(endpoints.replay(stranger, ids[0]!, now, now))).toBe('not_found');
  });

  it('are pinged alone, and what becomes of it is shown', async () => {
    const { id } = await environment.endpoint(receiver.url);
    await environment.endpoint(receiver.url);
    const ping = await environment.out.endpoints.ping(environment.merchant, id);
    await environment.deliver();
    expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([ping]);
    expect(ping).toMatchObject({ type: 'ping', data: { object: 'webhook_endpoint', id } });
    expect(await environment.deliveries(ping.id)).toMatchObject([{ endpoint_id: id, status: 'delivered' }]);
    // Replayed to all, it still is for that one alone.
    expect(await environment.out.events.replay(environment.merchant, ping.id, null)).toMatchObject({
      deliveries: 1,
    });
    await environment.out.endpoints.disable(environment.merchant, id);
    expect(await refused(environment.out.endpoints.ping(environment.merchant, id))).toBe('invalid_state');
  });
});

describe('a replay', () => {
  it('of one event goes to all that want it, or to one, under the same id', async () => {
    const ask = { url: receiver.url, description: null };
    const { id: narrow } = await environment.out.endpoints.create(environment.merchant, {
      ...ask,
      events: ['refund.failed'],
    });
    await environment.endpoint(receiver.url);
    const eventId = await environment.event('payment.captured');
    await environment.deliver();
    const { events } = environment.out;
    expect(await events.replay(environment.merchant, eventId, null)).toMatchObject({ deliveries: 1 });
    await environment.deliver();
    expect(await events.replay(environment.merchant, eventId, narrow)).toMatchObject({ deliveries: 1 });
    await environment.deliver();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([eventId, eventId, eventId]);
    expect(await environment.deliveries(eventId)).toHaveLength(2);
    expect(await refused(events.replay(await environment.newMerchant(), eventId, null))).toBe('not_found');
    expect(await refused(events.replay(environment.merchant, eventId, environment.ids.uuid()))).toBe(
      'not_found',
    );
    await environment.out.endpoints.disable(environment.merchant, narrow);
    expect(await refused(events.replay(environment.merchant, eventId, narrow))).toBe('invalid_state');
  });

  it('leaves alone what is just being sent', async () => {
    const held: ServerResponse[] = [];
    receiver.behaviour = (response) => void held.push(response);
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    const running = environment.deliver();
    await receiver.reached(1);
    expect(await environment.out.events.replay(environment.merchant, eventId, null)).toMatchObject({
      deliveries: 0,
    });
    receiver.behaviour = answering(200);
    held[0]!.writeHead(200).end();
    await running;
    expect(receiver.received).toHaveLength(1);
  });

  it('hastens what waits for its next try', async () => {
    receiver.behaviour = answering(500);
    await environment.endpoint(receiver.url);
    const eventId = await environment.event();
    await environment.deliver();
    receiver.behaviour = answering(200);
    await environment.out.events.replay(environment.merchant, eventId, null);
    await environment.deliver();
    expect(await environment.tries(eventId)).toEqual([
      [500, 'http_error'],
      [200, null],
    ]);
  });

  it('of a range sends what the endpoint wants of it, and at most 10,000', async () => {
    const from = environment.clock.now();
    const before = await environment.event();
    environment.clock.advance(60_000);
    const since = environment.clock.now();
    const inside = [await environment.event(), await environment.event()];
    await environment.out.outboxSource(environment.pool);
    const { id } = await environment.endpoint(receiver.url);
    const { endpoints } = environment.out;
    expect(await endpoints.replay(environment.merchant, id, since, environment.clock.now())).toMatchObject({
      deliveries: 2,
    });
    await environment.deliver();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(inside));
    expect(await environment.deliveries(before)).toEqual([]);

    await environment.pool.query(
      `INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
       SELECT merchant_id, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, type, subject, data, at, at
         FROM events CROSS JOIN generate_series(1, 9998) n WHERE id = $1`,
      [before],
    );
    const all = (to: Date) => endpoints.replay(environment.merchant, id, from, to);
    expect(await refused(all(environment.clock.now()))).toBe('replay_too_large');
    // Not one of them was sent, and one fewer would be all right.
    expect((await environment.pool.query('SELECT 1 FROM staged_jobs')).rowCount).toBe(0);
    expect(await all(new Date(since.getTime() - 1))).toMatchObject({ deliveries: 9_999 });
  });
});

describe('events', () => {
  it('are listed newest first, by cursor, type and time, and shown to nobody else', async () => {
    const ids: string[] = [];
    const times: Date[] = [];
    for (const type of ['payment.captured', 'refund.failed', 'payment.captured']) {
      environment.clock.advance(1_000);
      ids.unshift(await environment.event(type));
      times.unshift(environment.clock.now());
    }
    const { events } = environment.out;
    const list = async (...args: [Parameters<typeof events.list>[1], number, string | null]) =>
      events.list(environment.merchant, ...args);
    // A transaction of another database on this server may hold the list back for a moment.
    await eventually(async () => (await list({}, 3, null)).data.length === 3, 'all are listed');
    const first = await list({}, 2, null);
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list({}, 2, first.next_cursor)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list({ type: 'refund.failed' }, 10, null)).data.map(({ id }) => id)).toEqual([ids[1]]);
    const between = { createdFrom: times[1]!, createdTo: times[1]! };
    expect((await list(between, 10, null)).data.map(({ id }) => id)).toEqual([ids[1]]);
    const stranger = await environment.newMerchant();
    expect((await events.list(stranger, {}, 10, null)).data).toEqual([]);
    expect(await refused(events.get(stranger, ids[0]!))).toBe('not_found');
    expect(await refused(events.deliveries(stranger, ids[0]!))).toBe('not_found');
  });
});
