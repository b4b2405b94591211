import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Where merchants want to be told of events, and what became of telling them. */
export class WebhookEndpoints1700000000012 implements MigrationInterface {
  name = 'WebhookEndpoints1700000000012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- When a route was stuck for the first time. It stays when the route is asked about again, so that its
-- merchant is told once.
ALTER TABLE psp_requests ADD COLUMN first_stuck_at timestamptz;
UPDATE psp_requests SET first_stuck_at = stuck_at WHERE stuck_at IS NOT NULL;

-- An address that a merchant's events are sent to. At most 16 of a merchant are enabled: each of them has a
-- slot of its own. secret and previous_secret are sealed, bound to the row.
CREATE TABLE webhook_endpoints (
  merchant_id           uuid        NOT NULL REFERENCES merchants (id),
  id                    uuid        NOT NULL,
  url                   text        NOT NULL CHECK (length(url) <= 2048),
  description           text        CHECK (length(description) <= 255),
  -- null: every type.
  event_types           text[],
  slot                  smallint    CHECK (slot BETWEEN 1 AND 16),
  -- null while it is enabled: 'asked', 'gone' (it answered 410) or 'failing' (for days).
  disabled_reason       text        CHECK (disabled_reason IN ('asked', 'gone', 'failing')),
  disabled_at           timestamptz,
  secret                bytea       NOT NULL,
  previous_secret       bytea,
  previous_secret_until timestamptz,
  -- Since when every try has failed; null where the last one did not.
  failing_since         timestamptz,
  -- The last try failed or was slow: its deliveries wait in a queue of their own.
  apart                 boolean     NOT NULL DEFAULT false,
  -- It asked for a pause (Retry-After).
  paused_until          timestamptz,
  -- When a worker has to look whether deliveries are due; null where none are pending.
  wake_at               timestamptz,
  -- Who delivers to it now, and how long at most, by the database's clock.
  leased_by             uuid,
  leased_until          timestamptz,
  created_at            timestamptz NOT NULL,
  updated_at            timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT webhook_endpoints_slots UNIQUE (merchant_id, slot),
  CONSTRAINT webhook_endpoints_enabled CHECK
    ((slot IS NULL) = (disabled_reason IS NOT NULL) AND (slot IS NULL) = (disabled_at IS NOT NULL)),
  CONSTRAINT webhook_endpoints_two_secrets CHECK
    ((previous_secret IS NULL) = (previous_secret_until IS NULL))
);
CREATE INDEX webhook_endpoints_to_wake ON webhook_endpoints (wake_at) WHERE slot IS NOT NULL;

-- An event on its way to an endpoint. tries counts since it was sent for (again), attempts since ever.
CREATE TABLE webhook_deliveries (
  merchant_id uuid        NOT NULL,
  event_id    uuid        NOT NULL,
  endpoint_id uuid        NOT NULL,
  status      text        NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted', 'canceled')),
  tries       integer     NOT NULL DEFAULT 0 CHECK (tries >= 0),
  attempts    integer     NOT NULL DEFAULT 0 CHECK (attempts >= tries),
  -- A try is under way, or its process died: then the next one is made at next_at.
  in_flight   boolean     NOT NULL DEFAULT false,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, event_id, endpoint_id),
  FOREIGN KEY (merchant_id, event_id) REFERENCES events (merchant_id, id),
  FOREIGN KEY (merchant_id, endpoint_id) REFERENCES webhook_endpoints (merchant_id, id),
  CONSTRAINT webhook_deliveries_next CHECK ((status = 'pending') = (next_at IS NOT NULL))
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (merchant_id, endpoint_id, next_at)
  WHERE status = 'pending';

-- One request to an endpoint, written down before it leaves and completed when it has ended. What the
-- endpoint answered is not kept but for its status.
CREATE TABLE webhook_delivery_attempts (
  merchant_id uuid        NOT NULL,
  event_id    uuid        NOT NULL,
  endpoint_id uuid        NOT NULL,
  attempt     integer     NOT NULL CHECK (attempt > 0),
  started_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  http_status integer,
  error_code  text,
  latency_ms  integer,
  PRIMARY KEY (merchant_id, event_id, endpoint_id, attempt),
  FOREIGN KEY (merchant_id, event_id, endpoint_id)
    REFERENCES webhook_deliveries (merchant_id, event_id, endpoint_id)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE webhook_delivery_attempts, webhook_deliveries, webhook_endpoints;
ALTER TABLE psp_requests DROP COLUMN first_stuck_at;
`);
  }
}
