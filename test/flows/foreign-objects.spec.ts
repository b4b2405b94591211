import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** PSPs tell of objects that nobody here asked for: made by hand, made twice, or of another payment. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeEach(async () => {
  ({ environment, service, client } = await openWithService({ timeoutMs: 500, lockTtlMs: 2_000 }));
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
  environment.effects().filter((effect) => effect.operation === operation && effect.undone_at === undefined);

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
