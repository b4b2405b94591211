import { type Browser, type Page } from 'playwright-core';
import {
  describeInBrowser,
  dropReport,
  fillIn,
  openBrowser,
  openPage,
  seriousFindings,
} from '../support/browser.js';
import { freshCodeOf, newOperator } from '../support/console-client.js';
import { postDue } from '../support/ledger.js';
import { bankStatement, pspsWithBank } from '../support/month-end.js';
import { ApiClient, orderOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** The folder for pictures of each step; unset: none are taken. */
const { CONSOLE_SCREENSHOTS: pictures } = process.env;

/**
 * Finance closes a month in the browser alone. Three things are wrong with it: Stripe reports 7 cents too much, the report
 * of Adyen never came by itself, and the bank's statement is not there yet.
 */
describeInBrowser('the end of a month', () => {
  let environment: TestEnvironment;
  let service: Service;
  let browser: Browser;
  const day = new Date().toISOString().slice(0, 10);

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    service = await environment.start({ env: { PAYONCE_PSPS_FILE: pspsWithBank(environment) } });
    const shop = new ApiClient(() => service.url, await environment.merchant());
    for (const [n, first] of (['stripe', 'stripe', 'adyen'] as const).entries()) {
      await shop.post('/v1/payments', orderOf({ first, reference: `order-${n}` }), `order-${n}`);
    }
    await postDue(environment);
    await environment.sql(
      `INSERT INTO report_fetches (psp, id, period_from, period_to, due_at, state, tries, fault)
       VALUES ('adyen', 'schedule:x', now() - interval '2 days', now() + interval '1 minute', now() - interval '1 s', 'refused', 3, 'HTTP 403')`,
    );
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await environment?.close();
  });

  it('is closed without a terminal, though a difference, a late report and a missing booking stand in its way', async () => {
    const fin = await newOperator(environment, 'fin', 'finance');
    const { context, page, complaints } = await openPage(browser);
    await page.goto(`${service.url}/ops/`);
    await fillIn(page, fin);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [stripe] = environment.effects().filter(({ psp }) => psp === 'stripe');
    const planted = [{ seq: stripe!.seq, difference: 'amount' as const }];

    // The reports that are there, and the one that did not come by itself.
    await imports(page, 'stripe', environment.simulator.report('stripe', { planted }));
    await page.goto(`${service.url}/ops/month-end?month=${day.slice(0, 7)}`);
    const toLookAt = (name: string) => page.getByRole('row').filter({ hasText: name });
    await toLookAt('Reports that were due').getByText('open', { exact: true }).waitFor();
    await toLookAt('Open breaks').getByText('open', { exact: true }).waitFor();
    await toLookAt('Transfers of PSPs').getByText('open', { exact: true }).waitFor();
    await toLookAt('Balances with a rest').getByText('open', { exact: true }).waitFor();
    await page.getByText('+0.07').or(page.getByText('-0.07')).first().waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/month-end-open.png`, fullPage: true });
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('link', { name: 'Reports that were due' }).click();
    await page.getByText('HTTP 403').waitFor();
    await imports(page, 'adyen', environment.simulator.report('adyen'));
    await page.goto(`${service.url}/ops/reconciliation?list=due`);
    await page.getByRole('button', { name: 'Imported by hand' }).click();
    await page.getByRole('link', { name: 'imported', exact: true }).waitFor();

    // The difference: closed with the reason, and corrected by two people.
    await page.goto(`${service.url}/ops/month-end?month=${day.slice(0, 7)}`);
    await page.getByRole('link', { name: 'Open breaks' }).click();
    await page.getByRole('link', { name: 'Amount mismatch' }).click();
    await page
      .getByLabel('What you found')
      .fill('Stripe confirms 7 cents too much, takes them back in December');
    await page.getByRole('button', { name: 'Close with this note' }).click();
    await page.getByRole('button', { name: 'Open it again with this note' }).waitFor();
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByRole('button', { name: 'Correct…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('stripe-7-cents');
    await dialog.getByLabel('PSP account').selectOption('stripe');
    await dialog.getByLabel('Currency').fill('USD');
    await dialog.getByLabel('Debit').selectOption('psp_clearing');
    await dialog.getByLabel('Credit').selectOption('orphans');
    await dialog.getByLabel('Amount in USD').fill('0.07');
    await dialog.getByLabel('Why').fill('Paid out too much, taken back in December');
    await dialog.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, fin));
    if (pictures) await page.screenshot({ path: `${pictures}/correct-ledger.png` });
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await dialog.getByText('once another person has approved it').waitFor();
    await approve();

    // The statement of the bank.
    const payouts = await environment.sql<{ amount: number; currency: string }>(
      `SELECT (-net)::int AS amount, settled AS currency FROM report_lines WHERE kind = 'settlement'`,
    );
    const credits = payouts.map(({ amount, currency }) => ({ amount: (amount / 100).toFixed(2), currency }));
    await imports(page, 'bank', bankStatement(day, credits));
    await page.goto(`${service.url}/ops/month-end?month=${day.slice(0, 7)}`);
    for (const line of [
      'Reports that were due',
      'Open breaks',
      'Transfers of PSPs',
      'Balances with a rest',
    ]) {
      await toLookAt(line).getByText('good', { exact: true }).waitFor();
    }
    if (pictures) await page.screenshot({ path: `${pictures}/month-end-closed.png`, fullPage: true });
    expect(complaints).toEqual([]);
    await context.close();
  });

  /** Another person reads and approves what is asked for. */
  async function approve(): Promise<void> {
    const ben = await newOperator(environment, 'ben', 'approver');
    const { context, page, complaints } = await openPage(browser);
    await page.goto(`${service.url}/ops/approvals`);
    await fillIn(page, ben);
    await page.getByText('Correct the ledger').waitFor();
    await page.getByText('0.07 USD').waitFor();
    await page.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, ben));
    if (pictures) await page.screenshot({ path: `${pictures}/approve-correction.png` });
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('button', { name: 'Yes, do it: correct the ledger' }).click();
    await page.getByText('done: posted as correction-stripe-7-cents').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }

  async function imports(page: Page, psp: string, content: string): Promise<void> {
    await page.goto(`${service.url}/ops/reconciliation`);
    await page.getByRole('button', { name: 'Import a report…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Of the PSP account').selectOption(psp);
    await dropReport(page, `${psp}.csv`, content);
    await dialog.getByRole('button', { name: /^Import \d+ lines$/ }).click();
    await page.getByRole('heading', { name: `${psp}.csv` }).waitFor();
  }
});
