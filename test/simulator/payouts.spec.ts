import { startSimulator, type Simulator } from '@payonce/simulator';
import { AdyenClient, effects, type Seen, StripeClient } from './support.js';

describe('payouts at the simulated PSPs', () => {
  let simulator: Simulator;
  let stripe: StripeClient;
  let adyen: AdyenClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
    adyen = new AdyenClient(simulator.urls.adyen);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  describe('Stripe', () => {
    const pay = (change: Record<string, string> = {}, key?: string): Promise<Seen> => {
      const form = {
        amount: '2500',
        currency: 'eur',
        destination: 'ba_1',
        'metadata[payonce_entity_key]': 'payout-1-payout',
        'metadata[payonce_route]': '2',
        ...change,
      };
      return stripe.post('/v1/payouts', form, key);
    };

    it('sends money, and says how far it is', async () => {
      const { status, body } = await pay();
      expect(status).toBe(200);
      expect(body).toMatchObject({ object: 'payout', status: 'pending', amount: 2500, destination: 'ba_1' });
      expect(simulator.ledger('stripe').effects).toEqual([
        expect.objectContaining({
          operation: 'payout',
          psp_reference: body.id,
          parent_reference: null,
          reference: 'payout-1-payout',
          route: '2',
          amount: 2500,
          currency: 'EUR',
        }),
      ]);
      const now = async () => (await stripe.get(`/v1/payouts/${body.id}`)).body.status;
      expect(await now()).toBe('pending');
      simulator.advance(3_600_000, 'stripe');
      expect(await now()).toBe('in_transit');
      simulator.advance(48 * 3_600_000, 'stripe');
      expect(await now()).toBe('paid');
      expect((await stripe.get('/v1/payouts/po_none')).status).toBe(404);
    });

    it('pays once for a key, with the answer of then', async () => {
      const first = await pay({}, 'k1');
      simulator.advance(3_600_000, 'stripe');
      expect((await pay({}, 'k1')).body).toEqual(first.body);
      expect((await pay({ amount: '2501' }, 'k1')).body.error.type).toBe('idempotency_error');
      expect(simulator.ledger('stripe').effects).toHaveLength(1);
    });

    it('lists newest first, by time and page by page', async () => {
      const ids = [(await pay()).body.id];
      simulator.advance(60_000, 'stripe');
      const since = Math.floor(Date.now() / 1000) + 30;
      for (const destination of ['ba_1', 'ba_2']) ids.push((await pay({ destination })).body.id);
      const idsOf = async (query: string) =>
        (await stripe.get(`/v1/payouts?${query}`)).body.data.map(({ id }) => id);
      expect(await idsOf('limit=2')).toEqual([ids[2], ids[1]]);
      expect(await idsOf(`limit=2&starting_after=${ids[1]}`)).toEqual([ids[0]]);
      expect(await idsOf(`created[gte]=${since}`)).toEqual([ids[2], ids[1]]);
      expect(await idsOf(`created[lte]=${since}`)).toEqual([ids[0]]);
      expect(await idsOf('destination=ba_2')).toEqual([ids[2]]);
    });

    it('fails for an account that is closed, and refuses what the balance does not cover', async () => {
      const closed = await pay({ destination: 'ba_fail_account_closed' });
      expect(closed.body).toMatchObject({ status: 'failed', failure_code: 'account_closed' });
      const poor = await pay({ destination: 'ba_refuse_balance_insufficient' });
      expect(poor).toMatchObject({ status: 400, body: { error: { code: 'balance_insufficient' } } });
      expect(simulator.ledger('stripe').effects).toEqual([]);
    });

    it.each([
      [{ destination: 'iban' }, 'resource_missing'],
      [{ amount: '' }, 'parameter_invalid_integer'],
      [{ unheard_of: '1' }, 'parameter_unknown'],
    ])('refuses %j', async (wrong, code) => {
      expect(await pay({ ...wrong })).toMatchObject({ status: 400, body: { error: { code } } });
      expect(simulator.ledger('stripe').effects).toEqual([]);
    });

    it.each([
      ['account_closed', 200, { status: 'failed' }],
      ['balance_insufficient', 400, { error: { code: 'balance_insufficient' } }],
    ])('takes faults as charges do (decline %s)', async (code, status, body) => {
      simulator.faults('stripe', { fault: 'decline', code, reference: 'payout-1-' });
      expect(await pay()).toMatchObject({ status, body });
      expect(simulator.ledger('stripe').effects).toEqual([]);
    });
  });

  describe('Adyen', () => {
    const transfer = (to: string, change: object = {}, key?: string): Promise<Seen> =>
      adyen.post(
        '/btl/v4/transfers',
        {
          amount: { value: 2500, currency: 'EUR' },
          balanceAccountId: 'BA1',
          category: 'bank',
          counterparty: { transferInstrumentId: to },
          priority: 'regular',
          reference: 'payout-1-payout',
          ...change,
        },
        key,
      );

    it('sends money to a transfer instrument, once for a key', async () => {
      const first = await transfer('SE1', {}, 'k1');
      expect(first).toMatchObject({
        status: 202,
        body: { status: 'authorised', reference: 'payout-1-payout', direction: 'outgoing' },
      });
      expect((await transfer('SE1', {}, 'k1')).body).toEqual(first.body);
      expect(effects(simulator, 'adyen')).toEqual(['payout payout-1-payout 2500 EUR']);
      expect(simulator.ledger('adyen').effects[0]?.psp_reference).toBe(first.body.id);
    });

    it.each([
      ['refuse_counterpartyAccountClosed', 'refused', 'counterpartyAccountClosed', 0],
      ['refuse_notEnoughBalance', 'refused', 'notEnoughBalance', 0],
      ['error', 'error', 'unknown', 0],
      ['received', 'received', 'pending', 1],
    ])('%s: %s', async (to, status, reason, times) => {
      expect(await transfer(to)).toMatchObject({ status: 202, body: { status, reason } });
      expect(simulator.ledger('adyen').effects).toHaveLength(times);
    });

    it.each([
      [{ amount: undefined }],
      [{ amount: { value: 0, currency: 'EUR' } }],
      [{ category: 'internal' }],
      [{ balanceAccountId: undefined }],
      [{ counterparty: {} }],
      [{ priority: undefined }],
      [{ reference: 'r'.repeat(81) }],
    ])('refuses %j', async (wrong) => {
      const refused = await transfer('SE1', wrong, 'k1');
      expect(refused).toMatchObject({ status: 422, body: { status: 422, invalidFields: [{}] } });
      expect((await transfer('SE1', {}, 'k1')).status).toBe(202);
    });

    it('takes faults as payments do, and nobody without a key', async () => {
      simulator.faults('adyen', { fault: 'decline', code: 'notEnoughBalance', reference: 'payout-1-' });
      expect((await transfer('SE1')).body).toMatchObject({ status: 'refused', reason: 'notEnoughBalance' });
      expect(simulator.ledger('adyen').effects).toEqual([]);
      const url = `${simulator.urls.adyen}/btl/v4/transfers`;
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    });
  });
});
