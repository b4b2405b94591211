import { type Pool, type PoolClient } from 'pg';

/**
 * Works for an account at a bank while no other process does the same work for it; null where one does. The lock dies with
 * the process, or with its connection.
 */
export async function alone<T>(
  pool: Pool,
  what: 'send' | 'fetch',
  psp: string,
  work: () => Promise<T>,
): Promise<T | null> {
  const client: PoolClient = await pool.connect();
  const values = [`payonce-bank-${what}`, psp];
  let isLost = true;
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtext($1), hashtext($2)) AS taken',
      values,
    );
    if (!rows[0]!.taken) {
      isLost = false;
      return null;
    }
    try {
      return await work();
    } finally {
      await client.query('SELECT pg_advisory_unlock(hashtext($1), hashtext($2))', values);
      isLost = false;
    }
  } finally {
    client.release(isLost);
  }
}
