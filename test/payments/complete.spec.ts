import { type PaymentView } from '../../src/payments/payment.view.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** Payments whose customer has to act, over real sockets; PSPs notify nobody here. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let apiKey: string;
let count = 0;

beforeAll(async () => {
  environment = await TestEnvironment.open({ hangs: true });
  [service, apiKey] = await Promise.all([environment.start({ role: 'all' }), environment.merchant()]);
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const keyOf = (what: string) => `${what}-${(count += 1)}`;

/** A payment at Adyen that waits for its customer. */
async function waiting(adyen: string, others: { stripe?: string } = {}): Promise<PaymentView> {
  const order = orderOf({ first: 'adyen', tokens: { adyen, ...others } });
  const reply = await client.post('/v1/payments', order, keyOf('create'));
  expect(reply.status).toBe(202);
  const payment = paymentOf(reply);
  expect(payment.status).toBe('requires_action');
  return payment;
}

/** The customer acts; what their return hands over. */
function acts(payment: PaymentView, result: 'succeeded' | 'failed' = 'succeeded'): Record<string, string> {
  const { details } = environment.simulator.authenticate('adyen', payment.psp_reference!, result)!;
  // Nor may it be read anywhere afterwards.
  environment.hide(...Object.values(details!));
  return { ...details };
}

const complete = (payment: PaymentView, details: object, key = keyOf('complete')) =>
  client.post(`/v1/payments/${payment.id}/complete`, { details }, key);

/** Without calls that a process held up for longer than its lock kept back: they never left. */
const story = async ({ id }: PaymentView) =>
  (await client.attempts(id))
    .filter(({ psp_code: code }) => code !== 'lock_too_old')
    .map(({ route, psp, kind, outcome }) => `${route} ${psp} ${kind} ${outcome}`);

const detailsCalls = () =>
  environment.simulator.calls('adyen').filter(({ path }) => path.endsWith('/payments/details'));

describe('a payment that its customer has to authenticate at Adyen', () => {
  it('waits for ever without its details, and is charged once with them', async () => {
    const payment = await waiting('redirect');
    expect(payment.next_action).toMatchObject({ type: 'redirect', method: 'GET', fields: {} });
    const details = acts(payment);
    expect(await client.payment(payment.id)).toMatchObject({ status: 'requires_action' });
    expect(environment.effects()).toEqual([]);

    const key = keyOf('complete');
    const reply = await complete(payment, details, key);
    expect(reply.status).toBe(200);
    expect(paymentOf(reply)).toMatchObject({ status: 'captured', next_action: null, amount_captured: 1_999 });
    expect(environment.effects()).toHaveLength(1);
    expect(await story(payment)).toEqual(['1 adyen execute requires_action', '1 adyen complete succeeded']);

    const again = await complete(payment, details, key);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
      200,
      reply.text,
      'true',
    ]);
    // At rest it answers as it stands, whatever is handed in and under whatever key.
    expect((await complete(payment, { redirectResult: 'forged' })).text).toBe(reply.text);
    expect(detailsCalls()).toHaveLength(1);
  });

  it('is sent to its page by POST, or told what the library of its PSP needs', async () => {
    const posted = await waiting('redirect_post');
    expect(posted.next_action).toMatchObject({
      type: 'redirect',
      method: 'POST',
      fields: { MD: posted.psp_reference, PaReq: expect.any(String) as string },
    });
    const long = await waiting('redirect_long');
    expect(long.next_action?.type === 'redirect' && long.next_action.url.length).toBeGreaterThan(9_000);
    expect(await client.payment(long.id)).toEqual(long);
  });

  it('goes through a fingerprint and a challenge', async () => {
    const payment = await waiting('threeds2');
    expect(payment.next_action).toMatchObject({
      type: 'psp_sdk',
      psp: 'adyen',
      data: { type: 'threeDS2', subtype: 'fingerprint' },
    });
    const first = await complete(payment, acts(payment));
    expect(first.status).toBe(202);
    const challenged = paymentOf(first);
    expect(challenged).toMatchObject({
      status: 'requires_action',
      next_action: { type: 'psp_sdk', data: { subtype: 'challenge' } },
    });
    expect(environment.effects()).toEqual([]);
    expect(paymentOf(await complete(payment, acts(payment)))).toMatchObject({ status: 'captured' });
    expect(environment.effects()).toHaveLength(1);
  });

  it('fails when the customer fails, and no other PSP is asked', async () => {
    const payment = await waiting('redirect', { stripe: 'pm_card_visa' });
    const failed = paymentOf(await complete(payment, acts(payment, 'failed')));
    expect(failed).toMatchObject({ status: 'failed', failure: { code: 'authentication_required' } });
    expect(environment.simulator.calls('stripe')).toEqual([]);
    expect(environment.effects()).toEqual([]);
  });

  it('is charged elsewhere when the issuer says a soft no after all', async () => {
    const payment = await waiting('redirect_refuse_2', { stripe: 'pm_card_visa' });
    const paid = paymentOf(await complete(payment, acts(payment)));
    expect(paid).toMatchObject({ status: 'captured', psp: 'stripe' });
    expect(environment.effects().map(({ psp }) => psp)).toEqual(['stripe']);
    expect(await story(payment)).toEqual([
      '1 adyen execute requires_action',
      '1 adyen complete declined',
      '2 stripe execute succeeded',
    ]);
  });

  it('asks its customer again where the next PSP wants that', async () => {
    const payment = await waiting('redirect_refuse_2', { stripe: 'pm_card_authenticationRequired' });
    const { next_action: before } = payment;
    const again = paymentOf(await complete(payment, acts(payment)));
    expect(again).toMatchObject({
      status: 'requires_action',
      psp: 'stripe',
      next_action: { type: 'redirect' },
    });
    expect(again.next_action).not.toEqual(before);
  });

  it('goes on waiting after details that are refused, and takes the right ones', async () => {
    const payment = await waiting('redirect');
    const key = keyOf('forged');
    const refused = await complete(payment, { redirectResult: 'forged' }, key);
    expect([refused.status, codeOf(refused)]).toEqual([422, 'details_refused']);
    expect((await complete(payment, { redirectResult: 'forged' }, key)).text).toBe(refused.text);
    const { next_action, status } = await client.payment(payment.id);
    expect({ next_action, status }).toEqual({ next_action: payment.next_action, status: 'requires_action' });

    const details = acts(payment);
    environment.simulator.advance(3_600_001, 'adyen');
    expect(codeOf(await complete(payment, details))).toBe('details_refused');
    expect(paymentOf(await complete(payment, acts(payment)))).toMatchObject({ status: 'captured' });
    expect(environment.effects()).toHaveLength(1);
  });

  it.each(['reset_before', 'reset_after', 'error_500_after', 'hang_after'] as const)(
    'is charged once when the answer to its details is lost: %s',
    async (fault) => {
      const payment = await waiting('redirect');
      const details = acts(payment);
      environment.simulator.faults('adyen', { fault, on: 'complete', next: 1 });
      const key = keyOf('lost');
      const reply = await client.until(() => complete(payment, details, key), atRest);
      expect(paymentOf(reply)).toMatchObject({ id: payment.id, status: 'captured' });
      expect(environment.effects()).toHaveLength(1);
      expect(await story(payment)).toEqual([
        '1 adyen execute requires_action',
        '1 adyen complete unknown',
        '1 adyen complete succeeded',
      ]);
    },
  );

  it('is handed in by nobody else while it is in doubt, and by all who ask with the same details', async () => {
    const payment = await waiting('redirect');
    const details = acts(payment);
    environment.simulator.faults('adyen', { fault: 'hang_after', on: 'complete', next: 2 });
    const first = complete(payment, details);
    await eventually(async () => (await client.payment(payment.id)).status === 'processing', 'handed in');
    const other = await complete(payment, { redirectResult: 'another' });
    expect([other.status, codeOf(other)]).toEqual([409, 'invalid_state']);
    const replies = await Promise.all([first, complete(payment, details), complete(payment, details)]);
    for (const { status } of replies) expect([200, 202, 409]).toContain(status);
    const rest = await client.until(() => client.get(`/v1/payments/${payment.id}`), isCaptured);
    expect(paymentOf(rest)).toMatchObject({ status: 'captured' });
    expect(environment.effects()).toHaveLength(1);
  });

  it('comes to its end without its customer when the process dies with the details', async () => {
    const payment = await waiting('redirect');
    const details = acts(payment);
    await service.stop();
    const dying = await environment.startProcess({ at: { place: 'psp:before:complete' } });
    service = dying;
    await expect(complete(payment, details)).rejects.toThrow();
    await dying.exit;
    service = await environment.start({ role: 'all' });
    await client.until(() => client.get(`/v1/payments/${payment.id}`), isCaptured);
    expect(environment.effects()).toHaveLength(1);
    expect(detailsCalls()).toHaveLength(1);
  });

  it('takes no details once it is being canceled', async () => {
    const order = orderOf({ first: 'adyen', tokens: { adyen: 'redirect' }, capture: 'manual' });
    const payment = paymentOf(await client.post('/v1/payments', order, keyOf('create')));
    const details = acts(payment);
    await client.post(`/v1/payments/${payment.id}/cancel`, {}, keyOf('cancel'));
    const reply = await complete(payment, details);
    expect([reply.status, reply.status === 200 ? '' : codeOf(reply)]).toEqual([409, 'invalid_state']);
    expect(detailsCalls()).toEqual([]);
  });
});

const isCaptured = (reply: Reply) => reply.status === 200 && paymentOf(reply).status === 'captured';

describe('POST /v1/payments/:id/complete', () => {
  it('asks Stripe once, and hands nothing in', async () => {
    const order = orderOf({ tokens: { stripe: 'pm_card_authenticationRequired' } });
    const payment = paymentOf(await client.post('/v1/payments', order, keyOf('create')));
    const still = await complete(payment, { seen: 'yes' });
    expect([still.status, paymentOf(still).status]).toEqual([202, 'requires_action']);
    environment.simulator.authenticate('stripe', payment.psp_reference!, 'succeeded');
    expect(paymentOf(await complete(payment, { seen: 'yes' }))).toMatchObject({ status: 'captured' });
    const [first, ...lookups] = await story(payment);
    expect(first).toBe('1 stripe execute requires_action');
    expect(lookups.at(-1)).toBe('1 stripe lookup succeeded');
    expect(new Set(lookups.slice(0, -1))).toEqual(new Set(['1 stripe lookup requires_action']));
    expect(environment.orders('stripe')).toHaveLength(1);
  });

  it('is refused for what waits for no customer, what is not there, and what is no object', async () => {
    const order = orderOf({ tokens: { stripe: 'pm_card_processing' } });
    const payment = paymentOf(await client.post('/v1/payments', order, keyOf('create')));
    expect(payment.status).toBe('processing');
    expect(codeOf(await complete(payment, { redirectResult: 'x' }))).toBe('invalid_state');
    const none = { ...payment, id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42' };
    expect(codeOf(await complete(none, { redirectResult: 'x' }))).toBe('not_found');
    expect(codeOf(await complete(payment, {}))).toBe('validation_failed');
    expect(codeOf(await complete(payment, { redirectResult: 'x'.repeat(65_536) }))).toBe('validation_failed');
    const card = { redirectResult: '4242 4242 4242 4242' };
    expect(codeOf(await complete(payment, card))).toBe('card_number_refused');
  });
});
