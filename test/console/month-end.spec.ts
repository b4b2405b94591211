import {
  type FeesRow,
  type OwedItemRow,
  type OwedRow,
  type TransfersView,
} from '../../src/console/month-end-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { postDue } from '../support/ledger.js';
import { bankStatement, pspsWithBank } from '../support/month-end.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

/**
 * The end of a month, from reports as a PSP and a bank write them: two payments were paid out, one waits for its payout,
 * one is in no report, and of two transfers the bank has booked one.
 */
let environment: TestEnvironment;
let service: Service;
let finance: ConsoleClient;
let merchantId: string;
const ids: string[] = [];

const today = new Date();
const day = today.toISOString().slice(0, 10);
const at = (dayOffset: number) => new Date(today.getTime() + dayOffset * 86_400_000).toISOString();
const dayAt = (offset: number) => at(offset).slice(0, 10);

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start({ env: { PAYONCE_PSPS_FILE: pspsWithBank(environment) } });
  finance = await ConsoleClient.signedIn(() => service.url, await newOperator(environment, 'fin', 'finance'));
  const shop = new ApiClient(() => service.url, await environment.merchant());
  for (const n of [1, 2, 3, 4]) {
    const order = orderOf({ first: 'stripe', reference: `o-${n}` });
    const payment = paymentOf(
      await shop.post(
        '/v1/payments',
        { ...order, amount: 1_000, order: { reference: `basket-${n}` } },
        `o-${n}`,
      ),
    );
    expect(payment.status).toBe('captured');
    ids.push(payment.id);
  }
  await postDue(environment);
  const [row] = await environment.sql<{ id: string }>('SELECT merchant_id AS id FROM payments LIMIT 1');
  merchantId = row!.id;
});
afterAll(() => environment.close());

const HEADING =
  'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id,automatic_payout_id';
function line(
  id: string,
  of: string,
  money: readonly [gross: number, fee: number, currency?: string],
  more: { intent?: string; batch?: string; at?: string },
) {
  const [gross, fee] = money;
  const created = (more.at ?? at(0)).slice(0, 19).replace('T', ' ');
  const decimal = (amount: number) => (amount / 100).toFixed(2);
  const source = of === 'payout' ? more.batch : (more.intent ?? '');
  return [
    id,
    created,
    money[2] ?? 'usd',
    decimal(gross),
    decimal(fee),
    decimal(gross - fee),
    of,
    source,
    more.intent ?? '',
    more.batch ?? '',
  ].join(',');
}
const upload = async (psp: string, name: string, content: string) => {
  const query = new URLSearchParams({ psp, name, trial: 'no' }).toString();
  const { status, body } = await finance.upload<object>(
    `reconciliation/reports?${query}`,
    Buffer.from(content),
  );
  expect([status, body]).toMatchObject([200, { is_new: true }]);
};
const read = async <T>(path: string) => (await finance.get<T>(`month-end/${path}`)).body;

describe('a month that is closed', () => {
  beforeAll(async () => {
    const intents = await environment.sql<{ intent: string }>(
      'SELECT psp_reference AS intent FROM psp_requests ORDER BY array_position($1::uuid[], payment_id)',
      [ids],
    );
    const [one, two, three] = intents.map(({ intent }) => intent);
    const report = [
      HEADING,
      line('txn_1', 'charge', [1_000, 30], { intent: one!, batch: 'po_march01' }),
      line('txn_2', 'charge', [1_000, 30], { intent: two!, batch: 'po_march01' }),
      line('txn_3', 'payout', [-1_940, 0], { batch: 'po_march01' }),
      line('txn_4', 'charge', [1_000, 30], { intent: three!, batch: 'po_march02' }),
      line('txn_5', 'fee', [-200, 0], { batch: 'po_march03' }),
      line('txn_6', 'charge_failure', [5_200, 0], { intent: 'pi_elsewhere', batch: 'po_march03' }),
      line('txn_7', 'payout', [-5_000, 0], { batch: 'po_march03' }),
    ].join('\n');
    await upload('stripe', 'march.csv', `${report}\n`);
  });

  it('tells what each PSP owes, and what makes it up', async () => {
    const { data } = await read<PageView<OwedRow>>(`owed?to=${day}`);
    // 4 charges, 3 fees of 0.30 and one of 2.00, transfers of 19.40 and 50.00.
    const held = 4_000 - 90 - 200 - 1_940 - 5_000;
    expect(data).toEqual([
      {
        psp: 'stripe',
        currency: 'USD',
        held,
        not_reported: 1_000,
        not_transferred: 970,
        // The line that nothing here names was paid out.
        rest: held - 1_970,
        items: 2,
        oldest_at: expect.any(String),
      },
    ]);
    const items = await read<PageView<OwedItemRow>>(`owed/items?to=${day}&psp=stripe&currency=USD`);
    expect(items.next_cursor).toBeNull();
    const sorted = items.data.toSorted((a, b) => a.state.localeCompare(b.state));
    expect(sorted).toMatchObject([
      {
        state: 'not_reported',
        kind: 'charge',
        amount: 1_000,
        reference: 'o-4',
        order: 'basket-4',
        payment_id: ids[3],
        batch: null,
        age_days: 0,
      },
      {
        state: 'not_transferred',
        kind: 'payment',
        amount: 970,
        reference: 'o-3',
        order: 'basket-3',
        payment_id: ids[2],
        batch: 'po_march02',
      },
    ]);
  });

  it('tells it of one PSP, currency or merchant, and of an earlier day', async () => {
    const owed = async (query: string) => (await read<PageView<OwedRow>>(`owed?${query}`)).data;
    expect(await owed(`to=${day}&psp=adyen`)).toEqual([]);
    expect(await owed(`to=${day}&currency=EUR`)).toEqual([]);
    expect(await owed(`to=${dayAt(-40)}`)).toEqual([]);
    // Transfers are of no merchant: what is owed for one is what is open.
    expect(await owed(`to=${day}&merchant_id=${merchantId}`)).toMatchObject([
      { held: 1_970, rest: 0, items: 2 },
    ]);
    expect(await owed(`to=${day}&merchant_id=019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42`)).toEqual([]);
  });

  it('tells which transfers the bank has booked', async () => {
    const month = `from=${dayAt(-20)}&to=${day}`;
    const before = await read<TransfersView>(`transfers?${month}`);
    expect(before).toMatchObject({
      data: [
        { psp: 'stripe', batch: 'po_march01', amount: 1_940, currency: 'USD', booked_by: null },
        { batch: 'po_march03', amount: 5_000, booked_by: null },
      ],
      statements: [],
    });
    await upload(
      'bank',
      'march.xml',
      bankStatement(day, [
        { amount: '19.40', currency: 'USD' },
        { amount: '12.00', currency: 'USD', endToEndId: 'RENT' },
      ]),
    );
    const after = await read<TransfersView>(`transfers?${month}`);
    expect(after).toMatchObject({
      data: [
        { batch: 'po_march01', booked_by: 'bank', booked_at: `${day}T00:00:00.000Z`, booked_as: 'B-19.40' },
        { batch: 'po_march03', booked_by: null },
      ],
      statements: [{ account: 'bank' }],
    });
    expect((await read<TransfersView>(`transfers?${month}&psp=adyen`)).data).toEqual([]);
    // No PSP owes money that is at the bank.
    expect((await read<PageView<OwedRow>>(`owed?to=${day}`)).data.map(({ psp }) => psp)).toEqual(['stripe']);
  });

  it('tells fees by month, PSP, currency and merchant', async () => {
    const { data } = await read<PageView<FeesRow>>(`fees?from=${dayAt(-20)}&to=${day}`);
    expect(data).toEqual([
      {
        month: day.slice(0, 7),
        psp: 'stripe',
        currency: 'USD',
        merchant_id: merchantId,
        merchant: expect.any(String),
        taken: 4_000,
        fees: 90,
      },
      {
        month: day.slice(0, 7),
        psp: 'stripe',
        currency: 'USD',
        merchant_id: null,
        merchant: null,
        taken: 0,
        fees: 200,
      },
    ]);
    const own = await read<PageView<FeesRow>>(`fees?from=${day}&to=${day}&merchant_id=${merchantId}`);
    expect(own.data).toHaveLength(1);
  });

  it('is written as CSV in units of the currency, with the order', async () => {
    const csv = async (path: string) =>
      (await finance.get<{ text: string }>(`month-end/${path}`)).body.text.trimEnd().split('\n');
    const items = await csv(`owed/items.csv?to=${day}`);
    expect(items[0]).toBe(
      'psp,currency,amount,state,kind,occurred_at,age_days,reference,order,payment_id,psp_reference,batch',
    );
    expect(items.filter((row) => /^stripe,USD,(10\.00|9\.70),.*,o-\d,basket-\d,/.test(row))).toHaveLength(2);
    expect(await csv(`transfers.csv?from=${dayAt(-20)}&to=${day}`)).toHaveLength(3);
    expect(await csv(`owed/items.csv?to=${day}&psp=keyless`)).toEqual([items[0]]);
    expect((await csv(`fees.csv?from=${day}&to=${day}`)).join('\n')).toContain(',40.00,0.90');
    const statementRows = (
      await finance.get<{ text: string }>('ledger/statement.csv?account=merchant_payable')
    ).body.text;
    expect(statementRows).toMatch(/,-10\.00,o-1,basket-1,/);
  });

  it('pages through what is owed', async () => {
    const first = await read<PageView<OwedItemRow>>('owed/items');
    const all = first.data.map(({ payment_id: id }) => id);
    expect(new Set(all)).toEqual(new Set([ids[2], ids[3]]));
    expect((await finance.get('month-end/owed/items?cursor=x')).status).toBe(422);
  });

  it('takes off what a report of the day has and the ledger has later', async () => {
    const [{ intent }] = (await environment.sql<{ intent: string }>(
      'SELECT psp_reference AS intent FROM psp_requests WHERE payment_id = $1',
      [ids[3]],
    )) as [{ intent: string }];
    const yesterday = line('txn_8', 'charge', [1_000, 30], { intent, batch: 'po_march04', at: at(-1) });
    await upload('stripe', 'late.csv', `${HEADING}\n${yesterday}\n`);
    const [then] = (await read<PageView<OwedRow>>(`owed?to=${dayAt(-1)}&currency=USD`)).data;
    expect(then).toMatchObject({ held: -30, not_reported: -1_000, not_transferred: 970, rest: 0 });
    const { data } = await read<PageView<OwedItemRow>>(`owed/items?to=${dayAt(-1)}&currency=USD`);
    expect(data.map(({ state }) => state).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'not_transferred',
      'posted_later',
    ]);
    // Today the ledger has it too.
    const [now] = (await read<PageView<OwedRow>>(`owed?to=${day}&currency=USD`)).data;
    expect(now).toMatchObject({ not_reported: 0, not_transferred: 1_940, rest: -5_200 });
  });

  it('learns from a later report which transfer a line was paid by', async () => {
    const money = [1_000, 30, 'eur'] as const;
    const owed = async () => (await read<PageView<OwedRow>>(`owed?to=${day}&currency=EUR`)).data;
    const report = (batch?: string) =>
      line('txn_e', 'charge', money, { intent: 'pi_e', ...(batch ? { batch } : {}) });
    await upload('stripe', 'activity.csv', `${HEADING}\n${report()}\n`);
    expect(await owed()).toMatchObject([{ not_transferred: 970, items: 1 }]);
    const payout = line('txn_p', 'payout', [-970, 0, 'eur'], { batch: 'po_euro01' });
    await upload('stripe', 'payouts.csv', `${HEADING}\n${report('po_euro01')}\n${payout}\n`);
    expect(await owed()).toMatchObject([{ not_transferred: 0, items: 0 }]);
  });

  it('owes what transfers left of lines without a batch, though they end within one', async () => {
    const columns = { key: 'id', type: 'kind', currency: 'ccy', gross: 'amount', occurredAt: 'time' };
    const types = { SALE: 'payment', PAYOUT: 'settlement' };
    const mapping = JSON.stringify({ columns, types, covers: ['payment'] });
    const rows = [
      ['1', 'SALE', '1.00', at(-5)],
      ['2', 'SALE', '0.70', at(-4)],
      ['3', 'SALE', '0.50', at(-3)],
      ['4', 'PAYOUT', '-1.50', at(-2)],
    ].map(([id, kind, amount, time]) => [id, kind, 'GBP', amount, time].join(','));
    const query = new URLSearchParams({ psp: 'keyless', name: 'k.csv', trial: 'no', mapping }).toString();
    const csv = `id,kind,ccy,amount,time\n${rows.join('\n')}\n`;
    expect((await finance.upload(`reconciliation/reports?${query}`, Buffer.from(csv))).status).toBe(200);
    expect((await read<PageView<OwedRow>>(`owed?to=${day}&psp=keyless`)).data).toMatchObject([
      { currency: 'GBP', not_transferred: 70 },
    ]);
    const { data } = await read<PageView<OwedItemRow>>(`owed/items?to=${day}&psp=keyless`);
    expect(data.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['payment', 70],
      ['payment', 50],
      ['part_of_transfer', -50],
    ]);
  });

  it('has no part that a report can never have: a capture that failed, an orphan that was undone', async () => {
    const post = (source: string, kind: string, debit: string, credit: string) =>
      environment.sql(
        `INSERT INTO ledger_transactions (merchant_id, source, kind, psp, occurred_at, debit, credit, currency, amount)
         VALUES ($1, $2, $3, 'adyen', now(), $4, $5, 'CHF', 500)`,
        [merchantId, source, kind, debit, credit],
      );
    await post('payment-x-capture#1', 'capture', 'psp_clearing', 'merchant_payable');
    await post('payment-y-charge#1', 'orphan', 'psp_clearing', 'orphans');
    const owed = async () => (await read<PageView<OwedRow>>(`owed?to=${day}&psp=adyen`)).data;
    expect(await owed()).toMatchObject([{ currency: 'CHF', held: 1_000, not_reported: 1_000, items: 2 }]);
    await post('payment-x-capture#1#reversed', 'capture_reversed', 'merchant_payable', 'psp_clearing');
    await post('payment-y-charge#1#undone', 'orphan_undone', 'orphans', 'psp_clearing');
    expect(await owed()).toEqual([]);
  });
});
