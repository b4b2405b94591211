import {
  atRest,
  codeOf,
  orderOf,
  paymentOf,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** What is asked of an authorization whose own answer never came is done after the doubt is settled. */
let environment: TestEnvironment;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, client } = await openWithService({
    timeoutMs: 800,
    lockTtlMs: 2_000,
    env: { PAYONCE_DEADLINE_MS: '2000' },
  }));
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const effectsOf = (id: string) =>
  environment.effects(id).map(({ operation, amount }) => `${operation} ${amount}`);

describe.each(['stripe', 'adyen'] as const)('an authorization in doubt at %s', (first) => {
  let id: string;
  let create: () => ReturnType<ApiClient['post']>;
  let key: string;

  /** Reserved at the PSP, which told nobody, and does not answer at all any more. */
  const inDoubt = async (name: string) => {
    key = `${name}-${first}`;
    const body = orderOf({ first, capture: 'manual', reference: key });
    create = () => client.post('/v1/payments', body, key);
    environment.simulator.faults(first, { fault: 'hang_after', next: 1 });
    environment.simulator.faults(first, { fault: 'reset_before', on: 'any', rate: 1 });
    const reply = await client.until(create, ({ status }) => status === 202);
    ({ id } = paymentOf(reply));
    expect(paymentOf(reply)).toMatchObject({ status: 'processing', psp: null });
    expect(effectsOf(id)).toEqual(['authorize 1999']);
  };

  /** The key that made the payment is answered as well, once and for all. */
  const expectCreateAnswered = async (status: string) => {
    const created = await client.until(create, atRest);
    expect(created.status).toBe(201);
    expect(paymentOf(created)).toMatchObject({ id, status });
    expect((await create()).text).toBe(created.text);
    expect(environment.orders(first === 'stripe' ? 'adyen' : 'stripe')).toEqual([]);
  };

  it('is not captured before it is known; then it is, once', async () => {
    await inDoubt('capture');
    const ask = () => client.post(`/v1/payments/${id}/capture`, { amount: 1_200 }, `${key}-capture`);
    // Nothing is captured of what may not be there.
    const tooEarly = await client.until(ask, ({ status }) => status !== 409);
    expect(tooEarly.status).toBe(202);
    expect(paymentOf(tooEarly)).toMatchObject({ status: 'processing', amount_captured: 0 });
    expect(effectsOf(id)).toEqual(['authorize 1999']);

    await environment.simulator.clearFaults(first);
    const captured = await client.until(ask, atRest);
    expect(captured.status).toBe(200);
    expect(paymentOf(captured)).toMatchObject({ id, status: 'captured', amount_captured: 1_200 });
    expect((await ask()).text).toBe(captured.text);
    expect(effectsOf(id)).toEqual(['authorize 1999', 'capture 1200']);
    await expectCreateAnswered('captured');
  });

  it('is canceled: what it had reserved is released', async () => {
    await inDoubt('cancel');
    await environment.simulator.clearFaults(first);
    const ask = () => client.post(`/v1/payments/${id}/cancel`, {}, `${key}-cancel`);
    const canceled = await client.until(ask, atRest);
    expect(canceled.status).toBe(200);
    expect(paymentOf(canceled)).toMatchObject({ id, status: 'canceled', amount_captured: 0 });
    expect((await ask()).text).toBe(canceled.text);
    expect(effectsOf(id)).toEqual(['authorize 1999', 'void 1999']);
    await expectCreateAnswered('canceled');
  });

  it('is not taken for authorized once a cancel may have voided it, nor captured', async () => {
    await inDoubt('lost-cancel');
    // Everything arrives, and no answer comes back.
    await environment.simulator.clearFaults(first);
    environment.simulator.faults(first, { fault: 'reset_after', on: 'any', rate: 1 });
    const cancel = () => client.post(`/v1/payments/${id}/cancel`, {}, `${key}-cancel`);
    expect((await client.until(cancel, ({ status }) => status !== 409)).status).toBe(202);

    // Stripe voids by an id that nobody knows yet; Adyen voids by ours.
    const isVoid = first === 'adyen';
    expect(effectsOf(id)).toEqual(isVoid ? ['authorize 1999', 'void 1999'] : ['authorize 1999']);

    // The yes that the payment's own key is answered with is about then.
    await environment.simulator.clearFaults(first);
    await expectCreateAnswered(isVoid ? 'canceled' : 'authorized');
    if (isVoid) {
      const capture = () => client.post(`/v1/payments/${id}/capture`, {}, `${key}-capture`);
      const refused = await client.until(capture, ({ status }) => status !== 202);
      expect([refused.status, codeOf(refused)]).toEqual([409, 'invalid_state']);
    }
    const canceled = await client.until(cancel, atRest);
    expect(paymentOf(canceled)).toMatchObject({ id, status: 'canceled', amount_captured: 0 });
    expect(effectsOf(id)).toEqual(['authorize 1999', 'void 1999']);
  });
});

describe.each(['stripe', 'adyen'] as const)('a capture at %s', (first) => {
  it('settles it: every other key is refused, and refused the same again', async () => {
    const reference = `settled-${first}`;
    const create = () =>
      client.post('/v1/payments', orderOf({ first, capture: 'manual', reference }), reference);
    const { id } = paymentOf(await client.until(create, atRest));
    const path = `/v1/payments/${id}`;
    const capture = (key: string) => client.post(`${path}/capture`, { amount: 1_500 }, key);
    const captured = await client.until(() => capture(`${reference}-1`), atRest);
    expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount_captured: 1_500 });

    const refusals = {
      cancel: () => client.post(`${path}/cancel`, {}, `${reference}-cancel`),
      capture: () => capture(`${reference}-2`),
    };
    for (const ask of Object.values(refusals)) {
      const refused = await ask();
      expect([refused.status, codeOf(refused)]).toEqual([409, 'invalid_state']);
      const again = await ask();
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      // Only the name of the request differs.
      const [told, retold] = [refused, again].map(({ text }) => withoutRequestId(text));
      expect(retold).toBe(told);
    }
    expect((await capture(`${reference}-1`)).text).toBe(captured.text);
    expect(effectsOf(id)).toEqual(['authorize 1999', 'capture 1500']);
  });
});

function withoutRequestId(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, '');
}
