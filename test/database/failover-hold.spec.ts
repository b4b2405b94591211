import { type Client } from 'pg';
import { SystemClock } from '../../src/core/clock.js';
import { DatabaseClock } from '../../src/core/database-clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { noticeOtherDatabase, setFailoverHold } from '../../src/database/failover-hold.js';
import { ProcessSession } from '../../src/database/process-session.js';
import { onDatabase } from '../support/database.js';
import { PostgresServer } from '../support/postgres-server.js';
import { eventually } from '../support/test-environment.js';

let server: PostgresServer;
beforeAll(async () => (server = await PostgresServer.start()));
afterAll(() => server.drop());

const sessions: ProcessSession[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

const own = new SystemClock();
async function newSession(url = server.url): Promise<ProcessSession> {
  const session = new ProcessSession(url, new DatabaseClock(own), new SystemIds(own));
  sessions.push(session);
  await session.start();
  return session;
}

const onServer = <T>(work: (client: Client) => Promise<T>) => onDatabase(server.url, work);
const hold = (isHeld: boolean) => onServer((client) => setFailoverHold(client, isHeld, 'cli:ada'));

it('is not on at the first start, nor for a server that comes back as it was', async () => {
  const session = await newSession();
  expect(session.commitsMayBeLost()).toBe(false);
  await server.kill();
  await eventually(() => session.commitsMayBeLost(), 'unsure without a database');
  await server.restart();
  await eventually(() => !session.commitsMayBeLost(), 'sure again');
});

it('is on for a day where a standby was promoted, in every process, until a person resumes', async () => {
  const [session, other] = await Promise.all([newSession(), newSession()]);
  await server.kill();
  await server.promote();
  const later = await newSession();
  expect(later.commitsMayBeLost()).toBe(true);
  const { rows } = await onServer((client) =>
    client.query(
      `SELECT changed_by, held_until - changed_at = interval '1 day' AS "isADay" FROM failover_hold`,
    ),
  );
  expect(rows).toMatchObject([{ changed_by: 'system:session', isADay: true }]);
  // Those that lost their sessions are unsure until they are connected again, and held from then on.
  expect([session.commitsMayBeLost(), other.commitsMayBeLost()]).toEqual([true, true]);
  expect(await hold(false)).toBeNull();
  await eventually(() => [session, other, later].every((one) => !one.commitsMayBeLost()), 'resumed');
  const heldUntil = await hold(true);
  expect(heldUntil!.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
  await eventually(() => session.commitsMayBeLost(), 'held by a person');
  await hold(false);
});

it('is on where a backup was restored, for that database alone', async () => {
  await onServer((client) =>
    client.query(`CREATE DATABASE restored TEMPLATE ${new URL(server.url).pathname.slice(1)}`),
  );
  const url = new URL(server.url);
  url.pathname = '/restored';
  const restored = await newSession(url.href);
  expect(restored.commitsMayBeLost()).toBe(true);
  const session = await newSession();
  expect(session.commitsMayBeLost()).toBe(false);
});

it('is noticed once: who meets the same database again changes nothing', async () => {
  const changedAt = async () =>
    onServer(async (client) => {
      await noticeOtherDatabase(client);
      const { rows } = await client.query<{ changed_at: Date }>('SELECT changed_at FROM failover_hold');
      return rows[0]!.changed_at;
    });
  expect(await changedAt()).toEqual(await changedAt());
});
