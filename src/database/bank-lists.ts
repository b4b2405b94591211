import { type Pool } from 'pg';
import { translateOutage } from './store-unavailable.js';

/** A file that was made for a bank, with its answers so far. `total` is in cents: these files are in euros. */
interface BankBatchRow {
  readonly psp: string;
  readonly number: number;
  readonly message_id: string;
  readonly file_name: string;
  readonly kind: string;
  readonly format: string;
  readonly state: string;
  readonly due_on: string;
  readonly transactions: number;
  readonly total: number;
  readonly formed_at: Date;
  readonly sent_at: Date | null;
  readonly answered: number;
  readonly rejected: number;
  readonly fault: string | null;
}

/** A file that a bank left. */
interface BankFileRow {
  readonly psp: string;
  readonly name: string;
  readonly state: string;
  /** Lines about operations of ours, */
  readonly ours: number;
  /** and about nothing that is known here. */
  readonly unknown: number;
  readonly received_at: Date;
  readonly fault: string | null;
}

/** The newest first, of one account or all. */
interface Listed {
  readonly psp: string | null;
  readonly limit: number;
}

type Sql = Pick<Pool, 'query'>;

export async function readBankBatches(pool: Sql, { psp, limit }: Listed): Promise<BankBatchRow[]> {
  const { rows } = await translateOutage(
    pool.query<BankBatchRow>(
      `SELECT b.psp, b.number::int AS number, b.message_id, b.file_name, b.kind, b.format, b.state, b.due_on::text AS due_on,
              b.transactions, b.total::float8 AS total, b.formed_at, b.sent_at, b.fault, i.answered, i.rejected
         FROM (SELECT * FROM bank_batches WHERE coalesce(psp = $1, true) ORDER BY formed_at DESC, number DESC LIMIT $2) b
        CROSS JOIN LATERAL (
          SELECT count(*) FILTER (WHERE status <> 'sent')::int AS answered,
                 count(*) FILTER (WHERE status = 'rejected')::int AS rejected
            FROM bank_instructions i WHERE i.psp = b.psp AND i.batch = b.number) i
        ORDER BY b.formed_at DESC, b.number DESC`,
      [psp, limit],
    ),
  );
  return rows;
}

export async function readBankFiles(pool: Sql, { psp, limit }: Listed): Promise<BankFileRow[]> {
  const { rows } = await translateOutage(
    pool.query<BankFileRow>(
      `SELECT psp, name, state, ours, "unknown", received_at, fault FROM bank_files
        WHERE coalesce(psp = $1, true) ORDER BY received_at DESC, name LIMIT $2`,
      [psp, limit],
    ),
  );
  return rows;
}
