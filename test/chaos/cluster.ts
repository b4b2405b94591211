import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FreshDatabase, onDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { Daemon, daemonFolder } from '../support/daemon.js';
import { migrateDatabase } from '../support/migrated.js';
import { findProgram } from '../support/program.js';
import { ClusterNode } from './cluster-node.js';
import { quietPort } from './quiet-port.js';

const NODES = ['node-1', 'node-2', 'node-3'];
/** A standby that does not follow by itself for so long is copied from the primary anew. */
const COPIED_AFTER_MS = 60_000;
const SETTLED_WITHIN_MS = 180_000;
/** Longer than Patroni takes to see what became of its Postgres. */
const SETTLED_FOR_MS = 3_000;
const LOOK_TIMEOUT_MS = 2_000;
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

interface Member {
  readonly name: string;
  readonly role: 'leader' | 'sync_standby' | 'replica';
  readonly state: string;
  /** Bytes; `unknown` where it is not known. */
  readonly lag?: number | string;
}

interface ClusterOptions {
  readonly directory: string;
  /** The folder of the logs of Patroni, etcd and HAProxy. */
  readonly logs: string;
  readonly isSynchronous: boolean;
  readonly random: () => number;
}

/**
 * Postgres as people run it where it must not stop: three nodes ruled by Patroni, which agree by etcd, and HAProxy, which
 * leads to the one that is primary.
 */
export class Cluster implements FreshDatabase {
  /** Standbys that did not follow by themselves any more, and were copied from the primary anew. */
  copied = 0;

  private constructor(
    readonly nodes: readonly ClusterNode[],
    readonly isSynchronous: boolean,
    private readonly others: readonly Daemon[],
    readonly url: string,
    readonly serviceUrl: string,
  ) {}

  /** Debian packages that a cluster needs and that are not installed. */
  static missing(): string[] {
    const packages = [
      ['patroni', 'patroni'],
      ['etcd', 'etcd-server'],
      ['haproxy', 'haproxy'],
    ] as const;
    const missing: string[] = packages
      .filter(([program]) => findProgram(program) === null)
      .map(([, name]) => name);
    return findServerPrograms() === null ? [...missing, 'postgresql'] : missing;
  }

  static async start({ directory, logs, isSynchronous, random }: ClusterOptions): Promise<Cluster> {
    const password = randomBytes(18).toString('base64url');
    const etcdPort = await quietPort(random);
    mkdirSync(join(directory, 'cluster'), { mode: 0o711 });
    const plan = {
      directory: join(directory, 'cluster'),
      logs,
      programs: findServerPrograms()!,
      patroni: findProgram('patroni')!,
      etcdPort,
      superuser: { username: 'payonce', password },
      isSynchronous,
      random,
    };
    const etcd = await startEtcd(plan.directory, logs, etcdPort, await quietPort(random));
    const nodes: ClusterNode[] = [];
    for (const name of NODES) nodes.push(await ClusterNode.make(name, plan));
    const port = await quietPort(random);
    const haproxy = startHaproxy(plan.directory, logs, port, nodes);
    const urlOf = (user: string, secret: string, database = 'payonce') =>
      `postgres://${user}:${secret}@127.0.0.1:${port}/${database}`;
    const cluster = new Cluster(
      nodes,
      isSynchronous,
      [haproxy, etcd],
      urlOf('payonce', password),
      urlOf('payonce_app', randomBytes(18).toString('base64url')),
    );
    for (const node of nodes) node.start();
    await cluster.settled();
    await eventually(
      () =>
        onDatabase(urlOf('payonce', password, 'postgres'), (client) =>
          client.query('CREATE DATABASE payonce'),
        ).then(
          () => true,
          () => false,
        ),
      'HAProxy leads to the primary',
    );
    await migrateDatabase(cluster);
    return cluster;
  }

  async primary(): Promise<ClusterNode> {
    return eventually(async () => this.nodeOf((await this.members()).find(isLeader)), 'there is a primary');
  }

  /** Those that are not primary; the synchronous one first. */
  async standbys(): Promise<ClusterNode[]> {
    const members = (await this.members()).filter((member) => !isLeader(member));
    return members
      .toSorted((a, b) => Number(b.role === 'sync_standby') - Number(a.role === 'sync_standby'))
      .map((member) => this.nodeOf(member)!);
  }

  /** Waits until another node is primary. */
  async isReplaced(former: ClusterNode): Promise<void> {
    await eventually(async () => {
      const leader = this.nodeOf((await this.members(former)).find(isLeader));
      return leader && leader !== former && (await leader.takesWrites());
    }, `another node than ${former.name} is primary`);
  }

  /** Waits until all nodes are there and follow the primary. One that does not by itself is copied anew. */
  async settled(): Promise<void> {
    let since = Infinity;
    const isSettled = async () => {
      const members = await this.members();
      const isSafe = !this.isSynchronous || members.some(({ role }) => role === 'sync_standby');
      const isWhole = members.length === NODES.length && members.every(follows) && members.some(isLeader);
      since = isWhole && isSafe ? Math.min(since, performance.now()) : Infinity;
      return performance.now() - since > SETTLED_FOR_MS;
    };
    const what = 'all nodes follow the primary';
    await eventually(isSettled, what, COPIED_AFTER_MS).catch(() => this.copyAnew());
    await eventually(isSettled, what, SETTLED_WITHIN_MS);
  }

  /** As a person does with `patronictl reinit`. */
  private async copyAnew(): Promise<void> {
    for (const member of (await this.members()).filter((each) => !isLeader(each) && !follows(each))) {
      this.copied += 1;
      await this.order(this.nodeOf(member)!, 'reinitialize', { force: true });
    }
  }

  /** A person lets another node be primary. */
  async switchOver(): Promise<void> {
    const primary = await this.primary();
    const answer = await this.order(primary, 'switchover', { leader: primary.name });
    if (!answer.ok) throw new Error(`switchover: ${answer.status} ${answer.text}`);
  }

  /** Patroni answers once it has looked at the cluster, which takes it seconds where the machine is busy. */
  private async order(
    node: ClusterNode,
    what: string,
    body: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly ok: boolean; readonly status: number; readonly text: string }> {
    const answer = await fetch(`http://127.0.0.1:${node.restPort}/${what}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(SETTLED_WITHIN_MS),
    });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  }

  async drop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.drop()));
    await Promise.all(this.others.map((daemon) => daemon.end()));
  }

  /** What the nodes say that they are, by the first that answers. */
  private async members(but?: ClusterNode): Promise<readonly Member[]> {
    for (const node of this.nodes.filter((each) => each !== but && each.isUp)) {
      const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
      const answer = await fetch(`http://127.0.0.1:${node.restPort}/cluster`, { signal })
        .then(async (response) => (await response.json()) as { members?: readonly Member[] })
        .catch(() => null);
      if (answer?.members) return answer.members;
    }
    return [];
  }

  private nodeOf(member: Member | undefined): ClusterNode | undefined {
    return this.nodes.find(({ name }) => name === member?.name);
  }
}

const isLeader = ({ role }: Member) => role === 'leader';

/** Whether a standby has the log of the primary, or nearly all of it. */
const follows = ({ state, lag }: Member) =>
  ['running', 'streaming'].includes(state) && (lag === undefined || Number(lag) < 1_000_000);

/** The folder of the newest Postgres that a package installed. */
function findServerPrograms(): string | null {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'pg_rewind'))) ?? null;
}

async function startEtcd(directory: string, logs: string, port: number, peerPort: number): Promise<Daemon> {
  const [url, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = {
    'enable-v2': 'true',
    'data-dir': daemonFolder(join(directory, 'etcd')),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  };
  const list = Object.entries(args).map(([name, value]) => `--${name}=${value}`);
  const etcd = new Daemon(findProgram('etcd')!, list, join(logs, 'etcd.log'));
  etcd.start();
  await eventually(
    () =>
      fetch(`${url}/health`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    'etcd answers',
  );
  return etcd;
}

/** As Patroni's documentation sets it up; sessions with a node that is primary no more are ended. */
function startHaproxy(directory: string, logs: string, port: number, nodes: readonly ClusterNode[]): Daemon {
  const file = join(directory, 'haproxy.cfg');
  const servers = nodes.map(
    ({ name, postgresPort, restPort }) => `  server ${name} 127.0.0.1:${postgresPort} check port ${restPort}`,
  );
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode tcp
  retries 2
  timeout connect 2s
  timeout check 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  const haproxy = new Daemon(findProgram('haproxy')!, ['-f', file, '-db'], join(logs, 'haproxy.log'));
  haproxy.start();
  return haproxy;
}
