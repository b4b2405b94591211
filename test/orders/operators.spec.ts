import {
  type OrderPageView,
  type PaymentPageView,
  type PaymentRow,
} from '../../src/console/console-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { type OrderDetailsView } from '../../src/orders/order-details.view.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { payonceCommand } from '../support/payonce-command.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** An order as operators see it: 2,000 in parts, of which one part failed, one is captured and one is in doubt. */
let environment: TestEnvironment;
let service: Service;
let viewer: ConsoleClient;
let merchantId: string;
const ids: string[] = [];

const part = (n: number, amount: number, token = 'pm_card_visa') => ({
  ...orderOf({ tokens: { stripe: token }, reference: `part-${n}`, amount }),
  order: { reference: 'order-77', parts: true, amount: 2_000 },
});

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  const shop = new ApiClient(() => service.url, await environment.merchant());
  const pay = async (n: number, body: object) => {
    ids[n] = paymentOf(await shop.post('/v1/payments', body, `part-${n}`, { deadlineMs: 500 })).id;
  };
  await pay(0, part(0, 1_200, 'pm_card_visa_chargeDeclinedStolenCard'));
  await pay(1, part(1, 1_200));
  environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
  await pay(2, part(2, 700));
  [{ merchantId }] = (await environment.sql<{ merchantId: string }>(
    'SELECT merchant_id AS "merchantId" FROM orders',
  )) as [{ merchantId: string }];
  viewer = await ConsoleClient.signedIn(() => service.url, await newOperator(environment, 'vic', 'viewer'));
});
afterAll(() => environment.close());

const payonce = (...args: string[]) => payonceCommand(args, environment.environment());
const summary =
  '20.00 USD is due, in parts. Of 3 tries 1 left nothing, 1 holds 12.00 USD, 1 may take 7.00 USD. 1.00 USD is left to pay.';

describe('the page of an order', () => {
  it('tells how it was tried, reached from a payment of it, and writes down who looked', async () => {
    const { order } = (await viewer.get<PaymentPageView>(`payments/${ids[1]}`)).body;
    expect(order).toMatchObject({ reference: 'order-77', status: 'pending', tries: 3 });

    const { body } = await viewer.get<OrderPageView>(`orders/${order!.id}`);
    expect(body).toMatchObject({
      order: { amount_due: 2_000, amount_live: 1_900, amount_paid: 1_200, parts: true },
      tries: [
        { id: ids[0], status: 'failed', amount_live: 0 },
        { id: ids[1], status: 'captured', amount_live: 1_200 },
        { id: ids[2], status: 'processing', amount_live: 700 },
      ],
      orphans: [],
    });
    expect(body.explained).toBe(summary);
    const [failed, captured, doubt] = body.tries.map(({ said }) => said);
    expect(failed).toMatch(/^stripe did nothing \(it declined, [a-z_]+\)\. The payment failed: /);
    expect(captured).toBe('stripe did it. 12.00 USD is captured.');
    expect(doubt).toMatch(
      /^It is not known whether stripe did it: .* The service asks stripe about the charge again/,
    );
    expect(await environment.acts({ action: 'order.viewed' })).toMatchObject([
      { merchantId, actor: 'operator:vic', subject: `order:${order!.id}` },
    ]);
  });

  it("is nobody else's id", async () => {
    expect((await viewer.get(`orders/${ids[0]}`)).status).toBe(404);
  });

  it('is led to by a search for the order, which finds its payments', async () => {
    const { data } = (await viewer.get<PageView<PaymentRow>>('payments?q=order-77')).body;
    expect(data.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});

describe('explaining a payment', () => {
  it('tells of the order, and does not call it done while another payment of it is in doubt', async () => {
    const { stdout } = await payonce('explain', ids[1]!, '--json');
    const { explained } = JSON.parse(stdout) as { explained: string };
    expect(explained).toContain('It is number 2 of 3 tried for order order-77, which is pending.');
    expect(explained).toContain(`Payment ${ids[2]} of it is not decided yet.`);
    expect(explained).not.toContain('Nothing is left to do.');
  });
});

describe('payonce orders', () => {
  it('shows one, for people in 80 columns and for programs', async () => {
    const { stdout } = await payonce('orders', 'show', 'order-77');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain('12.00 USD captured');
    const shown = JSON.parse(
      (await payonce('orders', 'show', 'order-77', '--json')).stdout,
    ) as OrderDetailsView & {
      explained: string;
    };
    expect(shown).toMatchObject({ merchant_id: merchantId, status: 'pending', amount_refunded: 0 });
    expect(shown.payments.map(({ payment }) => payment.id)).toEqual(ids);
    expect(shown.explained).toBe(summary);
  });

  it('lists those of a merchant, and which are overpaid', async () => {
    const list = async (...args: string[]) =>
      (await payonce('orders', 'list', '--merchant', merchantId, ...args)).stdout;
    expect(await list()).toMatch(/pending +20\.00 USD +12\.00 USD +order-77/);
    expect(await list('--overpaid')).toContain('None.');
    expect(JSON.parse(await list('--json'))).toMatchObject([{ reference: 'order-77' }]);
  });

  it('says what is wrong', async () => {
    const none = await payonce('orders', 'show', 'order-78');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No order')]);
    expect((await payonce('orders', 'list', '--merchant', 'x')).code).not.toBe(0);
  });
});
