import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';
import { PAIR } from './0189-payments-by-amount-and-metadata.js';

/** Payments whose metadata is indexed by one statement. */
const BATCH = 20_000;

interface Last {
  readonly merchant_id: string;
  readonly id: string;
}

/**
 * Indexes of payments that the migrations since 0185 need, and the metadata of payments that are there, while payments go
 * on: a transaction would hold payments back until it has read all of them. Does nothing where those migrations did it.
 */
export class IndexesBesideWork1700000000201 implements MigrationInterface {
  name = 'IndexesBesideWork1700000000201';
  transaction = false as const;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(
      runner,
      'payments_one_holds_order',
      'payments (merchant_id, order_reference) WHERE holds_order',
      'unique',
    );
    await buildIndex(
      runner,
      'payments_order',
      'payments (merchant_id, order_reference, id) WHERE order_reference IS NOT NULL',
    );
    // Without the id, so that payments of one amount share an entry.
    await buildIndex(runner, 'payments_amount', 'payments (merchant_id, amount)');
    await this.widenReference(runner);
    await this.indexMetadata(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'payments_reference_before', 'payments (merchant_id, reference)');
    await this.replaceReference(runner, 'payments_reference_before');
    for (const name of ['payments_amount', 'payments_order', 'payments_one_holds_order'])
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }

  /** The index has the id, too: it finds the payments of a day, where a merchant has used a reference for years. */
  private async widenReference(runner: QueryRunner): Promise<void> {
    // None where an earlier try ended between the two statements that replace it.
    const [index] = (await runner.query(
      `SELECT indnkeyatts AS columns FROM pg_index WHERE indexrelid = to_regclass('payments_reference')`,
    )) as [{ columns: number }?];
    if (index?.columns === 3) return;
    await buildIndex(runner, 'payments_reference_id', 'payments (merchant_id, reference, id)');
    await this.replaceReference(runner, 'payments_reference_id');
  }

  private async replaceReference(runner: QueryRunner, by: string): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS payments_reference');
    await runner.query(`ALTER INDEX ${by} RENAME TO payments_reference`);
  }

  /** The trigger of 0189 indexes new payments; this indexes those from before it. */
  private async indexMetadata(runner: QueryRunner): Promise<void> {
    const zero = '00000000-0000-0000-0000-000000000000';
    for (let last: Last | undefined = { merchant_id: zero, id: zero }; last;) {
      [last] = (await runner.query(
        `WITH batch AS (
           SELECT merchant_id, id, metadata FROM payments WHERE (merchant_id, id) > ($1, $2)
            ORDER BY merchant_id, id LIMIT ${BATCH}
         ), found AS (
           INSERT INTO payment_metadata SELECT p.merchant_id, ${PAIR}, p.id FROM batch p, jsonb_each_text(p.metadata) m
           ON CONFLICT DO NOTHING)
         SELECT merchant_id, id FROM batch ORDER BY merchant_id DESC, id DESC LIMIT 1`,
        [last.merchant_id, last.id],
      )) as [Last?];
    }
  }
}
