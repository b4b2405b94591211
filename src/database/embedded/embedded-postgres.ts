import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, SystemClock } from '../../core/clock.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { prepareCluster, prepareHome } from './postgres-cluster.js';
import { Claim } from './postgres-server.js';

/**
 * A real Postgres without an installation: the binaries come from npm, everything else is in one
 * directory of the checkout:
 *
 *   postgres/            the data directory (a link to one, where its user could not enter)
 *   postgres.password    random, 0600
 *   postgres.port        where it listened last, on 127.0.0.1 only
 *   postgres.log
 *
 * The server is no child of the service in any sense that matters: it survives a SIGKILL of the
 * service, the next start adopts it, and the last living claimant to release it stops it.
 * Durability is Postgres's own (fsync on), so a killed server loses nothing either.
 */
export interface EmbeddedPostgres {
  /** The URL for the owner of the tables. */
  readonly url: string;
  /** The URL for the role that row-level security holds for. */
  readonly serviceUrl: string;
  /** Gives up this claim; stops the server when it was the last. May be called again. */
  release(): Promise<void>;
}

/** Whether a server was ever made in `dataDir`. Makes nothing. */
export function hasEmbeddedPostgres(dataDir: string): boolean {
  return lstatSync(join(dataDir, 'postgres'), { throwIfNoEntry: false }) !== undefined;
}

/** Starts the server of `dataDir`, or joins the one that runs. */
export async function startEmbeddedPostgres(
  dataDir: string,
  clock: Clock = new SystemClock(),
): Promise<EmbeddedPostgres> {
  const binaries = findPostgresBinaries();
  const cluster = prepareCluster(prepareHome(dataDir, binaries.runAs), binaries);
  const claim = await Claim.take(cluster, clock);
  let released: Promise<void> | undefined;
  return { url: claim.url, serviceUrl: claim.serviceUrl, release: () => (released ??= claim.release()) };
}
