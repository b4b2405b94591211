import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { describeWith, findProgram } from './program.js';

const MAX_PORTS = 5;
const START_TIMEOUT_MS = 10_000;

/** Where redis-server is, or null: what needs it is then skipped under a title that says so. */
export const redisBinary: string | null = findProgram('redis-server');

/** `describe`, or a skipped one that says what is missing. */
export const describeWithRedis = (title: string, body: () => void): void =>
  describeWith('redis-server', title, body);

/** A real redis-server of a test's own: a free port, a temporary folder, and nothing left behind. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly port: number,
    private readonly directory: string,
    private readonly isDurable: boolean,
  ) {}

  /** Durable: every write is on disk before it is answered. Else: a restart finds nothing. */
  static async start(isDurable: boolean): Promise<RedisServer> {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-redis-'));
    for (let tries = 0; tries < MAX_PORTS; tries++) {
      // Another process may take the port between its being found free and its being used.
      const server = new RedisServer(await freePort(), directory, isDurable);
      if (await server.launch()) return server;
    }
    rmSync(directory, { recursive: true });
    throw new Error('redis-server did not start');
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** After a kill: the same port and folder. */
  async restart(): Promise<void> {
    if (!(await this.launch())) throw new Error('redis-server did not start again');
  }

  /** One command on a connection of its own. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: null, commandTimeout: 5_000 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async launch(): Promise<boolean> {
    const persistence = this.isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
    const args = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.directory, '--save', ''];
    const child = spawn(redisBinary ?? 'redis-server', [...args, ...persistence], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.child = child;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
      let written = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        written = (written + text).slice(-10_000);
        if (!written.includes('Ready to accept connections')) return;
        clearTimeout(timer);
        resolve(true);
      });
      const fail = () => {
        clearTimeout(timer);
        resolve(false);
      };
      child.once('exit', fail).once('error', fail);
    });
  }
}
