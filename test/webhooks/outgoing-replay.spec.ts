import { type ServerResponse } from 'node:http';
import { Problem } from '../../src/core/problem.js';
import { eventually } from '../support/test-environment.js';
import { Desk } from './desk.js';
import { answering, Receiver } from './receiver.js';

/** What merchants do with their endpoints and events, and what is refused. */
let desk: Desk;
let receiver: Receiver;

beforeEach(async () => {
  [desk, receiver] = await Promise.all([Desk.open(), Receiver.open()]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), desk.close()]);
});

async function refused(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (error instanceof Problem) return error.code;
  throw new Error(`not refused: ${String(error)}`);
}

describe('endpoints of a merchant', () => {
  it('are at most sixteen that are enabled, however many are asked for at once', async () => {
    const asked = Array.from({ length: 20 }, () =>
      desk.endpoint(receiver.url).then(
        ({ id }) => id,
        (error: unknown) => (error instanceof Problem ? error.code : String(error)),
      ),
    );
    const made = await Promise.all(asked);
    expect(made.filter((one) => one === 'webhook_endpoint_limit')).toHaveLength(4);
    const [first] = made.filter((one) => one !== 'webhook_endpoint_limit');
    const { endpoints } = desk.out;
    await endpoints.disable(desk.merchant, first!);
    await desk.endpoint(receiver.url);
    expect(await refused(endpoints.enable(desk.merchant, first!))).toBe('webhook_endpoint_limit');
    // Another merchant has sixteen of its own.
    await desk.endpoint(receiver.url, await desk.newMerchant());
  });

  it('are listed newest first, by cursor, and shown to nobody else', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      desk.clock.advance(1);
      ids.unshift((await desk.endpoint(receiver.url)).id);
    }
    const { endpoints } = desk.out;
    const first = await endpoints.list(desk.merchant, 2, null);
    expect(first).toMatchObject({ has_more: true, next_cursor: ids[1] });
    const second = await endpoints.list(desk.merchant, 2, first.next_cursor);
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
    expect(JSON.stringify(first)).not.toContain('whsec_');
    const stranger = await desk.newMerchant();
    for (const call of ['get', 'rotateSecret', 'disable', 'enable', 'ping'] as const) {
      expect([call, await refused(endpoints[call](stranger, ids[0]!))]).toEqual([call, 'not_found']);
    }
    const now = desk.clock.now();
    expect(await refused(endpoints.replay(stranger, ids[0]!, now, now))).toBe('not_found');
  });

  it('are pinged alone, and what becomes of it is shown', async () => {
    const { id } = await desk.endpoint(receiver.url);
    await desk.endpoint(receiver.url);
    const ping = await desk.out.endpoints.ping(desk.merchant, id);
    await desk.deliver();
    expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([ping]);
    expect(ping).toMatchObject({ type: 'ping', data: { object: 'webhook_endpoint', id } });
    expect(await desk.deliveries(ping.id)).toMatchObject([{ endpoint_id: id, status: 'delivered' }]);
    // Replayed to all, it still is for that one alone.
    expect(await desk.out.events.replay(desk.merchant, ping.id, null)).toMatchObject({ deliveries: 1 });
    await desk.out.endpoints.disable(desk.merchant, id);
    expect(await refused(desk.out.endpoints.ping(desk.merchant, id))).toBe('invalid_state');
  });
});

describe('a replay', () => {
  it('of one event goes to all that want it, or to one, under the same id', async () => {
    const ask = { url: receiver.url, description: null };
    const { id: narrow } = await desk.out.endpoints.create(desk.merchant, {
      ...ask,
      events: ['refund.failed'],
    });
    await desk.endpoint(receiver.url);
    const eventId = await desk.event('payment.captured');
    await desk.deliver();
    const { events } = desk.out;
    expect(await events.replay(desk.merchant, eventId, null)).toMatchObject({ deliveries: 1 });
    await desk.deliver();
    expect(await events.replay(desk.merchant, eventId, narrow)).toMatchObject({ deliveries: 1 });
    await desk.deliver();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([eventId, eventId, eventId]);
    expect(await desk.deliveries(eventId)).toHaveLength(2);
    expect(await refused(events.replay(await desk.newMerchant(), eventId, null))).toBe('not_found');
    expect(await refused(events.replay(desk.merchant, eventId, desk.ids.uuid()))).toBe('not_found');
    await desk.out.endpoints.disable(desk.merchant, narrow);
    expect(await refused(events.replay(desk.merchant, eventId, narrow))).toBe('invalid_state');
  });

  it('leaves alone what is just being sent', async () => {
    const held: ServerResponse[] = [];
    receiver.behaviour = (response) => void held.push(response);
    await desk.endpoint(receiver.url);
    const eventId = await desk.event();
    const running = desk.deliver();
    await receiver.reached(1);
    expect(await desk.out.events.replay(desk.merchant, eventId, null)).toMatchObject({ deliveries: 0 });
    receiver.behaviour = answering(200);
    held[0]!.writeHead(200).end();
    await running;
    expect(receiver.received).toHaveLength(1);
  });

  it('hastens what waits for its next try', async () => {
    receiver.behaviour = answering(500);
    await desk.endpoint(receiver.url);
    const eventId = await desk.event();
    await desk.deliver();
    receiver.behaviour = answering(200);
    await desk.out.events.replay(desk.merchant, eventId, null);
    await desk.deliver();
    expect(await desk.tries(eventId)).toEqual([
      [500, 'http_error'],
      [200, null],
    ]);
  });

  it('of a range sends what the endpoint wants of it, and at most 10,000', async () => {
    const from = desk.clock.now();
    const before = await desk.event();
    desk.clock.advance(60_000);
    const since = desk.clock.now();
    const inside = [await desk.event(), await desk.event()];
    await desk.out.outboxSource(desk.pool);
    const { id } = await desk.endpoint(receiver.url);
    const { endpoints } = desk.out;
    expect(await endpoints.replay(desk.merchant, id, since, desk.clock.now())).toMatchObject({
      deliveries: 2,
    });
    await desk.deliver();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(inside));
    expect(await desk.deliveries(before)).toEqual([]);

    await desk.pool.query(
      `INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
       SELECT merchant_id, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, type, subject, data, at, at
         FROM events CROSS JOIN generate_series(1, 9998) n WHERE id = $1`,
      [before],
    );
    const all = (to: Date) => endpoints.replay(desk.merchant, id, from, to);
    expect(await refused(all(desk.clock.now()))).toBe('replay_too_large');
    // Not one of them was sent, and one fewer would be all right.
    expect((await desk.pool.query('SELECT 1 FROM staged_jobs')).rowCount).toBe(0);
    expect(await all(new Date(since.getTime() - 1))).toMatchObject({ deliveries: 9_999 });
  });
});

describe('events', () => {
  it('are listed newest first, by cursor, type and time, and shown to nobody else', async () => {
    const ids: string[] = [];
    const times: Date[] = [];
    for (const type of ['payment.captured', 'refund.failed', 'payment.captured']) {
      desk.clock.advance(1_000);
      ids.unshift(await desk.event(type));
      times.unshift(desk.clock.now());
    }
    const { events } = desk.out;
    const list = async (...args: [Parameters<typeof events.list>[1], number, string | null]) =>
      events.list(desk.merchant, ...args);
    // A transaction of another database on this server may hold the list back for a moment.
    await eventually(async () => (await list({}, 3, null)).data.length === 3, 'all are listed');
    const first = await list({}, 2, null);
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list({}, 2, first.next_cursor)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await list({ type: 'refund.failed' }, 10, null)).data.map(({ id }) => id)).toEqual([ids[1]]);
    const between = { createdFrom: times[1]!, createdTo: times[1]! };
    expect((await list(between, 10, null)).data.map(({ id }) => id)).toEqual([ids[1]]);
    const stranger = await desk.newMerchant();
    expect((await events.list(stranger, {}, 10, null)).data).toEqual([]);
    expect(await refused(events.get(stranger, ids[0]!))).toBe('not_found');
    expect(await refused(events.deliveries(stranger, ids[0]!))).toBe('not_found');
  });
});
