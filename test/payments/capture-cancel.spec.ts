import { randomUUID } from 'node:crypto';
import { type Page } from '../../src/core/page.js';
import { type CaptureView } from '../../src/payments/capture.view.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import {
  ApiClient,
  atRest,
  codeOf,
  openWithService,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('captures and cancels', () => {
  let environment: TestEnvironment;
  let client: ApiClient;
  let otherShop: ApiClient;
  let readOnlyShop: ApiClient;
  let asMerchant: (...scopes: Parameters<TestEnvironment['merchant']>) => Promise<ApiClient>;
  let keys = 0;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    const service = await environment.start();
    asMerchant = async (...scopes) => new ApiClient(() => service.url, await environment.merchant(...scopes));
    client = await asMerchant();
    otherShop = await asMerchant();
    readOnlyShop = await asMerchant(['payments:read']);
  });
  afterAll(() => environment.close());

  const newKey = () => `operation-${(keys += 1)}`;

  async function authorized(first: PspName, amount = 1_999): Promise<PaymentView> {
    const reply = await client.post('/v1/payments', orderOf({ first, amount, capture: 'manual' }), newKey());
    expect(reply.status).toBe(201);
    const payment = paymentOf(reply);
    expect(payment).toMatchObject({ status: 'authorized', psp: first, amount_captured: 0 });
    return payment;
  }

  const capture = (id: string, body: object = {}, key = newKey()) =>
    client.post(`/v1/payments/${id}/capture`, body, key);
  const cancel = (id: string, key = newKey()) => client.post(`/v1/payments/${id}/cancel`, {}, key);

  const effectsOf = ({ id }: PaymentView) =>
    environment.effects(id).map(({ operation, amount }) => `${operation} ${amount}`);

  function expectProblem(reply: Reply, status: number, code: string): void {
    expect({ status: reply.status, code: codeOf(reply) }).toEqual({ status, code });
  }

  describe.each(['stripe', 'adyen', 'keyless'] as const)('an authorization at %s', (first) => {
    it('is captured whole, once, by whichever key it is asked for', async () => {
      const payment = await authorized(first);
      const key = newKey();
      const captured = await capture(payment.id, {}, key);
      expect(captured.status).toBe(200);
      expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount_captured: 1_999 });
      const again = await capture(payment.id, {}, key);
      expect([again.status, again.text]).toEqual([200, captured.text]);
      expectProblem(await capture(payment.id), 409, 'invalid_state');
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
    });

    it('is captured in part', async () => {
      const payment = await authorized(first);
      const captured = await capture(payment.id, { amount: 700 });
      expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount: 1_999, amount_captured: 700 });
      expectProblem(await capture(payment.id, { amount: 1_299 }), 409, 'invalid_state');
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 700']);
    });

    it('is never captured beyond its amount, and can still be captured rightly', async () => {
      const payment = await authorized(first);
      const tooMuch = newKey();
      expectProblem(await capture(payment.id, { amount: 2_000 }, tooMuch), 409, 'amount_exceeds_authorized');
      // The refusal is an answer like any other: kept for its key, and nothing to the next one.
      const replay = await capture(payment.id, { amount: 2_000 }, tooMuch);
      expectProblem(replay, 409, 'amount_exceeds_authorized');
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(paymentOf(await capture(payment.id, { amount: 1_999 })).amount_captured).toBe(1_999);
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
    });

    it('is canceled once; then nothing can be captured', async () => {
      const payment = await authorized(first);
      const canceled = await cancel(payment.id);
      expect(canceled.status).toBe(200);
      expect(paymentOf(canceled)).toMatchObject({ status: 'canceled', amount_captured: 0 });
      expectProblem(await capture(payment.id), 409, 'invalid_state');
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'void 1999']);
    });

    it('cannot be canceled any more once it is captured', async () => {
      const payment = await authorized(first);
      await capture(payment.id);
      expectProblem(await cancel(payment.id), 409, 'invalid_state');
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 1999']);
      expect(await client.payment(payment.id)).toMatchObject({ status: 'captured' });
    });

    it('is captured once though the answer of the capture is lost', async () => {
      const payment = await authorized(first);
      environment.simulator.faults(first, { fault: 'reset_after', next: 1 });
      const key = newKey();
      const captured = await client.until(
        () => capture(payment.id, { amount: 900 }, key),
        ({ status }) => status === 200,
      );
      expect(paymentOf(captured)).toMatchObject({ status: 'captured', amount_captured: 900 });
      expect(effectsOf(payment)).toEqual(['authorize 1999', 'capture 900']);
    });
  });

  describe('a key', () => {
    it('is for one request: another one under it is refused, and does nothing', async () => {
      const key = newKey();
      const payment = paymentOf(await client.post('/v1/payments', orderOf({ amount: 500 }), key));
      expectProblem(
        await client.post('/v1/payments', orderOf({ amount: 501 }), key),
        422,
        'idempotency_key_reused',
      );
      expectProblem(await cancel(payment.id, key), 422, 'idempotency_key_reused');
      expect(effectsOf(payment)).toEqual(['charge 500']);
    });

    it('belongs to its merchant: another one may use the same', async () => {
      const key = newKey();
      const mine = paymentOf(await client.post('/v1/payments', orderOf(), key));
      const theirs = paymentOf(await otherShop.post('/v1/payments', orderOf(), key));
      expect(theirs.id).not.toBe(mine.id);
      expect([...effectsOf(mine), ...effectsOf(theirs)]).toEqual(['charge 1999', 'charge 1999']);
    });
  });

  describe("another merchant's payment", () => {
    it('is not there', async () => {
      const payment = await authorized('stripe');
      const path = `/v1/payments/${payment.id}`;
      for (const reply of [
        await otherShop.get(path),
        await otherShop.get(`${path}/attempts`),
        await otherShop.post(`${path}/capture`, {}, newKey()),
        await otherShop.post(`${path}/cancel`, {}, newKey()),
        await client.get(`/v1/payments/${randomUUID()}`),
      ]) {
        expectProblem(reply, 404, 'not_found');
      }
      const { data } = JSON.parse((await otherShop.get('/v1/payments?limit=100')).text) as Page<PaymentView>;
      expect(data.some(({ id }) => id === payment.id)).toBe(false);
      expect(effectsOf(payment)).toEqual(['authorize 1999']);
    });
  });

  describe('a key that may only read', () => {
    it('moves nothing', async () => {
      const before = environment.effects().length;
      expectProblem(await readOnlyShop.post('/v1/payments', orderOf(), newKey()), 403, 'forbidden');
      expect(environment.effects()).toHaveLength(before);
      expect((await readOnlyShop.get('/v1/payments')).status).toBe(200);
    });
  });

  describe('the list', () => {
    it('turns its pages without a gap or a repeat, newest first, and filters', async () => {
      const fresh = await asMerchant();
      const made: PaymentView[] = [];
      for (let n = 0; n < 7; n++) {
        const first = n % 2 === 0 ? 'stripe' : 'adyen';
        const order = orderOf({ first, reference: `list-${n % 3}`, capture: n < 2 ? 'manual' : 'automatic' });
        made.push(paymentOf(await fresh.post('/v1/payments', order, newKey())));
      }
      const newest = made.toReversed().map(({ id }) => id);
      const list = async (query: string) =>
        JSON.parse((await fresh.get(`/v1/payments?${query}`)).text) as Page<PaymentView>;

      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<PaymentView> = await list(`limit=3${cursor ? `&cursor=${cursor}` : ''}`);
        seen.push(...page.data.map(({ id }) => id));
        expect(page.has_more).toBe(page.next_cursor !== null);
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen).toEqual(newest);

      const ids = async (query: string) => (await list(query)).data.map(({ id }) => id).toReversed();
      const those = (wanted: (payment: PaymentView) => boolean) => made.filter(wanted).map(({ id }) => id);
      expect(await ids('psp=adyen')).toEqual(those(({ psp }) => psp === 'adyen'));
      expect(await ids('status=authorized')).toEqual(those(({ status }) => status === 'authorized'));
      expect(await ids('reference=list-1')).toEqual(those(({ reference }) => reference === 'list-1'));
      expect(await ids('reference=list-1&psp=stripe')).toEqual(
        those(({ reference, psp }) => reference === 'list-1' && psp === 'stripe'),
      );
      const from = made[4]!.created_at;
      const inRange = `created[gte]=${encodeURIComponent(from)}`;
      expect(await ids(inRange)).toEqual(those(({ created_at }) => created_at >= from));
      expect((await list('limit=100')).data[0]).toEqual(made.at(-1));
      expectProblem(await fresh.get('/v1/payments?limit=0'), 422, 'validation_failed');
    });
  });

  describe('the list of captures', () => {
    it('tells each with its name, newest first, and none of a payment that charges at once', async () => {
      const payment = await authorized('adyen');
      for (const [reference, amount] of [
        ['parcel-1', 700],
        ['parcel-2', 200],
      ] as const) {
        await capture(payment.id, { amount, reference });
      }
      const captures = async (id: string) =>
        JSON.parse((await client.get(`/v1/payments/${id}/captures`)).text) as Page<CaptureView>;
      const { data } = await captures(payment.id);
      expect(data).toMatchObject([
        { reference: 'parcel-2', amount: 200, status: 'captured', psp: 'adyen', currency: 'EUR' },
        { reference: 'parcel-1', amount: 700, status: 'captured', payment_id: payment.id },
      ]);
      expect(data.map(({ psp_reference }) => psp_reference)).toEqual(
        environment
          .effects(payment.id)
          .filter(({ operation }) => operation === 'capture')
          .map(({ psp_reference }) => psp_reference)
          .toReversed(),
      );
      const alone = await authorized('stripe');
      await capture(alone.id);
      expect((await captures(alone.id)).data).toMatchObject([{ reference: null, amount: 1_999 }]);
      const atOnce = paymentOf(await client.post('/v1/payments', orderOf(), newKey()));
      expect((await captures(atOnce.id)).data).toEqual([]);
      expectProblem(await otherShop.get(`/v1/payments/${payment.id}/captures`), 404, 'not_found');
    });
  });

  describe('the attempts', () => {
    it('tell every call of every operation, newest first', async () => {
      const payment = await authorized('stripe');
      await capture(payment.id, { amount: 100 });
      const told = await client.attempts(payment.id);
      expect(
        told.map(({ entity_key, kind, outcome, verdict }) => [entity_key, kind, outcome, verdict]),
      ).toEqual([
        [`payment-${payment.id}-authorize`, 'execute', 'succeeded', 'effective'],
        [`payment-${payment.id}-capture`, 'execute', 'succeeded', 'effective'],
      ]);
      for (const attempt of told) {
        expect(Date.parse(attempt.ended_at!)).toBeGreaterThanOrEqual(Date.parse(attempt.started_at));
      }
    });
  });
});

describe('captures and cancels in doubt', () => {
  /** Captures and cancels of an authorization whose answer was lost are done after the doubt is settled. */
  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, client } = await openWithService({
      hangs: true,
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
});

describe('captures and cancels at the same moment', () => {
  let environment: TestEnvironment;
  let services: Service[];
  let shops: [ApiClient, ApiClient];

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    const apiKey = await environment.merchant();
    services = [await environment.start(), await environment.start()];
    const [a, b] = services.map((service) => new ApiClient(() => service.url, apiKey));
    shops = [a!, b!];
  });

  afterAll(() => environment.close());

  async function authorized(key: string): Promise<string> {
    const payment = paymentOf(await shops[0].post('/v1/payments', orderOf({ capture: 'manual' }), key));
    expect(payment.status).toBe('authorized');
    return payment.id;
  }

  /** Asks with one key until there is an answer that stays. */
  function insist(client: ApiClient, path: string, key: string): Promise<Reply> {
    const stays = (reply: Reply) =>
      reply.status === 200 || (reply.status === 409 && codeOf(reply) !== 'request_in_progress');
    return client.until(() => client.post(path, {}, key), stays);
  }

  /** Effects on the payment after it was authorized. */
  function movesOf(id: string): string[] {
    return environment
      .effects(id)
      .map(({ operation }) => operation)
      .filter((operation) => operation !== 'authorize');
  }

  /** Calls that would change the payment: the spec does not rely on a PSP that refuses the second. */
  function askedFor(id: string): string[] {
    const [made] = environment.effects(id);
    const path = `/v1/payment_intents/${made!.psp_reference}/`;
    return environment
      .orders('stripe')
      .filter((call) => call.path.startsWith(path))
      .map((call) => call.path.slice(path.length));
  }

  /** Versions of the payment that its history explains, with what each came to. */
  async function historyOf(id: string): Promise<string[]> {
    return (await environment.history(id)).map((line) => line.split(': ')[1]!);
  }

  describe('an authorized payment', () => {
    it.each([1, 2, 3, 4, 5, 6])('is captured or voided, never both (round %i)', async (round) => {
      const id = await authorized(`both-${round}`);
      // Who is asked where, and first, changes from round to round.
      const [left, right] = round % 2 === 0 ? shops : shops.toReversed();
      const asks = [
        () => insist(left!, `/v1/payments/${id}/capture`, `both-${round}-capture`),
        () => insist(right!, `/v1/payments/${id}/cancel`, `both-${round}-cancel`),
      ];
      const order = round % 3 === 0 ? [1, 0] : [0, 1];
      const replies = await Promise.all(order.map((index) => asks[index]!()));
      const capture = replies[order.indexOf(0)]!;
      const cancel = replies[order.indexOf(1)]!;

      const [winner, loser, move, status] =
        capture.status === 200
          ? ([capture, cancel, 'capture', 'captured'] as const)
          : ([cancel, capture, 'void', 'canceled'] as const);
      expect(movesOf(id)).toEqual([move]);
      expect(askedFor(id)).toEqual([move === 'void' ? 'cancel' : 'capture']);
      expect(paymentOf(winner).status).toBe(status);
      expect([loser.status, codeOf(loser)]).toEqual([409, 'invalid_state']);
      expect((await shops[1].payment(id)).status).toBe(status);
      expect(await historyOf(id)).toEqual(['processing', 'authorized', status]);
    });

    it.each([1, 2, 3])(
      'is captured once by two captures with keys of their own (round %i)',
      async (round) => {
        const id = await authorized(`twice-${round}`);
        const path = `/v1/payments/${id}/capture`;

        const replies = await Promise.all(
          shops.map((client, i) => insist(client, path, `twice-${round}-${i}`)),
        );

        expect(movesOf(id)).toEqual(['capture']);
        expect(askedFor(id)).toEqual(['capture']);
        const done = replies.filter(({ status }) => status === 200);
        expect(done.length).toBeGreaterThanOrEqual(1);
        for (const reply of done) {
          expect(paymentOf(reply)).toMatchObject({ status: 'captured', amount_captured: 1_999 });
        }
        for (const reply of replies.filter(({ status }) => status !== 200)) {
          expect(codeOf(reply)).toBe('invalid_state');
        }
        expect(await historyOf(id)).toEqual(['processing', 'authorized', 'captured']);
      },
    );
  });
});
