import { Client } from 'pg';
import { DeadLetter } from '../../src/jobs/dead-letter.entity.js';
import { entities } from '../../src/entities.js';
import { openDatabase } from '../../src/database/database.js';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { DeadLetters } from '../../src/jobs/dead-letters.js';
import { StagedJobs } from '../../src/jobs/staged-jobs.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { payonceCommand } from '../support/payonce-command.js';

/** `payonce dlq`, as an operator uses it. */
const HOUR_MS = 3_600_000;

let fresh: FreshDatabase;
beforeAll(async () => (fresh = await freshDatabase()));
afterAll(() => fresh.drop());
afterEach(() => sql('TRUNCATE dead_letters, staged_jobs, audit_records'));

const payonce = (...args: string[]) => payonceCommand(args, { DATABASE_URL: fresh.url });

async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await payonce(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout) as T;
}

interface Shown {
  readonly id: string;
  readonly job_id: string;
}

/** Four letters: a and b of one cause, now; c of another cause, c and d of another kind, d two hours old. */
async function buryFour(): Promise<void> {
  const database = await openDatabase({
    url: fresh.url,
    entities,
    migrations: [],
    poolSize: 2,
    applicationName: 'payonce-test',
  });
  try {
    for (const [name, kind, cause, ageMs] of [
      ['d', 'event.deliver', 'exhausted', 2 * HOUR_MS],
      ['a', 'webhook.apply', 'exhausted', 0],
      ['b', 'webhook.apply', 'exhausted', 0],
      ['c', 'event.deliver', 'route_unknown', 0],
    ] as const) {
      const clock = new SystemClock(-ageMs);
      const ids = new SystemIds(clock);
      const letters = new DeadLetters(
        database.dataSource.getRepository(DeadLetter),
        clock,
        ids,
        new StagedJobs(clock, ids),
      );
      const story = { tries: 5, firstTriedAt: new Date('2026-11-21T08:00:00.000Z') };
      const error = `first line of ${name}\nand a second line that is much too long for a list of letters`;
      await letters.deadLetter({ kind, jobId: `${kind}.${name}`, args: { id: name }, cause, error, story });
    }
  } finally {
    await database.close();
  }
}

async function sql(text: string): Promise<object[]> {
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const names = (letters: readonly Shown[]) => letters.map(({ job_id }) => job_id.slice(-1)).toSorted();

describe('payonce dlq', () => {
  it('lists and shows', async () => {
    expect((await payonce('dlq', 'list')).stdout).toBe('None.\n');
    await buryFour();
    const listed = await json<Shown[]>('dlq', 'list');
    expect(names(listed)).toEqual(['a', 'b', 'c', 'd']);
    expect(listed[3]).toEqual({
      id: expect.any(String) as string,
      kind: 'event.deliver',
      job_id: 'event.deliver.d',
      args: { id: 'd' },
      cause: 'exhausted',
      error: 'first line of d\nand a second line that is much too long for a list of letters',
      tries: 5,
      first_tried_at: '2026-11-21T08:00:00.000Z',
      died_at: expect.any(String) as string,
    });
    const some = ['--kind', 'event.deliver', '--cause', 'exhausted', '--older-than', '1h'];
    expect(names(await json('dlq', 'list', ...some))).toEqual(['d']);
    expect((await payonce('dlq', 'list', '--limit', '2')).stdout).toMatch(
      /^DIED +TRIES +KIND +CAUSE\n\n\d+ \w+ ago +5 +\S+ +\S+\n +id +\S+\n +error +first line of . and a second line .*…\n\n.*\n.*\n.*\n\nMore of them: --limit\n$/,
    );
    const { id } = listed[3]!;
    expect(await json('dlq', 'show', id)).toEqual(listed[3]);
    expect((await payonce('dlq', 'show', id)).stdout).toContain('\nargs: {"id":"d"}\ncause: exhausted\n');
  });

  it('merges by id, by cause and kind, and all', async () => {
    await buryFour();
    const listed = await json<Shown[]>('dlq', 'list');
    const b = listed.find(({ job_id }) => job_id.endsWith('b'))!;
    expect(await json('dlq', 'merge', b.id)).toEqual({ merged: 1, left: 0 });
    expect(await json('dlq', 'merge', '--cause', 'exhausted', '--kind', 'event.deliver')).toEqual({
      merged: 1,
      left: 0,
    });
    expect((await payonce('dlq', 'merge', '--all')).stdout).toBe('Merged 2 letters.\n');
    expect(await sql('SELECT job_id FROM staged_jobs ORDER BY job_id')).toHaveLength(4);
    expect(await sql('SELECT DISTINCT actor, action, merchant_id FROM audit_records')).toEqual([
      {
        actor: expect.stringMatching(/^cli:[\w.@+-]+$/),
        action: 'dead_letter.merged',
        merchant_id: '00000000-0000-0000-0000-000000000000',
      },
    ]);
    const { code, stderr } = await payonce('dlq', 'merge', b.id, '--json');
    expect([code, JSON.parse(stderr)]).toMatchObject([1, { error: { code: 'not_found' } }]);
  });

  it('purges what is named, and what matches once that is said to be meant', async () => {
    await buryFour();
    const [first] = await json<Shown[]>('dlq', 'list');
    expect(await json('dlq', 'purge', first!.id)).toEqual({ purged: 1, left: 0 });
    const { code, stderr } = await payonce('dlq', 'purge', '--all', '--json');
    expect([code, JSON.parse(stderr)]).toMatchObject([2, { error: { code: 'usage' } }]);
    expect(stderr).toContain('--yes');
    expect(await sql('SELECT FROM dead_letters')).toHaveLength(3);
    expect((await payonce('dlq', 'purge', '--all', '--yes')).stdout).toBe('Purged 3 letters.\n');
    expect(await sql('SELECT FROM staged_jobs')).toEqual([]);
    expect(await sql("SELECT FROM audit_records WHERE action = 'dead_letter.purged'")).toHaveLength(4);
  });

  it.each([
    ['merge', 2, 'usage'],
    ['merge --all --cause exhausted', 2, 'usage'],
    ['purge --yes', 2, 'usage'],
    ['show nonsense', 1, 'not_found'],
    ['list --older-than soon', 1, 'validation_failed'],
    ['list --limit 0', 1, 'validation_failed'],
  ])('says what is wrong with: dlq %s', async (line, exitCode, errorCode) => {
    const { code, stdout, stderr } = await payonce('dlq', ...line.split(' '), '--json');
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: errorCode } });
  });
});
