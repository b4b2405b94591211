import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Attempts and events are evidence. The database lets an attempt end once and refuses every later change; it lets an
 * event be marked as fanned out, and deleted after ten days at the earliest (PAYONCE_EVENT_RETENTION_DAYS).
 */
export class KeptHistory1700000000177 implements MigrationInterface {
  name = 'KeptHistory1700000000177';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TRIGGER psp_attempts_ended_once BEFORE UPDATE ON psp_attempts
  FOR EACH ROW WHEN (OLD.outcome IS NOT NULL
    OR (OLD.merchant_id, OLD.entity_key, OLD.route, OLD.attempt, OLD.kind, OLD.request, OLD.trace_id, OLD.started_at)
       IS DISTINCT FROM
       (NEW.merchant_id, NEW.entity_key, NEW.route, NEW.attempt, NEW.kind, NEW.request, NEW.trace_id, NEW.started_at))
  EXECUTE FUNCTION payonce_append_only();
CREATE TRIGGER psp_attempts_kept BEFORE DELETE ON psp_attempts
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

CREATE TRIGGER events_fanned_out_once BEFORE UPDATE ON events
  FOR EACH ROW WHEN (OLD.fanned_out_at IS NOT NULL
    OR (OLD.merchant_id, OLD.id, OLD.type, OLD.subject, OLD.data::text, OLD.at, OLD.xid)
       IS DISTINCT FROM (NEW.merchant_id, NEW.id, NEW.type, NEW.subject, NEW.data::text, NEW.at, NEW.xid))
  EXECUTE FUNCTION payonce_append_only();
CREATE FUNCTION payonce_keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.at > now() - interval '10 days' THEN
    RAISE EXCEPTION 'events are kept for ten days' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER events_kept BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION payonce_keep_event();

-- The operator of the first link is disabled as soon as another operator can sign in.
UPDATE operators SET disabled_at = now()
 WHERE name = 'first' AND password_hash IS NULL AND oidc_subject IS NULL AND disabled_at IS NULL
   AND EXISTS (SELECT FROM operators WHERE password_hash IS NOT NULL OR oidc_subject IS NOT NULL);
DELETE FROM sign_in_links WHERE operator_id IN (SELECT id FROM operators WHERE disabled_at IS NOT NULL);
DELETE FROM operator_sessions WHERE operator_id IN (SELECT id FROM operators WHERE disabled_at IS NOT NULL);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER psp_attempts_ended_once ON psp_attempts;
DROP TRIGGER psp_attempts_kept ON psp_attempts;
DROP TRIGGER events_fanned_out_once ON events;
DROP TRIGGER events_kept ON events;
DROP FUNCTION payonce_keep_event();
`);
  }
}
