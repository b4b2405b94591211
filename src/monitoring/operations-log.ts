import { type Logger } from 'pino';
import { type Change } from '../core/change.js';
import { type AnsweredCall } from '../request-storage/decisions/attempt.js';
import { isOfPayment, paymentIdOf } from '../request-storage/entity-key.js';
import { orphanEffects, pspRequests } from '../request-storage/route.table.js';

/**
 * The log that an operator searches by payment: one line for each call to a PSP, and a warning for what needs a
 * person. Written here and nowhere else: from the call once it is answered, and from commits once they are
 * done, so that what was decided and not written is never logged. Neither holds a token or an answer's text.
 */

/** One line for each call to a PSP. */
export function logPspCall(logger: Logger, { call, answer, latencyMs }: AnsweredCall): void {
  const { request, attempt } = call;
  const line = {
    request_id: attempt.traceId,
    merchant_id: request.merchantId,
    ...(request.paymentId === null ? { payout_id: request.payoutId } : { payment_id: request.paymentId }),
    entity_key: request.entityKey,
    route: request.route,
    attempt: attempt.attempt,
    kind: attempt.kind,
    psp: request.psp,
    outcome: answer.outcome,
    code: answer.pspCode ?? null,
    http_status: answer.httpStatus ?? null,
    ms: Math.round(latencyMs * 100) / 100,
  };
  if (answer.httpStatus === 401 || answer.httpStatus === 403) {
    logger.warn(line, 'a PSP refuses our credentials');
  } else {
    logger.info(line, 'psp call');
  }
}

/** Warns of each operation that became stuck and each compensation that failed. */
export function logCommit(logger: Logger, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.op !== 'update') continue;
    const { table, key, set } = change;
    if (table === pspRequests && set['firstStuckAt']) logger.warn(named(key), 'an operation is stuck');
    if (table === orphanEffects && set['status'] === 'failed') {
      logger.warn(named(key), 'a compensation failed');
    }
  }
}

function named(key: Readonly<Record<string, unknown>>): object {
  const { merchantId, route } = key;
  const entityKey = String(key['entityKey']);
  return {
    merchant_id: merchantId,
    ...(isOfPayment(entityKey) ? { payment_id: paymentIdOf(entityKey) } : {}),
    entity_key: entityKey,
    route,
  };
}
