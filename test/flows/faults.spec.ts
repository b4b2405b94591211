import { type FaultRequest, type PspName } from '@payonce/simulator';
import { type AttemptView, type PaymentView } from '../../src/payments/payment.view.js';
import {
  atRest,
  type Order,
  orderOf,
  paymentOf,
  type Reply,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** Every way a PSP can fail, once each, through the whole service and over real sockets. */
let environment: TestEnvironment;
let client: ApiClient;
let keys = 0;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  const [service, apiKey] = await Promise.all([environment.start(), environment.merchant()]);
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

/** What happened, as the API tells it, to a payment that its client asked for until it was at rest. */
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
    expect(payment.routes).toEqual([{ route: 1, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' }]);
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

  it.each(lost)('whose call to stripe %s is looked up there, and charged once', async (_how, fault, was) => {
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
  });

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
