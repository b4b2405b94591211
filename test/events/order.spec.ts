import { type EventView } from '../../src/events/event.view.js';
import { onDatabase } from '../support/database.js';
import { eventually } from '../support/test-environment.js';
import { OutgoingEnvironment } from './events-environment.js';

/** A client that polls GET /v1/events reads until the first event that it knows. Nothing may appear behind that. */
let environment: OutgoingEnvironment;

beforeEach(async () => {
  environment = await OutgoingEnvironment.open();
});
afterEach(() => environment.close());

/** Without the triggers that keep events as they are. */
const rewritten = (sql: string) =>
  onDatabase(environment.fresh.url, (owner) => owner.query(`SET session_replication_role = replica; ${sql}`));

/** What is new to a poller, oldest first. */
async function poll(known: ReadonlySet<string>, limit = 2): Promise<string[]> {
  const fresh: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: { data: readonly EventView[]; next_cursor: string | null } =
      await environment.out.events.list(environment.merchant, {}, limit, cursor);
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
  const early = await environment.event();
  await eventually(async () => (await read(), known.has(early)), 'the first event is listed');

  const late = await environment.pool.connect();
  try {
    const id = environment.ids.uuid();
    await late.query('BEGIN');
    await late.query(INSERT, [
      environment.merchant.merchantId,
      id,
      'payment.captured',
      'payment:p',
      {},
      new Date(),
    ]);
    environment.clock.advance(1_000);
    const others = [await environment.event(), await environment.event(), await environment.event()];
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
    environment.clock.advance(1);
    old.push(await environment.event());
  }
  await rewritten("UPDATE events SET xid = '0'");
  const fresh = [await environment.event(), await environment.event()];
  const all = [...old, ...fresh];
  await eventually(async () => (await poll(new Set())).length === all.length, 'all are listed');
  expect(await poll(new Set(), 1)).toEqual(all);
  // The id of an event is what a cursor always was.
  const { data } = await environment.out.events.list(environment.merchant, {}, 10, old[2]!);
  expect(data.map(({ id }) => id)).toEqual([old[1], old[0]]);
});

it('ends for a cursor whose event is forgotten: what is older is forgotten, too', async () => {
  const [gone, kept] = [await environment.event(), await environment.event()];
  await eventually(async () => (await poll(new Set())).length === 2, 'both are listed');
  // Its retention is over.
  await rewritten(`DELETE FROM events WHERE id = '${gone}'`);
  expect(await environment.out.events.list(environment.merchant, {}, 10, gone)).toMatchObject({
    data: [],
    has_more: false,
  });
  expect(await poll(new Set())).toEqual([kept]);
});
