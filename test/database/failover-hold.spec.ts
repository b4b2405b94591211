import { type Client } from 'pg';
import { SystemClock } from '../../src/core/clock.js';
import { DatabaseClock } from '../../src/core/database-clock.js';
import { type Hold } from '../../src/core/hold.js';
import { SystemIds } from '../../src/core/ids.js';
import { noticeOtherDatabase, readHold, setHold } from '../../src/database/failover-hold.js';
import { ProcessSession, type ProcessSessionOptions } from '../../src/database/process-session.js';
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
async function newSession(options: ProcessSessionOptions = {}, url = server.url): Promise<ProcessSession> {
  const session = new ProcessSession(url, new DatabaseClock(own), new SystemIds(own), options);
  sessions.push(session);
  await session.start();
  return session;
}

const onServer = <T>(work: (client: Client) => Promise<T>) => onDatabase(server.url, work);
const hold = (what: Exclude<Hold, 'unknown'>) => onServer((client) => setHold(client, what, 'cli:ada'));
const stored = () => onServer(readHold);

it('is not on at the first start, nor for a server that comes back as it was', async () => {
  const session = await newSession();
  expect(session.hold()).toBe('none');
  await server.kill();
  await eventually(() => session.hold() === 'unknown', 'unsure without a database');
  await server.restart();
  await eventually(() => session.hold() === 'none', 'sure again');
});

it('is on where a standby was promoted, in every process, until a person resumes', async () => {
  const [session, other] = await Promise.all([newSession(), newSession()]);
  await server.kill();
  await server.promote();
  const heard: Hold[] = [];
  const later = await newSession({ onHold: (what) => heard.push(what) });
  expect(later.hold()).toBe('operations');
  expect(await stored()).toMatchObject({ hold: 'operations', heldUntil: null, changedBy: 'system:session' });
  // Those that lost their sessions are unsure until they are connected again, and held from then on.
  for (const one of [session, other]) expect(['unknown', 'operations']).toContain(one.hold());
  // No time ends it.
  const { rows } = await onServer((client) =>
    client.query(`SELECT held_until > now() + interval '1000 years' AS "isForGood" FROM failover_hold`),
  );
  expect(rows).toEqual([{ isForGood: true }]);

  const heldUntil = await hold('failover');
  const hours = (heldUntil!.getTime() - Date.now()) / 3_600_000;
  expect([hours > 23, hours < 25]).toEqual([true, true]);
  const everyone = [session, other, later];
  await eventually(() => everyone.every((one) => one.hold() === 'failover'), 'compared');
  expect(await hold('none')).toBeNull();
  await eventually(() => everyone.every((one) => one.hold() === 'none'), 'resumed');
  expect(await hold('operations')).toBeNull();
  await eventually(() => everyone.every((one) => one.hold() === 'operations'), 'held by a person');
  await hold('none');
  await eventually(() => later.hold() === 'none', 'resumed again');
  expect(heard).toEqual(['operations', 'failover', 'none', 'operations', 'none']);
});

describe('where standbys are synchronous', () => {
  const isStandbySynchronous = true;

  it('is not on after a promotion', async () => {
    await server.kill();
    await server.promote();
    const session = await newSession({ isStandbySynchronous });
    expect(session.hold()).toBe('none');
    // It has been noticed: a process that does not know of the standby holds nothing either.
    expect((await newSession()).hold()).toBe('none');
  });

  it('stays on after a promotion where it was on before', async () => {
    await hold('operations');
    await server.kill();
    await server.promote();
    expect((await newSession({ isStandbySynchronous })).hold()).toBe('operations');
    await hold('none');
  });

  it.each([
    ['another server', `'1' || substr(identity, strpos(identity, '/'))`],
    ['another database', `identity || '1'`],
    ['an earlier timeline', `split_part(identity, '/', 1) || '/FFFFFFFF/' || split_part(identity, '/', 3)`],
  ])('is on for %s', async (_what, identity) => {
    await newSession();
    await onServer((client) => client.query(`UPDATE failover_hold SET identity = ${identity}`));
    expect((await newSession({ isStandbySynchronous })).hold()).toBe('operations');
    await hold('none');
  });
});

it('is on where a backup was restored, for that database alone', async () => {
  await onServer((client) =>
    client.query(`CREATE DATABASE restored TEMPLATE ${new URL(server.url).pathname.slice(1)}`),
  );
  const url = new URL(server.url);
  url.pathname = '/restored';
  const restored = await newSession({ isStandbySynchronous: true }, url.href);
  expect(restored.hold()).toBe('operations');
  const session = await newSession();
  expect(session.hold()).toBe('none');
});

it('is noticed once: a process that meets the same database again changes nothing', async () => {
  const changedAt = () =>
    onServer(async (client) => {
      await noticeOtherDatabase(client);
      return (await readHold(client)).changedAt;
    });
  expect(await changedAt()).toEqual(await changedAt());
});
