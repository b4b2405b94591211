import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { Daemon, daemonFolder } from '../support/daemon.js';
import { endPostmaster } from '../support/postmaster.js';
import { Link } from './link.js';
import { quietPort } from './quiet-port.js';

/** Patroni loops every 2 s; a primary that is not heard of for 20 s, which is the least, is replaced. */
const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 };
/** Settings of Postgres as docs/operations.md has them: its log does not hold what a refused statement held. */
const SETTINGS = {
  max_connections: 200,
  timezone: 'UTC',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};
const LOOK_TIMEOUT_MS = 1_000;

/** Settings that all nodes of a cluster have in common. */
export interface ClusterPlan {
  readonly directory: string;
  readonly logs: string;
  /** The folder of Postgres' programs. */
  readonly programs: string;
  readonly patroni: string;
  readonly etcdPort: number;
  readonly superuser: { readonly username: string; readonly password: string };
  readonly isSynchronous: boolean;
  readonly random: () => number;
}

/** A Postgres and the Patroni that rules it, with a proxy on each way to the others and to etcd. */
export class ClusterNode {
  private constructor(
    readonly name: string,
    readonly postgresPort: number,
    readonly restPort: number,
    private readonly data: string,
    private readonly patroni: Daemon,
    /** The ways by which it hears of the others, and they of it. Clients come on another way. */
    private readonly links: readonly Link[],
    /** Standbys read the log of this node by it. */
    readonly replication: Link,
    private readonly superuser: ClusterPlan['superuser'],
  ) {}

  static async make(name: string, plan: ClusterPlan): Promise<ClusterNode> {
    const { random, superuser } = plan;
    const [postgresPort, restPort] = [await quietPort(random), await quietPort(random)];
    const linkTo = (port: number) => Link.open(() => port, random);
    const [etcd, replication, rest] = [
      await linkTo(plan.etcdPort),
      await linkTo(postgresPort),
      await linkTo(restPort),
    ];
    const folder = daemonFolder(join(plan.directory, name));
    const data = join(folder, 'data');
    const file = join(folder, 'patroni.json');
    const settings = {
      scope: 'payonce',
      name,
      restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${rest.port}` },
      // By the older interface: with the newer one Patroni before 3.1 may keep what it read of the synchronous standby for
      // ever (patroni/patroni#2779). A proxy, since else it asks etcd where etcd is, and goes there without ours.
      etcd: { host: `127.0.0.1:${etcd.port}`, use_proxies: true },
      bootstrap: {
        dcs: {
          ...TIMES,
          synchronous_mode: plan.isSynchronous,
          postgresql: { use_pg_rewind: true, parameters: SETTINGS },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
      },
      postgresql: {
        listen: `127.0.0.1:${postgresPort}`,
        connect_address: `127.0.0.1:${replication.port}`,
        data_dir: data,
        bin_dir: plan.programs,
        // A node that cannot be rewound, since its log is not kept far enough, is copied from the primary anew.
        remove_data_directory_on_rewind_failure: true,
        remove_data_directory_on_diverged_timelines: true,
        pgpass: join(folder, 'pgpass'),
        authentication: {
          superuser,
          replication: { username: 'replicator', password: superuser.password },
        },
        pg_hba: [
          'host all all 127.0.0.1/32 scram-sha-256',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
        ],
        parameters: { unix_socket_directories: '' },
      },
    };
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(settings), { mode: 0o644 });
    const patroni = new Daemon(plan.patroni, [file], join(plan.logs, `${name}.log`));
    return new ClusterNode(
      name,
      postgresPort,
      restPort,
      data,
      patroni,
      [etcd, replication, rest],
      replication,
      superuser,
    );
  }

  start(): void {
    this.patroni.start();
  }

  get isUp(): boolean {
    return this.patroni.isUp;
  }

  /** The whole node is gone at once, as where its power is. */
  async kill(): Promise<void> {
    await this.patroni.end();
    await this.killPostmaster();
  }

  /** Postgres is gone, and Patroni sees it. */
  killPostmaster(): Promise<void> {
    return endPostmaster(this.data, 'SIGKILL');
  }

  /** Patroni says and does nothing, while its Postgres goes on. */
  freeze(): void {
    this.patroni.signal('SIGSTOP');
  }

  thaw(): void {
    this.patroni.signal('SIGCONT');
  }

  /** Hears nothing of the others, and they nothing of it. Clients still reach it. */
  cutOff(): void {
    for (const link of this.links) link.misbehave({ do: 'stall' });
  }

  rejoin(): void {
    for (const link of this.links) link.behave();
  }

  /** Whether Postgres takes writes here, asked past HAProxy. */
  async takesWrites(): Promise<boolean> {
    const client = new Client({
      host: '127.0.0.1',
      port: this.postgresPort,
      user: this.superuser.username,
      password: this.superuser.password,
      database: 'postgres',
      connectionTimeoutMillis: LOOK_TIMEOUT_MS,
      query_timeout: LOOK_TIMEOUT_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
      return !rows[0]!.standby;
    } catch {
      return false;
    } finally {
      client.end().catch(() => {});
    }
  }

  async drop(): Promise<void> {
    this.thaw();
    await this.kill();
    for (const link of this.links) link.close();
  }
}
