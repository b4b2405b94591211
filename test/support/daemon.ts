import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { once } from 'node:events';

/** A user that is on every system and owns nothing: neither Postgres nor PgBouncer runs as root. */
const NOBODY = 65_534;
const runAs = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null;

/** Makes a folder that daemons may write. */
export function daemonFolder(path: string): string {
  mkdirSync(path, { mode: 0o700 });
  if (runAs) chownSync(path, runAs.uid, runAs.gid);
  return path;
}

/** A program of a Debian package: it is killed, frozen and started again. */
export class Daemon {
  private child: ChildProcess | null = null;

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
    private readonly log: string,
  ) {}

  start(): void {
    const log = openSync(this.log, 'a');
    const child = spawn(this.program, [...this.args], {
      stdio: ['ignore', log, log],
      cwd: '/',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
      ...runAs,
    });
    closeSync(log);
    this.child = child;
    child.once('exit', () => {
      if (this.child === child) this.child = null;
    });
    child.once('error', () => (this.child = null));
  }

  get isUp(): boolean {
    return this.child !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name);
  }

  /** Resolves when it is gone. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (!child) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }
}
