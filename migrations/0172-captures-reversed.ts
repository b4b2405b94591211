import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A capture that the PSP had accepted and that failed later is posted the other way round. */
export class CapturesReversed1700000000172 implements MigrationInterface {
  name = 'CapturesReversed1700000000172';

  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, `${KINDS}, 'correction', 'capture_reversed'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.allow(runner, `${KINDS}, 'correction'`);
  }

  /** Checked in a second statement, which keeps nobody from posting. */
  private async allow(runner: QueryRunner, kinds: string): Promise<void> {
    await runner.query(`
ALTER TABLE ledger_transactions DROP CONSTRAINT ledger_transactions_kind_check,
  ADD CONSTRAINT ledger_transactions_kind_check CHECK (kind IN (${kinds})) NOT VALID`);
    await runner.query('ALTER TABLE ledger_transactions VALIDATE CONSTRAINT ledger_transactions_kind_check');
  }
}

const KINDS = `'charge', 'capture', 'void', 'refund', 'refund_reversed', 'payout', 'payout_returned', 'dispute', 'orphan',
  'orphan_undone', 'compensation', 'compensation_reversed', 'fee', 'settlement'`;
