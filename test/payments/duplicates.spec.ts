import { shopsWithWindow } from '../support/duplicate-window.js';
import {
  ApiClient,
  codeOf,
  email,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

describe('the same payment, asked for again later', () => {
  /** The same payment asked for again under another key: a double click from a client with a bug. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;
  const WINDOW_S = 3_600;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    service = await environment.start();
  });
  afterAll(() => environment.close());

  beforeEach(async () => {
    await environment.simulator.reset();
    [client] = (await shopsWithWindow(environment, [service], WINDOW_S)) as [ApiClient];
  });

  let keys = 0;
  function pay(body: object = orderOf(), key = `duplicate-${++keys}`, by = client): Promise<Reply> {
    return by.post('/v1/payments', body, key);
  }

  function refusalOf(reply: Reply): object {
    const { status, code, payment_id } = JSON.parse(reply.text) as Record<string, unknown>;
    return { status, code, payment_id };
  }

  /** Its customer has to go through 3-D Secure. */
  const unfinished = () => ({
    ...orderOf({ tokens: { stripe: 'pm_card_authenticationRequired' } }),
    return_url: 'https://shop.example/back',
  });

  const refusedFor = (id: string) => ({ status: 409, code: 'probable_duplicate', payment_id: id });
  const customer = { reference: 'customer-1', email };

  describe('a merchant without a window', () => {
    it('has the same payment taken as often as it asks under new keys, and nothing is kept', async () => {
      const free = new ApiClient(() => service.url, await environment.merchant());
      const [before] = await environment.sql<{ n: number }>(
        'SELECT count(*)::int AS n FROM duplicate_guards',
      );

      const replies = [await pay(orderOf(), 'off-1', free), await pay(orderOf(), 'off-2', free)];

      expect(replies.map(({ status }) => status)).toEqual([201, 201]);
      expect(environment.effects()).toHaveLength(2);
      expect(await environment.sql('SELECT count(*)::int AS n FROM duplicate_guards')).toEqual([before]);
    });
  });

  describe('a merchant with a window', () => {
    it('is told the first payment instead of a second one', async () => {
      const first = paymentOf(await pay());
      const replies = [await pay(), await pay()];

      expect(replies.map(refusalOf)).toEqual([refusedFor(first.id), refusedFor(first.id)]);
      expect(environment.effects()).toMatchObject([{ operation: 'charge', amount: first.amount }]);
      expect(environment.effects(first.id)).toHaveLength(1);
    });

    it('gets replays as ever: the same key is no duplicate', async () => {
      const first = await pay(orderOf(), 'the-same-key');
      const again = await pay(orderOf(), 'the-same-key');

      expect({ status: again.status, text: again.text }).toEqual({ status: 201, text: first.text });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(environment.effects()).toHaveLength(1);
    });

    it('may mean it, under the key that was refused, and the next mistake names the payment since', async () => {
      const first = paymentOf(await pay());
      const refused = await pay(orderOf(), 'meant-twice');
      expect(refusalOf(refused)).toEqual(refusedFor(first.id));

      const second = paymentOf(await pay({ ...orderOf(), allow_duplicate: true }, 'meant-twice'));
      expect(second).toMatchObject({ status: 'captured' });
      expect(second.id).not.toBe(first.id);
      expect(environment.effects()).toHaveLength(2);
      expect(refusalOf(await pay())).toEqual(refusedFor(second.id));
      expect(refusalOf(await pay({ ...orderOf(), allow_duplicate: false }))).toEqual(refusedFor(second.id));
    });

    it('is held to a payment that was meant, too', async () => {
      const meant = paymentOf(await pay({ ...orderOf(), allow_duplicate: true }));
      expect(refusalOf(await pay())).toEqual(refusedFor(meant.id));
    });

    it.each([
      ['customer', { ...orderOf(), customer: { ...customer, reference: 'customer-2' } }],
      ['email', { ...orderOf(), customer: { ...customer, email: 'other@shop.example' } }],
      ['customer of whom less is known', { ...orderOf(), customer: { reference: 'customer-1' } }],
      ['amount', orderOf({ amount: 2_000 })],
      ['currency', orderOf({ first: 'adyen' })],
      ['reference', orderOf({ reference: 'order-2' })],
    ])('may have another %s', async (_what, other) => {
      expect((await pay()).status).toBe(201);
      expect((await pay(other)).status).toBe(201);
      expect(environment.effects()).toHaveLength(2);
    });

    it('is not told of payments in which only the token or the metadata differs', async () => {
      const first = paymentOf(await pay());
      const { payment_method, ...rest } = orderOf();
      const otherCard = { ...payment_method, tokens: { stripe: 'pm_card_mastercard' } };
      const reply = await pay({ ...rest, payment_method: otherCard, metadata: { click: '2' } });
      expect(refusalOf(reply)).toEqual(refusedFor(first.id));
    });

    describe('and guests, whom nothing names', () => {
      // At Adyen a token belongs to a customer.
      const guest = (order: Parameters<typeof orderOf>[0] = {}) => ({
        ...orderOf({ tokens: { stripe: tokens.stripe }, ...order }),
        customer: undefined,
      });

      it('is told the first payment with their reference, and takes others', async () => {
        const first = paymentOf(await pay(guest()));
        expect(refusalOf(await pay(guest()))).toEqual(refusedFor(first.id));
        expect((await pay(guest({ reference: 'order-2' }))).status).toBe(201);
        expect((await pay()).status).toBe(201);
        expect(environment.effects(first.id)).toHaveLength(1);
        expect(environment.effects()).toHaveLength(3);
      });

      it('has none beside one in doubt, also not for another guest who is meant, until the window is over', async () => {
        environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
        const first = await client.post('/v1/payments', guest(), 'guest-in-doubt', { waitS: 0 });
        expect(first.status).toBe(202);
        const { id } = paymentOf(first);
        expect(refusalOf(await pay({ ...guest(), allow_duplicate: true }))).toEqual(refusedFor(id));
        await environment.simulator.clearFaults('stripe');
        await environment.sql("UPDATE duplicate_guards SET until = statement_timestamp() - interval '1 ms'");
        expect((await pay(guest())).status).toBe(201);
      });

      it('takes the second card of one whose first was declined', async () => {
        const declined = guest({ tokens: { stripe: 'pm_card_visa_chargeDeclinedStolenCard' } });
        expect(paymentOf(await pay(declined)).status).toBe('failed');
        expect(paymentOf(await pay(guest())).status).toBe('captured');
        expect(environment.effects()).toHaveLength(1);
      });
    });

    it('does not meet the payments of another merchant', async () => {
      const [other] = (await shopsWithWindow(environment, [service], WINDOW_S)) as [ApiClient];
      expect((await pay()).status).toBe(201);
      expect((await pay(orderOf(), 'of-another', other)).status).toBe(201);
    });

    it('takes the payment again when the window is over, and not before', async () => {
      const windowS = 1;
      const [brief] = (await shopsWithWindow(environment, [service], windowS)) as [ApiClient];
      const asked = Date.now();
      const first = paymentOf(await pay(orderOf(), 'brief-first', brief));
      const refused: Reply[] = [];
      const taken = await eventually(async () => {
        const reply = await pay(orderOf(), `brief-${++keys}`, brief);
        if (reply.status === 409) refused.push(reply);
        return reply.status === 201 && reply;
      }, 'a payment after the window');

      expect(Date.now() - asked).toBeGreaterThanOrEqual(windowS * 1_000);
      expect(refused.length).toBeGreaterThan(0);
      for (const reply of refused) expect(refusalOf(reply)).toEqual(refusedFor(first.id));
      // That one begins a window of its own.
      expect(refusalOf(await pay(orderOf(), 'brief-last', brief))).toEqual(refusedFor(paymentOf(taken).id));
      expect(environment.effects()).toHaveLength(2);
    });

    it.each(['inside the window', 'after it'])('has none beside one that is in doubt, %s', async (when) => {
      environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
      const first = await client.post('/v1/payments', orderOf(), `doubt-${when}`, { waitS: 0 });
      expect(first.status).toBe(202);
      const { id } = paymentOf(first);
      if (when === 'after it') {
        await environment.sql("UPDATE duplicate_guards SET until = statement_timestamp() - interval '1 ms'");
      }
      const beside = await pay({ ...orderOf(), allow_duplicate: true });
      expect(refusalOf(beside)).toEqual(refusedFor(id));
      expect(JSON.parse(beside.text)).toMatchObject({
        detail: expect.stringContaining('not decided yet') as string,
      });
      await environment.simulator.clearFaults('stripe');
      await client.until(
        () => client.post('/v1/payments', orderOf(), `doubt-${when}`),
        ({ status }) => status === 201,
      );
      expect((await pay({ ...orderOf(), allow_duplicate: true })).status).toBe(201);
    });

    it('has none beside one that waits for its customer, until that one is canceled', async () => {
      const first = paymentOf(await pay(unfinished()));
      expect(first.status).toBe('requires_action');
      expect(refusalOf(await pay({ ...orderOf(), allow_duplicate: true }))).toEqual(refusedFor(first.id));

      expect((await client.post(`/v1/payments/${first.id}/cancel`, {}, 'given-up')).status).toBe(200);
      expect(paymentOf(await pay()).status).toBe('captured');
      expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
    });

    it('has one of ten taken that are meant at the same moment, while that one is in doubt', async () => {
      expect((await pay()).status).toBe(201);
      environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
      const meant = { ...orderOf(), allow_duplicate: true };
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          client.post('/v1/payments', meant, `meant-at-once-${n}`, { waitS: 0 }),
        ),
      );
      const [taken, ...others] = replies.toSorted((a, b) => a.status - b.status);
      expect(taken!.status).toBe(202);
      expect(others.map(refusalOf)).toEqual(
        Array.from({ length: 9 }, () => refusedFor(paymentOf(taken!).id)),
      );
      await environment.simulator.clearFaults('stripe');
    });

    it('has another one taken once it is proved that the first took nothing', async () => {
      const declined = orderOf({ tokens: { stripe: 'pm_card_visa_chargeDeclinedStolenCard' } });
      expect(paymentOf(await pay(declined)).status).toBe('failed');
      const second = paymentOf(await pay());
      expect(second.status).toBe('captured');
      expect(refusalOf(await pay())).toEqual(refusedFor(second.id));
    });

    it('has what is over forgotten by the worker, and only that', async () => {
      const kept = paymentOf(await pay());
      const gone = paymentOf(await pay(orderOf({ amount: 5 })));
      await environment.sql(
        "UPDATE duplicate_guards SET until = statement_timestamp() - interval '1 ms' WHERE payment_id = $1",
        [gone.id],
      );
      const worker = await environment.start({ role: 'all' });
      const left = () =>
        environment.sql<{ payment_id: string }>(
          'SELECT payment_id FROM duplicate_guards WHERE payment_id = ANY($1)',
          [[kept.id, gone.id]],
        );
      await eventually(async () => (await left()).length < 2, 'the guard to be forgotten');
      expect(await left()).toEqual([{ payment_id: kept.id }]);
      await worker.stop();
      expect((await pay(orderOf({ amount: 5 }))).status).toBe(201);
    });

    it('is refused a flag that is no flag', async () => {
      const reply = await pay({ ...orderOf(), allow_duplicate: 'yes' });
      expect([reply.status, codeOf(reply)]).toEqual([422, 'validation_failed']);
    });
  });
});

describe('the same payment, asked for at once', () => {
  /** A client with a bug that makes a new key for every click, judged by the PSP's ledger. */
  const CLICKS = 20;

  let environment: TestEnvironment;
  let services: Service[];

  beforeAll(async () => {
    // A call that a busy machine cannot make in time is not sent, and the next PSP is asked.
    environment = await TestEnvironment.open({
      timeoutMs: 4_000,
      lockTtlMs: 12_000,
      env: { PAYONCE_ROLE: 'api' },
    });
    services = [await environment.start(), await environment.start()];
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  /** All at once, by turns to either service, each under a key of its own. */
  function clicks(shops: readonly ApiClient[], name: string, body: object): Promise<Reply[]> {
    return Promise.all(
      Array.from({ length: CLICKS }, (_, n) =>
        shops[n % shops.length]!.post('/v1/payments', body, `${name}-${n}`),
      ),
    );
  }

  describe('twenty clicks at once under different keys, on two services', () => {
    it.each([1, 2, 3])('are one payment, and the others are told its id (round %i)', async (round) => {
      const shops = await shopsWithWindow(environment, services, 60);
      const replies = await clicks(shops, `clicks-${round}`, orderOf());

      const taken = replies.filter(({ status }) => status === 201);
      expect(taken).toHaveLength(1);
      const { id } = paymentOf(taken[0]!);
      const told = replies
        .filter(({ status }) => status !== 201)
        .map((reply) => {
          const { payment_id } = JSON.parse(reply.text) as { payment_id?: string };
          return { status: reply.status, code: codeOf(reply), payment_id };
        });
      expect(told).toEqual(
        Array.from({ length: CLICKS - 1 }, () => ({
          status: 409,
          code: 'probable_duplicate',
          payment_id: id,
        })),
      );
      expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
      expect(environment.effects(id)).toHaveLength(1);
      expect(environment.orders('stripe')).toHaveLength(1);
    });

    it('are one payment where the one before is just over', async () => {
      const shops = await shopsWithWindow(environment, services, 60);
      const before = paymentOf(await shops[0]!.post('/v1/payments', orderOf(), 'long-ago'));
      await environment.sql("UPDATE duplicate_guards SET until = statement_timestamp() - interval '1 ms'");
      const replies = await clicks(shops, 'clicks-after', orderOf());

      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(replies.filter((reply) => reply.status === 409).map(codeOf)).toEqual(
        Array.from({ length: CLICKS - 1 }, () => 'probable_duplicate'),
      );
      expect(environment.effects()).toHaveLength(2);
      expect(environment.effects(before.id)).toHaveLength(1);
    });

    it('are twenty payments where they are meant', async () => {
      const shops = await shopsWithWindow(environment, services, 60);
      const meant = { ...orderOf(), allow_duplicate: true };
      const ids = new Set<string>();
      // One that is under way is in doubt, and none passes beside it; some lose every race. Those are sent again.
      await eventually(async () => {
        for (const reply of await clicks(shops, 'meant', meant)) {
          if (reply.status === 201) ids.add(paymentOf(reply).id);
          else expect(['probable_duplicate', 'request_in_progress']).toContain(codeOf(reply));
        }
        return ids.size === CLICKS;
      }, 'all of them are taken');
      expect(environment.effects()).toHaveLength(CLICKS);
    });
  });
});
