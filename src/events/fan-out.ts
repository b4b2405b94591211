import { type Clock } from '../core/clock.js';
import { PING } from './event.view.js';
import { WAKE_DUE } from './waking.js';
import { type Sql } from '../database/tenants.js';

/** Events that one pass looks at; also how many endpoints it wakes for what waited until now. */
export const FAN_OUT_BATCH = 500;

const FAN_OUT = `
WITH batch AS MATERIALIZED (
  SELECT merchant_id, id, type FROM events WHERE fanned_out_at IS NULL
   ORDER BY id LIMIT ${FAN_OUT_BATCH} FOR UPDATE SKIP LOCKED),
fresh AS (
  INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, next_at, created_at, updated_at)
  SELECT b.merchant_id, b.id, e.id, 'pending', $1, $1, $1
    FROM batch b JOIN webhook_endpoints e
      ON e.merchant_id = b.merchant_id AND e.slot IS NOT NULL
     AND (e.event_types IS NULL OR b.type = ANY (e.event_types)) AND b.type <> '${PING}'
  ON CONFLICT DO NOTHING
  RETURNING merchant_id, endpoint_id),
marked AS (
  UPDATE events v SET fanned_out_at = $1 FROM batch b
   WHERE v.merchant_id = b.merchant_id AND v.id = b.id
  RETURNING 1),
waited AS (
  SELECT merchant_id, id AS endpoint_id FROM webhook_endpoints
   WHERE slot IS NOT NULL AND wake_at <= $1
     AND (leased_until IS NULL OR leased_until <= statement_timestamp())
   ORDER BY wake_at LIMIT ${FAN_OUT_BATCH}),
due AS (SELECT * FROM fresh UNION SELECT * FROM waited),
${WAKE_DUE}
SELECT (SELECT count(*) FROM marked)::int AS events, (SELECT count(*) FROM staged)::int AS jobs, told FROM told`;

/**
 * Decides which endpoint gets which event: events that no run has looked at yet, times the endpoints of their
 * merchants that want them, as deliveries; and stages a job for each endpoint that has something due,
 * be it new or a try that is made again. One statement. Run by one process at a time, often.
 * @returns how much it did; 0 where nothing was to be done
 */
export function fanOut(clock: Clock): (tx: Sql) => Promise<number> {
  return async (tx) => {
    const { rows } = await tx.query<{ events: number; jobs: number }>(FAN_OUT, [clock.now()]);
    const [{ events, jobs } = { events: 0, jobs: 0 }] = rows;
    return events + jobs;
  };
}
