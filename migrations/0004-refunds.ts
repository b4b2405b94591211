import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Refunds, and the balance that keeps more from going out than came in. The balance stands on the
 * payment's own row: every operation claims that row anyway, so it costs a charge no statement more.
 */
export class Refunds1700000000004 implements MigrationInterface {
  name = 'Refunds1700000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Reserved in the commit that opens a capture or a refund, released only on proof that nothing
-- happened: what is unknown counts as if it had happened.
ALTER TABLE payments ADD COLUMN capture_reserved bigint NOT NULL DEFAULT 0,
                     ADD COLUMN refund_reserved  bigint NOT NULL DEFAULT 0;
ALTER TABLE payments ADD CONSTRAINT payments_balance CHECK (
  capture_reserved >= 0 AND amount_captured + capture_reserved <= amount AND
  refund_reserved  >= 0 AND amount_refunded + refund_reserved  <= amount_captured);

-- A refund as it stands now. Its entity key is what it is: a client that asks for the same one, under
-- whatever Idempotency-Key, finds this row.
CREATE TABLE refunds (
  merchant_id   uuid        NOT NULL,
  entity_key    text        COLLATE "C" NOT NULL,
  id            uuid        NOT NULL,
  payment_id    uuid        NOT NULL,
  reference     text,
  status        text        NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
  amount        bigint      NOT NULL CHECK (amount > 0),
  currency      text        NOT NULL,
  reason        text,
  metadata      jsonb       NOT NULL,
  psp           text,
  psp_reference text,
  failure       jsonb,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  CONSTRAINT refunds_pkey PRIMARY KEY (merchant_id, entity_key),
  CONSTRAINT refunds_of_payment FOREIGN KEY (merchant_id, payment_id) REFERENCES payments (merchant_id, id)
);
CREATE UNIQUE INDEX refunds_id ON refunds (merchant_id, id);
CREATE INDEX refunds_payment ON refunds (merchant_id, payment_id, id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE refunds;
ALTER TABLE payments DROP CONSTRAINT payments_balance;
ALTER TABLE payments DROP COLUMN capture_reserved, DROP COLUMN refund_reserved;
`);
  }
}
