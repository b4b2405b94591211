import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type PostgresBinaries, type RunAs } from './postgres-binaries.js';
import { SystemClock } from '../../core/clock.js';
import { EmbeddedPostgresError } from './embedded-error.js';

/** A data directory of Postgres and what is needed to run a server on it. */
export interface Cluster {
  /** The directory of ours that it belongs to, `.payonce`, as a real path. */
  readonly home: string;
  /** The data directory, as a real path. */
  readonly data: string;
  readonly password: string;
  readonly logFile: string;
  readonly binaries: PostgresBinaries;
}

export const SUPERUSER = 'payonce';

/** The place of data when root keeps a checkout where the unprivileged user cannot enter. */
const STATE_HOME = '/var/lib/payonce';

/** Makes `.payonce` where it is missing and returns its real path. */
export function prepareHome(dataDir: string, runAs: RunAs | null): string {
  const wanted = resolve(dataDir);
  mkdirSync(dirname(wanted), { recursive: true });
  if (!existsSync(wanted)) mkdirSync(wanted, { recursive: true, mode: 0o700 });
  const home = realpathSync(wanted);
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new EmbeddedPostgresError(
      `${home} belongs to uid ${statSync(home).uid}: run as that user, or set PAYONCE_DATA_DIR or DATABASE_URL`,
    );
  }
  // The server's user passes through it to its own directory; secrets in it are 0600 of their own.
  if (runAs) chmodSync(home, 0o711);
  return home;
}

/** Finds the cluster of `home`, making it where there is none. Of several processes at once one makes it. */
export function prepareCluster(home: string, binaries: PostgresBinaries): Cluster {
  const password = passwordOf(home);
  const place = placeOfData(home, binaries.runAs);
  if (!existsSync(place)) initialize(place, password, binaries);
  const data = realpathSync(place);

  const major = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (major !== binaries.major) {
    throw new EmbeddedPostgresError(
      `${data} was made by Postgres ${major} and Postgres ${binaries.major} is installed; ` +
        'move the data over with pg_dump, or put the directory aside to start with an empty one',
    );
  }
  takeOwnership(data, binaries.runAs);
  return { home, data, password, logFile: join(home, 'postgres.log'), binaries };
}

function passwordOf(home: string): string {
  const file = join(home, 'postgres.password');
  if (!existsSync(file)) {
    if (existsSync(join(home, 'postgres'))) {
      throw new EmbeddedPostgresError(
        `${file} is gone but its database is not; put it back, or put ${join(home, 'postgres')} aside`,
      );
    }
    // Written beside and linked: half a password, or a second one, would lock us out of a whole database.
    const written = `${file}.${randomBytes(6).toString('hex')}`;
    writeFileSync(written, randomBytes(24).toString('base64url'), { mode: 0o600 });
    unlessThere(() => linkSync(written, file));
    rmSync(written);
  }
  return readFileSync(file, 'utf8').trim();
}

function placeOfData(home: string, runAs: RunAs | null): string {
  const place = join(home, 'postgres');
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return resolve(home, readlinkSync(place));
  if (found || !runAs || canEnter(home, runAs)) return place;
  const id = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const elsewhere = join(STATE_HOME, `${id}-${randomBytes(4).toString('hex')}`, 'postgres');
  if (unlessThere(() => symlinkSync(elsewhere, place))) discardUnlinked(id);
  return resolve(home, readlinkSync(place));
}

/** Whether `make` made it; false where another process was first. */
function unlessThere(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (!['EEXIST', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

/** Data of a `.payonce` that was removed from this path: its password went with it. */
function discardUnlinked(id: string): void {
  if (!existsSync(STATE_HOME)) return;
  for (const name of readdirSync(STATE_HOME)) {
    const place = join(STATE_HOME, name);
    const isServed = existsSync(join(place, 'postgres', 'postmaster.pid'));
    if (name.startsWith(`${id}-`) && !isServed) rmSync(place, { recursive: true, force: true });
  }
}

/** Whether every directory down to this one lets the user pass. */
function canEnter(directory: string, { uid, gid }: RunAs): boolean {
  const { mode, uid: owner, gid: group } = statSync(directory);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || canEnter(parent, { uid, gid });
}

function initialize(place: string, password: string, binaries: PostgresBinaries): void {
  const parent = dirname(place);
  mkdirSync(parent, { recursive: true, mode: 0o711 });
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(`${basename(place)}.new-`)) continue;
    const path = join(parent, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    // The lock of a process that died over it: one that works takes seconds.
    if (changed < new SystemClock().wallMs() - 600_000) rmSync(path, { recursive: true, force: true });
  }
  const unfinished = `${place}.new-${randomBytes(6).toString('hex')}`;
  const passwordFile = `${unfinished}.password`;
  const { runAs } = binaries;
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (runAs) for (const path of [unfinished, passwordFile]) chownSync(path, runAs.uid, runAs.gid);

  const args = ['-D', unfinished, '-U', SUPERUSER, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const run = spawnSync(binaries.initdb, [...args, '-E', 'UTF8', '--locale=C', '--no-instructions'], {
    ...runAs,
    cwd: '/',
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
    timeout: 120_000,
  });
  // A data directory is there whole or not at all, whenever this process dies.
  const isMade = !run.error && run.status === 0 && unlessThere(() => renameSync(unfinished, place));
  rmSync(passwordFile, { force: true });
  if (!isMade) rmSync(unfinished, { recursive: true, force: true });
  if (!isMade && !existsSync(place)) {
    const reason = run.error ? run.error.message : run.stderr.trim().split('\n').slice(-10).join('\n');
    throw new EmbeddedPostgresError(`the embedded database could not be made in ${place}: ${reason}`);
  }
}

/** Postgres refuses a data directory of another user: one that root copied with the checkout, say. */
function takeOwnership(data: string, runAs: RunAs | null): void {
  const { uid } = statSync(data);
  if (uid === (runAs?.uid ?? process.getuid?.() ?? uid)) return;
  if (!runAs)
    throw new EmbeddedPostgresError(`${data} belongs to uid ${uid}; run as that user, or put it aside`);
  chownSync(data, runAs.uid, runAs.gid);
  chmodSync(data, 0o700);
  for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(data, name), runAs.uid, runAs.gid);
  }
}
