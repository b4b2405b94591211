import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Events in the order in which they became visible, and disputes of payments. */
export class WhatComesBack1700000000020 implements MigrationInterface {
  name = 'WhatComesBack1700000000020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The transaction that wrote the event: a client that reads events page by page sees those alone whose transaction
-- is older than every one that still runs, in this order, so that none appears later between two that were
-- read. 0 for events of before; they come first, by their id.
ALTER TABLE events ADD COLUMN xid xid8 NOT NULL DEFAULT '0';
ALTER TABLE events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX events_in_order ON events (merchant_id, xid, id);

-- Disputes of the payment, one element each, under the payment's version. null: none.
ALTER TABLE payments ADD COLUMN disputes jsonb;
-- A dispute names a payment by the PSP's own id. Written once, when that id is learned.
CREATE INDEX psp_requests_by_reference ON psp_requests (psp_reference, psp)
  WHERE operation IN ('charge', 'authorize') AND psp_reference IS NOT NULL;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX psp_requests_by_reference;
ALTER TABLE payments DROP COLUMN disputes;
ALTER TABLE events DROP COLUMN xid;
`);
  }
}
