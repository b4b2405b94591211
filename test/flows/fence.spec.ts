import {
  atRest,
  orderOf,
  paymentOf,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/**
 * A routing rule that says `fence`: an authorization in doubt is canceled by our reference, and on the
 * PSP's acknowledgement another PSP is asked, inside the request that waits.
 */
describe.each([true, false])('with a fence: %s', (fence) => {
  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, client } = await openWithService({
      timeoutMs: 500,
      lockTtlMs: 2_000,
      fence,
    }));
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  const moved = (id: string) => environment.effects(id).map(({ psp, operation }) => `${psp} ${operation}`);
  const pay = (capture: 'automatic' | 'manual', key: string, deadlineMs: number) =>
    client.post('/v1/payments', orderOf({ first: 'adyen', capture, reference: key }), key, { deadlineMs });

  it('an authorization whose answers are all lost', async () => {
    environment.simulator.faults('adyen', { fault: 'hang_after', on: 'execute', rate: 1, times: 2 });
    const reply = await pay('manual', 'lost', 6_000);
    const payment = paymentOf(reply);
    if (!fence) {
      // The same key is sent once more when the PSP is well again.
      const told = await client.until(() => pay('manual', 'lost', 6_000), atRest);
      expect(paymentOf(told)).toMatchObject({ status: 'authorized', psp: 'adyen' });
      expect(moved(payment.id)).toEqual(['adyen authorize']);
      return;
    }
    expect([reply.status, payment.status, payment.psp]).toEqual([201, 'authorized', 'stripe']);
    expect(moved(payment.id).toSorted()).toEqual(['adyen authorize', 'adyen void', 'stripe authorize']);
    const attempts = await client.attempts(payment.id);
    expect(attempts.map(({ psp, kind, outcome }) => `${psp} ${kind} ${outcome}`)).toEqual([
      'adyen execute unknown',
      'adyen execute unknown',
      'adyen cancel pending',
      'stripe execute succeeded',
    ]);
    const [proof] = await environment.sql<{ kind: string; attempt: number }>(
      'SELECT kind, attempt FROM non_execution_proofs WHERE entity_key = $1',
      [payment.entity_key],
    );
    expect(proof).toEqual({ kind: 'cancel_acknowledged', attempt: 3 });
  });

  it('a charge is never given up on a mere receipt', async () => {
    environment.simulator.faults('adyen', { fault: 'hang_after', on: 'execute', rate: 1, times: 2 });
    const reply = await pay('automatic', 'charge', 3_000);
    const { id } = paymentOf(reply);
    const told = await client.until(() => pay('automatic', 'charge', 3_000), atRest);
    expect(paymentOf(told)).toMatchObject({ id, status: 'captured', psp: 'adyen' });
    expect(moved(id)).toEqual(['adyen charge']);
  });

  it('asks nobody else once the caller does not wait any more', async () => {
    environment.simulator.faults('adyen', { fault: 'hang_after', on: 'any', rate: 1 });
    const reply = await pay('manual', 'late', 700);
    expect(reply.status).toBe(202);
    expect(moved(paymentOf(reply).id)).not.toContain('stripe authorize');
  });

  it('refuses a deadline that it cannot read', async () => {
    const reply = await pay('manual', 'wrong', 60_001);
    expect([reply.status, JSON.parse(reply.text)]).toMatchObject([
      422,
      { code: 'validation_failed', errors: [{ pointer: 'Payonce-Deadline' }] },
    ]);
  });
});
