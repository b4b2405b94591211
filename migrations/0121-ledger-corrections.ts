import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The ledger takes corrections: what is posted stays, and a correction is a transaction of its own. */
export class LedgerCorrections1700000000121 implements MigrationInterface {
  name = 'LedgerCorrections1700000000121';

  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, `${KINDS}, 'correction'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.allow(runner, KINDS);
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
