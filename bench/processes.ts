import { execFileSync, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Loader } from './contenders.js';
import { cpuMsOf, cpuMsOfFamily } from './cpu.js';
import { type LoadReport } from './load.js';
import { type CpuMs, measured, median, type Sample } from './measure.js';
import { type Options } from './options.js';
import { type OwnDatabase } from './own-database.js';
import { type Served, type Stage } from './stage.js';

/** Each API with its clients on a core of its own; Postgres and the workers take what is left of all. */
const PINNED = 'the same, a core for each API';

/**
 * `npm run bench -- --processes`: what more processes over one database make of throughput, of connections and of the
 * commits that share a statement. The layouts take turns; the processes of each are started for its turn.
 */
const LAYOUTS: Readonly<Record<string, readonly Role[]>> = {
  'one process': ['all'],
  'an API and a worker': ['api', 'worker'],
  'two APIs and two workers': ['api', 'api', 'worker', 'worker'],
  [PINNED]: ['api', 'api', 'worker', 'worker'],
};
const IN_FLIGHT = [64, 256];
const WARM_MS = 1_000;
/** A process compiles its code while it serves its first payments. */
const WARM_UP_S = 4;

type Role = 'all' | 'api' | 'worker';

interface Process extends Served {
  readonly role: Role;
}

interface Turn {
  readonly layout: string;
  readonly inFlight: number;
  readonly sample: Sample;
  /** Of Postgres, for one payment: with autocommit each statement is one. */
  readonly transactions: number;
  readonly connections: number;
}

export async function benchProcesses(
  stage: Stage,
  { rounds, seconds }: Options,
  say: (...lines: readonly string[]) => void,
): Promise<void> {
  const loaders = [new Loader(load()), new Loader(load())];
  const turns: Turn[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      for (const [layout, roles] of Object.entries(LAYOUTS)) {
        const processes = await started(stage, roles);
        if (layout === PINNED)
          processes
            .filter(isApi)
            .forEach(({ pid }, n) => [pid, loaders[n]!.pid].forEach((each) => pin(each, n)));
        await turn(stage.database, processes, loaders, `warm-${turns.length}`, IN_FLIGHT[0]!, WARM_UP_S);
        for (const inFlight of IN_FLIGHT) {
          const name = `processes-${turns.length}`;
          turns.push({
            layout,
            inFlight,
            ...(await turn(stage.database, processes, loaders, name, inFlight, seconds)),
          });
        }
        await Promise.all(processes.map((process) => process.stop()));
        for (const { pid } of loaders) pin(pid, `0-${availableParallelism() - 1}`);
      }
      say(`round ${round} of ${rounds}`);
    }
  } finally {
    for (const loader of loaders) loader.stop();
  }
  for (const inFlight of IN_FLIGHT)
    for (const layout of Object.keys(LAYOUTS)) say(lineOf(turns, layout, inFlight));
}

/** All threads of a process to these cores (Linux). */
function pin(pid: number, cores: number | string): void {
  execFileSync('taskset', ['-a', '-c', '-p', String(cores), String(pid)], {
    stdio: 'ignore',
    timeout: 5_000,
  });
}

const isApi = ({ role }: Process) => role !== 'worker';

function load() {
  return fork(fileURLToPath(new URL('load.js', import.meta.url)));
}

function started(stage: Stage, roles: readonly Role[]): Promise<Process[]> {
  return Promise.all(
    roles.map(async (role, n) => ({ role, ...(await stage.serve(`${role} ${n}`, { PAYONCE_ROLE: role })) })),
  );
}

/** The clients are shared out among the APIs. */
async function turn(
  database: OwnDatabase,
  processes: readonly Process[],
  loaders: readonly Loader[],
  name: string,
  inFlight: number,
  seconds: number,
): Promise<Pick<Turn, 'sample' | 'transactions' | 'connections'>> {
  const apis = processes.filter(isApi);
  const window = { warmMs: WARM_MS, windowMs: seconds * 1_000 };
  const reports = apis.map(({ url, apiKey }, n) =>
    loaders[n]!.load({ url, apiKey, name: `${name}-${n}`, inFlight: inFlight / apis.length, ...window }),
  );
  const work = Promise.all(reports).then(together);
  const activity: { transactions: number; connections: number }[] = [];
  const readUsage = async () => {
    activity.push(await activityOf(database));
    return { cpuMs: cpuOf(database, processes), walBytes: await database.walBytes() };
  };
  const { report, ...sample } = await measured(window, readUsage, work);
  if (report.complaint) throw new Error(`a payment was answered ${report.complaint}`);
  const [before, after] = activity;
  return {
    sample,
    transactions: (after!.transactions - before!.transactions) / sample.payments,
    connections: after!.connections,
  };
}

/** The slower of them says how long a payment takes. */
function together(reports: readonly LoadReport[]): LoadReport {
  return {
    payments: reports.reduce((sum, { payments }) => sum + payments, 0),
    p50Ms: Math.max(...reports.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...reports.map(({ p99Ms }) => p99Ms)),
    answers: {},
    complaint: reports.find(({ complaint }) => complaint !== null)?.complaint ?? null,
  };
}

function cpuOf({ postmaster }: OwnDatabase, processes: readonly Process[]): CpuMs {
  const service = processes.reduce((sum, { pid }) => sum + (cpuMsOf(pid) ?? NaN), 0);
  return { service, postgres: postmaster && cpuMsOfFamily(postmaster) };
}

async function activityOf({ client }: OwnDatabase): Promise<{ transactions: number; connections: number }> {
  const { rows } = await client.query<{ transactions: number; connections: number }>(
    `SELECT xact_commit::int AS transactions, numbackends AS connections
       FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]!;
}

function lineOf(turns: readonly Turn[], layout: string, inFlight: number): string {
  const own = turns.filter((one) => one.layout === layout && one.inFlight === inFlight);
  const of = (figure: (one: Turn) => number | null | undefined) =>
    median(own.map((one) => figure(one) ?? NaN));
  return [
    `${layout}, ${inFlight} in flight: ${of(({ sample }) => sample.paymentsPerSecond).toFixed(0)} a second`,
    `p50 ${of(({ sample }) => sample.p50Ms).toFixed(0)} ms, p99 ${of(({ sample }) => sample.p99Ms).toFixed(0)} ms`,
    `CPU ms: services ${of(({ sample }) => sample.cpuMsPerPayment.service).toFixed(2)}, Postgres ${of(({ sample }) => sample.cpuMsPerPayment.postgres).toFixed(2)}`,
    `${of(({ transactions }) => transactions).toFixed(2)} transactions a payment`,
    `${of(({ connections }) => connections).toFixed(0)} connections`,
    `WAL ${(of(({ sample }) => sample.walBytesPerPayment) / 1_000).toFixed(1)} kB`,
  ].join('; ');
}
