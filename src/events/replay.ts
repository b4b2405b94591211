import { uuidv7 } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type Act, recorded } from './audited.js';
import { PING } from './event.view.js';
import { WAKE_DUE } from './waking.js';
import { type Sql } from '../database/tenants.js';

const MAX_REPLAYED = 10_000;
/** Ids of events are in the order of time, but for what passes between drawing one and reading the clock. */
const SLACK_MS = 60_000;

/**
 * From `picked (merchant_id, event_id, endpoint_id)` to deliveries that are due at once, `due`. One that
 * is just being made is left alone: two at once would be two requests.
 */
const SEND_AGAIN = `
due AS (
  INSERT INTO webhook_deliveries AS d (merchant_id, event_id, endpoint_id, status, next_at, created_at, updated_at)
  SELECT merchant_id, event_id, endpoint_id, 'pending', $1::timestamptz, $1::timestamptz, $1::timestamptz FROM picked
  ON CONFLICT (merchant_id, event_id, endpoint_id) DO UPDATE
     SET status = 'pending', tries = 0, next_at = $1, updated_at = $1
   WHERE NOT (d.status = 'pending' AND d.in_flight)
  RETURNING merchant_id, endpoint_id)`;

/** Sends one event again, to one endpoint or to all that want it. @returns how many deliveries */
export async function replayEvent(
  sql: Sql,
  {
    by,
    eventId,
    endpointId,
  }: { by: Pick<Act, 'caller' | 'auditId'>; eventId: string; endpointId: string | null },
  now: Date,
): Promise<number> {
  const record = recorded({ ...by, at: now, action: 'event.replayed' }, 4, {
    from: '(SELECT count(*) AS n FROM due) d',
    subject: "'event:' || $3::text",
    detail: "jsonb_build_object('endpoint_id', $4::uuid, 'deliveries', n)",
  });
  const { rows } = await translateOutage(
    sql.query<{ n: number }>(
      `WITH picked AS (
         SELECT v.merchant_id, v.id AS event_id, e.id AS endpoint_id
           FROM events v JOIN webhook_endpoints e ON e.merchant_id = v.merchant_id AND e.slot IS NOT NULL
          WHERE v.merchant_id = $2 AND v.id = $3::uuid
            AND CASE WHEN $4::uuid IS NOT NULL THEN e.id = $4
                     ELSE e.event_types IS NULL OR v.type = ANY (e.event_types) END
            AND (v.type <> '${PING}' OR v.subject = 'webhook_endpoint:' || e.id)),
       ${SEND_AGAIN},
       ${record.cte},
       ${WAKE_DUE}
       SELECT (SELECT count(*) FROM due)::int AS n, told FROM told`,
      [now, by.caller.merchantId, eventId, endpointId, ...record.values],
    ),
  );
  return rows[0]?.n ?? 0;
}

/** Sends the events of a time again that an endpoint wants. @returns how many deliveries */
export async function replayRange(
  sql: Sql,
  { by, id, from, to }: { by: Pick<Act, 'caller' | 'auditId'>; id: string; from: Date; to: Date },
  now: Date,
): Promise<number> {
  const record = recorded({ ...by, at: now, action: 'webhook_endpoint.replayed' }, 7, {
    from: `(SELECT count(*) AS n FROM wanted HAVING count(*) <= ${MAX_REPLAYED}) w`,
    subject: "'webhook_endpoint:' || $3::text",
    detail: "jsonb_build_object('from', $4::timestamptz, 'to', $5::timestamptz, 'events', n)",
  });
  const { rows } = await translateOutage(
    sql.query<{ picked: number; n: number }>(
      `WITH wanted AS MATERIALIZED (
         SELECT v.merchant_id, v.id AS event_id, e.id AS endpoint_id
           FROM webhook_endpoints e JOIN events v ON v.merchant_id = e.merchant_id
          WHERE e.merchant_id = $2 AND e.id = $3::uuid AND e.slot IS NOT NULL
            AND v.id BETWEEN $6::uuid AND $7::uuid AND v.at BETWEEN $4 AND $5
            AND v.type <> '${PING}' AND (e.event_types IS NULL OR v.type = ANY (e.event_types))
          LIMIT ${MAX_REPLAYED + 1}),
       picked AS (SELECT * FROM wanted WHERE (SELECT count(*) FROM wanted) <= ${MAX_REPLAYED}),
       ${SEND_AGAIN},
       ${record.cte},
       ${WAKE_DUE}
       SELECT (SELECT count(*) FROM wanted)::int AS picked, (SELECT count(*) FROM due)::int AS n, told FROM told`,
      [now, by.caller.merchantId, id, from, to, ...idsBetween(from, to), ...record.values],
    ),
  );
  const { picked, n } = rows[0] ?? { picked: 0, n: 0 };
  if (picked > MAX_REPLAYED) {
    throw new Problem(
      'replay_too_large',
      `More than ${MAX_REPLAYED} events lie between these times. Replay them in parts.`,
    );
  }
  return n;
}

/** The lowest and the highest id that an event of this time can have. */
export function idsBetween(from: Date, to: Date): [string, string] {
  const at = (ms: number) => Math.min(Math.max(ms, 0), 2 ** 48 - 1);
  return [
    uuidv7(at(from.getTime() - SLACK_MS), new Uint8Array(10)),
    uuidv7(at(to.getTime() + SLACK_MS), new Uint8Array(10).fill(255)),
  ];
}
