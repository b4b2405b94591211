import { fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import { SystemClock } from '../src/core/clock.js';
import { LedgerPoster } from '../src/ledger/ledger-poster.js';
import { fanOut } from '../src/events/fan-out.js';
import { Loader } from './contenders.js';
import { cpuMsOf, cpuMsOfFamily } from './cpu.js';
import { type Options, SLOW_PSP_MS } from './options.js';
import { type Served, type Stage } from './stage.js';

/**
 * `npm run bench -- --background`: what each thing costs that is done behind the requests, apart from them. An API
 * without a worker leaves it undone; at last it is killed with payments under way, which the resolver finds.
 */
const IN_FLIGHT = 64;
const KILLED_IN_FLIGHT = 512;
const KILLED_AFTER_MS = 1_500;
const RESOLVED_WITHIN_MS = 60_000;

export async function benchBackground(
  stage: Stage,
  { rounds, seconds }: Options,
  say: (...lines: readonly string[]) => void,
): Promise<void> {
  const loader = new Loader(fork(fileURLToPath(new URL('load.js', import.meta.url))));
  // One connection: its backend is the one whose CPU time counts.
  const pool = new Pool({ connectionString: stage.database.url, max: 1 });
  try {
    const api = await stage.serve('api', { PAYONCE_ROLE: 'api' });
    for (let round = 1; round <= rounds; round++) {
      const order = {
        url: api.url,
        apiKey: api.apiKey,
        inFlight: IN_FLIGHT,
        warmMs: 0,
        windowMs: seconds * 1_000,
      };
      await loader.load({ ...order, name: `background-${round}` });
      say(await costOf(pool, 'events fanned out', () => fannedOut(pool)));
      say(await costOf(pool, 'transactions posted to the ledger', () => postedTo(pool)));
    }
    say(await resolved(stage, api, loader));
  } finally {
    loader.stop();
    await pool.end();
  }
}

async function fannedOut(pool: Pool): Promise<number> {
  const pass = fanOut(new SystemClock());
  let events = 0;
  for (let done = await pass(pool); done > 0; done = await pass(pool)) events += done;
  return events;
}

async function postedTo(pool: Pool): Promise<number> {
  return (await new LedgerPoster(pool, new SystemClock()).runOnce()).posted;
}

async function costOf(pool: Pool, what: string, work: () => Promise<number>): Promise<string> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const spentMs = () => cpuMsOf(rows[0]!.pid) ?? NaN;
  const [fromMs, cpuMs] = [performance.now(), spentMs()];
  const count = await work();
  const us = (ms: number) => ((ms * 1_000) / count).toFixed(0);
  return `${count} ${what}: ${us(spentMs() - cpuMs)} us of Postgres each, ${us(performance.now() - fromMs)} us in all`;
}

/** The API is killed with payments under way at a slow PSP; a worker finds and resolves them. */
async function resolved(stage: Stage, api: Served, loader: Loader): Promise<string> {
  await stage.slowPsp(SLOW_PSP_MS);
  const { url, apiKey } = api;
  const load = loader.load({
    url,
    apiKey,
    name: 'killed',
    inFlight: KILLED_IN_FLIGHT,
    warmMs: 0,
    windowMs: 60_000,
  });
  load.catch(() => {});
  await sleep(KILLED_AFTER_MS);
  api.kill();
  await load.catch(() => {});
  const open = async () => {
    const { rows } = await stage.database.client.query<{ open: number }>(
      "SELECT count(*)::int AS open FROM psp_requests WHERE verdict = 'open'",
    );
    return rows[0]!.open;
  };
  const left = await open();
  const worker = await stage.serve('worker', { PAYONCE_ROLE: 'worker' });
  const { postmaster } = stage.database;
  const spentMs = () =>
    [cpuMsOf(worker.pid) ?? NaN, (postmaster && cpuMsOfFamily(postmaster)) ?? NaN] as const;
  const [fromMs, before] = [performance.now(), spentMs()];
  while ((await open()) > 0) {
    if (performance.now() > fromMs + RESOLVED_WITHIN_MS) throw new Error('routes are left open');
    await sleep(20);
  }
  const [own, postgres] = spentMs().map((ms, n) => (ms - before[n]!) / left);
  return `${left} routes that a killed API left open are resolved after ${((performance.now() - fromMs) / 1_000).toFixed(1)} s; CPU ms of each: worker ${own!.toFixed(2)}, Postgres ${postgres!.toFixed(2)}`;
}
