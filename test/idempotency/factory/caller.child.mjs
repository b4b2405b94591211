// A process that makes idempotent calls: `<redis|postgres> <url> race|hold`. Says on stdout, one JSON
// value a line, what its handlers did and what its calls were told.
import pg from 'pg';
import { idempotent } from '../../../packages/idempotency/dist/index.js';
import { PostgresCallStore } from '../../../packages/idempotency/dist/postgres-store.js';
import { RedisCallStore } from '../../../packages/idempotency/dist/redis-store.js';

const [kind, url, part] = process.argv.slice(2);
const pool = kind === 'postgres' ? new pg.Pool({ connectionString: url, max: 4 }) : null;
const store = pool ? new PostgresCallStore(pool) : await RedisCallStore.open({ url });
// A process that waits for a signal and for nothing else ends.
const alive = setInterval(() => {}, 1_000);
const say = (what) => console.log(JSON.stringify(what));
const told = (call) =>
  call.then(
    (answer) => ({ answer }),
    (error) => ({ code: error.code ?? String(error) }),
  );

/** Three amounts for each of 25 keys, all at once: each run says whose it was. */
async function race() {
  const options = { operation: 'race', retention: 60_000, lockTtl: 20_000, wait: 20_000 };
  const call = idempotent(store, { ...options, hashRequest: ({ amount }) => `amount-${amount}` }, (ask) => {
    say({ ran: ask });
    return { pid: process.pid, amount: ask.amount };
  });
  const asks = Array.from({ length: 75 }, (_, n) => ({ key: `k${n % 25}`, amount: 1 + Math.floor(n / 25) }));
  const outcomes = await Promise.all(asks.map((ask) => told(call(ask.key, ask))));
  for (const [n, outcome] of outcomes.entries()) say({ asked: asks[n], ...outcome });
}

/** One call whose handler ends on SIGUSR2. */
async function hold() {
  const options = { operation: 'hold', retention: 60_000, lockTtl: 1_500 };
  const end = new Promise((resolve) => process.once('SIGUSR2', resolve));
  const call = idempotent(store, options, async () => {
    say({ ran: 'held' });
    await end;
    return 'of the one that stood still';
  });
  say({ asked: 'held', ...(await told(call('k', {}))) });
}

if (part === 'race') {
  // All begin when all are there. The signal is listened for before anybody can send it.
  const begin = new Promise((resolve) => process.once('SIGUSR2', resolve));
  say({ ready: true });
  await begin;
  await race();
} else {
  await hold();
}
clearInterval(alive);
if (pool) await pool.end();
else store.close();
