import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Orders: debts that a customer pays once, each with the payments that were tried for it. */
export class Orders1700000000185 implements MigrationInterface {
  name = 'Orders1700000000185';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row holds the sums of its payments. It changes in the commits that open, rule out, void, capture and refund them,
-- each held to its version.
CREATE TABLE orders (
  merchant_id     uuid        NOT NULL,
  reference       text        COLLATE "C" NOT NULL CHECK (length(reference) BETWEEN 1 AND 255),
  -- A UUIDv7: lists go by it.
  id              uuid        NOT NULL,
  version         integer     NOT NULL CHECK (version > 0),
  currency        text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  in_parts        boolean     NOT NULL,
  amount_due      bigint      NOT NULL CHECK (amount_due > 0),
  -- Of payments that took money or may yet: open, authorized or captured, and not given back.
  amount_live     bigint      NOT NULL,
  -- Captured and not given back.
  amount_paid     bigint      NOT NULL,
  -- More than is due, because a PSP took a refund or a release back that it had done.
  amount_overpaid bigint      NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  CONSTRAINT orders_pkey PRIMARY KEY (merchant_id, reference),
  -- The rule of orders. No commit that opens a payment raises amount_overpaid.
  CONSTRAINT orders_balance CHECK (
    0 <= amount_paid AND amount_paid <= amount_live AND amount_live <= amount_due + amount_overpaid
    AND amount_overpaid >= 0)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX orders_id ON orders (id);
CREATE INDEX orders_newest ON orders (merchant_id, id);
CREATE INDEX orders_overpaid ON orders (merchant_id, id) WHERE amount_overpaid > 0;
SELECT payonce_wall_in('orders', 'merchant_id');

-- Null for a payment without an order, which then costs no entry in the indexes.
ALTER TABLE payments
  ADD order_reference text COLLATE "C",
  -- True while it is the live payment of an order that is not paid in parts.
  ADD holds_order boolean;
-- A process of the version before would change the payment and leave its order as it was. It is refused, and a process that
-- knows orders goes on.
CREATE FUNCTION payonce_order_left_behind() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'payment % is for an order, which this session does not know', NEW.id;
END $$;
CREATE TRIGGER payments_with_order BEFORE UPDATE OF status, amount_captured, amount_refunded ON payments FOR EACH ROW
  WHEN (NEW.order_reference IS NOT NULL AND current_setting('payonce.orders', true) IS DISTINCT FROM 'known'
    AND (OLD.status, OLD.amount_captured, OLD.amount_refunded)
      IS DISTINCT FROM (NEW.status, NEW.amount_captured, NEW.amount_refunded))
  EXECUTE FUNCTION payonce_order_left_behind();
-- The indexes of payments by order are built by 0201.
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER payments_with_order ON payments;
DROP FUNCTION payonce_order_left_behind();
ALTER TABLE payments DROP order_reference, DROP holds_order;
DROP TABLE orders;
`);
  }
}
