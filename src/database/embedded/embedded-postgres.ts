import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SystemClock } from '../../core/clock.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { prepareCluster, prepareHome } from './postgres-cluster.js';
import { ensureServer, stopServer } from './postgres-server.js';
import { isMarkAlive, markOf, withProcessLock } from './process-lock.js';

/**
 * A real Postgres without an installation: the binaries come from npm, everything else lies in one
 * directory of the checkout:
 *
 *   postgres/            the data directory (a link to one, where its user could not enter)
 *   postgres.password    random, 0600
 *   postgres.port        where it listened last, on 127.0.0.1 only
 *   postgres.log
 *   claims/              a file for each process that uses the server
 *   lock/                see process-lock.ts
 *
 * The server is no child of the service in any sense that matters: it survives a SIGKILL of the
 * service, the next start adopts it, and the last living claimant to release it stops it.
 * Durability is Postgres's own (fsync on), so a killed server loses nothing either.
 */
export interface EmbeddedPostgres {
  readonly url: string;
  /** Gives up this claim; stops the server when it was the last. May be called again. */
  release(): Promise<void>;
}

/** Whether a server was ever made in `dataDir`. Makes nothing. */
export function hasEmbeddedPostgres(dataDir: string): boolean {
  return lstatSync(join(dataDir, 'postgres'), { throwIfNoEntry: false }) !== undefined;
}

/** Longer than any start or stop that a holder may be busy with. */
const LOCK_TIMEOUT_MS = 180_000;

/** Starts the server of `dataDir`, or joins the one that runs. */
export async function startEmbeddedPostgres(
  dataDir: string,
  clock: Clock = new SystemClock(),
): Promise<EmbeddedPostgres> {
  const binaries = findPostgresBinaries();
  const home = prepareHome(dataDir, binaries.runAs);
  const claims = join(home, 'claims');
  const claim = join(claims, markOf(home));
  const locked = <T>(work: () => Promise<T>) =>
    withProcessLock(join(home, 'lock'), clock, LOCK_TIMEOUT_MS, work);

  const { cluster, url } = await locked(async () => {
    const cluster = prepareCluster(home, binaries);
    const url = await ensureServer(cluster, clock);
    mkdirSync(claims, { recursive: true, mode: 0o700 });
    writeFileSync(claim, '');
    return { cluster, url };
  });

  let released: Promise<void> | undefined;
  return {
    url,
    release: () =>
      (released ??= locked(async () => {
        rmSync(claim, { force: true });
        let claimants = 0;
        for (const mark of readdirSync(claims)) {
          if (isMarkAlive(mark, home)) claimants++;
          else rmSync(join(claims, mark), { force: true });
        }
        if (claimants === 0) await stopServer(cluster, clock);
      })),
  };
}
