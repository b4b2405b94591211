import { type Effect, type ReportRequest } from '@payonce/simulator';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type RunResultView } from '../../src/reconciliation/reconciliation.view.js';
import { postDue } from '../support/ledger.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  type ApiClient,
  atRest,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
} from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * The categories of breaks that a report of the simulator does not plant: a fee that does not add up, another currency,
 * what the PSP took back, and what it did after all. Those that later evidence resolves close by themselves.
 */
const NOTIFIED_AFTER_MS = 600_000;

let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
const folder = temporaryFolder();

beforeAll(async () => {
  ({ environment, service, client } = await openWithService({}, { role: 'all' }));
});
afterAll(() => environment.close());

interface Break {
  readonly category: string;
  readonly entity_key: string | null;
  readonly psp_reference: string | null;
  readonly expected: number;
  readonly reported: number;
  readonly resolution: string | null;
}

const breaks = async (isOpen: boolean) =>
  environment.sql<Break>(
    `SELECT category, entity_key, psp_reference, expected::int, reported::int, resolution FROM reconciliation_breaks
      WHERE (closed_at IS NULL) = $1 ORDER BY category`,
    [isOpen],
  );

const task = () => environment.command('tasks', 'run', 'reconciliation');

type Row = Record<string, string>;

/** Stripe's report of what it did, as balance change from activity, which no payout closes. */
function reportRows(): Row[] {
  const [head = '', ...lines] = environment.simulator.report('stripe').trimEnd().split('\r\n');
  const names = head.split(',');
  return lines
    .map((line) => {
      // The description alone has a comma and quotes, and nothing reads it.
      const cells = line.replace(/"(?:[^"]|"")*"/, 'An order').split(',');
      return Object.fromEntries(names.map((name, index) => [name, cells[index]!]));
    })
    .filter(({ automatic_payout_id: payout, source_id: source }) => payout !== source)
    .map((row) => ({ ...row, automatic_payout_id: '' }));
}

async function take(rows: readonly Row[]): Promise<RunResultView> {
  const file = join(folder, 'report.csv');
  const lines = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))];
  writeFileSync(file, lines.map((cells) => `${cells.join(',')}\r\n`).join(''));
  return (await environment.command('reconcile', '--psp', 'stripe', '--file', file)) as RunResultView;
}

it('names a fee, a currency, a reversal and a late effect for what they are, and closes what is resolved', async () => {
  const pay = async (reference: string, token?: string) =>
    paymentOf(
      await client.post(
        '/v1/payments',
        orderOf({ reference, ...(token === undefined ? {} : { tokens: { stripe: token } }) }),
        reference,
      ),
    );
  const fee = await pay('fee');
  const currency = await pay('currency');
  const back = await pay('back');
  const declined = await pay('declined', 'pm_card_visa_chargeDeclinedStolenCard');
  expect([fee, currency, back, declined].map(({ status, psp }) => [status, psp])).toEqual([
    ['captured', 'stripe'],
    ['captured', 'stripe'],
    ['captured', 'stripe'],
    ['failed', null],
  ]);
  const refund = refundOf(await refunded(client, back.id, { amount: 300 }, 'refund'));
  await postDue(environment);
  // It fails at the PSP now, and the notification of it is late.
  environment.notify(service.url, { mode: 'late', delay_ms: NOTIFIED_AFTER_MS }, ['stripe']);
  expect(environment.simulator.fail('stripe', refund.psp_reference!)).toBe(true);

  const rows = reportRows();
  const of = (reference: string) => rows.find(({ payment_intent_id: id }) => id === reference)!;
  const late = {
    ...of(fee.psp_reference!),
    balance_transaction_id: 'txn_late',
    payment_intent_id: 'pi_late',
    source_id: 'ch_late',
    charge_id: 'ch_late',
    'payment_metadata[payonce_entity_key]': declined.entity_key,
  };
  of(fee.psp_reference!)['net'] = '0.01';
  of(currency.psp_reference!)['currency'] = 'eur';
  await take([...rows, late]);
  const { amount } = fee;
  const ofRefund = { entity_key: refund.entity_key, psp_reference: refund.psp_reference };
  expect(await breaks(true)).toEqual([
    expect.objectContaining({
      category: 'currency_mismatch',
      entity_key: currency.entity_key,
      expected: amount,
      reported: amount,
    }),
    expect.objectContaining({ category: 'fee_mismatch', entity_key: fee.entity_key, reported: 1 }),
    expect.objectContaining({
      category: 'late_success',
      entity_key: declined.entity_key,
      psp_reference: 'pi_late',
      expected: 0,
      reported: amount,
    }),
    expect.objectContaining({ category: 'status_mismatch', ...ofRefund, expected: 0, reported: 300 }),
  ]);

  // What was ruled out is an orphan effect by that line: a person gives it back at the PSP, and says so.
  const orphan = [
    '--merchant',
    await merchantOf(declined.id),
    '--entity-key',
    declined.entity_key,
    '--route',
    '1',
  ];
  await eventually(async () => {
    await task();
    return (await environment.sql('SELECT FROM orphan_effects')).length === 1;
  }, 'the late effect is an orphan effect');
  await environment.command('orphans', 'close', ...orphan, '--note', 'Refunded in the dashboard');
  // And the notification of the refund comes.
  environment.simulator.advance(NOTIFIED_AFTER_MS, 'stripe');
  const resolved = await eventually(async () => {
    await postDue(environment);
    await task();
    const closed = await breaks(false);
    return closed.length === 2 ? closed : null;
  }, 'both breaks are closed');
  expect(resolved.map(({ category, resolution }) => [category, resolution])).toEqual([
    ['late_success', 'the effect was given back'],
    ['status_mismatch', 'what the line names is effective here'],
  ]);
  expect((await breaks(true)).map(({ category }) => category)).toEqual(['currency_mismatch', 'fee_mismatch']);
});

/** A payment at Adyen that was canceled before its charge was known: made, and given back. Returns the two effects. */
async function calledBack(key: string): Promise<readonly Effect[]> {
  environment.simulator.faults('adyen', { fault: 'reset_after', on: 'any', rate: 1, seed: 1 });
  const asked = await client.post('/v1/payments', orderOf({ first: 'adyen', reference: key }), key);
  expect(asked.status).toBe(202);
  const { id } = paymentOf(asked);
  const cancel = () => client.post(`/v1/payments/${id}/cancel`, {}, `cancel-${key}`);
  expect((await cancel()).status).toBe(202);
  await environment.simulator.clearFaults('adyen');
  const canceled = await client.until(cancel, atRest);
  expect(paymentOf(canceled)).toMatchObject({ status: 'canceled', routes: [{ verdict: 'ruled_out' }] });
  const effects = environment.effects(id);
  expect(effects.map(({ operation }) => operation)).toEqual(['charge', 'refund']);
  return effects;
}

async function takeReport(request: ReportRequest): Promise<RunResultView> {
  const file = join(folder, 'adyen.csv');
  writeFileSync(file, environment.simulator.report('adyen', request));
  return (await environment.command('reconcile', '--psp', 'adyen', '--file', file)) as RunResultView;
}

it.each([1, 2])('takes a charge that was called back for what it is, by %d reports', async (reports) => {
  const effects = await calledBack(`called-back-${reports}`);
  const lines = effects.map(({ seq }) => seq);
  if (reports === 2) {
    const { breaks: found } = await takeReport({ only: lines.slice(0, 1) });
    expect(found.map(({ category, open }) => [category, open])).toEqual([['late_success', 1]]);
    // The owner of the operation knows that it called this charge back: there is no orphan effect to give back.
    await task();
    expect(await environment.sql('SELECT FROM orphan_effects WHERE psp = $1', ['adyen'])).toEqual([]);
  }
  const result = await takeReport({ only: reports === 2 ? lines.slice(1) : lines });
  expect(result.unmatched).toBe(0);
  expect((await breaks(true)).filter(({ category }) => category === 'late_success')).toEqual([]);
});

it.each([
  ['charge', 'late_success'],
  ['refund', 'missing_here'],
] as const)('finds the second %s of a charge that was called back once', async (twice, category) => {
  const effects = await calledBack(`called-back-${twice}`);
  const { seq, psp_reference: reference } = effects.find(({ operation }) => operation === twice)!;
  const only = effects.map((effect) => effect.seq);
  const result = await takeReport({ only, planted: [{ seq, difference: 'duplicated' }] });
  expect(result).toMatchObject({ unmatched: 1, breaks: [{ category, open: 1 }] });
  expect(await breaks(true)).toContainEqual(expect.objectContaining({ category, psp_reference: reference }));
});

/** The lines of these payments that were not reported before. */
const reported = new Set<string>();
function newRowsOf(payments: readonly PaymentView[]): Row[] {
  const ids = new Set(payments.map(({ psp_reference: id }) => id));
  const rows = reportRows().filter(
    ({ payment_intent_id: id, balance_transaction_id: line }) => ids.has(id!) && !reported.has(line!),
  );
  for (const { balance_transaction_id: line } of rows) reported.add(line!);
  return rows;
}

describe('payments that look like one', () => {
  const ask = async (key: string, more: object = {}) =>
    paymentOf(await client.post('/v1/payments', { ...orderOf({ reference: 'twin' }), ...more }, key));
  const ofPayments = async (payments: readonly PaymentView[], isOpen = true) =>
    (await breaks(isOpen)).filter(({ entity_key: key }) => payments.some(({ id }) => key?.includes(id)));
  const report = async (payments: readonly PaymentView[]) => {
    await postDue(environment);
    await take(newRowsOf(payments));
  };

  it('are a break, until one of them is given back', async () => {
    const [first, second] = [await ask('twin-1'), await ask('twin-2')];
    const other = await ask('twin-3', { amount: 500 });
    const order = await ask('twin-4', { order: { reference: 'twin' } });
    const all = [first, second, other, order];
    await report(all);
    expect(await ofPayments(all)).toEqual([
      expect.objectContaining({ category: 'possible_duplicate', entity_key: second.entity_key }),
    ]);
    await client.post(`/v1/payments/${first.id}/refunds`, {}, 'twin-back');
    await report(all);
    expect(await ofPayments(all)).toEqual([]);
    expect(await ofPayments(all, false)).toEqual([
      expect.objectContaining({ resolution: 'one of the two was given back' }),
    ]);
  });

  it('are none where references repeat', async () => {
    const first = await ask('repeat-1', { reference: 'repeat' });
    const merchant = await merchantOf(first.id);
    const set = (rule: string) =>
      environment.command('merchants', 'set-payment-references', '--merchant', merchant, '--rule', rule);
    await set('repeat');
    const second = await ask('repeat-2', { reference: 'repeat' });
    await report([first, second]);
    expect(await ofPayments([first, second])).toEqual([]);
    await set('unique');
  });
});

it('finds what a PSP did of a payment whose order another one has paid', async () => {
  const pay = (token: string, key: string) =>
    client.post(
      '/v1/payments',
      { ...orderOf({ reference: key, tokens: { stripe: token } }), order: { reference: 'twice' } },
      key,
    );
  const lost = paymentOf(await pay('pm_card_visa_chargeDeclinedStolenCard', 'twice-1'));
  const paid = paymentOf(await pay('pm_card_visa', 'twice-2'));
  await postDue(environment);
  const rows = newRowsOf([paid]);
  const late = {
    ...rows[0]!,
    balance_transaction_id: 'txn_twice',
    payment_intent_id: 'pi_twice',
    source_id: 'ch_twice',
    charge_id: 'ch_twice',
    'payment_metadata[payonce_entity_key]': lost.entity_key,
  };
  await take([...rows, late]);
  expect(await breaks(true)).toContainEqual(
    expect.objectContaining({
      category: 'duplicate_effect',
      entity_key: lost.entity_key,
      psp_reference: 'pi_twice',
    }),
  );
});

async function merchantOf(paymentId: string): Promise<string> {
  const [row] = await environment.sql<{ id: string }>(
    'SELECT merchant_id AS id FROM payments WHERE id = $1',
    [paymentId],
  );
  return row!.id;
}
