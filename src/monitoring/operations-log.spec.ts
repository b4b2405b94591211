import { requestOf } from '../../test/support/arbitrary-history.js';
import { createLogger } from '../http/logger.js';
import { update } from '../core/change.js';
import { logCommit, logPspCall } from './operations-log.js';
import { type AnsweredCall } from '../request-storage/decisions/attempt.js';
import { orphanEffects, pspRequests } from '../request-storage/route.table.js';

const PAYMENT = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';
const MERCHANT = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';
const KEY = `payment-${PAYMENT}-charge`;

function logged() {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', sink: { write: (line) => lines.push(line) } });
  return { logger, lines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function answered(answer: AnsweredCall['answer']): AnsweredCall {
  const request = { ...requestOf('stripe', 1), merchantId: MERCHANT, paymentId: PAYMENT, entityKey: KEY };
  const attempt = { kind: 'execute', attempt: 2, traceId: 'request-1' };
  return {
    call: { request, attempt },
    answer,
    latencyMs: 12.3456,
    endedAt: new Date(),
  } as unknown as AnsweredCall;
}

describe('a call to a PSP', () => {
  it('is one line that names the payment, the route and what came of it', () => {
    const { logger, lines } = logged();
    logPspCall(logger, answered({ outcome: 'declined', pspCode: 'do_not_honor', httpStatus: 402 }));
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.any(String) as unknown,
        request_id: 'request-1',
        merchant_id: MERCHANT,
        payment_id: PAYMENT,
        entity_key: KEY,
        route: 1,
        attempt: 2,
        kind: 'execute',
        psp: 'stripe',
        outcome: 'declined',
        code: 'do_not_honor',
        http_status: 402,
        ms: 12.35,
        msg: 'psp call',
      },
    ]);
  });

  it.each([401, 403])('that is answered %s is a warning', (httpStatus) => {
    const { logger, lines } = logged();
    logPspCall(logger, answered({ outcome: 'rejected', httpStatus }));
    expect(lines()).toMatchObject([{ level: 'warn', http_status: httpStatus, payment_id: PAYMENT }]);
  });
});

describe('what was written', () => {
  const key = { merchantId: MERCHANT, entityKey: KEY, route: 1 };
  const named = { merchant_id: MERCHANT, payment_id: PAYMENT, entity_key: KEY, route: 1 };

  it('is a warning where an operation became stuck for the first time', () => {
    const { logger, lines } = logged();
    const stuckAt = new Date();
    logCommit(logger, [update(pspRequests, key, { stuckAt, firstStuckAt: stuckAt }, {})]);
    logCommit(logger, [update(pspRequests, key, { stuckAt }, {})]);
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'an operation is stuck', ...named }),
    ]);
  });

  it('is a warning where a compensation failed', () => {
    const { logger, lines } = logged();
    logCommit(logger, [update(orphanEffects, key, { status: 'failed' }, { status: 'compensating' })]);
    logCommit(logger, [update(orphanEffects, key, { status: 'compensated' }, { status: 'compensating' })]);
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'a compensation failed', ...named }),
    ]);
  });
});
