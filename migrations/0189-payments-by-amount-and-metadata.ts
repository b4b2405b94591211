import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A name has no line break, see IsMetadata. The same is computed in src/payments/metadata-pair.ts. */
export const PAIR = String.raw`substr(sha256(convert_to(m.key || E'\n' || m.value, 'UTF8')), 1, 16)`;

/**
 * A merchant's payments are found by pairs of their metadata, and by their amount (0201, which also indexes those that are
 * there). An index of jsonb would not do: row-level security lets no condition that may leak, as the operators of jsonb
 * may, go to an index before its own.
 */
export class PaymentsByAmountAndMetadata1700000000189 implements MigrationInterface {
  name = 'PaymentsByAmountAndMetadata1700000000189';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row for each pair of a payment's metadata, by which it is found; the pair itself stands in the payment.
CREATE TABLE payment_metadata (
  merchant_id uuid  NOT NULL,
  pair        bytea NOT NULL CHECK (length(pair) = 16),
  payment_id  uuid  NOT NULL,
  CONSTRAINT payment_metadata_pkey PRIMARY KEY (merchant_id, pair, payment_id)
);
SELECT payonce_wall_in('payment_metadata', 'merchant_id');
-- A payment without metadata costs nothing here, and no process has to know of it.
CREATE FUNCTION payonce_find_by_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_metadata SELECT NEW.merchant_id, ${PAIR}, NEW.id FROM jsonb_each_text(NEW.metadata) m;
  RETURN NULL;
END $$;
CREATE TRIGGER payments_with_metadata AFTER INSERT ON payments FOR EACH ROW WHEN (NEW.metadata <> '{}')
  EXECUTE FUNCTION payonce_find_by_metadata();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER payments_with_metadata ON payments;
DROP FUNCTION payonce_find_by_metadata();
DROP TABLE payment_metadata;
`);
  }
}
