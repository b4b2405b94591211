import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FreshDatabase, onDatabase } from './database.js';
import { Daemon } from './daemon.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { findProgram } from './program.js';

/** A real PgBouncer before a database, as its package sets it up but for the mode of its pool. */
export class PgBouncer {
  private constructor(
    private readonly daemon: Daemon,
    private readonly port: number,
    private readonly directory: string,
  ) {}

  static async start(database: FreshDatabase, mode: 'session' | 'transaction'): Promise<PgBouncer> {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-pgbouncer-'));
    chmodSync(directory, 0o755);
    const port = await freePort();
    const { hostname, port: server, pathname } = new URL(database.url);
    const users = [database.url, database.serviceUrl].map((url) => {
      const { username, password } = new URL(url);
      return `"${username}" "${decodeURIComponent(password)}"`;
    });
    writeFileSync(join(directory, 'users'), users.join('\n'));
    const name = pathname.slice(1);
    const settings = [
      `[databases]\n${name} = host=${hostname} port=${server} dbname=${name}`,
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = scram-sha-256\nauth_file = ${join(directory, 'users')}`,
      `pool_mode = ${mode}\ndefault_pool_size = 60`,
    ];
    writeFileSync(join(directory, 'pgbouncer.ini'), settings.join('\n'));
    const daemon = new Daemon(findProgram('pgbouncer')!, [join(directory, 'pgbouncer.ini')], '/dev/null');
    daemon.start();
    const pooler = new PgBouncer(daemon, port, directory);
    const answers = () =>
      onDatabase(pooler.urlOf(database.serviceUrl), (client) => client.query('SELECT')).then(
        () => true,
        () => false,
      );
    await eventually(answers, 'PgBouncer answers');
    return pooler;
  }

  /** The address by which this role reaches the database through it. */
  urlOf(url: string): string {
    return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(this.port) }).href;
  }

  async stop(): Promise<void> {
    await this.daemon.end();
    rmSync(this.directory, { recursive: true });
  }
}
