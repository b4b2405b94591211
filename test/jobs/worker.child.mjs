// A worker process: `<database url> <redis url or -> <hold|free>`. Runs recorded jobs (see jobs-environment.ts); where
// it holds, a deed waits between its beginning and its effect until the table `released` has a row.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = (file) => import(pathToFileURL(resolve(`dist/src/${file}.js`)).href);
const load = (name) => import(name);
const { default: pg } = await load('pg');
const { Registry } = await load('prom-client');
const { JobsRuntime } = await built('jobs/jobs-runtime');
const { retryPolicyOf } = await built('jobs/retry-policy');
const { SystemClock } = await built('core/clock');
const { SystemIds } = await built('core/ids');
const { createLogger } = await built('http/logger');

const [databaseUrl, redisUrl, mode] = process.argv.slice(2);
const clock = new SystemClock();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 12 });
pool.on('error', () => {});

async function released() {
  while ((await pool.query('SELECT 1 FROM released')).rowCount === 0) await clock.sleep(25);
}

const deed = {
  name: 'deed.do',
  retryPolicy: 'default',
  idOf: ({ id }) => id,
  async run({ id }) {
    await pool.query('INSERT INTO runs (id, pid) VALUES ($1, $2)', [id, process.pid]);
    if (mode === 'hold') await released();
    await pool.query(
      `WITH done AS (UPDATE deeds SET done_at = clock_timestamp() WHERE id = $1 AND done_at IS NULL RETURNING id)
       INSERT INTO effects SELECT id FROM done`,
      [id],
    );
  },
  async due(limit) {
    return (await pool.query('SELECT id FROM deeds WHERE done_at IS NULL ORDER BY id LIMIT $1', [limit]))
      .rows;
  },
};

const ids = new SystemIds(clock);
const runtime = new JobsRuntime({
  databaseUrl,
  redisUrl: redisUrl === '-' ? null : redisUrl,
  pool,
  clock,
  ids,
  logger: createLogger({ level: 'debug', sink: { write: (line) => void process.stdout.write(line) } }),
  metrics: new Registry(),
  deadLetters: { deadLetter: () => Promise.reject(new Error('no deed here fails')) },
  kinds: [deed],
  retryPolicies: [
    retryPolicyOf('default', [
      { delayMs: 0, concurrency: 8 },
      { delayMs: 200, concurrency: 2 },
    ]),
  ],
  periodicTasks: () => [],
  graceMs: 1_000,
  timings: JSON.parse(process.env.JOB_TIMINGS ?? '{}'),
});
await runtime.start();
console.log('ready');
process.once('SIGTERM', () => {
  runtime
    .stop()
    .then(() => pool.end())
    .then(() => process.exit(0))
    .catch((error) => {
      console.log(error);
      process.exit(1);
    });
});
