import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { DeadLetter } from '../src/jobs/dead-letter.entity.js';
import { entities } from '../src/entities.js';
import { migrations } from '../migrations/index.js';
import { DeadLetters } from '../src/jobs/dead-letters.js';
import { type JobKind } from '../src/jobs/job-kind.js';
import { JobsRuntime } from '../src/jobs/jobs-runtime.js';
import { DEFAULT_RETRY_POLICY, retryPolicyOf } from '../src/jobs/retry-policy.js';
import { StagedJobs } from '../src/jobs/staged-jobs.js';
import { openQueueBackend } from '../src/jobs/queue-backend.js';
import { entryOf } from '../src/jobs/queues.js';
import { SystemClock } from '../src/core/clock.js';
import { loadConfig } from '../src/config/config.js';
import { type Database, migrate, openDatabase } from '../src/database/database.js';
import { SystemIds } from '../src/core/ids.js';
import { OwnDatabase } from './own-database.js';
import { OwnRedis } from './own-redis.js';

/**
 * `npm run bench -- --jobs`: how fast staged jobs are drained, beside BullMQ alone, which has no table,
 * no ladder and no story, with the same number of jobs, batch and concurrency in the same run.
 */
const JOBS = 20_000;
const FRESH = 10_000;
const BATCH = 500;
const MAX_MS = 180_000;

const clock = new SystemClock();
const ids = new SystemIds(clock);
const ladder = retryPolicyOf(DEFAULT_RETRY_POLICY, loadConfig({}).jobLadder.usual);
const AT_ONCE = ladder.tiers[0]!.concurrency;

interface Place {
  readonly url: string;
  readonly redisUrl: string | null;
  readonly database: Database;
}

/** False where a job was lost. */
export async function benchJobs(say: (...lines: readonly string[]) => void): Promise<boolean> {
  const own = await OwnDatabase.open(process.env['DATABASE_URL']);
  const redis = await OwnRedis.open();
  const database = await openDatabase({
    url: own.url,
    entities,
    migrations,
    poolSize: 10,
    applicationName: 'bench',
  });
  try {
    await migrate(database.dataSource);
    let complete = true;
    if (!redis) say('redis-server is not installed: Postgres alone is measured');
    for (const redisUrl of redis ? [null, redis.url] : [null]) {
      const place = { url: own.url, redisUrl, database };
      const name = redisUrl === null ? 'Postgres' : 'Redis';
      // Code is compiled and connections are known before anything counts.
      await alone(place, 2_000);
      const bare = await alone(place, JOBS);
      const drained = await drain(place, JOBS, 0);
      say(
        `${name}: ${JOBS} staged jobs drained at ${drained.rate}/s, BullMQ alone ${bare}/s (${(drained.rate / bare).toFixed(2)});` +
          ` never run ${drained.never}, run more than once ${drained.again}, rows left ${drained.left}, dead ${drained.dead}`,
      );
      const pure = await drain(place, FRESH, 0);
      const mixed = await drain(place, FRESH, 0.1);
      say(
        `${name}: ${FRESH} fresh jobs at ${pure.rate}/s, with 10 % poison among them at ${mixed.rate}/s (${(mixed.rate / pure.rate).toFixed(2)});` +
          ` never run ${pure.never + mixed.never}`,
      );
      complete &&= [drained, pure, mixed].every(({ never, left }) => never === 0 && left === 0);
    }
    say(complete ? 'No job was lost.' : 'JOBS WERE LOST.');
    return complete;
  } finally {
    await database.close();
    await redis?.close();
    await own.drop();
  }
}

/** Stages so many jobs, and as many more that always fail as `poison` says; the rate is of the others. */
async function drain({ url, redisUrl, database }: Place, count: number, poison: number) {
  const { pool } = database;
  const runs = new Map<string, number>();
  const done = signal();
  let fresh = 0;
  const kind: JobKind<{ readonly id: string; readonly poison: boolean }> = {
    name: 'bench.deed',
    retryPolicy: DEFAULT_RETRY_POLICY,
    idOf: ({ id }) => id,
    run: ({ id, poison: fails }) => {
      const times = (runs.get(id) ?? 0) + 1;
      runs.set(id, times);
      if (fails) return Promise.reject(new Error('poison'));
      if (times === 1 && ++fresh === count) done.resolve();
      return Promise.resolve();
    },
    due: () => Promise.resolve([]),
  };
  const every = poison === 0 ? 0 : Math.round(1 / poison);
  const total = poison === 0 ? count : count + Math.floor(count / (every - 1));
  const rows = Array.from({ length: total }, (_, n) => ({
    row: ids.uuid(),
    id: randomUUID(),
    poison: every > 0 && n % every === every - 1,
  }));
  await pool.query(
    `INSERT INTO staged_jobs (id, kind, job_id, args, staged_at)
     SELECT (r->>'row')::uuid, 'bench.deed', 'bench.deed.' || (r->>'id'),
            jsonb_build_object('id', r->>'id', 'poison', r->'poison'), clock_timestamp()
       FROM jsonb_array_elements($1::jsonb) r`,
    [JSON.stringify(rows)],
  );
  const runtime = new JobsRuntime({
    databaseUrl: url,
    redisUrl,
    pool,
    clock,
    ids,
    logger: pino({ level: 'silent' }),
    metrics: new Registry(),
    deadLetters: new DeadLetters(
      database.dataSource.getRepository(DeadLetter),
      clock,
      ids,
      new StagedJobs(clock, ids),
    ),
    kinds: [kind],
    retryPolicies: [ladder],
    periodicTasks: () => [],
    graceMs: 5_000,
  });
  const from = clock.monotonicMs();
  await runtime.start();
  const over = new AbortController();
  const late = clock.sleep(MAX_MS, over.signal).catch(() => {});
  await Promise.race([done.promise, late]);
  over.abort(new Error('over'));
  const tookMs = clock.monotonicMs() - from;
  const never = rows.filter(({ id, poison: fails }) => !fails && !runs.has(id)).length;
  const again = rows.filter(({ id, poison: fails }) => !fails && (runs.get(id) ?? 0) > 1).length;
  const [left, dead] = [await settled(database), await countOf(database, 'dead_letters')];
  await runtime.stop();
  return { rate: Math.round(fresh / (tookMs / 1_000)), never, again, left, dead };
}

/** BullMQ with the same batches and concurrency, and a handler that does nothing. */
async function alone({ url, redisUrl }: Place, count: number): Promise<number> {
  const onError = () => {};
  const backend = await openQueueBackend({ databaseUrl: url, redisUrl, clock, workers: 1, onError });
  const queue = backend.queue('bench-alone', onError);
  await queue.waitUntilReady();
  const done = signal();
  let seen = 0;
  const options = { concurrency: AT_ONCE, lockMs: 15_000, stalledMs: 10_000, onError };
  const from = clock.monotonicMs();
  const worker = backend.worker(
    'bench-alone',
    () => {
      if (++seen === count) done.resolve();
      return Promise.resolve();
    },
    options,
  );
  for (let added = 0; added < count; added += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, count - added) }, () => {
      const id = randomUUID();
      return entryOf(
        'bench.deed',
        `bench.deed.${id}`,
        { args: { id, poison: false }, level: 0, story: null },
        0,
      );
    });
    await queue.addBulk(entries);
  }
  await done.promise;
  const tookMs = clock.monotonicMs() - from;
  await worker.close();
  await queue.close();
  await backend.close();
  return Math.round(count / (tookMs / 1_000));
}

async function settled(database: Database): Promise<number> {
  let left = await countOf(database, 'staged_jobs');
  for (let look = 0; look < 50 && left > 0; look++) {
    await clock.sleep(100);
    left = await countOf(database, 'staged_jobs');
  }
  return left;
}

async function countOf({ pool }: Database, table: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
  return rows[0]!.n;
}

/** A promise and what settles it. */
function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve: () => resolve() };
}
