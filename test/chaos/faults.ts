import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultKind, type FaultRequest } from '@payonce/simulator';
import { Client } from 'pg';
import { type PostgresServer } from '../support/postgres-server.js';
import { pspNames } from '../support/psp-accounts.js';
import { Cluster } from './cluster.js';
import { ofCluster } from './cluster-faults.js';
import { type Installation, LOCK_TTL_MS, PSP_TIMEOUT_MS } from './installation.js';
import { type Link, type LinkFault } from './link.js';
import { type RedisPair } from './redis-pair.js';
import { type ServiceProcess } from './service-process.js';
import { type SmallDisk } from './small-disk.js';

/** The surroundings that a kind of fault is played in. */
export interface Scene {
  readonly installation: Installation;
  readonly random: () => number;
  /** Lasts as long as the episode does. */
  readonly during: (ms: number) => Promise<void>;
}

export interface FaultKindPlayed {
  readonly name: string;
  readonly group: 'psps' | 'network' | 'processes' | 'postgres' | 'redis' | 'clocks';
  /** Whether a PSP may fail to do what it is asked: a payment may then fail for no fault of ours. */
  readonly atPsps: boolean;
  /** Plays the fault, and mends what it broke. */
  readonly play: (scene: Scene) => Promise<void>;
}

export const pickFrom = <T>(random: () => number, all: readonly T[]): T =>
  all[Math.floor(random() * all.length)]!;

/** Some PSPs misbehave for as long as the episode lasts. */
function atPsps(name: string, ...kinds: readonly FaultKind[]): FaultKindPlayed {
  return {
    name,
    group: 'psps',
    atPsps: true,
    play: async ({ installation, random, during }) => {
      for (const psp of pspNames.filter(() => random() < 0.6)) {
        for (const fault of kinds) {
          const seed = Math.floor(random() * 1e6);
          const rate = { rate: 0.4 / kinds.length, seed };
          const on = pickFrom(random, ['execute', 'execute', 'any'] as const);
          const delay = pickFrom(random, [200, 700, 2_000]);
          const request: FaultRequest = { fault, on, delay_ms: delay, ...rate };
          installation.simulator.faults(psp, request);
        }
      }
      await during(6_000);
      await installation.simulator.clearFaults();
    },
  };
}

function onWay(
  name: string,
  wayOf: (installation: Installation, random: () => number) => readonly Link[],
  faults: readonly LinkFault[],
  reachesPsps = false,
): readonly FaultKindPlayed[] {
  return faults.map((fault) => ({
    name: `${name}: ${fault.do}`,
    group: 'network' as const,
    atPsps: reachesPsps,
    play: async ({ installation, random, during }) => {
      const links = wayOf(installation, random);
      for (const link of links) link.misbehave(fault);
      await during(fault.do === 'stall' ? 4_000 : 5_000);
      for (const link of links) link.behave();
    },
  }));
}

const wayFaults: readonly LinkFault[] = [
  { do: 'delay', ms: 120 },
  { do: 'reset', chance: 0.05 },
  { do: 'cut', afterBytes: 700 },
  { do: 'stall' },
  { do: 'refuse' },
];

const somePsps = ({ links }: Installation, random: () => number) =>
  pspNames.filter(() => random() < 0.6).map((psp) => links.psps[psp]);

function ofProcesses(
  name: string,
  choose: (installation: Installation, random: () => number) => readonly ServiceProcess[],
  play: (victim: ServiceProcess, scene: Scene) => Promise<void>,
): FaultKindPlayed {
  return {
    name,
    group: 'processes',
    atPsps: false,
    play: async (scene) => {
      const victims = choose(scene.installation, scene.random);
      await Promise.all(victims.map((victim) => play(victim, scene)));
    },
  };
}

const oneOf = (role: 'apis' | 'workers') => (installation: Installation, random: () => number) => [
  pickFrom(random, installation.processes[role]),
];

/** Again and again for a while: what dies at once dies at every place there is. */
async function killRepeatedly(
  victim: ServiceProcess,
  { installation, random, during }: Scene,
): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await during(200 + random() * 1_500);
    await victim.kill();
    await victim.keepUp(installation.clockOffsetMs);
  }
}

async function freeze(victim: ServiceProcess, { random, during }: Scene): Promise<void> {
  // Shorter than the lock of its requests lasts, or so long that others have taken over.
  for (const ms of [PSP_TIMEOUT_MS * random(), LOCK_TTL_MS + 1_500 + 1_000 * random()]) {
    victim.signal('SIGSTOP');
    await sleep(ms);
    victim.signal('SIGCONT');
    await during(700);
  }
}

function ofPostgres(name: string, play: (scene: Scene) => Promise<void>): FaultKindPlayed {
  return { name, group: 'postgres', atPsps: false, play };
}

const SERVICE_SESSIONS = "datname = current_database() AND application_name <> 'payonce-chaos'";

async function endBackends({ installation, during }: Scene): Promise<void> {
  for (let times = 0; times < 5; times++) {
    await installation.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${SERVICE_SESSIONS}`,
    );
    await during(700);
  }
}

/** SIGKILL to the postmaster: what was committed is read from the log again. */
async function crash(server: PostgresServer, { random, during }: Scene): Promise<void> {
  for (let times = 0; times < 2; times++) {
    await during(500 + 1_000 * random());
    await server.kill();
    await during(1_000 * random());
    await server.restart();
  }
}

/** An administrator restarts Postgres: it ends open transactions and writes its log. */
async function restart(server: PostgresServer, { during }: Scene): Promise<void> {
  await during(500);
  await server.stop();
  await during(500);
  await server.restart();
  await during(1_000);
}

async function setting(scene: Scene, set: readonly string[], reset: readonly string[]): Promise<void> {
  const { installation, during } = scene;
  const apply = async (lines: readonly string[]) => {
    for (const line of lines) await installation.sql(`ALTER SYSTEM ${line}`);
    await installation.sql('SELECT pg_reload_conf()');
  };
  await apply(set);
  await during(4_000);
  await apply(reset);
}

const readOnly = (scene: Scene) =>
  setting(scene, ['SET default_transaction_read_only = on'], ['RESET default_transaction_read_only']);

/** Each commit waits a tenth of a second before it is flushed, which a tired disk does. */
const slowFlush = (scene: Scene) =>
  setting(
    scene,
    ['SET commit_siblings = 0', 'SET commit_delay = 100000'],
    ['RESET commit_delay', 'RESET commit_siblings'],
  );

async function fullDisk(server: PostgresServer, { installation, during }: Scene): Promise<void> {
  installation.disk!.fill();
  // The log needs a new file soon, for which there is no room.
  for (let times = 0; times < 12; times++) {
    await during(400);
    await installation.sql('SELECT pg_switch_wal()').catch(() => {});
  }
  installation.disk!.empty();
  await server.restart();
  await during(1_000);
}

/** All connections that Postgres gives are taken, as by another program's leak. */
async function takeConnections({ installation, during }: Scene): Promise<void> {
  const taken: Client[] = [];
  await installation.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${SERVICE_SESSIONS}`);
  for (let refused = 0; refused < 3 && taken.length < 400;) {
    const client = new Client({
      connectionString: installation.postgres.serviceUrl,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => {});
    const isTaken = await client.connect().then(
      () => true,
      () => false,
    );
    if (isTaken) taken.push(client);
    else refused += 1;
  }
  await during(3_000);
  await Promise.all(taken.map((client) => client.end().catch(() => {})));
}

/** A machine whose clock is wrong, by less and by more than what is noticed. */
const clocks: FaultKindPlayed = {
  ...ofProcesses(
    'clock of a machine is wrong',
    ({ processes }) => [processes.apis[0]!, processes.workers[0]!],
    async (victim, { installation, random, during }) => {
      const off = pickFrom(random, [-3_600_000, -1_500, 1_500, 20_000, 3_600_000]);
      await victim.kill();
      await victim.keepUp(installation.clockOffsetMs + off);
      await during(4_000);
      await victim.kill();
      await victim.keepUp(installation.clockOffsetMs);
    },
  ),
  group: 'clocks',
};

/** Notifications come twice, late, in another order, or before the answer. */
const notifications: FaultKindPlayed = {
  name: 'notifications twice and late',
  group: 'psps',
  atPsps: false,
  play: async ({ installation, random, during }) => {
    const modes = ['duplicate', 'late', 'shuffled', 'early', 'storm'];
    for (const psp of pspNames) await installation.notify(psp, pickFrom(random, modes));
    await during(5_000);
    for (const psp of pspNames) await installation.notify(psp);
  },
};

/** The others say only later that they declined a refund, and the simulator does not say it at all. */
const declines: FaultKindPlayed = {
  name: 'PSP declines',
  group: 'psps',
  atPsps: true,
  play: async ({ installation, random, during }) => {
    for (const psp of ['stripe', 'keyless'] as const) {
      const seed = Math.floor(random() * 1e6);
      installation.simulator.faults(psp, { fault: 'decline', code: 'do_not_honor', rate: 0.3, seed });
    }
    await during(5_000);
    await installation.simulator.clearFaults();
  },
};

const down: FaultKindPlayed = {
  name: 'PSP down',
  group: 'psps',
  atPsps: true,
  play: async ({ installation, random, during }) => {
    for (const psp of pspNames.filter(() => random() < 0.5))
      installation.simulator.faults(psp, { fault: 'refuse' });
    await during(4_000);
    await installation.simulator.clearFaults();
  },
};

function ofRedis(redis: RedisPair): readonly FaultKindPlayed[] {
  const kind = (name: string, play: (scene: Scene) => Promise<void>): FaultKindPlayed => ({
    name,
    group: 'redis',
    atPsps: false,
    play,
  });
  return [
    kind('Redis loses everything', async ({ during }) => {
      for (let times = 0; times < 3; times++) {
        await during(1_500);
        await redis.flush();
      }
    }),
    kind('Redis killed', async ({ random, during }) => {
      await during(1_000 * random());
      await redis.kill();
      await during(3_000);
      await redis.restart();
      await during(1_000);
    }),
    kind('Redis fails over', async ({ random, during }) => {
      await during(1_000 * random());
      await redis.kill();
      await during(1_000);
      await redis.failOver();
      await during(1_000);
    }),
    ...onWay('Redis', () => [redis.link], wayFaults),
  ];
}

function ofServer(server: PostgresServer, disk: SmallDisk | null): readonly FaultKindPlayed[] {
  return [
    ofPostgres('Postgres crashes', (scene) => crash(server, scene)),
    ofPostgres('Postgres restarts', (scene) => restart(server, scene)),
    ...(disk ? [ofPostgres('disk full', (scene) => fullDisk(server, scene))] : []),
  ];
}

/** Every kind that can be played at this installation. */
export function faultKinds(installation: Installation): readonly FaultKindPlayed[] {
  const { postgres, disk } = installation;
  return [
    atPsps('PSP loses answers', 'close_after', 'reset_after', 'truncate'),
    atPsps('PSP loses requests', 'close_before', 'reset_before'),
    atPsps('PSP is silent', 'hang_before', 'hang_after'),
    atPsps('PSP answers 5xx', 'error_500_before', 'error_500_after', 'html_502_after'),
    atPsps('PSP is slow', 'delay_before', 'delay_after', 'late_effect'),
    atPsps('PSP throttles', 'throttle'),
    declines,
    down,
    notifications,
    ...onWay('clients', ({ links }) => [links.clients], wayFaults),
    ...onWay('database', ({ links }) => [links.database], wayFaults),
    ...onWay('PSPs', somePsps, wayFaults, true),
    ...onWay('notifications', ({ links }) => [links.notifications], [{ do: 'stall' }, { do: 'refuse' }]),
    ofProcesses('API killed', oneOf('apis'), killRepeatedly),
    ofProcesses('worker killed', oneOf('workers'), killRepeatedly),
    ofProcesses('all processes killed', ({ everyProcess }) => everyProcess, killRepeatedly),
    ofProcesses('API frozen', oneOf('apis'), freeze),
    ofProcesses('worker frozen', oneOf('workers'), freeze),
    ofPostgres('sessions ended', endBackends),
    ofPostgres('Postgres is read-only', readOnly),
    ofPostgres('Postgres flushes slowly', slowFlush),
    ofPostgres('no connection left', takeConnections),
    ...(postgres instanceof Cluster ? ofCluster(postgres) : ofServer(postgres, disk)),
    clocks,
    ...(installation.redis ? ofRedis(installation.redis) : []),
  ];
}
