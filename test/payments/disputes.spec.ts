import { refunded, refundOf } from '../support/refunds.js';
import {
  type ApiClient,
  codeOf,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('disputes', () => {
  /** Disputes of payments, over the PSPs' own wire formats and signatures. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({}, { role: 'all' }));
  });
  afterAll(() => environment.close());
  beforeEach(async () => {
    await environment.simulator.reset();
    // In any order, and twice.
    environment.notify(service.url, { mode: 'storm', delay_ms: 300, copies: 2, seed: 7 });
  });

  let number = 0;
  const next = (name: string) => `${name}-${(number += 1)}`;

  async function paid(first: PspName) {
    const key = next('paid');
    return paymentOf(await client.post('/v1/payments', orderOf({ first, reference: key }), key));
  }

  const disputed = (id: string, status: string, amount: number) =>
    eventually(async () => {
      const payment = await client.payment(id);
      const [dispute] = payment.disputes;
      return dispute?.status === status && payment.amount_disputed === amount ? payment : null;
    }, `a dispute that is ${status}, with ${amount} withheld`);
  const eventsOf = async (id: string) =>
    (
      await environment.sql<{ type: string; data: { status: string; payment_id: string } }>(
        "SELECT type, data FROM events WHERE subject LIKE 'dispute:%' AND data->>'payment_id' = $1 ORDER BY id",
        [id],
      )
    ).map(({ type, data }) => `${type} ${data.status}`);

  describe.each([
    ['stripe', 1_999],
    ['adyen', 0],
    ['checkout', 1_999],
    ['square', 1_999],
    ['paypal', 1_999],
  ] as const)('a payment at %s that is disputed', (first, withheldAtOnce) => {
    it('shows the dispute, and what was lost cannot be refunded', async () => {
      const { id, psp_reference: reference } = await paid(first);
      const dispute = environment.simulator.dispute(first, reference!, 'open');
      const open = await disputed(id, 'open', withheldAtOnce);
      expect(open).toMatchObject({ status: 'captured', amount_captured: 1_999, amount_refunded: 0 });
      expect(open.disputes).toMatchObject([
        {
          object: 'dispute',
          payment_id: id,
          psp: first,
          psp_reference: dispute,
          amount: 1_999,
          closed_at: null,
        },
      ]);
      environment.simulator.dispute(first, reference!, 'lose');
      const lost = await disputed(id, 'lost', 1_999);
      expect(lost.disputes).toHaveLength(1);
      expect(await eventsOf(id)).toEqual(['dispute.opened open', 'dispute.lost lost']);

      const refused = await refunded(client, id, {}, next('refund'));
      expect([refused.status, codeOf(refused)]).toEqual([409, 'payment_disputed']);
      expect(environment.effects(id).map(({ operation }) => operation)).toEqual(['charge']);
    });

    it('can be refunded once the dispute is won', async () => {
      const { id, psp_reference: reference } = await paid(first);
      environment.simulator.dispute(first, reference!, 'open');
      await disputed(id, 'open', withheldAtOnce);
      environment.simulator.dispute(first, reference!, 'win');
      await disputed(id, 'won', 0);
      expect((await eventsOf(id)).at(-1)).toBe('dispute.won won');
      expect(refundOf(await refunded(client, id, {}, next('refund')))).toMatchObject({ status: 'succeeded' });
      expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_disputed: 0 });
    });

    it('can be refunded as far as it is not disputed', async () => {
      const { id, psp_reference: reference } = await paid(first);
      environment.simulator.dispute(first, reference!, 'open', 600);
      await disputed(id, 'open', withheldAtOnce && 600);
      environment.simulator.dispute(first, reference!, 'lose');
      await disputed(id, 'lost', 600);
      const over = await refunded(client, id, { amount: 1_400, reference: 'over' }, next('refund'));
      expect(codeOf(over)).toBe('payment_disputed');
      const all = refundOf(await refunded(client, id, { reference: 'rest' }, next('refund')));
      expect(all).toMatchObject({ status: 'succeeded', amount: 1_399 });
      expect(await client.payment(id)).toMatchObject({
        status: 'partially_refunded',
        amount_refunded: 1_399,
        amount_disputed: 600,
      });
    });
  });

  it('of a payment that is not known is kept for a person', async () => {
    const { id, psp_reference: reference } = await paid('stripe');
    await environment.sql('UPDATE psp_requests SET psp_reference = $2 WHERE payment_id = $1', [
      id,
      'pi_other',
    ]);
    environment.simulator.dispute('stripe', reference!, 'open');
    await eventually(async () => {
      const rows = await environment.sql(
        "SELECT 1 FROM webhook_inbox WHERE type LIKE 'charge.dispute.%' AND state = 'received' AND taken = '{unknown}'",
      );
      return rows.length === 2;
    }, 'both notifications wait for a payment to be known, and are breaks after a day and a half');
    expect((await client.payment(id)).disputes).toEqual([]);
  });
});

describe('objects that nobody here asked for', () => {
  /** PSPs tell of objects that nobody here asked for: made by hand, made twice, or of another payment. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeEach(async () => {
    ({ environment, service, client } = await openWithService({ hangs: true }, { role: 'all' }));
  });
  afterEach(() => environment.close());

  const AMOUNT = 1_000;
  const amount = (value: number) => ({ value, currency: 'EUR' });

  const charge = async (key: string) =>
    paymentOf(await client.post('/v1/payments', orderOf({ first: 'adyen', amount: AMOUNT }), key));

  /** Told, and looked at once at least. */
  async function tell(item: Parameters<TestEnvironment['tellAsAdyen']>[1]): Promise<string> {
    expect(await environment.tellAsAdyen(service.url, item)).toBe(200);
    const { eventCode, pspReference, success } = item;
    const id = `${eventCode}:${pspReference}:${String(success)}`;
    return eventually(async () => {
      const [row] = await environment.sql<{ tries: number; state: string; reason: string | null }>(
        'SELECT tries, state, reason FROM webhook_inbox WHERE event_id = $1',
        [id],
      );
      if (!row || (row.state === 'received' && row.tries === 0)) return undefined;
      return row.reason ?? row.state;
    }, 'the notification is looked at');
  }

  const effects = (operation: string) =>
    environment
      .effects()
      .filter((effect) => effect.operation === operation && effect.undone_at === undefined);

  const orphans = () =>
    environment.sql<{ route: number; psp_reference: string; status: string }>(
      'SELECT route, psp_reference, status FROM orphan_effects',
    );

  describe('a refund made by hand, under the name of its payment', () => {
    const REFUND = 500;

    /** Done at the PSP, and no word of it has come back; the PSP answers nothing more for a while. */
    async function refundInDoubt(id: string) {
      environment.simulator.faults('adyen', { fault: 'close_after', next: 1 });
      environment.simulator.faults('adyen', { fault: 'hang_before', rate: 1 });
      const reply = await client.post(`/v1/payments/${id}/refunds`, { amount: REFUND }, 'refund', {
        deadlineMs: 600,
      });
      expect(reply.status).toBe(202);
      expect(effects('refund')).toHaveLength(1);
    }

    it('was refused: ours stays in doubt, and is not made again', async () => {
      const payment = await charge('order');
      await refundInDoubt(payment.id);
      const told = await tell({
        eventCode: 'REFUND',
        success: false,
        pspReference: 'BYHAND0000000001',
        originalReference: payment.psp_reference!,
        merchantReference: payment.entity_key,
        amount: amount(REFUND),
      });
      expect(told).toBe('received');
      await environment.simulator.clearFaults('adyen');
      const ask = () => client.post(`/v1/payments/${payment.id}/refunds`, { amount: REFUND }, 'again');
      await client.until(ask, ({ status }) => status === 200 || status === 201);
      expect(effects('refund').map((effect) => effect.amount)).toEqual([REFUND]);
      expect((await client.payment(payment.id)).amount_refunded).toBe(REFUND);
    });

    it('succeeded for other money: ours stays in doubt', async () => {
      const payment = await charge('order');
      await refundInDoubt(payment.id);
      const told = await tell({
        eventCode: 'REFUND',
        success: true,
        pspReference: 'BYHAND0000000002',
        originalReference: payment.psp_reference!,
        merchantReference: payment.entity_key,
        amount: amount(REFUND - 100),
      });
      expect(told).toBe('received');
      const attempts = await client.attempts(payment.id);
      expect(attempts.filter(({ kind }) => kind === 'notice')).toEqual([]);
    });
  });

  describe('a second object for one charge', () => {
    it('is an orphan effect with its own id, and no news that is known', async () => {
      const payment = await charge('order');
      const told = await tell({
        eventCode: 'AUTHORISATION',
        success: true,
        pspReference: 'SECOND0000000001',
        merchantReference: payment.entity_key,
        amount: amount(AMOUNT),
        metadata: { 'metadata.payonce_route': '1' },
      });
      expect(told).toBe('applied');
      expect(await orphans()).toMatchObject([{ route: 1, psp_reference: 'SECOND0000000001' }]);
      // The payment itself is as it was, also when the second object is given back or cannot be.
      await eventually(async () => (await orphans())[0]!.status === 'failed', 'the PSP knows no such object');
      expect(await client.payment(payment.id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
      expect(effects('refund')).toEqual([]);
    });
  });

  describe('a notification that names a declined charge with the id of another payment', () => {
    it('is a break, and gives nobody money back', async () => {
      const payment = await charge('order');
      environment.simulator.faults('adyen', { fault: 'decline', code: '5', next: 1 });
      const alone = { first: 'adyen', amount: AMOUNT, tokens: { adyen: 'shopper-token-1' } } as const;
      const declined = paymentOf(await client.post('/v1/payments', orderOf(alone), 'declined'));
      expect(declined.status).toBe('failed');
      const told = await tell({
        eventCode: 'AUTHORISATION',
        success: true,
        pspReference: payment.psp_reference!,
        merchantReference: declined.entity_key,
        amount: amount(AMOUNT),
        metadata: { 'metadata.payonce_route': '1' },
      });
      // A worker would have given it back by now.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(effects('refund')).toEqual([]);
      expect(await orphans()).toEqual([]);
      expect(told).toBe('contradiction');
      expect(await client.payment(payment.id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
    });
  });
});
