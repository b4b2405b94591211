import { type EventView } from '../../src/webhooks/outgoing/event.view.js';
import { eventually } from '../support/test-environment.js';
import { Desk } from './desk.js';

/** A client that polls GET /v1/events reads until the first event that it knows. Nothing may appear behind that. */
let desk: Desk;

beforeEach(async () => {
  desk = await Desk.open();
});
afterEach(() => desk.close());

/** What is new to a poller, oldest first. */
async function poll(known: ReadonlySet<string>, limit = 2): Promise<string[]> {
  const fresh: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { data: readonly EventView[]; next_cursor: string | null } = await desk.out.events.list(
      desk.merchant,
      {},
      limit,
      cursor,
    );
    for (const { id } of page.data) {
      if (known.has(id)) return fresh.toReversed();
      fresh.push(id);
    }
    if (page.next_cursor === null) return fresh.toReversed();
    cursor = page.next_cursor;
  }
}

const INSERT =
  'INSERT INTO events (merchant_id, id, type, subject, data, at) VALUES ($1, $2, $3, $4, $5, $6)';

it('does not miss an event whose transaction commits late', async () => {
  const known = new Set<string>();
  const read = async () => {
    for (const id of await poll(known)) known.add(id);
  };
  const early = await desk.event();
  await eventually(async () => (await read(), known.has(early)), 'the first event is listed');

  const late = await desk.pool.connect();
  try {
    const id = desk.ids.uuid();
    await late.query('BEGIN');
    await late.query(INSERT, [desk.merchant.merchantId, id, 'payment.captured', 'payment:p', {}, new Date()]);
    desk.clock.advance(1_000);
    const others = [await desk.event(), await desk.event(), await desk.event()];
    await read();
    await late.query('COMMIT');
    await eventually(
      async () => (await read(), others.every((other) => known.has(other))),
      'those that were committed meanwhile are listed',
    );
    expect([...known].toSorted()).toEqual([early, id, ...others].toSorted());
  } finally {
    late.release();
  }
});

it('lists events of before the order was kept first, by their ids, and takes cursors of then', async () => {
  const old: string[] = [];
  for (let n = 0; n < 3; n++) {
    desk.clock.advance(1);
    old.push(await desk.event());
  }
  await desk.pool.query("UPDATE events SET xid = '0'");
  const fresh = [await desk.event(), await desk.event()];
  const all = [...old, ...fresh];
  await eventually(async () => (await poll(new Set())).length === all.length, 'all are listed');
  expect(await poll(new Set(), 1)).toEqual(all);
  // The id of an event is what a cursor always was.
  const { data } = await desk.out.events.list(desk.merchant, {}, 10, old[2]!);
  expect(data.map(({ id }) => id)).toEqual([old[1], old[0]]);
});

it('ends for a cursor whose event is forgotten: what is older is forgotten, too', async () => {
  const [gone, kept] = [await desk.event(), await desk.event()];
  await eventually(async () => (await poll(new Set())).length === 2, 'both are listed');
  await desk.pool.query('DELETE FROM events WHERE id = $1', [gone]);
  expect(await desk.out.events.list(desk.merchant, {}, 10, gone)).toMatchObject({
    data: [],
    has_more: false,
  });
  expect(await poll(new Set())).toEqual([kept]);
});
