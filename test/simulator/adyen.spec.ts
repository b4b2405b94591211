import { startSimulator, type Simulator } from '@payonce/simulator';
import { AdyenClient, effects } from './support.js';

const merchantAccount = 'PayonceECOM';
const amount = (value: number) => ({ value, currency: 'EUR' });

describe('a simulated Adyen', () => {
  let simulator: Simulator;
  let adyen: AdyenClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    adyen = new AdyenClient(simulator.urls.adyen);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  it('authorises, and books a charge under our reference', async () => {
    const { status, body } = await adyen.pay();
    expect(status).toBe(200);
    expect(body).toMatchObject({ resultCode: 'Authorised', merchantReference: 'payment-1-charge' });
    expect(body.pspReference).toMatch(/^[A-Z0-9]{16}$/);
    expect(effects(simulator, 'adyen')).toEqual(['charge payment-1-charge 1000 EUR']);
  });

  it.each([
    ['refuse_12', '12', 'Not enough balance'],
    ['refuse_5', '5', 'Blocked Card'],
    ['refuse_20', '20', 'FRAUD'],
  ])('refuses %s and books nothing', async (token, refusalReasonCode, refusalReason) => {
    const { status, body } = await adyen.pay({ token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ resultCode: 'Refused', refusalReasonCode, refusalReason });
    expect(effects(simulator, 'adyen')).toEqual([]);
  });

  it('sends the shopper away and charges when they come back', async () => {
    const { body } = await adyen.pay({ token: 'redirect' });
    expect(body).toMatchObject({ resultCode: 'RedirectShopper', action: { type: 'redirect' } });
    expect(effects(simulator, 'adyen')).toEqual([]);
    const back = await fetch(body.action.url, { redirect: 'manual' });
    expect(back.status).toBe(302);
    const redirectResult = new URL(back.headers.get('location')!).searchParams.get('redirectResult')!;
    // The issuer has not been asked, and will not be before the details are there.
    expect(effects(simulator, 'adyen')).toEqual([]);
    const handIn = (details: object, key: string) => adyen.post('/v71/payments/details', { details }, key);
    for (const wrong of [{}, { redirectResult: body.pspReference }, { threeDSResult: redirectResult }]) {
      expect((await handIn(wrong, 'wrong')).status).toBe(422);
    }
    const details = await handIn({ redirectResult }, 'key-1');
    expect(details.body.resultCode).toBe('Authorised');
    expect((await handIn({ redirectResult }, 'key-1')).body).toEqual(details.body);
    expect((await handIn({ redirectResult }, 'key-2')).body).toMatchObject({ errorCode: '704' });
    expect(effects(simulator, 'adyen')).toEqual(['charge payment-1-charge 1000 EUR']);
  });

  it('forgets in an hour what a shopper brought back', async () => {
    const { body } = await adyen.pay({ token: 'redirect' });
    const { details } = simulator.authenticate('adyen', body.pspReference, 'succeeded')!;
    simulator.advance(3_600_001, 'adyen');
    expect((await adyen.post('/v71/payments/details', { details })).status).toBe(422);
    expect(effects(simulator, 'adyen')).toEqual([]);
  });

  it('takes a payment whose result comes later', async () => {
    const { body } = await adyen.pay({ token: 'pending' });
    expect(body.resultCode).toBe('Pending');
    simulator.authenticate('adyen', body.pspReference, 'succeeded');
    expect(simulator.ledger('adyen').effects).toHaveLength(1);
  });

  it('captures in parts up to what is authorised; more is received and has no effect', async () => {
    const { body } = await adyen.pay({ manual: true, entityKey: 'payment-3-authorize' });
    const path = `/v71/payments/${body.pspReference}/captures`;
    for (const value of [600, 400, 1]) {
      const reference = `payment-3-capture-${value}`;
      const captured = await adyen.post(path, { merchantAccount, amount: amount(value), reference });
      expect(captured.status).toBe(201);
      expect(captured.body).toMatchObject({ status: 'received', paymentPspReference: body.pspReference });
    }
    expect(effects(simulator, 'adyen')).toEqual([
      'authorize payment-3-authorize 1000 EUR',
      'capture payment-3-capture-600 600 EUR',
      'capture payment-3-capture-400 400 EUR',
    ]);
    expect(simulator.ledger('adyen').effects[1]?.parent_reference).toBe(body.pspReference);
  });

  it('cancels by its own reference and by ours', async () => {
    const first = await adyen.pay({ manual: true, entityKey: 'payment-4-authorize' });
    const cancel = { merchantAccount, reference: 'payment-4-void' };
    const cancelled = await adyen.post(`/v71/payments/${first.body.pspReference}/cancels`, cancel);
    expect(cancelled).toMatchObject({ status: 201, body: { status: 'received' } });
    await adyen.pay({ manual: true, entityKey: 'payment-5-authorize' });
    const ours = { merchantAccount, paymentReference: 'payment-5-authorize', reference: 'payment-5-void' };
    expect((await adyen.post('/v71/cancels', ours)).body.status).toBe('received');
    const nothing = { ...ours, paymentReference: 'payment-6-authorize' };
    expect((await adyen.post('/v71/cancels', nothing)).status).toBe(201);
    expect(effects(simulator, 'adyen').filter((line) => line.startsWith('void'))).toEqual([
      'void payment-4-void 1000 EUR',
      'void payment-5-void 1000 EUR',
    ]);
  });

  it('reverses what is reserved, what was taken, and neither twice', async () => {
    for (const manual of [true, false]) {
      const entityKey = `payment-${manual ? 6 : 7}-made`;
      const { body } = await adyen.pay({ manual, entityKey });
      for (const reference of ['first', 'second']) {
        const reversed = await adyen.post(`/v71/payments/${body.pspReference}/reversals`, {
          merchantAccount,
          reference: `${entityKey}-${reference}`,
        });
        expect(reversed).toMatchObject({ status: 201, body: { status: 'received' } });
      }
    }
    expect(effects(simulator, 'adyen')).toEqual([
      'authorize payment-6-made 1000 EUR',
      'void payment-6-made-first 1000 EUR',
      'charge payment-7-made 1000 EUR',
      'refund payment-7-made-first 1000 EUR',
    ]);
  });

  it.each([
    [{ amount: undefined }, 422, '100'],
    [{ amount: { value: -1, currency: 'EUR' } }, 422, '137'],
    [{ amount: { value: 1, currency: 'XYZ' } }, 422, '138'],
    [{ reference: '' }, 422, '130'],
    [{ merchantAccount: undefined }, 403, '901'],
  ])('refuses %j', async (wrong, status, errorCode) => {
    const body = {
      amount: amount(100),
      reference: 'r',
      merchantAccount,
      paymentMethod: { type: 'scheme', storedPaymentMethodId: 'card' },
      ...wrong,
    };
    const refused = await adyen.post('/v71/payments', body, 'k1');
    expect(refused).toMatchObject({ status, body: { status, errorCode } });
    expect(refused.body.pspReference).toHaveLength(16);
    expect((await adyen.pay({ key: 'k1' })).body.resultCode).toBe('Authorised');
  });

  it('knows no capture of a payment it never saw, and nobody without a key', async () => {
    const capture = { merchantAccount, amount: amount(1) };
    const refused = await adyen.post('/v71/payments/AAAAAAAAAAAAAAAA/captures', capture);
    expect(refused).toMatchObject({ status: 422, body: { errorCode: '167', errorType: 'validation' } });
    const response = await fetch(`${simulator.urls.adyen}/v71/payments`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });

  describe('its idempotency keys', () => {
    it('replay the first answer for 7 days and echo the key', async () => {
      const first = await adyen.pay({ key: 'k1' });
      simulator.advance(6 * 24 * 3_600_000, 'adyen');
      const second = await adyen.pay({ key: 'k1' });
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotency-key')).toBe('k1');
      expect(simulator.ledger('adyen').effects).toHaveLength(1);
      simulator.advance(2 * 24 * 3_600_000, 'adyen');
      await adyen.pay({ key: 'k1' });
      expect(simulator.ledger('adyen').effects).toHaveLength(2);
    });

    it('answer 704 while the first request runs', async () => {
      simulator.faults('adyen', { fault: 'delay_before', next: 1, delay_ms: 600_000 });
      const first = adyen.pay({ key: 'k1' });
      while (simulator.calls('adyen').length === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = await adyen.pay({ key: 'k1' });
      expect(second).toMatchObject({ status: 422, body: { errorCode: '704', errorType: 'validation' } });
      expect(second.headers.get('transient-error')).toBe('true');
      simulator.advance(600_000, 'adyen');
      expect((await first).body.resultCode).toBe('Authorised');
    });

    it('keep no failure: after a 500 the truth comes out', async () => {
      simulator.faults('adyen', { fault: 'error_500_after', next: 1 });
      expect((await adyen.pay({ key: 'k1' })).status).toBe(500);
      expect((await adyen.pay({ key: 'k1' })).body.resultCode).toBe('Authorised');
      expect(simulator.ledger('adyen').effects).toHaveLength(1);
    });

    it('have at most 64 characters', async () => {
      expect((await adyen.pay({ key: 'k'.repeat(65) })).status).toBe(422);
      expect((await adyen.pay({ key: 'k'.repeat(64) })).status).toBe(200);
    });
  });
});
