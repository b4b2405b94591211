import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What PSPs tell of their own accord, kept until it is decided what it says. */
export class WebhookInbox1700000000011 implements MigrationInterface {
  name = 'WebhookInbox1700000000011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What PSPs told, translated; one row for a notification, however often it comes. Nothing of the body, no
-- signature. Not a merchant's: whom it is about is found out when it is applied, so the key begins with the
-- account at the PSP.
CREATE TABLE webhook_inbox (
  psp         text        NOT NULL,
  event_id    text        COLLATE "C" NOT NULL CHECK (length(event_id) BETWEEN 1 AND 200),
  type        text        NOT NULL CHECK (length(type) BETWEEN 1 AND 100),
  facts       jsonb       NOT NULL CHECK (jsonb_typeof(facts) = 'array'),
  -- The operation that it names, where it names one of ours.
  entity_key  text        COLLATE "C",
  occurred_at timestamptz,
  received_at timestamptz NOT NULL,
  -- What is written down because of it is written down under this name.
  trace_id    text        NOT NULL,
  state       text        NOT NULL DEFAULT 'received'
    CONSTRAINT webhook_inbox_state CHECK (state IN ('received', 'applied', 'ignored', 'break')),
  reason      text        CHECK (reason IN ('operation_unknown', 'contradiction')),
  -- What became of each fact at the last try, in their order.
  taken       text[]      NOT NULL DEFAULT '{}',
  tries       integer     NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 100),
  next_at     timestamptz,
  decided_at  timestamptz,
  resolved_at timestamptz,
  resolution  text        CHECK (length(resolution) BETWEEN 1 AND 500),
  CONSTRAINT webhook_inbox_pkey PRIMARY KEY (psp, event_id),
  -- What is undecided is looked at again, and what is decided is not.
  CONSTRAINT webhook_inbox_due CHECK ((state = 'received') = (next_at IS NOT NULL)),
  CONSTRAINT webhook_inbox_decided CHECK ((state = 'received') = (decided_at IS NULL)),
  CONSTRAINT webhook_inbox_break_has_reason CHECK ((state = 'break') = (reason IS NOT NULL)),
  CONSTRAINT webhook_inbox_resolved CHECK (
    (resolved_at IS NULL) = (resolution IS NULL) AND (resolved_at IS NULL OR state = 'break'))
);
CREATE INDEX webhook_inbox_to_apply ON webhook_inbox (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_inbox_breaks ON webhook_inbox (decided_at) WHERE state = 'break' AND resolved_at IS NULL;
CREATE INDEX webhook_inbox_to_forget ON webhook_inbox (decided_at) WHERE state IN ('applied', 'ignored');

-- What is decided stays decided, and a break is kept for good: it is where money and books differ.
CREATE FUNCTION payonce_webhook_decided_stays() RETURNS trigger
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
CREATE TRIGGER webhook_inbox_decided_stays BEFORE UPDATE OR DELETE ON webhook_inbox
  FOR EACH ROW EXECUTE FUNCTION payonce_webhook_decided_stays();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_inbox; DROP FUNCTION payonce_webhook_decided_stays()');
  }
}
