import { type ApiClient, orderOf, paymentOf, type TestEnvironment } from './test-environment.js';

/**
 * A charge at Stripe whose answer was lost, stuck as it is once every way to learn was used up. `arrived`:
 * whether Stripe made it. Stripe answers again afterwards.
 */
export async function stuckPayment(
  environment: TestEnvironment,
  client: ApiClient,
  reference: string,
  arrived: boolean,
): Promise<string> {
  const fault = arrived ? 'reset_after' : 'reset_before';
  environment.simulator.faults('stripe', { fault, next: 1 });
  environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
  const reply = await client.post('/v1/payments', orderOf({ first: 'stripe', reference }), reference);
  const { id } = paymentOf(reply);
  await makeStuck(environment, id);
  // An hour ago, so that nothing of it is on its way any more.
  await environment.rewrite(
    `UPDATE psp_attempts SET started_at = started_at - interval '1 hour', ended_at = ended_at - interval '1 hour'
      WHERE entity_key = $1`,
    [`payment-${id}-charge`],
  );
  await environment.simulator.clearFaults('stripe');
  return id;
}

/** The last round learned nothing. */
export async function makeStuck(environment: TestEnvironment, paymentId: string): Promise<void> {
  await environment.sql(
    `UPDATE psp_requests SET next_step_at = NULL, stuck_at = now(), first_stuck_at = now(), fence = fence + 1,
            stuck_reason = 'doubt', leased_by = NULL, leased_until = NULL
      WHERE payment_id = $1 AND verdict = 'open'`,
    [paymentId],
  );
}

/** The number of the last attempt of its stuck operation, which a statement about it names. */
export async function lastAttempt(environment: TestEnvironment, paymentId: string): Promise<number> {
  return Number((await environment.seen(paymentId))[1]);
}
