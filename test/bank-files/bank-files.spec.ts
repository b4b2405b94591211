import { randomUUID } from 'node:crypto';
import { type ConnectionView } from '../../src/console/installation-views.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { BankEnvironment, describeWithSshd } from '../support/bank-environment.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { eventually } from '../support/test-environment.js';

/** Money out and in through a bank that takes files, by the real service and OpenSSH's own server. */
describeWithSshd('a bank that speaks in files', () => {
  let env: BankEnvironment;

  beforeAll(async () => {
    env = await BankEnvironment.open();
  });
  afterAll(async () => (env as BankEnvironment | undefined)?.close());
  afterEach(() => expect(env.twice()).toEqual([]));

  it('pays out what was collected once the bank has booked it', async () => {
    const payouts = [await env.payOut('anna', 1), await env.payOut('ben', 99_999)];
    expect(env.bank.take()).toEqual([]);
    expect(await env.send()).toEqual({ formed: 1, sent: 1 });
    const lines = env.bank.take();
    expect(lines.map(({ amount, name, iban, remittance }) => [amount, name, iban, remittance])).toEqual([
      ['0.01', 'Anna Ubel', 'NL91ABNA0417164300', 'payout-1'],
      ['999.99', 'Ben Sorensen', 'DK5000400440116243', 'payout-2'],
    ]);
    env.bank.report();
    expect(await env.fetch()).toBe(1);
    env.bank.statement();
    expect(await env.fetch()).toBe(1);
    for (const { id, entity_key } of payouts) {
      const paid = await env.payoutIs(id, 'paid');
      expect(paid).toMatchObject({ psp: 'bank', psp_reference: await env.endToEndId(entity_key) });
    }
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
    expect(await env.fetch()).toBe(0);
    expect(await env.environment.command('bank', 'send', 'bank')).toEqual({ formed: 0, sent: 0 });
    expect(await env.environment.command('bank', 'fetch', 'bank')).toEqual({ read: 0 });
    expect(await env.environment.command('bank', 'send', 'other')).toMatchObject({
      error: { code: 'not_found' },
    });
    expect(await env.environment.command('bank', 'batches')).toMatchObject([
      { psp: 'bank', number: 1, state: 'sent', transactions: 2, total: 100_000, answered: 2 },
    ]);
  });

  it('is tested by a look at its server, from the console', async () => {
    const operator = await ConsoleClient.signedIn(
      () => env.service.url,
      await newOperator(env.environment, 'ada', 'operator'),
    );
    const { body } = await operator.post<ConnectionView>('psps/check', { psp: 'bank' });
    expect(body).toEqual({
      works: true,
      says: expect.stringMatching(
        /^The bank's server takes the key; files there: \d+ for the bank, \d+ of the bank\.$/,
      ),
    });
    expect(env.bank.take()).toEqual([]);
  });

  it('makes no file while commits may be lost', async () => {
    const { id } = await env.payOut('anna', 700);
    await env.environment.command('failover', 'hold');
    expect(await env.environment.command('bank', 'send', 'bank')).toMatchObject({
      error: { code: 'commits_may_be_lost' },
    });
    expect(env.bank.waiting).toEqual([]);
    await env.environment.command('failover', 'resume', '--nothing-lost');
    expect(await env.environment.command('bank', 'send', 'bank', '--by', 'ada')).toEqual({
      formed: 1,
      sent: 1,
    });
    const acts = await env.environment.acts({ action: 'bank.sent', actor: 'cli:ada' });
    expect(acts.map(({ detail }) => detail)).toContainEqual({ formed: 1, sent: 1 });
    env.bank.take();
    env.bank.report();
    env.bank.statement();
    await env.fetch();
    await env.payoutIs(id, 'paid');
  });

  it('takes a debit with its mandate alone, and no card', async () => {
    const tokens = { bank: JSON.stringify({ name: 'Anna', iban: 'NL91ABNA0417164300' }) };
    const asked = async (payment_method: object) => {
      const body = { reference: 'order', amount: 2_500, currency: 'EUR', payment_method };
      const { status, text } = await env.shop.post('/v1/payments', body, randomUUID());
      const { code, errors } = JSON.parse(text) as { code: string; errors?: object[] };
      return { status, code, errors };
    };
    expect(await asked({ type: 'card', tokens })).toMatchObject({ status: 422, code: 'no_route' });
    expect(await asked({ type: 'bank_debit', bank_debit: { name: 'sepa' }, tokens })).toEqual({
      status: 422,
      code: 'validation_failed',
      errors: [
        {
          pointer: '/payment_method/bank_debit/mandate',
          message: 'is required: bank keeps no mandates',
        },
      ],
    });
    expect(await env.send()).toEqual({ formed: 0, sent: 0 });
  });

  it('collects by direct debit, and gives back where it was taken from', async () => {
    const id = await env.debit('cleo', 2_500);
    await env.send();
    expect(env.bank.take()).toMatchObject([
      { kind: 'direct_debit', iban: 'FI2112345600000785', amount: '25.00' },
    ]);
    env.bank.report();
    env.bank.statement();
    expect(await env.fetch()).toBe(2);
    const is = (status: PaymentView['status']) =>
      eventually(async () => (await env.shop.payment(id)).status === status, status);
    await is('captured');
    const path = `/v1/payments/${id}/refunds`;
    const { status } = await env.shop.post(path, { reference: 'r-1', amount: 1_000 }, 'refund-1', {
      waitS: 0,
    });
    expect(status).toBe(202);
    await env.send();
    expect(env.bank.take()).toMatchObject([
      { kind: 'credit_transfer', iban: 'FI2112345600000785', amount: '10.00' },
    ]);
    env.bank.statement({ message: 'camt.054.001.08' });
    await env.fetch();
    await is('partially_refunded');
  });
});
