import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A PSP may make several objects for one route: each of them is an orphan effect of its own. */
export class SeveralOrphans1700000000014 implements MigrationInterface {
  name = 'SeveralOrphans1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Which object of the route, from 1. What is on record was the only one of its route.
ALTER TABLE orphan_effects
  ADD COLUMN object smallint    NOT NULL DEFAULT 1 CHECK (object >= 1),
  ADD COLUMN due_at timestamptz NOT NULL DEFAULT now(),
  DROP CONSTRAINT orphan_effects_pkey,
  ADD PRIMARY KEY (merchant_id, entity_key, route, object),
  ADD CONSTRAINT orphan_effects_each_object_once UNIQUE (merchant_id, entity_key, route, psp_reference);
UPDATE orphan_effects SET due_at = found_at;
CREATE INDEX orphan_effects_due ON orphan_effects (due_at) WHERE status IN ('open', 'approved');

-- Before a PSP's id is believed to be that of one operation, no other may be known by it.
CREATE INDEX psp_requests_by_psp_reference ON psp_requests (psp_reference) WHERE psp_reference IS NOT NULL;
`);
  }

  /** Refused where a route has several: which one would stay is nobody's to say. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX psp_requests_by_psp_reference, orphan_effects_due;
ALTER TABLE orphan_effects
  DROP CONSTRAINT orphan_effects_each_object_once,
  DROP CONSTRAINT orphan_effects_pkey,
  ADD PRIMARY KEY (merchant_id, entity_key, route),
  DROP COLUMN due_at,
  DROP COLUMN object;
`);
  }
}
