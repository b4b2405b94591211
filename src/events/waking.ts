import { STAGED_CHANNEL } from '../database/commit/waker.js';

/** Kinds of jobs, as the statements below stage them. */
export const DELIVER = 'webhook.deliver';
/** For endpoints that failed or were slow the last time. */
export const DELIVER_APART = 'webhook.deliver_apart';

/** After this long an endpoint whose job was lost on the way is woken again, in ms. */
const WAKE_AGAIN_MS = 20_000;

/**
 * Ends of statements that make deliveries due: from `due (merchant_id, endpoint_id)` to a staged job
 * for each of these endpoints that is enabled. `$1` is now. The row of an endpoint says when it is to
 * be woken next, so that a job that is lost is staged again, and one that waits is not staged twice
 * a second.
 */
export const WAKE_DUE = `
woken AS (
  UPDATE webhook_endpoints e SET wake_at = $1::timestamptz + interval '${WAKE_AGAIN_MS} milliseconds'
    FROM (SELECT DISTINCT merchant_id, endpoint_id FROM due) d
   WHERE e.merchant_id = d.merchant_id AND e.id = d.endpoint_id AND e.slot IS NOT NULL
  RETURNING e.merchant_id, e.id, CASE WHEN e.apart THEN '${DELIVER_APART}' ELSE '${DELIVER}' END AS kind),
staged AS (
  INSERT INTO staged_jobs (id, kind, job_id, args, staged_at)
  SELECT gen_random_uuid(), kind, kind || '.' || id, jsonb_build_object('merchantId', merchant_id, 'endpointId', id), $1
    FROM woken
  RETURNING 1),
told AS (SELECT CASE WHEN EXISTS (SELECT 1 FROM staged) THEN pg_notify('${STAGED_CHANNEL}', '')::text END AS told)`;
