import type pg from 'pg';
import { type Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';

const PATIENCE_MS = 1_000;

/**
 * How to end a pool in time, given when it is made. By itself a pool waits for ever for a connection
 * that are never given back; here it waits a second, and then such connections are closed.
 */
export function poolTerminator(pool: pg.Pool, clock: Clock): () => Promise<void> {
  const clients = new Set<pg.PoolClient>();
  pool.on('connect', (client) => void clients.add(client));
  pool.on('remove', (client) => void clients.delete(client));
  return async () => {
    try {
      await withTimeout(clock, PATIENCE_MS, 'ending a pool', pool.end());
    } catch {
      const left = [...clients].map((client) => client.end());
      await withTimeout(clock, PATIENCE_MS, 'leaving Postgres', Promise.all(left)).catch(() => {});
    }
  };
}
