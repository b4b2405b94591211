import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { entities } from '../../src/entities.js';
import { registerDeadLetterMetrics } from '../../src/jobs/dead-letter-metrics.js';
import { DeadLetter } from '../../src/jobs/dead-letter.entity.js';
import { type GivenUpJob, DeadLetters, MAX_AT_ONCE } from '../../src/jobs/dead-letters.js';
import { StagedJobs } from '../../src/jobs/staged-jobs.js';
import { ManualClock } from '../../src/core/clock.js';
import { STAGED_CHANNEL } from '../../src/database/commit/waker.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { SeededIds } from '../../src/core/ids.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { spawnNode } from '../support/process.js';

const MERCHANT = '01900000-0000-7000-8000-000000000007';
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FIRST_TRIED = new Date('2026-11-21T08:00:00.000Z');
const HOUR_MS = 3_600_000;

let fresh: FreshDatabase;
let database: Database;
let pool: Pool;
let clock: ManualClock;
let letters: DeadLetters;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase({
    url: fresh.url,
    entities,
    migrations: [],
    poolSize: 6,
    applicationName: 'payonce-test',
  });
  ({ pool } = database);
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});
beforeEach(async () => {
  // The trigger that keeps audit records has no say in a TRUNCATE.
  await pool.query('TRUNCATE dead_letters, staged_jobs, audit_records');
  clock = new ManualClock(Date.UTC(2026, 10, 21, 10));
  const ids = new SeededIds(7, clock);
  letters = new DeadLetters(
    database.dataSource.getRepository(DeadLetter),
    clock,
    ids,
    new StagedJobs(clock, ids),
  );
});

function deathOf(n: number, more: Partial<GivenUpJob> = {}): GivenUpJob {
  return {
    kind: 'webhook.apply',
    jobId: `webhook.apply.${n}`,
    args: { merchantId: MERCHANT, id: `n-${n}` },
    cause: 'exhausted',
    error: 'the payment is not known yet',
    story: { tries: 5, firstTriedAt: FIRST_TRIED },
    ...more,
  };
}

/** So many letters, a second apart. */
async function makeDeadLetters(count: number, more: Partial<GivenUpJob> = {}): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await letters.deadLetter(deathOf(n, more));
    clock.advance(1_000);
  }
}

async function all(): Promise<readonly DeadLetter[]> {
  return (await letters.list({ limit: 100, cursor: null })).letters;
}

interface Staged {
  readonly kind: string;
  readonly job_id: string;
  readonly args: object;
  readonly story: object | null;
  readonly not_before: Date | null;
  readonly staged_at: Date;
}

async function staged(): Promise<Staged[]> {
  const { rows } = await pool.query<Staged>(
    'SELECT kind, job_id, args, story, not_before, staged_at FROM staged_jobs ORDER BY job_id',
  );
  return rows;
}

async function records(): Promise<object[]> {
  const { rows } = await pool.query<object>(
    'SELECT merchant_id, at, actor, action, subject, detail FROM audit_records ORDER BY id',
  );
  return rows;
}

describe('burying', () => {
  it('keeps one row for a job, however often it dies, with its latest death and its first try', async () => {
    await letters.deadLetter(deathOf(1));
    const [first] = await all();
    expect(first).toEqual({
      id: expect.any(String) as string,
      kind: 'webhook.apply',
      jobId: 'webhook.apply.1',
      args: { merchantId: MERCHANT, id: 'n-1' },
      cause: 'exhausted',
      error: 'the payment is not known yet',
      tries: 5,
      firstTriedAt: FIRST_TRIED,
      diedAt: clock.now(),
    });
    clock.advance(HOUR_MS);
    const again = { tries: 9, firstTriedAt: clock.now() };
    await letters.deadLetter(deathOf(1, { cause: 'route_unknown', error: 'no such route', story: again }));
    expect(await all()).toEqual([
      { ...first!, cause: 'route_unknown', error: 'no such route', tries: 9, diedAt: clock.now() },
    ]);
    // A sweep may run it once more without its story. What is known of it is not forgotten by that.
    await letters.deadLetter(deathOf(1, { story: { tries: 1, firstTriedAt: clock.now() } }));
    expect(await all()).toMatchObject([{ tries: 9, firstTriedAt: FIRST_TRIED }]);
    // The same id of another kind is another job.
    await letters.deadLetter(deathOf(1, { kind: 'event.deliver' }));
    expect(await all()).toHaveLength(2);
  });

  it('keeps no secret, nothing endless and nothing that Postgres refuses', async () => {
    const secret = 'sk_live_51HverySecret';
    const quoted = `\0Bearer abcdef123456 ${secret} 4242 4242 4242 4242 ${'x'.repeat(50_000)}`;
    await letters.deadLetter(
      deathOf(1, { error: quoted, cause: `no code: ${secret}`, story: { ...deathOf(1).story, tries: 0 } }),
    );
    const [letter] = await all();
    expect(letter).toMatchObject({ cause: 'unnamed', tries: 1 });
    expect(letter!.error).toMatch(/^\[removed\] \[removed\] \[removed\] x+…$/);
    expect(letter!.error).toHaveLength(2_000);
  });
});

describe('looking', () => {
  it('lists newest first, page by page, also when letters come and go between', async () => {
    await makeDeadLetters(5);
    const first = await letters.list({ limit: 2, cursor: null });
    expect(first.letters.map(({ jobId }) => jobId)).toEqual(['webhook.apply.5', 'webhook.apply.4']);
    // The letter that the cursor was made of goes, and a new one comes.
    await letters.purge({ ids: [first.letters[1]!.id] }, 'cli');
    await letters.deadLetter(deathOf(6));
    const second = await letters.list({ limit: 2, cursor: first.nextCursor });
    expect(second.letters.map(({ jobId }) => jobId)).toEqual(['webhook.apply.3', 'webhook.apply.2']);
    const last = await letters.list({ limit: 2, cursor: second.nextCursor });
    expect(last.letters.map(({ jobId }) => jobId)).toEqual(['webhook.apply.1']);
    expect(last.nextCursor).toBeNull();
  });

  it('tells letters of one moment apart', async () => {
    for (let n = 1; n <= 5; n++) await letters.deadLetter(deathOf(n));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await letters.list({ limit: 2, cursor });
      seen.push(...page.letters.map(({ jobId }) => jobId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  it('filters by kind, cause and age, alone and together', async () => {
    await letters.deadLetter(deathOf(1));
    await letters.deadLetter(deathOf(2, { kind: 'event.deliver' }));
    clock.advance(HOUR_MS);
    await letters.deadLetter(deathOf(3, { cause: 'route_unknown' }));
    const of = async (filter: object) =>
      (await letters.list({ ...filter, limit: 100, cursor: null })).letters.map(({ jobId }) =>
        jobId.slice(-1),
      );
    expect(await of({ kind: 'webhook.apply' })).toEqual(['3', '1']);
    expect(await of({ cause: 'exhausted' })).toHaveLength(2);
    expect(await of({ kind: 'webhook.apply', cause: 'exhausted' })).toEqual(['1']);
    const hourAgo = new Date(clock.now().getTime() - HOUR_MS);
    expect(await of({ olderThan: hourAgo, kind: 'webhook.apply' })).toEqual(['1']);
    expect(await of({ olderThan: new Date(hourAgo.getTime() - 1) })).toEqual([]);
  });

  it.each(['', 'x', '1', "1.'; DROP TABLE dead_letters", `1.${MERCHANT}0`])(
    'refuses the cursor %j',
    async (cursor) => {
      await expect(letters.list({ limit: 2, cursor })).rejects.toMatchObject({ code: 'validation_failed' });
    },
  );

  it('shows one, and says where there is none', async () => {
    await makeDeadLetters(1);
    const [letter] = await all();
    expect(await letters.show(letter!.id)).toEqual(letter);
    for (const id of [MERCHANT, 'nonsense', '']) {
      await expect(letters.show(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('counts by kind and cause, with the age of the oldest, as the metrics do', async () => {
    // Each as of a process that has not looked them up yet.
    const figures = async () => {
      const metrics = new Registry();
      registerDeadLetterMetrics(letters, metrics);
      return (await metrics.metrics()).split('\n').filter((line) => line.startsWith('payonce_dead'));
    };
    await letters.deadLetter(deathOf(1));
    clock.advance(60_000);
    await letters.deadLetter(deathOf(2));
    await letters.deadLetter(deathOf(3, { cause: 'route_unknown' }));
    clock.advance(30_000);
    const group = { kind: 'webhook.apply', oldestDiedAt: expect.any(Date) as Date };
    expect(await letters.counts()).toEqual([
      { ...group, cause: 'exhausted', count: 2, oldestAgeS: 90 },
      { ...group, cause: 'route_unknown', count: 1, oldestAgeS: 30 },
    ]);
    expect(await figures()).toEqual([
      'payonce_dead_letters{kind="webhook.apply",cause="exhausted"} 2',
      'payonce_dead_letters{kind="webhook.apply",cause="route_unknown"} 1',
      'payonce_dead_letters_oldest_age_seconds{kind="webhook.apply"} 90',
    ]);
    await letters.purge({}, 'cli');
    expect(await figures()).toEqual([]);
  });
});

describe('merging', () => {
  it('stages the job again with its story, lets the letter go and says who did it', async () => {
    await makeDeadLetters(2);
    const [, letter] = await all();
    expect(await letters.merge({ ids: [letter!.id] }, 'operator:ada')).toEqual({ done: 1, left: 0 });
    expect((await all()).map(({ jobId }) => jobId)).toEqual(['webhook.apply.2']);
    expect(await staged()).toEqual([
      {
        kind: 'webhook.apply',
        job_id: 'webhook.apply.1',
        args: { merchantId: MERCHANT, id: 'n-1' },
        story: {
          tries: 5,
          firstTriedAt: FIRST_TRIED.toISOString(),
          lastError: 'the payment is not known yet',
          cause: 'exhausted',
          diedAt: letter!.diedAt.toISOString(),
        },
        not_before: null,
        staged_at: clock.now(),
      },
    ]);
    expect(await records()).toEqual([
      {
        merchant_id: MERCHANT,
        at: clock.now(),
        actor: 'operator:ada',
        action: 'dead_letter.merged',
        subject: `dead-letter:${letter!.id}`,
        detail: { kind: 'webhook.apply', job_id: 'webhook.apply.1', cause: 'exhausted', tries: 5 },
      },
    ]);
    await expect(letters.merge({ ids: [letter!.id] }, 'operator:ada')).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await staged()).toHaveLength(1);
  });

  it('wakes the enqueuer', async () => {
    await makeDeadLetters(3);
    const ear = await pool.connect();
    try {
      const heard = new Promise<string>((resolve) =>
        ear.on('notification', ({ channel }) => resolve(channel)),
      );
      await ear.query(`LISTEN ${STAGED_CHANNEL}`);
      await letters.merge({}, 'cli');
      expect(await heard).toBe(STAGED_CHANNEL);
    } finally {
      ear.release(true);
    }
  });

  it('takes several by id, passing over those that are gone', async () => {
    await makeDeadLetters(3);
    const [newest, , oldest] = await all();
    const named = { ids: [newest!.id, MERCHANT, 'nonsense', oldest!.id, oldest!.id.toUpperCase()] };
    expect(await letters.merge(named, 'cli')).toEqual({ done: 2, left: 0 });
    expect((await staged()).map(({ job_id }) => job_id)).toEqual(['webhook.apply.1', 'webhook.apply.3']);
  });

  it('takes all of a kind, of a cause, of both, or all there are', async () => {
    const bury4 = async () => {
      await letters.deadLetter(deathOf(1));
      await letters.deadLetter(deathOf(2, { cause: 'route_unknown' }));
      await letters.deadLetter(deathOf(3, { kind: 'event.deliver' }));
      await letters.deadLetter(deathOf(4, { kind: 'event.deliver', cause: 'route_unknown' }));
    };
    for (const [selection, taken] of [
      [{ kind: 'event.deliver' }, ['3', '4']],
      [{ cause: 'route_unknown' }, ['2', '4']],
      [{ kind: 'event.deliver', cause: 'route_unknown' }, ['4']],
      [{}, ['1', '2', '3', '4']],
    ] as const) {
      await pool.query('TRUNCATE dead_letters, staged_jobs');
      await bury4();
      expect(await letters.merge(selection, 'cli')).toEqual({ done: taken.length, left: 0 });
      expect((await staged()).map(({ job_id }) => job_id.slice(-1))).toEqual([...taken]);
      expect(await all()).toHaveLength(4 - taken.length);
    }
    expect(await letters.merge({ kind: 'nothing.such' }, 'cli')).toEqual({ done: 0, left: 0 });
  });

  it('audits a job that names no merchant under the nil UUID', async () => {
    await letters.deadLetter(deathOf(1, { args: { merchantId: 'nonsense' } }));
    await letters.deadLetter(deathOf(2, { args: {} }));
    await letters.merge({}, 'cli');
    expect(await records()).toMatchObject([{ merchant_id: NOBODY }, { merchant_id: NOBODY }]);
  });

  it(`takes at most ${MAX_AT_ONCE} at once, the longest dead first, and says how many are left`, async () => {
    await pool.query(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       SELECT gen_random_uuid(), 'webhook.apply', 'webhook.apply.' || n, '{}', 'exhausted', 'e', 5, now(),
              now() + n * interval '1 ms'
         FROM generate_series(1, $1::int) n`,
      [MAX_AT_ONCE + 3],
    );
    expect(await letters.merge({ cause: 'exhausted' }, 'cli')).toEqual({ done: MAX_AT_ONCE, left: 3 });
    const left = (await all()).map(({ jobId }) => jobId);
    expect(left).toEqual([3, 2, 1].map((n) => `webhook.apply.${MAX_AT_ONCE + n}`));
    const { rows } = await pool.query<{ jobs: number; audits: number }>(
      `SELECT (SELECT count(DISTINCT job_id) FROM staged_jobs)::int AS jobs,
              (SELECT count(*) FROM audit_records)::int AS audits`,
    );
    expect(rows).toEqual([{ jobs: MAX_AT_ONCE, audits: MAX_AT_ONCE }]);
    const ids = Array.from({ length: MAX_AT_ONCE + 1 }, () => MERCHANT);
    await expect(letters.merge({ ids }, 'cli')).rejects.toMatchObject({ code: 'validation_failed' });
  });
});

describe('purging', () => {
  it('throws letters away, stages nothing, and says who did it', async () => {
    await makeDeadLetters(2);
    const [, oldest] = await all();
    expect(await letters.purge({ ids: [oldest!.id] }, 'cli')).toEqual({ done: 1, left: 0 });
    expect(await all()).toHaveLength(1);
    expect(await staged()).toEqual([]);
    expect(await records()).toMatchObject([
      { actor: 'cli', action: 'dead_letter.purged', subject: `dead-letter:${oldest!.id}` },
    ]);
    await expect(letters.purge({ ids: [oldest!.id] }, 'cli')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('several at once', () => {
  it('merge each letter once, whichever of two comes first', async () => {
    await makeDeadLetters(40);
    const ids = (await all()).map(({ id }) => id);
    const every = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => letters.merge(n % 2 === 0 ? {} : { ids }, 'cli')),
    );
    const done = every.map((one) => {
      if (one.status === 'fulfilled') return one.value.done;
      expect(one.reason).toMatchObject({ code: 'not_found' });
      return 0;
    });
    expect(done.reduce((sum, n) => sum + n, 0)).toBe(40);
    expect(new Set((await staged()).map(({ job_id }) => job_id)).size).toBe(40);
    expect(await staged()).toHaveLength(40);
    expect(await records()).toHaveLength(40);
  });

  it('find nothing where another one is about to commit', async () => {
    await makeDeadLetters(3);
    const ids = (await all()).map(({ id }) => id);
    const atCommit = signal();
    const goOn = signal();
    const seam = Symbol.for('payonce.checkpoint');
    let visits = 0;
    Object.assign(globalThis, {
      [seam]: () => {
        visits += 1;
        if (visits > 1) return;
        atCommit.give();
        return goOn.given;
      },
    });
    try {
      const first = letters.merge({}, 'cli');
      await atCommit.given;
      await expect(letters.merge({ ids }, 'cli')).rejects.toMatchObject({ code: 'not_found' });
      expect(await letters.merge({}, 'cli')).toEqual({ done: 0, left: 3 });
      goOn.give();
      expect(await first).toEqual({ done: 3, left: 0 });
    } finally {
      Reflect.deleteProperty(globalThis, seam);
      goOn.give();
    }
    expect(await staged()).toHaveLength(3);
    expect(await records()).toHaveLength(3);
  });

  it('pass over what another one holds, without waiting, and tell that it is still there', async () => {
    await makeDeadLetters(3);
    const [held] = await all();
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM dead_letters WHERE id = $1 FOR UPDATE', [held!.id]);
      await expect(letters.purge({ ids: [held!.id] }, 'cli')).rejects.toMatchObject({ code: 'not_found' });
      expect(await letters.merge({}, 'cli')).toEqual({ done: 2, left: 1 });
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(await letters.merge({}, 'cli')).toEqual({ done: 1, left: 0 });
  });

  it('a job that dies again while its letter is merged is kept', async () => {
    await makeDeadLetters(1);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('DELETE FROM dead_letters');
      const burying = letters.deadLetter(deathOf(1, { cause: 'route_unknown' }));
      await expectSoon(async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length === 1;
      });
      await other.query('COMMIT');
      await burying;
    } finally {
      other.release();
    }
    expect(await all()).toMatchObject([{ jobId: 'webhook.apply.1', cause: 'route_unknown' }]);
  });
});

describe('all or nothing', () => {
  it('a process killed before the commit has merged nothing', async () => {
    await makeDeadLetters(2);
    const directory = mkdtempSync(join(tmpdir(), 'payonce-dead-letters-'));
    try {
      const aim = join(directory, 'aim.json');
      const at = { id: '1', place: 'dead-letters:before:commit', visit: 1, signal: 'SIGKILL' };
      writeFileSync(aim, JSON.stringify(at));
      const killed = spawnNode('dist/src/payonce.js', {
        args: ['dlq', 'merge', '--all', '--json'],
        preload: 'test/support/kill-at.mjs',
        env: { DATABASE_URL: fresh.url, CHECKPOINT_FILE: aim },
      });
      expect(await killed.exit).toMatchObject({ signal: 'SIGKILL' });
      expect([await all(), await staged(), await records()]).toMatchObject([[{}, {}], [], []]);
      // The server lets go of the dead one's locks when it notices; until then its letters are held.
      await expectSoon(async () => (await letters.merge({}, 'cli')).left === 0);
      expect(await staged()).toHaveLength(2);
      expect(await records()).toHaveLength(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('a merge that cannot be audited does not happen', async () => {
    await makeDeadLetters(2);
    await pool.query('ALTER TABLE audit_records ADD CONSTRAINT no_room CHECK (false) NOT VALID');
    try {
      await expect(letters.merge({}, 'cli')).rejects.toMatchObject({ constraint: 'no_room' });
    } finally {
      await pool.query('ALTER TABLE audit_records DROP CONSTRAINT no_room');
    }
    expect([await all(), await staged()]).toMatchObject([[{}, {}], []]);
  });

  it('a merge whose connection dies says that the store is away, and nothing has happened', async () => {
    await makeDeadLetters(2);
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE staged_jobs IN EXCLUSIVE MODE');
      const merging = expect(letters.merge({}, 'cli')).rejects.toBeInstanceOf(StoreUnavailable);
      await expectSoon(async () => {
        const { rows } = await pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%staged_jobs%'`,
        );
        return rows.length === 1;
      });
      await merging;
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect([await all(), await staged(), await records()]).toMatchObject([[{}, {}], [], []]);
  });
});

async function expectSoon(look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) if (await look()) return;
  throw new Error('it did not come about');
}

/** Given once; any number of tests wait for it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}
