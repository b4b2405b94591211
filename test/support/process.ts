import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

export interface Spawned {
  readonly pid: number;
  /** Everything written so far, stdout and stderr as they came; the oldest is dropped past 1 MB. */
  output(): string;
  /** What was written to stdout alone. */
  stdout(): string;
  /** The first line, already written or still to come, that matches. Rejects when the child ends first. */
  waitForLine(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>;
  /** How it ended. Never rejects. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(signal?: NodeJS.Signals): void;
}

export interface SpawnOptions {
  /** Added to this process's environment, of which nothing that configures Payonce is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** A module that is loaded first (`node --import`). */
  readonly preload?: string;
  readonly cwd?: string;
  /** It only computes, and leaves the processor to whatever has something to be in time for. */
  readonly inBackground?: boolean;
  /** To run as another user (root only). */
  readonly uid?: number;
  readonly gid?: number;
}

const OUTPUT_LIMIT = 1_000_000;
const root = resolve(__dirname, '../..');
const children = new Set<ChildProcess>();

// No child outlives the file that started it.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** The service starts sooner with the code that an earlier start kept, see code-cache.cjs. */
const cached: readonly string[] = [
  '--disable-warning=ExperimentalWarning',
  '--require',
  resolve(__dirname, 'code-cache.cjs'),
];

/** Starts `node <entry>`; paths are relative to the checkout (`dist/src/main.cjs`). */
export function spawnNode(entry: string, options: SpawnOptions = {}): Spawned {
  const preload = [
    ...(entry === 'dist/src/main.cjs' ? cached : []),
    ...(options.preload ? ['--import', resolve(root, options.preload)] : []),
  ];
  const child = spawn(process.execPath, [...preload, resolve(root, entry), ...(options.args ?? [])], {
    cwd: options.cwd ?? root,
    env: { ...outerEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    uid: options.uid,
    gid: options.gid,
  });
  children.add(child);
  if (options.inBackground && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);

  let written = '';
  let stdout = '';
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-OUTPUT_LIMIT);
      if (stream === child.stdout) stdout = (stdout + text).slice(-OUTPUT_LIMIT);
    });
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > 10_000) lines.shift();
      for (const look of watchers) look();
    });
  }

  let ended = false;
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((settle) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      if (ended) return;
      ended = true;
      children.delete(child);
      settle({ code, signal });
      for (const look of watchers) look();
    };
    child.once('close', end);
    // A grandchild may keep the pipes open for as long as it lives.
    child.once('exit', (code, signal) => setTimeout(() => end(code, signal), 500).unref());
    child.once('error', (error) => {
      written += `\n${error.message}`;
      end(null, null);
    });
  });

  const waitForLine = (pattern: RegExp, timeoutMs = 60_000) =>
    new Promise<RegExpMatchArray>((settle, reject) => {
      const stop = () => {
        watchers.delete(look);
        clearTimeout(timer);
      };
      const fail = (why: string) => {
        stop();
        reject(new Error(`${why} before a line matched ${pattern}. It wrote:\n${written.slice(-4_000)}`));
      };
      const look = () => {
        for (const line of lines) {
          const match = pattern.exec(line);
          if (!match) continue;
          stop();
          return settle(match);
        }
        if (ended) fail(`${entry} ended`);
      };
      const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
      watchers.add(look);
      look();
    });

  return {
    pid: child.pid ?? -1,
    output: () => written,
    stdout: () => stdout,
    waitForLine,
    exit,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
  };
}

function outerEnvironment(): NodeJS.ProcessEnv {
  const ours = /^(PAYONCE_.*|DATABASE_URL|REDIS_URL|PORT|HOST|NODE_OPTIONS)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
