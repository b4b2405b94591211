import { type FaultRequest } from '@payonce/simulator';
import { type AttemptView, type PaymentView } from '../../src/payments/payment.view.js';
import { PostgresTap, type Said } from '../support/postgres-tap.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  openWithService,
  type Order,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('a charge, however its PSP fails', () => {
  /** Every way a PSP can fail, once each, through the whole service and over real sockets. */
  let environment: TestEnvironment;
  let client: ApiClient;
  let keys = 0;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    const [service, apiKey] = await Promise.all([environment.start(), environment.merchant()]);
    client = new ApiClient(() => service.url, apiKey);
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  /** The history of a payment in the API, once its client has asked for it until it was at rest. */
  async function pay(order: Order): Promise<{ payment: PaymentView; attempts: AttemptView[]; reply: Reply }> {
    const key = `fault-${(keys += 1)}`;
    const reply = await client.until(() => client.post('/v1/payments', orderOf(order), key), atRest);
    const { id } = paymentOf(reply);
    const again = await client.post('/v1/payments', orderOf(order), key);
    expect([again.status, again.text]).toEqual([reply.status, reply.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const payment = await client.payment(id);
    expect(payment).toEqual(JSON.parse(reply.text));
    return { payment, attempts: await client.attempts(id), reply };
  }

  const told = (attempts: readonly AttemptView[]) =>
    attempts.map(({ route, psp, kind, outcome }) => `${route} ${psp} ${kind} ${outcome}`);

  const chargesAt = (psp: PspName, payment: PaymentView) =>
    environment.effects().map((effect) => ({ ...effect, isIts: effect.reference === payment.entity_key }))
      .length === 1 &&
    environment.effects()[0]?.psp === psp &&
    environment.effects()[0]?.reference === payment.entity_key;

  async function proofsOf({ id }: PaymentView): Promise<string[]> {
    const rows = await environment.sql<{ proof: string }>(
      `SELECT p.route || ' ' || p.kind || ' by attempt ' || p.attempt AS proof
       FROM non_execution_proofs p WHERE p.entity_key LIKE $1 ORDER BY p.route`,
      [`payment-${id}-%`],
    );
    return rows.map(({ proof }) => proof);
  }

  describe('a payment', () => {
    it('is charged once, with one call', async () => {
      const { payment, attempts, reply } = await pay({ first: 'stripe' });
      expect(reply.status).toBe(201);
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe', amount_captured: 1_999 });
      expect(payment.routes).toEqual([
        { route: 1, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
      ]);
      expect(told(attempts)).toEqual(['1 stripe execute succeeded']);
      expect(environment.simulator.calls('stripe')).toHaveLength(1);
      expect(chargesAt('stripe', payment)).toBe(true);
    });

    /** The fault, and what is learnt from it: the first answer, and how the doubt was settled. */
    const lost: readonly [string, FaultRequest, 'done' | 'not done'][] = [
      ['is answered too late', { fault: 'delay_after', delay_ms: 2_500, next: 1 }, 'done'],
      ['is never answered, and done', { fault: 'hang_after', next: 1 }, 'done'],
      ['is never answered, and not done', { fault: 'hang_before', next: 1 }, 'not done'],
      ['is hung up on after it was done', { fault: 'close_after', next: 1 }, 'done'],
      ['is hung up on before it was done', { fault: 'close_before', next: 1 }, 'not done'],
      ['is reset after it was done', { fault: 'reset_after', next: 1 }, 'done'],
      ['is reset before it was done', { fault: 'reset_before', next: 1 }, 'not done'],
      ['is answered 500 after it was done', { fault: 'error_500_after', next: 1 }, 'done'],
      ["is answered by a proxy's page after it was done", { fault: 'html_502_after', next: 1 }, 'done'],
      ['is answered with half a body', { fault: 'truncate', next: 1 }, 'done'],
    ];

    it.each(lost)(
      'whose call to stripe %s is looked up there, and charged once',
      async (_how, fault, was) => {
        environment.simulator.faults('stripe', fault);
        const { payment, attempts } = await pay({ first: 'stripe' });
        expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
        const then =
          was === 'done'
            ? ['1 stripe lookup succeeded']
            : ['1 stripe lookup not_found', '1 stripe execute succeeded'];
        expect(told(attempts)).toEqual(['1 stripe execute unknown', ...then]);
        expect(new Set(environment.orders('stripe').map((call) => call.idempotency_key)).size).toBe(1);
        expect(chargesAt('stripe', payment)).toBe(true);
        expect(environment.simulator.calls('adyen')).toEqual([]);
      },
    );

    it.each(lost)('whose call to adyen %s is sent there again, and charged once', async (_how, fault) => {
      environment.simulator.faults('adyen', fault);
      const { payment, attempts } = await pay({ first: 'adyen' });
      expect(payment).toMatchObject({ status: 'captured', psp: 'adyen' });
      expect(told(attempts)).toEqual(['1 adyen execute unknown', '1 adyen execute succeeded']);
      expect(new Set(environment.orders('adyen').map((call) => call.idempotency_key)).size).toBe(1);
      expect(chargesAt('adyen', payment)).toBe(true);
      expect(environment.simulator.calls('stripe')).toEqual([]);
    });

    it('whose call is still under way when it is asked about stays where it is, and is charged once', async () => {
      environment.simulator.faults('stripe', { fault: 'delay_before', delay_ms: 2_500, next: 1 });
      const { payment, attempts } = await pay({ first: 'stripe' });
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
      expect(told(attempts).slice(0, 3)).toEqual([
        '1 stripe execute unknown',
        '1 stripe lookup not_found',
        '1 stripe execute unknown', // 409: the key is in use
      ]);
      expect(chargesAt('stripe', payment)).toBe(true);
      expect(environment.simulator.calls('adyen')).toEqual([]);
    });

    it('is never sent twice to a PSP without keys, however its answer was lost', async () => {
      environment.simulator.faults('keyless', { fault: 'reset_after', next: 1 });
      const { payment, attempts } = await pay({ first: 'keyless' });
      expect(payment).toMatchObject({ status: 'captured', psp: 'keyless' });
      expect(told(attempts)).toEqual(['1 keyless execute unknown', '1 keyless lookup succeeded']);
      expect(environment.orders('keyless')).toHaveLength(1);
      expect(chargesAt('keyless', payment)).toBe(true);
    });

    it('goes to the next PSP when the first cannot be reached, with the proof of it', async () => {
      environment.simulator.faults('stripe', { fault: 'refuse' });
      const { payment, attempts } = await pay({ first: 'stripe' });
      expect(payment).toMatchObject({ status: 'captured', psp: 'adyen', failure: null });
      expect(payment.routes).toEqual([
        { route: 1, psp: 'stripe', verdict: 'ruled_out', outcome: 'not_sent' },
        { route: 2, psp: 'adyen', verdict: 'effective', outcome: 'succeeded' },
      ]);
      expect(told(attempts)).toEqual(['1 stripe execute not_sent', '2 adyen execute succeeded']);
      expect(await proofsOf(payment)).toEqual(['1 not_sent by attempt 1']);
      expect(chargesAt('adyen', payment)).toBe(true);
    });

    it.each([
      ['stripe', 'do_not_honor', 'adyen'],
      ['adyen', '9', 'stripe'],
    ] as const)('goes to the next PSP when %s declines softly (%s)', async (first, code, next) => {
      environment.simulator.faults(first, { fault: 'decline', code, next: 1 });
      const { payment } = await pay({ first });
      expect(payment.routes).toEqual([
        { route: 1, psp: first, verdict: 'ruled_out', outcome: 'declined' },
        { route: 2, psp: next, verdict: 'effective', outcome: 'succeeded' },
      ]);
      expect(await proofsOf(payment)).toEqual(['1 declined by attempt 1']);
      expect(chargesAt(next, payment)).toBe(true);
    });

    it.each([
      ['stripe', 'stolen_card', 'adyen'],
      ['adyen', '5', 'stripe'],
    ] as const)('fails where %s declines for good (%s): nobody else is asked', async (first, code, other) => {
      environment.simulator.faults(first, { fault: 'decline', code, next: 1 });
      const { payment, reply } = await pay({ first });
      expect(reply.status).toBe(201);
      expect(payment).toMatchObject({ status: 'failed', amount_captured: 0 });
      expect(payment.failure).toMatchObject({ category: 'declined', psp_code: code });
      expect(payment.routes).toEqual([{ route: 1, psp: first, verdict: 'ruled_out', outcome: 'declined' }]);
      expect(environment.simulator.calls(other)).toEqual([]);
      expect(environment.effects()).toEqual([]);
    });

    it('fails when no PSP is left, and says that nothing was charged', async () => {
      for (const psp of ['stripe', 'adyen', 'keyless'] as const)
        environment.simulator.faults(psp, { fault: 'refuse' });
      const { payment } = await pay({ first: 'stripe' });
      expect(payment).toMatchObject({ status: 'failed', failure: { category: 'psp_unavailable' } });
      expect(payment.routes.map(({ verdict, outcome }) => `${verdict} ${outcome}`)).toEqual(
        Array.from({ length: 3 }, () => 'ruled_out not_sent'),
      );
      expect(environment.effects()).toEqual([]);
    });

    it.each(['stripe', 'adyen'] as const)('that %s throttles is sent there again in time', async (first) => {
      environment.simulator.faults(first, { fault: 'throttle', delay_ms: 1_000, next: 1 });
      const { payment, attempts } = await pay({ first });
      expect(told(attempts)).toEqual([`1 ${first} execute throttled`, `1 ${first} execute succeeded`]);
      const [throttled, then] = attempts;
      const waited = Date.parse(then!.started_at) - Date.parse(throttled!.ended_at!);
      expect(waited).toBeGreaterThanOrEqual(990);
      expect(chargesAt(first, payment)).toBe(true);
    });

    it('that a PSP without keys throttles goes to the next one: nothing is sent there twice', async () => {
      environment.simulator.faults('keyless', { fault: 'throttle', delay_ms: 1_000, next: 1 });
      const { payment } = await pay({ first: 'keyless' });
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
      expect(environment.orders('keyless')).toHaveLength(1);
      expect(chargesAt('stripe', payment)).toBe(true);
    });

    it('that the customer must authenticate waits, and is charged when asked about again', async () => {
      const order = orderOf({ tokens: { stripe: 'pm_card_authenticationRequired' } });
      const ask = () => client.post('/v1/payments', order, 'customer-comes-back');
      const first = await ask();
      expect(first.status).toBe(202);
      const waiting = paymentOf(first);
      expect(waiting).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect' } });
      expect(environment.effects()).toEqual([]);

      environment.simulator.authenticate('stripe', waiting.psp_reference!, 'succeeded');
      const paid = paymentOf(await client.until(ask, atRest));
      expect(paid).toMatchObject({ id: waiting.id, status: 'captured', next_action: null });
      expect(environment.orders('stripe')).toHaveLength(1);
      expect(chargesAt('stripe', paid)).toBe(true);
    });

    it('that the customer fails to authenticate is declined, and charged nowhere', async () => {
      const order = orderOf({
        tokens: { stripe: 'pm_card_authenticationRequired', adyen: 'shopper-token-8416' },
      });
      const ask = () => client.post('/v1/payments', order, 'customer-fails');
      const { id, psp_reference } = paymentOf(await ask());
      environment.simulator.authenticate('stripe', psp_reference!, 'failed');
      const failed = paymentOf(await client.until(ask, atRest));
      expect(failed).toMatchObject({ id, status: 'failed', next_action: null });
      expect(environment.simulator.calls('adyen')).toEqual([]);
      expect(environment.effects()).toEqual([]);
    });
  });
});

describe('a charge at Stripe, by the meaning of its answers', () => {
  /** Answers of Stripe are taken for what they mean. */
  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, client } = await openWithService());
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  const tokens = { stripe: 'pm_card_chargeDeclinedProcessingError', adyen: 'shopper-token-8416' };

  it('fails over on a decline that Stripe gives no decline_code for', async () => {
    const body = orderOf({ reference: 'own-code', tokens });
    const payment = paymentOf(
      await client.until(() => client.post('/v1/payments', body, 'own-code'), atRest),
    );
    expect(payment).toMatchObject({ status: 'captured', psp: 'adyen' });
    expect(payment.routes.map(({ psp, outcome }) => [psp, outcome])).toEqual([
      ['stripe', 'declined'],
      ['adyen', 'succeeded'],
    ]);
    expect(environment.effects(payment.id).map(({ psp, operation }) => `${operation} ${psp}`)).toEqual([
      'charge adyen',
    ]);
  });

  it('says why a payment failed that Stripe gives no decline_code for', async () => {
    const body = orderOf({
      reference: 'expired',
      tokens: { ...tokens, stripe: 'pm_card_chargeDeclinedExpiredCard' },
    });
    const payment = paymentOf(await client.until(() => client.post('/v1/payments', body, 'expired'), atRest));
    expect(payment).toMatchObject({
      status: 'failed',
      failure: { category: 'declined', code: 'card_expired', psp_code: 'expired_card' },
    });
    expect(environment.effects(payment.id)).toEqual([]);
  });

  describe('an authorization that lapsed at Stripe', () => {
    /** Reserved, and then canceled by Stripe itself, of which nobody was notified. */
    const lapsed = async (reference: string) => {
      const body = orderOf({ reference, capture: 'manual' });
      const { id, psp_reference: intent } = paymentOf(
        await client.until(() => client.post('/v1/payments', body, reference), atRest),
      );
      const canceled = await fetch(
        `${environment.simulator.urls.stripe}/v1/payment_intents/${intent}/cancel`,
        {
          method: 'POST',
          headers: { authorization: 'Bearer sk_test_stage' },
        },
      );
      expect(canceled.status).toBe(200);
      return id;
    };
    const effectsOf = (id: string) => environment.effects(id).map(({ operation }) => operation);

    it('is canceled for good when it is canceled', async () => {
      const id = await lapsed('lapsed-void');
      const cancel = () => client.post(`/v1/payments/${id}/cancel`, {}, 'lapsed-void-cancel');
      expect(paymentOf(await client.until(cancel, atRest))).toMatchObject({
        status: 'canceled',
        failure: null,
      });
      expect(effectsOf(id)).toEqual(['authorize', 'void']);
    });

    it('is released by a capture that finds nothing to take, which says why', async () => {
      const id = await lapsed('lapsed-capture');
      const capture = () => client.post(`/v1/payments/${id}/capture`, {}, 'lapsed-capture-capture');
      expect(paymentOf(await client.until(capture, atRest))).toMatchObject({
        status: 'canceled',
        amount_captured: 0,
        failure: { category: 'declined', code: 'authorization_canceled' },
      });
      expect(await environment.told(`payment:${id}`)).toEqual(['payment.authorized', 'payment.canceled']);
      expect(effectsOf(id)).toEqual(['authorize', 'void']);
    });

    it('is not captured either where the answer to that was lost', async () => {
      const id = await lapsed('lapsed-lost');
      environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
      const capture = () => client.post(`/v1/payments/${id}/capture`, {}, 'lapsed-lost-capture');
      expect(paymentOf(await client.until(capture, atRest))).toMatchObject({
        status: 'canceled',
        failure: { category: 'declined', code: 'authorization_canceled' },
      });
    });
  });
});

describe('a charge of a card that the PSP keeps for a customer', () => {
  /** Cards that a PSP keeps for a customer of its own are charged only together with that customer. */
  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, client } = await openWithService());
    environment.hide(...Object.values(customers));
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  const customers = { stripe: 'cus_ofTheStoredCard', adyen: 'shopper-ofTheStoredCard' };
  const tokens = { stripe: 'pm_attached_visa', adyen: 'shopper-token-8416' };

  const pay = async (name: string, first: 'stripe' | 'adyen', more: object, customer?: object) => {
    const body = orderOf({ first, reference: name, tokens });
    const payment_method = { ...body.payment_method, ...more };
    const ask = () => client.post('/v1/payments', { ...body, payment_method, customer }, name);
    const reply = await client.until(ask, atRest);
    return { reply, payment: paymentOf(reply), again: await ask() };
  };

  it.each(['stripe', 'adyen'] as const)('is charged at %s with its customer, and once', async (first) => {
    const { reply, payment, again } = await pay(`with-${first}`, first, { customers });
    expect(payment).toMatchObject({ status: 'captured', psp: first });
    expect(payment.routes).toHaveLength(1);
    expect(again.text).toBe(reply.text);
    expect(environment.effects(payment.id).map(({ psp }) => psp)).toEqual([first]);
  });

  it('is refused by Stripe without its customer', async () => {
    const { payment } = await pay('without-stripe', 'stripe', { tokens: { stripe: tokens.stripe } });
    expect(payment).toMatchObject({ status: 'failed', failure: { category: 'psp_rejected' } });
    expect(environment.effects(payment.id)).toEqual([]);
  });

  it('is refused before any call where Adyen would be asked without its customer', async () => {
    const { customer: _, ...body } = orderOf({ first: 'adyen', reference: 'without-adyen', tokens });
    const { status, text } = await client.post('/v1/payments', body, 'without-adyen');
    expect([status, JSON.parse(text)]).toMatchObject([
      422,
      { code: 'validation_failed', errors: [{ pointer: '/payment_method/customers/adyen' }] },
    ]);
    expect([...environment.simulator.calls('stripe'), ...environment.simulator.calls('adyen')]).toEqual([]);
  });

  it('is charged at Adyen with the customer reference where no customers are given', async () => {
    const { payment } = await pay('reference', 'adyen', {}, { reference: 'customer-1' });
    expect(payment).toMatchObject({ status: 'captured', psp: 'adyen' });
  });

  it('is charged by the merchant itself, and a step that needs the customer is a decline', async () => {
    const asks = { stripe: 'pm_card_authenticationRequired', adyen: 'redirect' };
    const { payment } = await pay('away', 'stripe', { customers, initiator: 'merchant', tokens: asks });
    expect(payment).toMatchObject({
      status: 'failed',
      failure: { code: 'authentication_required' },
      next_action: null,
    });
    const other = await pay('by-merchant', 'stripe', { customers, initiator: 'merchant' });
    expect(other.payment).toMatchObject({ status: 'captured', psp: 'stripe' });
    const reused = await client.post(
      '/v1/payments',
      { ...orderOf({ reference: 'by-merchant', tokens }), customer: undefined },
      'by-merchant',
    );
    expect(reused.status).toBe(422);
  });
});

describe('a charge asked for by fifty at once', () => {
  const EACH = 25;

  let environment: TestEnvironment;
  let services: Service[];
  let apiKey: string;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    apiKey = await environment.merchant();
    services = [await environment.start(), await environment.start()];
  });

  afterAll(() => environment.close());

  beforeEach(() => environment.simulator.reset());

  /** The same request 25 times to each of two services, all of them before the first is answered. */
  function fiftyAtOnce(key: string, waitS?: number): Promise<Reply[]> {
    const shops = services.map((service) => new ApiClient(() => service.url, apiKey));
    const body = orderOf({ reference: key });
    const asks = Array.from({ length: EACH }, () =>
      shops.map((client) => client.post('/v1/payments', body, key, waitS === undefined ? {} : { waitS })),
    );
    return Promise.all(asks.flat());
  }

  function isReplay({ headers }: Reply): boolean {
    return headers.get('idempotent-replayed') === 'true';
  }

  describe('fifty identical requests at once, on two services', () => {
    it.each([1, 2, 3])('charge once, and one of them is answered first-hand (round %i)', async (round) => {
      const replies = await fiftyAtOnce(`fifty-at-once-${round}`);
      const done = replies.filter(({ status }) => status === 201);
      const refused = replies.filter(({ status }) => status !== 201);
      const firstHand = done.filter((reply) => !isReplay(reply));

      expect(replies).toHaveLength(2 * EACH);
      expect(firstHand).toHaveLength(1);
      expect([...new Set(done.map(({ text }) => text))]).toEqual([firstHand[0]!.text]);
      expect(paymentOf(firstHand[0]!).status).toBe('captured');
      for (const reply of refused) {
        expect({ status: reply.status, code: codeOf(reply) }).toEqual({
          status: 409,
          code: 'request_in_progress',
        });
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      }
      expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
      expect(environment.effects(paymentOf(firstHand[0]!).id)).toHaveLength(1);
      expect(environment.orders('stripe')).toHaveLength(1);
    });

    it('all get the same bytes when they wait', async () => {
      environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 300, next: 1 });

      const replies = await fiftyAtOnce('fifty-that-wait', 10);

      expect([...new Set(replies.map(({ status }) => status))]).toEqual([201]);
      expect([...new Set(replies.map(({ text }) => text))]).toHaveLength(1);
      expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1);
      expect(paymentOf(replies[0]!).status).toBe('captured');
      expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
      expect(environment.orders('stripe')).toHaveLength(1);
    });
  });
});

describe('a charge on the wire to Postgres', () => {
  let environment: TestEnvironment;
  let tap: PostgresTap;
  let service: Service;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    tap = await PostgresTap.open(environment.database.url);
    service = await environment.start({
      databaseUrl: tap.url,
      // No worker polls, and the one lane has every statement prepared after one payment.
      env: { PAYONCE_ROLE: 'api', PAYONCE_COMMIT_LANES: '1' },
    });
  });

  afterAll(async () => {
    await environment.close();
    await tap.close();
  });

  /** A shop that has just paid once: its API key is believed for 5 s, and every statement is prepared. */
  async function warmClient(): Promise<ApiClient> {
    const client = new ApiClient(() => service.url, await environment.merchant());
    expect((await client.post('/v1/payments', orderOf(), 'warm-up')).status).toBe(201);
    tap.reset();
    return client;
  }

  function saidForPayments(): Omit<Said, 'wake'> {
    const { wake: _, ...said } = tap.said();
    return said;
  }

  describe('what a payment says to Postgres', () => {
    it('is two statements, each one round trip, with nothing read first', async () => {
      const client = await warmClient();
      const before = environment.effects().length;

      const reply = await client.post('/v1/payments', orderOf(), 'measured');

      expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
      expect(paymentOf(reply).status).toBe('captured');
      expect(environment.effects()).toHaveLength(before + 1);
    });

    it('is one of them before the PSP is called, and one after', async () => {
      const client = await warmClient();
      environment.simulator.faults('stripe', { fault: 'delay_before', delay_ms: 500, next: 1 });
      const before = environment.orders('stripe').length;

      const asked = client.post('/v1/payments', orderOf(), 'held');
      await eventually(() => environment.orders('stripe').length > before, 'the call');
      const first = saidForPayments();
      expect((await asked).status).toBe(201);

      expect(first).toEqual({ parse: 0, bind: 1, execute: 1, sync: 1, query: 0 });
      expect(saidForPayments()).toEqual({ parse: 0, bind: 2, execute: 2, sync: 2, query: 0 });
    });

    it('keeps to two on each of many', async () => {
      const many = 10;
      const client = await warmClient();

      for (let i = 0; i < many; i++) {
        expect((await client.post('/v1/payments', orderOf(), `many-${i}`)).status).toBe(201);
      }

      const { query, ...said } = saidForPayments();
      // Beside them, not before an answer, and however many payments there are: at most one in 20 ms.
      expect(tap.said().wake).toBeLessThanOrEqual(many + 1);
      expect(said).toEqual({ parse: 0, bind: 2 * many, execute: 2 * many, sync: 2 * many });
      // A lane makes its plans anew after 16, 64, 256 … statements: once in this many at most.
      expect(query).toBeLessThanOrEqual(1);
    });
  });
});
