import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Breaks of notifications and of reports are rows of one table, with an owner, notes and one way to close them. */
export class OneTableOfBreaks1700000000078 implements MigrationInterface {
  name = 'OneTableOfBreaks1700000000078';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE reconciliation_breaks
  ALTER COLUMN run_id DROP NOT NULL,
  ALTER COLUMN currency DROP NOT NULL,
  ALTER COLUMN expected DROP NOT NULL,
  ALTER COLUMN reported DROP NOT NULL,
  -- The notification that it was found by, where it was not a report.
  ADD COLUMN event_id text COLLATE "C",
  ADD FOREIGN KEY (psp, event_id) REFERENCES webhook_inbox (psp, event_id),
  ADD CONSTRAINT reconciliation_breaks_found CHECK ((run_id IS NULL) <> (event_id IS NULL)),
  ADD CONSTRAINT reconciliation_breaks_money CHECK (event_id IS NOT NULL OR (
    currency IS NOT NULL AND expected IS NOT NULL AND reported IS NOT NULL)),
  DROP CONSTRAINT reconciliation_breaks_category_check,
  ADD CONSTRAINT reconciliation_breaks_category CHECK (category IN ('missing_at_psp', 'missing_here', 'amount_mismatch',
    'currency_mismatch', 'fee_mismatch', 'status_mismatch', 'duplicate_effect', 'late_success', 'wrong_psp', 'timing')
    OR (event_id IS NOT NULL AND category IN ('contradiction', 'operation_unknown')));
CREATE INDEX reconciliation_breaks_by_id ON reconciliation_breaks (id);
CREATE INDEX reconciliation_breaks_open ON reconciliation_breaks (opened_at) WHERE closed_at IS NULL;

CREATE TABLE break_notes (
  psp      text           NOT NULL,
  break_id uuid           NOT NULL,
  id       uuid           NOT NULL,
  at       timestamptz(3) NOT NULL,
  by       text           NOT NULL,
  note     text           NOT NULL CHECK (length(note) BETWEEN 1 AND 500),
  PRIMARY KEY (psp, break_id, id),
  FOREIGN KEY (psp, break_id) REFERENCES reconciliation_breaks (psp, id)
);
CREATE TRIGGER break_notes_append_only BEFORE UPDATE OR DELETE ON break_notes
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

-- What is a break is one in the same commit that decides so. It is about the first fact that contradicts.
CREATE FUNCTION payonce_break_of_notification() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reconciliation_breaks (psp, id, category, subject, event_id, entity_key, psp_reference, currency, reported,
                                     occurred_at, opened_at)
  SELECT NEW.psp, gen_random_uuid(), NEW.reason, 'event:' || NEW.event_id, NEW.event_id,
         coalesce(f.fact ->> 'entityKey', NEW.entity_key), coalesce(f.fact ->> 'pspReference', f.fact ->> 'parentReference'),
         f.fact #>> '{answer,money,currency}', (f.fact #>> '{answer,money,amount}')::bigint,
         coalesce(NEW.occurred_at, NEW.received_at), NEW.decided_at
    FROM (SELECT) one
    LEFT JOIN LATERAL (
      SELECT fact FROM jsonb_array_elements(NEW.facts) WITH ORDINALITY AS e (fact, place)
       ORDER BY NEW.taken[place] IN ('contradiction', 'unknown') DESC NULLS LAST, place LIMIT 1) f ON true
  ON CONFLICT (psp, subject) WHERE closed_at IS NULL DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_inbox_break AFTER INSERT OR UPDATE OF state ON webhook_inbox
  FOR EACH ROW WHEN (NEW.state = 'break') EXECUTE FUNCTION payonce_break_of_notification();

-- Those that are there already, with what people found out about them.
INSERT INTO reconciliation_breaks (psp, id, category, subject, event_id, entity_key, psp_reference, currency, reported,
                                   occurred_at, opened_at, closed_at, closed_by, resolution)
SELECT i.psp, gen_random_uuid(), i.reason, 'event:' || i.event_id, i.event_id,
       coalesce(f.fact ->> 'entityKey', i.entity_key), coalesce(f.fact ->> 'pspReference', f.fact ->> 'parentReference'),
       f.fact #>> '{answer,money,currency}', (f.fact #>> '{answer,money,amount}')::bigint,
       coalesce(i.occurred_at, i.received_at), i.decided_at, i.resolved_at,
       CASE WHEN i.resolved_at IS NOT NULL THEN coalesce((
         SELECT a.actor FROM audit_records a
          WHERE a.merchant_id = '00000000-0000-0000-0000-000000000000' AND a.action = 'break.resolved'
            AND a.detail ->> 'psp' = i.psp AND a.detail ->> 'event_id' = i.event_id LIMIT 1), 'unknown') END,
       i.resolution
  FROM webhook_inbox i
  LEFT JOIN LATERAL (
    SELECT fact FROM jsonb_array_elements(i.facts) WITH ORDINALITY AS e (fact, place)
     ORDER BY i.taken[place] IN ('contradiction', 'unknown') DESC NULLS LAST, place LIMIT 1) f ON true
 WHERE i.state = 'break';

-- One truth: what became of a break stands in the break.
CREATE OR REPLACE FUNCTION payonce_webhook_decided_stays() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.state IN ('break', 'received') THEN
      RAISE EXCEPTION 'notification % of % is % and is kept', OLD.event_id, OLD.psp, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.state <> 'received' AND (NEW.state, NEW.reason) IS DISTINCT FROM (OLD.state, OLD.reason))
     OR NEW.facts IS DISTINCT FROM OLD.facts THEN
    RAISE EXCEPTION 'notification % of % is % and stays so', OLD.event_id, OLD.psp, OLD.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
  END IF;
  RETURN NEW;
END $$;
DROP INDEX webhook_inbox_breaks;
ALTER TABLE webhook_inbox DROP CONSTRAINT webhook_inbox_resolved, DROP COLUMN resolved_at, DROP COLUMN resolution;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE webhook_inbox ADD COLUMN resolved_at timestamptz,
  ADD COLUMN resolution text CHECK (length(resolution) BETWEEN 1 AND 500),
  ADD CONSTRAINT webhook_inbox_resolved CHECK (
    (resolved_at IS NULL) = (resolution IS NULL) AND (resolved_at IS NULL OR state = 'break'));
CREATE INDEX webhook_inbox_breaks ON webhook_inbox (decided_at) WHERE state = 'break' AND resolved_at IS NULL;
UPDATE webhook_inbox i SET resolved_at = b.closed_at, resolution = coalesce(b.resolution, b.closed_by)
  FROM reconciliation_breaks b
 WHERE b.psp = i.psp AND b.event_id = i.event_id AND b.closed_at IS NOT NULL;
CREATE OR REPLACE FUNCTION payonce_webhook_decided_stays() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF OLD.state IN ('break', 'received') THEN
      RAISE EXCEPTION 'notification % of % is % and is kept', OLD.event_id, OLD.psp, OLD.state
        USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.state <> 'received' AND (NEW.state, NEW.reason) IS DISTINCT FROM (OLD.state, OLD.reason))
     OR OLD.resolved_at IS NOT NULL OR NEW.facts IS DISTINCT FROM OLD.facts THEN
    RAISE EXCEPTION 'notification % of % is % and stays so', OLD.event_id, OLD.psp, OLD.state
      USING ERRCODE = 'check_violation', CONSTRAINT = 'webhook_inbox_decided_stays';
  END IF;
  RETURN NEW;
END $$;
DROP TRIGGER webhook_inbox_break ON webhook_inbox;
DROP FUNCTION payonce_break_of_notification();
DROP TABLE break_notes;
DELETE FROM reconciliation_breaks WHERE event_id IS NOT NULL;
DROP INDEX reconciliation_breaks_by_id, reconciliation_breaks_open;
ALTER TABLE reconciliation_breaks
  DROP CONSTRAINT reconciliation_breaks_category, DROP CONSTRAINT reconciliation_breaks_found,
  DROP CONSTRAINT reconciliation_breaks_money, DROP COLUMN event_id,
  ALTER COLUMN run_id SET NOT NULL, ALTER COLUMN currency SET NOT NULL,
  ALTER COLUMN expected SET NOT NULL, ALTER COLUMN reported SET NOT NULL,
  ADD CONSTRAINT reconciliation_breaks_category_check CHECK (category IN ('missing_at_psp', 'missing_here', 'amount_mismatch',
    'currency_mismatch', 'fee_mismatch', 'status_mismatch', 'duplicate_effect', 'late_success', 'wrong_psp', 'timing'));
`);
  }
}
