import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A redis-server of this run alone, as one would run it: everything appended, synced each second. */
export class OwnRedis {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {}

  /** Null where redis-server is not installed. */
  static async open(): Promise<OwnRedis | null> {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-bench-redis-'));
    const port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', ''];
    const child = spawn('redis-server', [...args, '--appendonly', 'yes'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ready = new Promise<boolean>((resolve) => {
      let written = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        written = (written + text).slice(-10_000);
        if (written.includes('Ready to accept connections')) resolve(true);
      });
      child.once('error', () => resolve(false)).once('exit', () => resolve(false));
    });
    if (await ready) return new OwnRedis(`redis://127.0.0.1:${port}`, child, directory);
    rmSync(directory, { recursive: true });
    return null;
  }

  async close(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
