import { OutgoingEnvironment, RETENTION_MS } from './events-environment.js';
import { answering, Receiver } from './receiver.js';

/** Events are forgotten after a while, and nothing that is still wanted of them. */
const HOUR_MS = 3_600_000;

let environment: OutgoingEnvironment;
let receiver: Receiver;

beforeEach(async () => {
  // The database keeps what is younger than ten days by its own clock, which nobody moves here.
  const nowMs = Date.now() - 2 * RETENTION_MS;
  [environment, receiver] = await Promise.all([OutgoingEnvironment.open({ nowMs }), Receiver.open()]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), environment.close()]);
});

/** Rows of events, deliveries and tries. */
async function kept(): Promise<{ events: string[]; deliveries: number; tries: number }> {
  const { rows } = await environment.pool.query<{ events: string[]; deliveries: number; tries: number }>(`
    SELECT ARRAY(SELECT id FROM events ORDER BY id) AS events,
           (SELECT count(*)::int FROM webhook_deliveries) AS deliveries,
           (SELECT count(*)::int FROM webhook_delivery_attempts) AS tries`);
  return rows[0]!;
}
const forget = () => environment.out.task.runOnce();

it('forgets events after their retention, with their deliveries, and not a moment sooner', async () => {
  receiver.behaviour = answering(200);
  await environment.endpoint(receiver.url);
  const other = await environment.newMerchant();
  const old = [await environment.event(), await environment.event('payment.failed', other)].toSorted();
  await environment.deliver();
  environment.clock.advance(HOUR_MS);
  const young = await environment.event();
  await environment.deliver();
  expect(await kept()).toEqual({ events: [...old, young], deliveries: 2, tries: 2 });

  environment.clock.advance(RETENTION_MS - HOUR_MS);
  expect(await forget()).toEqual({ deleted: 0 });
  environment.clock.advance(1);
  expect(await forget()).toEqual({ deleted: 2 });
  expect(await kept()).toEqual({ events: [young], deliveries: 1, tries: 1 });
  environment.clock.advance(HOUR_MS);
  expect(await forget()).toEqual({ deleted: 1 });
  expect(await kept()).toEqual({ events: [], deliveries: 0, tries: 0 });
});

it('keeps what is still on its way, or not looked at yet', async () => {
  receiver.behaviour = answering(500);
  await environment.endpoint(receiver.url);
  const pending = await environment.event();
  await environment.deliver();
  const unseen = await environment.event();
  environment.clock.advance(RETENTION_MS + 1);
  expect(await forget()).toEqual({ deleted: 0 });
  expect((await kept()).events).toEqual([pending, unseen].toSorted());

  receiver.behaviour = answering(200);
  await environment.deliver();
  expect(await forget()).toEqual({ deleted: 2 });
});

it('leaves alone what is just being sent again', async () => {
  await environment.endpoint(receiver.url);
  const eventId = await environment.event();
  receiver.behaviour = answering(200);
  await environment.deliver();
  environment.clock.advance(RETENTION_MS + 1);
  // A replay to an endpoint that is made meanwhile, not committed yet.
  const late = await environment.endpoint(receiver.url);
  const replay = await environment.pool.connect();
  try {
    await replay.query('BEGIN');
    await replay.query(
      `INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, next_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'pending', now(), now(), now())`,
      [environment.merchant.merchantId, eventId, late.id],
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
  const merchants = [environment.merchant, await environment.newMerchant(), await environment.newMerchant()];
  for (const { merchantId } of merchants) {
    await environment.pool.query(
      `INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
       SELECT $1, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 't', 's', '{}', $2, $2
         FROM generate_series(1, $3::int) n`,
      [merchantId, environment.clock.now(), merchantId === environment.merchant.merchantId ? 1_500 : 500],
    );
  }
  expect(await forget()).toEqual({ deleted: 2_500 });
  expect((await kept()).events).toEqual([]);
});
