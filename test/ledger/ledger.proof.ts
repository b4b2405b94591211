import { type BalancesView } from '../../src/ledger/ledger.view.js';
import { postDue } from '../support/ledger.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  ApiClient,
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type ServiceProcess,
  TestEnvironment,
  type PspName,
  pspNames,
} from '../support/test-environment.js';

/** The ledger of the real service, killed where it posts, held against what the PSPs did. */
let environment: TestEnvironment;
let service: ServiceProcess;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  const apiKey = await environment.merchant(['payments:read', 'payments:write', 'payouts:write']);
  service = await environment.startProcess({ watched: true });
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(() => environment.close());

let number = 0;
const next = (name: string) => `${name}-${(number += 1)}`;

async function pay(first: PspName, amount: number, capture: 'automatic' | 'manual' = 'automatic') {
  const key = next('pay');
  const order = orderOf({ first, capture, amount, reference: key });
  return paymentOf(await client.until(() => client.post('/v1/payments', order, key), atRest));
}

/** The service dies at its next visit of this place, and another one takes over. */
async function diesAt(place: string): Promise<void> {
  await service.arm({ place });
  await service.exit;
  service = await environment.startProcess({ watched: true });
}

/** What each PSP holds, from its own ledger, and how much disputes withhold there. */
function heldAt(psp: PspName, withheld: number): Record<string, number> {
  const sign = { charge: 1, capture: 1, refund: -1, payout: -1, authorize: 0, void: 0 } as const;
  const held: Record<string, number> = {};
  const standing = environment.simulator
    .ledger(psp)
    .effects.filter(({ undone_at }) => undone_at === undefined);
  for (const { operation, amount, currency } of standing) {
    held[currency] = (held[currency] ?? 0) + sign[operation] * amount;
  }
  for (const currency of Object.keys(held)) held[currency]! -= withheld;
  return held;
}

it('holds what every PSP did, to the cent, wherever the service died', async () => {
  const charged = await pay('stripe', 5_000);
  await diesAt('ledger:before:commit');
  const authorized = await pay('adyen', 7_000, 'manual');
  const key = next('capture');
  const capture = () => client.post(`/v1/payments/${authorized.id}/capture`, { amount: 6_500 }, key);
  await client.until(capture, atRest);
  await diesAt('ledger:after:commit');

  environment.notify(service.url, {}, ['stripe', 'adyen']);
  const disputed = await pay('stripe', 3_000);
  const lost = await pay('stripe', 800);
  const kept = refundOf(
    await refunded(client, charged.id, { amount: 1_500, reference: 'a' }, next('refund')),
  );
  const back = refundOf(await refunded(client, charged.id, { amount: 700, reference: 'b' }, next('refund')));
  const body = {
    reference: 'salary',
    recipient: { reference: 'ada', tokens: { stripe: 'ba_1Qledger', adyen: 'SE322JV223222F5GNXSR89LST' } },
    amount: 900,
    currency: 'USD',
    previous: null,
  };
  const payoutKey = next('payout');
  await client.until(
    () => client.post('/v1/payouts', body, payoutKey),
    ({ status }) => status < 300,
  );
  expect(environment.simulator.fail('stripe', back.psp_reference!)).toBe(true);
  for (const { psp_reference: id } of [disputed, lost]) environment.simulator.dispute('stripe', id!, 'open');
  await eventually(
    async () => (await client.payment(disputed.id)).amount_disputed === 3_000,
    'it is disputed',
  );
  await diesAt('ledger:before:commit');
  environment.notify(service.url, {}, ['stripe']);
  const withheld = "SELECT FROM ledger_transactions WHERE kind = 'dispute'";
  await eventually(async () => (await environment.sql(withheld)).length === 2, 'both are withheld');
  environment.simulator.dispute('stripe', disputed.psp_reference!, 'win');
  environment.simulator.dispute('stripe', lost.psp_reference!, 'lose');
  await eventually(async () => (await client.payment(disputed.id)).amount_disputed === 0, 'it is won');
  await eventually(
    async () => JSON.parse((await client.get(`/v1/refunds/${back.id}`)).text).status === 'failed',
    'the refund came back',
  );

  const isHeld = async () => {
    const rows = await environment.sql<{ psp: string; currency: string; held: number }>(
      `SELECT psp, currency, sum(amount)::int AS held FROM ledger_lines WHERE account = 'psp_clearing' GROUP BY 1, 2`,
    );
    const held = (psp: PspName) =>
      Object.fromEntries(rows.filter((row) => row.psp === psp).map((row) => [row.currency, row.held]));
    return pspNames.every(
      (psp) => JSON.stringify(held(psp)) === JSON.stringify(heldAt(psp, psp === 'stripe' ? 800 : 0)),
    );
  };
  // The payout is paid after two days of the PSP's clock.
  await eventually(isHeld, 'the ledger holds what the PSPs hold').catch(() => {});
  environment.simulator.advance(3 * 24 * 3_600_000, 'stripe');
  await eventually(isHeld, 'the ledger holds what the PSPs hold');
  const kinds = await environment.sql<{ kind: string; count: number }>(
    'SELECT kind, count(*)::int AS count FROM ledger_transactions GROUP BY kind ORDER BY kind',
  );
  expect(Object.fromEntries(kinds.map(({ kind, count }) => [kind, count]))).toEqual({
    capture: 1,
    charge: 3,
    dispute: 3,
    payout: 1,
    refund: 2,
    refund_reversed: 1,
  });

  // One command answers what was taken, what it cost and what is still to be paid out.
  await postDue(environment);
  const balances = (await environment.command('ledger', 'balances')) as BalancesView;
  expect(balances.psps).toMatchObject([
    { psp: 'adyen', currency: 'EUR', taken: 6_500, fees: 0, held: 6_500 },
    { psp: 'stripe', currency: 'USD', taken: 8_800, refunded: kept.amount, disputed: 800, paid_out: 900 },
  ]);
  for (const { currency } of balances.psps) {
    const of = balances.trial.filter((line) => line.currency === currency);
    expect(of.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
  }

  // What is wrong is corrected by a transaction of its own, once, and somebody answers for it.
  const FEE_7 =
    '--name fee-7 --psp stripe --debit fees --credit psp_clearing --currency USD --note Invoice'.split(' ');
  const correct = (amount: string, ...more: string[]) =>
    environment.command('ledger', 'correct', ...FEE_7, '--amount', amount, ...more);
  expect(await correct('450', '--by', 'ada')).toEqual({ source: 'correction-fee-7', is_new: true });
  expect(await correct('450')).toEqual({ source: 'correction-fee-7', is_new: false });
  expect(await correct('451')).toMatchObject({ error: { code: 'invalid_state' } });
  expect(await correct('-1', '--name', 'b')).toMatchObject({ error: { code: 'validation_failed' } });
  expect(await correct('1', '--name', 'b', '--psp', 'strpe')).toMatchObject({
    error: { code: 'validation_failed' },
  });
  const after = (await environment.command('ledger', 'balances')) as BalancesView;
  expect(after.psps.find(({ psp }) => psp === 'stripe')).toMatchObject({
    fees: 450,
    held: balances.psps.find(({ psp }) => psp === 'stripe')!.held - 450,
  });
  expect(await environment.acts({ action: 'ledger.corrected' })).toMatchObject([
    { actor: 'cli:ada', subject: 'ledger:correction-fee-7' },
  ]);
});
