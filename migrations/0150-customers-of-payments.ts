import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Operators find the payments of a customer, whose name is stored nowhere once a payment is decided. */
export class CustomersOfPayments1700000000150 implements MigrationInterface {
  name = 'CustomersOfPayments1700000000150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The first 16 bytes of a keyed hash (HMAC-SHA-256 under the seal key of that time) of the customer's reference at the
-- merchant, and of the e-mail address. NULL: the request named none, or is older than these columns.
ALTER TABLE payments
  ADD customer_hash       bytea CHECK (octet_length(customer_hash) = 16),
  ADD customer_email_hash bytea CHECK (octet_length(customer_email_hash) = 16);
CREATE INDEX payments_customer ON payments (customer_hash, id) WHERE customer_hash IS NOT NULL;
CREATE INDEX payments_customer_email ON payments (customer_email_hash, id) WHERE customer_email_hash IS NOT NULL;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments DROP customer_hash, DROP customer_email_hash');
  }
}
