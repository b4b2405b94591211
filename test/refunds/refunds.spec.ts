import { type RefundView } from '../../src/refunds/refund.view.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
  tokens,
  type PspName,
} from '../support/test-environment.js';

describe('refunds', () => {
  /** What is given back is judged from the ledgers. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({
      hangs: true,
      env: { PAYONCE_DEADLINE_MS: '2000' },
    }));
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  let number = 0;
  const next = (name: string) => `${name}-${(number += 1)}`;

  /** A payment of 19.99, charged or authorized, at that PSP. */
  async function paid(first: PspName, capture: 'automatic' | 'manual' = 'automatic'): Promise<string> {
    const key = next('paid');
    const body = orderOf({ first, capture, reference: key });
    return paymentOf(await client.until(() => client.post('/v1/payments', body, key), atRest)).id;
  }

  const moved = (id: string) =>
    environment.effects(id).map(({ operation, amount }) => `${operation} ${amount}`);
  const refundCalls = (psp: PspName) =>
    environment.orders(psp).filter(({ path }) => path.includes('refunds')).length;

  describe.each(['stripe', 'adyen', 'keyless'] as const)('a payment at %s', (first) => {
    it('is refunded once, under any key', async () => {
      const id = await paid(first);
      const one = await refunded(client, id, { reason: 'returned', metadata: { by: 'shop' } }, next('all'));
      expect(one.status).toBe(201);
      const refund = refundOf(one);
      expect(refund).toMatchObject({
        object: 'refund',
        payment_id: id,
        status: 'succeeded',
        amount: 1_999,
        reason: 'returned',
        metadata: { by: 'shop' },
        psp: first,
        entity_key: `payment-${id}-refund`,
        failure: null,
      });
      expect(refund.psp_reference).toBe(environment.effects(id)[1]!.psp_reference);
      expect(refund).not.toHaveProperty('existing');
      const again = await refunded(client, id, {}, next('again'));
      expect([again.status, refundOf(again)]).toEqual([200, { ...refund, existing: true }]);
      const same = await refunded(client, id, { amount: 1_999 }, next('again'));
      expect([same.status, refundOf(same).id]).toEqual([200, refund.id]);
      const other = await refunded(client, id, { amount: 5 }, next('other'));
      expect(other.status).toBe(409);
      expect(JSON.parse(other.text)).toMatchObject({ code: 'refund_exists', refund_id: refund.id });

      expect(moved(id)).toEqual(['charge 1999', 'refund 1999']);
      expect(refundCalls(first)).toBe(1);
      expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
      expect(JSON.parse((await client.get(`/v1/refunds/${refund.id}`)).text)).toEqual(refund);
      const listed = JSON.parse((await client.get(`/v1/payments/${id}/refunds`)).text) as { data: unknown[] };
      expect(listed.data).toEqual([refund]);
    });

    it('is refunded in parts that each have a name, and never beyond what was taken', async () => {
      const id = await paid(first);
      const part = (reference: string, amount?: number) =>
        refunded(client, id, { reference, ...(amount ? { amount } : {}) }, next(reference));
      expect(refundOf(await part('a', 999))).toMatchObject({ status: 'succeeded', reference: 'a' });
      expect(await client.payment(id)).toMatchObject({ status: 'partially_refunded', amount_refunded: 999 });
      expect(refundOf(await part('a', 999)).amount).toBe(999);
      const over = await part('b', 1_001);
      expect([over.status, codeOf(over)]).toEqual([409, 'amount_exceeds_refundable']);
      expect(refundOf(await part('c'))).toMatchObject({ status: 'succeeded', amount: 1_000 });
      expect(codeOf(await part('d', 1))).toBe('invalid_state');
      expect(moved(id)).toEqual(['charge 1999', 'refund 999', 'refund 1000']);
      expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
    });

    it.each(['close_after', 'error_500_after', 'hang_after', 'close_before'] as const)(
      'is refunded once when the PSP does this: %s',
      async (fault) => {
        const id = await paid(first);
        environment.simulator.faults(first, { fault, next: 1 });
        const key = next('lost');
        // What a PSP without keys does not say, a lookup says when nothing can be on its way any more.
        const ask = () => client.post(`/v1/payments/${id}/refunds`, {}, key);
        const told = await ask();
        if (first === 'keyless' && fault === 'close_before') {
          expect(told.status).toBe(202);
          expect(moved(id)).toEqual(['charge 1999']);
          return;
        }
        const reply = await client.until(ask, atRest);
        expect(refundOf(reply).status).toBe('succeeded');
        expect(moved(id)).toEqual(['charge 1999', 'refund 1999']);
        expect(await client.payment(id)).toMatchObject({ status: 'refunded' });
      },
    );

    it('fails where the PSP refuses, releases what was reserved, and may be asked for again', async () => {
      const id = await paid(first);
      environment.simulator.faults(first, { fault: 'refuse' });
      const failed = await refunded(client, id, { reference: 'a', amount: 1_500 }, next('refused'));
      expect(failed.status).toBe(201);
      expect(refundOf(failed)).toMatchObject({ status: 'failed', failure: { category: 'psp_unavailable' } });
      expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
      await environment.simulator.clearFaults(first);
      const again = await refunded(client, id, { reference: 'a', amount: 1_400 }, next('again'));
      expect(again.status).toBe(200);
      expect(refundOf(again)).toMatchObject({ id: refundOf(failed).id, status: 'succeeded', amount: 1_400 });
      expect(moved(id)).toEqual(['charge 1999', 'refund 1400']);
    });
  });

  describe.each(['stripe', 'adyen'] as const)('a refund at %s', (first) => {
    it('of a payment in doubt resolves that first', async () => {
      const key = next('doubt');
      const body = orderOf({ first, reference: key });
      environment.simulator.faults(first, { fault: 'hang_after', next: 1 });
      environment.simulator.faults(first, { fault: 'reset_before', on: 'any', rate: 1 });
      const create = () => client.post('/v1/payments', body, key);
      const { id } = paymentOf(await client.until(create, ({ status }) => status === 202));
      const refundKey = next('refund');
      const ask = () => client.post(`/v1/payments/${id}/refunds`, {}, refundKey);
      const waits = await client.until(ask, ({ status }) => status !== 409);
      expect([waits.status, refundOf(waits).status]).toEqual([202, 'pending']);
      expect(JSON.parse((await client.get(`/v1/refunds/${refundOf(waits).id}`)).text)).toMatchObject({
        status: 'pending',
        psp: null,
      });
      expect(moved(id)).toEqual(['charge 1999']);
      await environment.simulator.clearFaults(first);
      const made = await client.until(ask, atRest);
      expect([made.status, refundOf(made).id]).toEqual([201, refundOf(waits).id]);
      expect(moved(id)).toEqual(['charge 1999', 'refund 1999']);
      expect(paymentOf(await client.until(create, atRest))).toMatchObject({ id, status: 'refunded' });
    });

    it.each([
      ['JPY', 500, 499],
      ['KWD', 12_340, 1_230],
    ])('of a currency with other decimals: %s', async (currency, amount, part) => {
      const key = next(currency);
      const order = { ...orderOf({ first, amount, reference: key }), currency };
      const only = { ...order, payment_method: { type: 'card', tokens: { [first]: tokens[first] } } };
      const { id } = paymentOf(await client.until(() => client.post('/v1/payments', only, key), atRest));
      expect(refundOf(await refunded(client, id, { amount: part }, next('part'))).status).toBe('succeeded');
      const effects = environment.effects(id).map((e) => `${e.operation} ${e.amount} ${e.currency}`);
      expect(effects).toEqual([`charge ${amount} ${currency}`, `refund ${part} ${currency}`]);
    });
  });

  describe('an authorization', () => {
    const capture = async (id: string, body: object) => {
      const key = next('capture');
      return client.until(
        () => client.post(`/v1/payments/${id}/capture`, body, key),
        ({ status }) => status !== 202,
      );
    };

    it('is captured in several parts where the PSP can; the rest is canceled', async () => {
      const id = await paid('adyen', 'manual');
      const first = await capture(id, { reference: 'parcel-1', amount: 700 });
      expect(paymentOf(first)).toMatchObject({ status: 'authorized', amount_captured: 700 });
      const again = await capture(id, { reference: 'parcel-1', amount: 700 });
      expect(paymentOf(again)).toMatchObject({ status: 'authorized', amount_captured: 700 });
      expect(refundOf(await refunded(client, id, { reference: 'r', amount: 200 }, next('r'))).status).toBe(
        'succeeded',
      );
      expect(paymentOf(await capture(id, { reference: 'parcel-2', amount: 300 })).amount_captured).toBe(
        1_000,
      );
      const over = await capture(id, { reference: 'parcel-3', amount: 1_000 });
      expect([over.status, codeOf(over)]).toEqual([409, 'amount_exceeds_authorized']);
      const key = next('cancel');
      const canceled = await client.until(() => client.post(`/v1/payments/${id}/cancel`, {}, key), atRest);
      const rest = { status: 'partially_refunded', amount_captured: 1_000, amount_refunded: 200 };
      expect(paymentOf(canceled)).toMatchObject(rest);
      expect(moved(id)).toEqual(['authorize 1999', 'capture 700', 'refund 200', 'capture 300', 'void 999']);
    });

    it('ends with its last part', async () => {
      const id = await paid('adyen', 'manual');
      await capture(id, { reference: 'parcel-1', amount: 999 });
      expect(paymentOf(await capture(id, {}))).toMatchObject({ status: 'captured', amount_captured: 1_999 });
      expect(moved(id)).toEqual(['authorize 1999', 'capture 999', 'capture 1000']);
    });

    it('ends with its first part where that is final', async () => {
      const id = await paid('stripe', 'manual');
      const part = await capture(id, { reference: 'parcel-1', amount: 700, final: true });
      expect(paymentOf(part)).toMatchObject({ status: 'captured', amount_captured: 700 });
      expect(codeOf(await capture(id, { reference: 'parcel-2', amount: 100 }))).toBe('invalid_state');
      expect(codeOf(await refunded(client, id, { amount: 701 }, next('over')))).toBe(
        'amount_exceeds_refundable',
      );
      expect(moved(id)).toEqual(['authorize 1999', 'capture 700']);
    });

    it('of which nothing was captured is not refunded', async () => {
      const id = await paid('stripe', 'manual');
      const refused = await refunded(client, id, {}, next('early'));
      expect([refused.status, codeOf(refused)]).toEqual([409, 'invalid_state']);
      expect(moved(id)).toEqual(['authorize 1999']);
    });
  });

  it('another merchant sees nothing of it', async () => {
    const id = await paid('stripe');
    const { id: refundId } = refundOf(await refunded(client, id, {}, next('mine')));
    const stranger = new ApiClient(() => service.url, await environment.merchant());
    expect((await stranger.get(`/v1/refunds/${refundId}`)).status).toBe(404);
    expect((await stranger.get(`/v1/payments/${id}/refunds`)).status).toBe(404);
    expect((await stranger.post(`/v1/payments/${id}/refunds`, {}, next('theirs'))).status).toBe(404);
  });
});

describe('refunds that come back', () => {
  /** By the simulator's clock: the answer is held until the spec moves that clock on. */
  const HELD_MS = 60_000;
  /** A refund that the card's bank sends back days later. What stands at the PSP is judged from its ledger. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({}, { role: 'all' }));
  });
  afterAll(() => environment.close());
  beforeEach(async () => {
    await environment.simulator.reset();
    // Each notification three times.
    environment.notify(service.url, { mode: 'duplicate', copies: 3 });
  });

  let number = 0;
  const next = (name: string) => `${name}-${(number += 1)}`;

  async function paid(first: PspName, more: object = {}): Promise<string> {
    const key = next('paid');
    const body = { ...orderOf({ first, reference: key }), ...more };
    return paymentOf(await client.post('/v1/payments', body, key)).id;
  }

  const ask = async (id: string, body: object = {}) =>
    refundOf(await refunded(client, id, body, next('refund')));
  const refundNow = async ({ id }: RefundView) => refundOf(await client.get(`/v1/refunds/${id}`));
  const failed = (refund: RefundView) =>
    eventually(async () => {
      const now = await refundNow(refund);
      return now.status === 'failed' ? now : null;
    }, 'the refund has failed');
  const quiet = () => eventually(() => environment.notifications().waiting === 0, 'everything is told');
  const inboxIs = (states: readonly string[]) =>
    eventually(
      async () =>
        (await environment.sql('SELECT 1 FROM webhook_inbox WHERE state <> ALL ($1)', [states])).length === 0,
      `all that was told is ${states.join(' or ')}`,
    );
  const standing = (id: string) =>
    environment
      .effects(id)
      .filter(({ undone_at: undone }) => undone === undefined)
      .map(({ operation, amount }) => `${operation} ${amount}`);

  describe.each(['stripe', 'adyen'] as const)('a refund at %s that fails days later', (first) => {
    it('is failed, and what was captured can be refunded once more under another name', async () => {
      const id = await paid(first);
      const refund = await ask(id);
      expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
      expect(environment.simulator.fail(first, refund.psp_reference!)).toBe(true);

      expect(await failed(refund)).toMatchObject({
        status: 'failed',
        psp_reference: refund.psp_reference,
        failure: { category: 'declined', message: expect.any(String) as unknown },
      });
      expect(await client.payment(id)).toMatchObject({
        status: 'captured',
        amount_captured: 1_999,
        amount_refunded: 0,
      });
      await quiet();
      await inboxIs(['applied', 'ignored']);
      expect(await environment.history(id)).toEqual([
        'opened: processing',
        'charged: captured',
        'refunded: refunded',
        'refund_reversed: captured',
      ]);
      expect(await environment.told(`refund:${refund.id}`)).toEqual(['refund.succeeded', 'refund.failed']);
      const audited = await environment.acts({ subject: `payment:${id}`, action: 'refund.reversed' });
      expect(audited).toMatchObject([{ actor: `psp:${first}` }]);

      // The name is used up: its route stays effective, so nothing is sent under it again.
      const same = await refunded(client, id, {}, next('same'));
      expect([same.status, codeOf(same)]).toEqual([409, 'refund_reversed']);
      expect(JSON.parse(same.text)).toMatchObject({ refund_id: refund.id });
      expect(standing(id)).toEqual(['charge 1999']);
      expect(await ask(id, { reference: 'again' })).toMatchObject({ status: 'succeeded', amount: 1_999 });
      expect(standing(id)).toEqual(['charge 1999', 'refund 1999']);
      expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
    });

    it('makes its order overpaid where another payment has paid that meanwhile, and tells so', async () => {
      const order = { reference: next('order') };
      const id = await paid(first, { order });
      const refund = await ask(id);
      const second = await paid(first, { order });
      expect(environment.simulator.fail(first, refund.psp_reference!)).toBe(true);
      await failed(refund);
      await quiet();
      expect(standing(id)).toEqual(['charge 1999']);
      expect(standing(second)).toEqual(['charge 1999']);
      expect(JSON.parse((await client.get(`/v1/orders/${order.reference}`)).text)).toMatchObject({
        status: 'overpaid',
        amount_due: 1_999,
        amount_paid: 2 * 1_999,
        amount_overpaid: 1_999,
      });
      const told = await environment.sql<{ type: string; over: number }>(
        `SELECT type, (data ->> 'amount_overpaid')::int AS over FROM events
          WHERE data ->> 'reference' = $1 AND type LIKE 'order.%' ORDER BY id`,
        [order.reference],
      );
      expect(told).toEqual([
        { type: 'order.paid', over: 0 },
        { type: 'order.released', over: 0 },
        { type: 'order.paid', over: 0 },
        { type: 'order.overpaid', over: 1_999 },
      ]);
      // A refund gives back what is too much, like all captured money.
      expect(await ask(id, { reference: 'again' })).toMatchObject({ status: 'succeeded' });
      expect(JSON.parse((await client.get(`/v1/orders/${order.reference}`)).text)).toMatchObject({
        status: 'paid',
        amount_overpaid: 0,
      });
    });

    it('leaves the other refunds of the payment as they are', async () => {
      const id = await paid(first);
      const one = await ask(id, { reference: 'one', amount: 600 });
      const two = await ask(id, { reference: 'two' });
      expect(await client.payment(id)).toMatchObject({ status: 'refunded' });
      environment.simulator.fail(first, one.psp_reference!);
      await failed(one);
      expect(await client.payment(id)).toMatchObject({
        status: 'partially_refunded',
        amount_refunded: 1_399,
      });
      environment.simulator.fail(first, two.psp_reference!);
      await failed(two);
      expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
      expect((await environment.history(id)).slice(-2)).toEqual([
        'refund_part_reversed: partially_refunded',
        'refund_reversed: captured',
      ]);
      expect(standing(id)).toEqual(['charge 1999']);
    });

    it('is failed where that is told before the answer of the call that made it', async () => {
      const id = await paid(first);
      environment.simulator.faults(first, { fault: 'delay_after', delay_ms: HELD_MS, next: 1 });
      const asked = refunded(client, id, {}, next('early'));
      const made = await eventually(
        () => environment.effects(id).find(({ operation }) => operation === 'refund'),
        'the PSP has refunded',
      );
      environment.simulator.fail(first, made.psp_reference);
      const told = `SELECT FROM psp_attempts
        WHERE kind = 'notice' AND outcome = 'declined' AND strpos(entity_key, 'payment-${id}-refund') = 1`;
      await eventually(async () => (await environment.sql(told)).length > 0, 'it is known that it failed');
      environment.simulator.advance(HELD_MS);
      expect(refundOf(await asked)).toMatchObject({ status: 'failed' });
      expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
      expect(standing(id)).toEqual(['charge 1999']);
    });
  });
});
