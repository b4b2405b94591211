import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids } from '../core/ids.js';
import { readHold } from '../database/failover-hold.js';
import { type BankAccount } from '../psp/bank-sepa/bank-account.js';
import { type InstructionKind } from '../psp/bank-sepa/bank-instructions.js';
import { messageIdOf } from '../psp/bank-sepa/bank-names.js';
import { type DropKey } from '../psp/bank-sepa/bank-drop.js';
import { type BankSettings } from '../psp/bank-sepa/bank-settings.js';
import {
  type BatchHead,
  creditTransferFile,
  directDebitFile,
  type Payment,
} from '../psp/bank-sepa/pain-writer.js';
import { dayIn, daysLater } from './cut-off.js';
import { accountContext } from './instruction-store.js';

/** One account at a bank that speaks in files. */
export interface BankPsp {
  readonly name: string;
  readonly bank: BankSettings;
  readonly key: DropKey;
}

/** A file that is to be sent. */
export interface UnsentBatch {
  readonly psp: string;
  readonly number: number;
  readonly id: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly state: 'formed' | 'placing';
  readonly attempt: number;
  readonly temporaryName: string | null;
  /** The server that took the file; null if none did yet, or one did before this was stored. */
  readonly server: string | null;
  readonly sealed: Uint8Array;
}

interface Collected {
  readonly id: string;
  readonly endToEndId: string;
  readonly amount: number;
  readonly remittance: string;
  readonly sealed: Uint8Array;
}

/** The most lines that a bank takes; with 10,000 a file has about 8 MB. */
export const MAX_FILE_BYTES = 20_000_000;
const KINDS: readonly InstructionKind[] = ['credit_transfer', 'direct_debit'];

/**
 * No file is created or uploaded while commits may be lost: a collected instruction may be in a file whose batch was
 * lost, and a batch that still exists may have been uploaded.
 */
export class SendingHeld extends Error {
  override readonly name = 'SendingHeld';
}

/** Makes files of what was collected: all that is in one is stored, and which instructions it has, before it is sent. */
@Injectable()
export class Batches {
  constructor(
    private readonly pool: Pool,
    private readonly seal: Encryption,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Makes files of all that was collected until then; returns how many.
   * @throws SendingHeld
   */
  async form(psp: BankPsp, collectedUntil: Date): Promise<number> {
    let formed = 0;
    for (const kind of KINDS) while (await this.formOne(psp, kind, collectedUntil)) formed += 1;
    return formed;
  }

  /** The oldest first. */
  async unsent(psp: string): Promise<UnsentBatch[]> {
    const { rows } = await this.pool.query<UnsentBatch>(
      `SELECT psp, number::int AS number, id, file_name AS "fileName", sha256, state, attempt,
              temporary_name AS "temporaryName", server, sealed
         FROM bank_batches WHERE psp = $1 AND state IN ('formed', 'placing') ORDER BY number`,
      [psp],
    );
    return rows;
  }

  /**
   * Keeps files from being sent that the bank has answered already: it has them, and our record of that is lost. A person
   * has to look.
   */
  async keepAnswered(psp: string): Promise<void> {
    await this.pool.query(
      `UPDATE bank_batches b SET state = 'conflict', fault = 'the bank has answered to it, and it was not sent from here'
        WHERE psp = $1 AND state = 'formed'
          AND EXISTS (SELECT FROM bank_instructions i WHERE i.psp = b.psp AND i.batch = b.number AND i.status <> 'sent')`,
      [psp],
    );
  }

  bytesOf({ id, sealed }: Pick<UnsentBatch, 'id' | 'sealed'>): Buffer {
    return Buffer.from(this.seal.decrypt(sealed, batchContext(id)) as string);
  }

  /** False where there is nothing to put into one. */
  private async formOne(psp: BankPsp, kind: InstructionKind, collectedUntil: Date): Promise<boolean> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const { hold } = await readHold(client);
      if (hold !== 'none') throw new SendingHeld(hold);
      // One after another: the number of the next batch follows from the last.
      await client.query(`SELECT pg_advisory_xact_lock(hashtext('payonce-bank-batch'), hashtext($1))`, [
        psp.name,
      ]);
      const { rows } = await client.query<Collected>(
        `SELECT id, end_to_end_id AS "endToEndId", amount, remittance, sealed FROM bank_instructions
          WHERE psp = $1 AND kind = $2 AND batch IS NULL AND status = 'collected' AND collected_at <= $3
          ORDER BY collected_at, end_to_end_id LIMIT $4 FOR UPDATE`,
        [psp.name, kind, collectedUntil, psp.bank.maxTransactions],
      );
      if (rows.length > 0) await this.insert(client, psp, kind, rows);
      await client.query('COMMIT');
      return rows.length > 0;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  }

  private async insert(
    client: PoolClient,
    { name: psp, bank }: BankPsp,
    kind: InstructionKind,
    collected: readonly Collected[],
  ): Promise<void> {
    const last = await client.query<{ number: number }>(
      'SELECT coalesce(max(number), 0)::int AS number FROM bank_batches WHERE psp = $1',
      [psp],
    );
    const number = last.rows[0]!.number + 1;
    const now = this.clock.now();
    const payments: Payment[] = collected.map(({ id, sealed, ...line }) => ({
      ...line,
      account: this.seal.decrypt(sealed, accountContext(id)) as BankAccount,
    }));
    const today = dayIn(bank.cutOffs.timeZone, now);
    const isDebit = kind === 'direct_debit';
    const messageId = messageIdOf(
      psp,
      number,
      payments.map(({ endToEndId }) => endToEndId),
    );
    const head: BatchHead = {
      messageId,
      createdAt: now,
      dueOn: isDebit ? daysLater(today, bank.collectAfterDays) : today,
      own: bank.account,
    };
    const format = isDebit ? bank.directDebitFormat : bank.creditTransferFormat;
    const file = isDebit
      ? directDebitFile(bank.directDebitFormat, head, payments)
      : creditTransferFile(bank.creditTransferFormat, head, payments);
    const bytes = Buffer.byteLength(file);
    if (bytes > MAX_FILE_BYTES) throw new RangeError(`batch ${number} of ${psp} has ${bytes} bytes`);
    const id = this.ids.uuid();
    await client.query(
      `INSERT INTO bank_batches (psp, number, id, kind, format, message_id, file_name, due_on, transactions, total, bytes,
                                 sha256, sealed, formed_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        psp,
        number,
        id,
        kind,
        format,
        messageId,
        `${messageId}.xml`,
        head.dueOn,
        payments.length,
        payments.reduce((sum, { amount }) => sum + amount, 0),
        bytes,
        sha256Of(file),
        this.seal.encrypt(file, batchContext(id)),
        now,
      ],
    );
    const blockOf = ({ account: { mandate } }: Payment) =>
      mandate ? `${messageId}-${mandate.sequence}` : messageId;
    await client.query(
      `UPDATE bank_instructions i SET batch = $2, status = 'sent', payment_block = b.block
         FROM unnest($3::text[], $4::text[]) AS b (end_to_end_id, block)
        WHERE i.psp = $1 AND i.end_to_end_id = b.end_to_end_id AND i.batch IS NULL`,
      [psp, number, payments.map(({ endToEndId }) => endToEndId), payments.map(blockOf)],
    );
  }
}

export function sha256Of(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function batchContext(id: string): string {
  return `bank-batch/${id}`;
}
