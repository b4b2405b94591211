import { Desk, RETENTION_MS } from './desk.js';
import { answering, Receiver } from './receiver.js';

/** Events are forgotten after a while, and nothing that is still wanted of them. */
const HOUR_MS = 3_600_000;

let desk: Desk;
let receiver: Receiver;

beforeEach(async () => {
  [desk, receiver] = await Promise.all([Desk.open(), Receiver.open()]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), desk.close()]);
});

/** Rows of events, deliveries and tries. */
async function kept(): Promise<{ events: string[]; deliveries: number; tries: number }> {
  const { rows } = await desk.pool.query<{ events: string[]; deliveries: number; tries: number }>(`
    SELECT ARRAY(SELECT id FROM events ORDER BY id) AS events,
           (SELECT count(*)::int FROM webhook_deliveries) AS deliveries,
           (SELECT count(*)::int FROM webhook_delivery_attempts) AS tries`);
  return rows[0]!;
}
const forget = () => desk.out.task.runOnce();

it('forgets events after their retention, with their deliveries, and not a moment sooner', async () => {
  receiver.behaviour = answering(200);
  await desk.endpoint(receiver.url);
  const other = await desk.newMerchant();
  const old = [await desk.event(), await desk.event('payment.failed', other)].toSorted();
  await desk.deliver();
  desk.clock.advance(HOUR_MS);
  const young = await desk.event();
  await desk.deliver();
  expect(await kept()).toEqual({ events: [...old, young], deliveries: 2, tries: 2 });

  desk.clock.advance(RETENTION_MS - HOUR_MS);
  expect(await forget()).toEqual({ deleted: 0 });
  desk.clock.advance(1);
  expect(await forget()).toEqual({ deleted: 2 });
  expect(await kept()).toEqual({ events: [young], deliveries: 1, tries: 1 });
  desk.clock.advance(HOUR_MS);
  expect(await forget()).toEqual({ deleted: 1 });
  expect(await kept()).toEqual({ events: [], deliveries: 0, tries: 0 });
});

it('keeps what is still on its way, or not looked at yet', async () => {
  receiver.behaviour = answering(500);
  await desk.endpoint(receiver.url);
  const pending = await desk.event();
  await desk.deliver();
  const unseen = await desk.event();
  desk.clock.advance(RETENTION_MS + 1);
  expect(await forget()).toEqual({ deleted: 0 });
  expect((await kept()).events).toEqual([pending, unseen].toSorted());

  receiver.behaviour = answering(200);
  await desk.deliver();
  expect(await forget()).toEqual({ deleted: 2 });
});

it('leaves alone what is just being sent again', async () => {
  await desk.endpoint(receiver.url);
  const eventId = await desk.event();
  receiver.behaviour = answering(200);
  await desk.deliver();
  desk.clock.advance(RETENTION_MS + 1);
  // A replay to an endpoint that is made meanwhile, not committed yet.
  const late = await desk.endpoint(receiver.url);
  const replay = await desk.pool.connect();
  try {
    await replay.query('BEGIN');
    await replay.query(
      `INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, next_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'pending', now(), now(), now())`,
      [desk.merchant.merchantId, eventId, late.id],
    );
    expect(await forget()).toEqual({ deleted: 0 });
    await replay.query('COMMIT');
  } finally {
    replay.release();
  }
  expect(await forget()).toEqual({ deleted: 0 });
  expect((await kept()).events).toEqual([eventId]);
});

it('forgets 2,500 events of many merchants in one pass', async () => {
  const merchants = [desk.merchant, await desk.newMerchant(), await desk.newMerchant()];
  for (const { merchantId } of merchants) {
    await desk.pool.query(
      `INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
       SELECT $1, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 't', 's', '{}', $2, $2
         FROM generate_series(1, $3::int) n`,
      [merchantId, desk.clock.now(), merchantId === desk.merchant.merchantId ? 1_500 : 500],
    );
  }
  expect(await forget()).toEqual({ deleted: 2_500 });
  expect((await kept()).events).toEqual([]);
});
