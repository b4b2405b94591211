import { type Pool } from 'pg';
import { ConfigError } from '../config/config.js';
import { type Encryption } from '../core/encryption.js';

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Every column that holds encrypted values, with what each is bound to: the same contexts as in
 * payments/payment-state, payouts/payout-owner, payouts/recipients, events/endpoint-secret, operators/totp, bank-files and psp-accounts.
 */
const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'payments',
    column: 'sealed',
    merchant: 'merchant_id',
    contextOf: (merchantId: string, id: string) => `${merchantId}/${id}`,
  },
  {
    table: 'payouts',
    column: 'sealed',
    merchant: 'merchant_id',
    contextOf: (merchantId: string, id: string) => `payout/${merchantId}/${id}`,
  },
  {
    table: 'recipients',
    column: 'tokens',
    merchant: 'merchant_id',
    contextOf: (merchantId: string, id: string) => `recipient/${merchantId}/${id}`,
  },
  ...(['secret', 'previous_secret'] as const).map((column) => ({
    table: 'webhook_endpoints',
    column,
    merchant: 'merchant_id' as const,
    contextOf: (merchantId: string, id: string) => `webhook-endpoint/${merchantId}/${id}`,
  })),
  {
    table: 'operators',
    column: 'totp_secret',
    merchant: `'${NIL_UUID}'::uuid`,
    contextOf: (_merchantId: string, id: string) => `operator/${id}`,
  },
  {
    table: 'bank_instructions',
    column: 'sealed',
    merchant: `'${NIL_UUID}'::uuid`,
    contextOf: (_merchantId: string, id: string) => `bank-instruction/${id}`,
  },
  {
    table: 'bank_batches',
    column: 'sealed',
    merchant: `'${NIL_UUID}'::uuid`,
    contextOf: (_merchantId: string, id: string) => `bank-batch/${id}`,
  },
  {
    table: 'psp_accounts',
    column: 'entry',
    merchant: `'${NIL_UUID}'::uuid`,
    contextOf: (_merchantId: string, id: string) => `psp-account/${id}`,
  },
];

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The merchant of a row, as SQL: operators and files of a bank have none. */
  readonly merchant: 'merchant_id' | `'${typeof NIL_UUID}'::uuid`;
  readonly contextOf: (merchantId: string, id: string) => string;
}

interface SealedRow {
  readonly merchant_id: string;
  readonly id: string;
  readonly sealed: Uint8Array;
}

const MISMATCH =
  'PAYONCE_SEAL_KEY is not the key that this database was written with: start with that one. ' +
  'To change it, give the one before as PAYONCE_SEAL_KEY_PREVIOUS (docs/configuration.md, "Rotate the seal key")';

/**
 * Holds the key to the database: another one could read no token, would take a genuine retry for another
 * request, and so end in a second charge. The first start writes down which key it is; in a database from
 * before that was written down, the key must open what is stored.
 * @throws ConfigError
 */
export async function confirmSealKey(pool: Pool, seal: Encryption): Promise<void> {
  if ((await writtenKeyId(pool)) === null) {
    if (!(await opensWhatIsStored(pool, seal))) throw new ConfigError([MISMATCH]);
    const [current] = seal.keyIds;
    await pool.query('INSERT INTO seal_key (key_id) VALUES ($1) ON CONFLICT DO NOTHING', [current]);
  }
  const written = await writtenKeyId(pool);
  if (written === null || !seal.keyIds.includes(written)) throw new ConfigError([MISMATCH]);
}

async function writtenKeyId(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ key_id: string }>('SELECT key_id FROM seal_key');
  return rows[0]?.key_id ?? null;
}

/** One value of each column is enough: all were written under one key. */
async function opensWhatIsStored(pool: Pool, seal: Encryption): Promise<boolean> {
  for (const { table, column, merchant, contextOf } of sealedColumns) {
    const { rows } = await pool.query<SealedRow>(
      `SELECT ${merchant} AS merchant_id, id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`,
    );
    for (const { merchant_id: merchantId, id, sealed } of rows) {
      try {
        seal.decrypt(sealed, contextOf(merchantId, id));
      } catch {
        return false;
      }
    }
  }
  return true;
}

const BATCH = 500;
/** Processes that still write with the key before must not keep a rotation from ending. */
const MAX_PASSES = 100;

interface SealKeyRotation {
  readonly reencrypted: number;
}

/**
 * Re-encrypts under the current key what is stored under the one before, in batches, until a pass finds
 * nothing, and then writes down the current key as that of the database. Safe to run again and beside
 * running services: a value that has changed in between is left to the next pass.
 * @throws ConfigError
 */
export async function rotateSealKey(pool: Pool, seal: Encryption): Promise<SealKeyRotation> {
  await confirmSealKey(pool, seal);
  let reencrypted = 0;
  for (let passes = 0; passes < MAX_PASSES; passes++) {
    let changed = 0;
    for (const column of sealedColumns) changed += await reencryptColumn(pool, seal, column);
    reencrypted += changed;
    if (changed > 0) continue;
    await pool.query('UPDATE seal_key SET key_id = $1, since = clock_timestamp() WHERE key_id <> $1', [
      seal.keyIds[0],
    ]);
    return { reencrypted };
  }
  throw new Error('values are still written under the key before: restart every process with both keys');
}

async function reencryptColumn(
  pool: Pool,
  seal: Encryption,
  { table, column, merchant, contextOf }: SealedColumn,
): Promise<number> {
  const { label } = seal;
  let changed = 0;
  let after: readonly string[] = [NIL_UUID, NIL_UUID];
  for (;;) {
    const { rows } = await pool.query<SealedRow>(
      `SELECT ${merchant} AS merchant_id, id, ${column} AS sealed FROM ${table}
        WHERE (${merchant}, id) > ($1, $2) AND ${column} IS NOT NULL
          AND substr(${column}, 1, ${label.length}) <> $3
        ORDER BY 1, 2 LIMIT ${BATCH}`,
      [...after, label],
    );
    for (const { merchant_id: merchantId, id, sealed } of rows) {
      const context = contextOf(merchantId, id);
      const fresh = seal.encrypt(seal.decrypt(sealed, context), context);
      const { rowCount } = await pool.query(
        `UPDATE ${table} SET ${column} = $4 WHERE ${merchant} = $1 AND id = $2 AND ${column} = $3`,
        [merchantId, id, sealed, fresh],
      );
      changed += rowCount ?? 0;
    }
    const last = rows.at(-1);
    if (!last || rows.length < BATCH) return changed;
    after = [last.merchant_id, last.id];
  }
}
