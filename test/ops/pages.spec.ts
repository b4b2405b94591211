import { createHash } from 'node:crypto';
import { type Browser, type Page } from 'playwright-core';
import { describeInBrowser, openBrowser, openPage, seriousFindings } from '../support/browser.js';
import { codeOf, newOperator, type OperatorCredentials } from '../support/console-client.js';
import { stuckPayment } from '../support/stuck-payment.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
} from '../support/test-environment.js';

/** The console as people use it: in Chromium, against the real service and the simulator. */
const EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
/** Where pictures of the pages go, where someone wants to look at them. */
const { CONSOLE_SCREENSHOTS: pictures } = process.env;

let environment: TestEnvironment;
let service: Service;
let browser: Browser;
let [ada, ben, vic]: OperatorCredentials[] = [];
const ids: string[] = [];

async function signIn(page: Page, operator: OperatorCredentials, periods = 0): Promise<void> {
  await page.goto(`${service.url}/ops/`);
  await page.getByLabel('Name').fill(operator.name);
  await page.locator('input[autocomplete=current-password]').fill(operator.password);
  await page.getByLabel('Digit 1').click();
  await page.keyboard.type(codeOf(operator, periods));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

describeInBrowser('the console', () => {
  beforeAll(async () => {
    environment = await TestEnvironment.open({
      timeoutMs: 700,
      lockTtlMs: 1_800,
      env: { PAYONCE_DEADLINE_MS: '1000' },
    });
    const shop = new ApiClient(() => service.url, await environment.merchant());
    service = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
    const order = orderOf({ first: 'stripe', reference: 'order-1' });
    ids.push(
      paymentOf(await shop.post('/v1/payments', { ...order, metadata: { note: EVIL } }, 'order-1')).id,
    );
    for (const [reference, arrived] of [
      ['order-2', true],
      ['order-3', false],
    ] as const) {
      ids.push(await stuckPayment(environment, shop, reference, arrived));
    }
    // As a PSP and a merchant might have it.
    await environment.sql('UPDATE payments SET reference = $1 WHERE id = $2', [EVIL, ids[0]]);
    await environment.sql(
      'UPDATE psp_requests SET stuck_reason = $1 WHERE stuck_at IS NOT NULL AND payment_id = $2',
      [EVIL, ids[2]],
    );
    await environment.sql(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       VALUES (gen_random_uuid(), 'webhook.apply', 'webhook.apply.1', '{}', 'exhausted', $1, 5, now(), now())`,
      [EVIL],
    );
    ada = await newOperator(environment, 'ada', 'operator');
    ben = await newOperator(environment, 'ben', 'approver');
    vic = await newOperator(environment, 'vic', 'viewer');
    browser = await openBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await environment?.close();
  });

  it('leads from signing in to a stuck payment that is retried to success, by its verdict', async () => {
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, ada!);
    await page.getByRole('link', { name: 'Stuck and open' }).click();
    await page.getByRole('link', { name: `payment-${ids[1]}-charge` }).click();
    await page.getByText('Retry now: safe').waitFor();
    await page.getByText('Same key: stripe remembers it for another').waitFor();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Nothing is left to do.').waitFor();
    expect(environment.effects(ids[1])).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('refuses an approval to the operator who asked for it, and lets another operator approve it', async () => {
    const first = await openPage(browser);
    await signIn(first.page, ada!, 1);
    await first.page.goto(`${service.url}/ops/payments/${ids[2]}`);
    await first.page.getByRole('button', { name: 'Mark resolved…' }).click();
    await first.page.getByText('This: safe').waitFor();
    await first.page.getByLabel('How you know').fill(`Not in the dashboard ${EVIL}`);
    await first.page.getByRole('button', { name: 'Ask for approval' }).click();
    await first.page.getByText('You asked for this: another operator has to approve it.').first().waitFor();
    expect(await first.page.getByRole('button', { name: 'Approve and do it' }).count()).toBe(0);
    const second = await openPage(browser);
    await signIn(second.page, ben!);
    await second.page.getByRole('link', { name: 'Approvals' }).first().click();
    await second.page.getByRole('button', { name: 'Approve and do it' }).click();
    await second.page.getByText('done: ruled_out').waitFor();
    expect([...first.complaints, ...second.complaints]).toEqual([]);
    expect(environment.effects(ids[2])).toEqual([]);
    await Promise.all([first.context.close(), second.context.close()]);
  });

  describe('for a viewer', () => {
    const pages = [
      '',
      'payments',
      'stuck',
      'stuck?list=open',
      'approvals',
      'orphans',
      'dead-letters',
      'audit',
    ];
    let page: Page;
    let complaints: string[];

    beforeAll(async () => {
      ({ page, complaints } = await openPage(browser));
      await signIn(page, vic!);
    });

    it.each([...pages, 'payment'])(
      'shows /ops/%s to everyone, and runs nothing that it shows',
      async (path) => {
        await page.goto(`${service.url}/ops/${path === 'payment' ? `payments/${ids[0]}` : path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const name = path === '' ? 'overview' : path.replace('?list=', '-');
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          for (const width of [1_440, 375]) {
            await page.setViewportSize({ width, height: width === 375 ? 800 : 900 });
            if (pictures) {
              await page.waitForTimeout(300);
              await page.screenshot({
                path: `${pictures}/${name}-${width}-${colorScheme}.png`,
                fullPage: true,
              });
            }
            // The menu slides away, and the chart is drawn anew.
            const isWithin = async () =>
              (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width;
            await eventually(isWithin, `${name} to be ${width} wide`, 5_000);
          }
          expect(await seriousFindings(page)).toEqual([]);
        }
        await page.setViewportSize({ width: 1_440, height: 900 });
        for (const act of [
          'Retry now',
          'Mark resolved…',
          'Approve and do it',
          'Requeue',
          'Purge…',
          'Close…',
        ]) {
          expect([act, await page.getByRole('button', { name: act }).count()]).toEqual([act, 0]);
        }
        expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
        expect(complaints).toEqual([]);
      },
    );
  });

  it('signs a newcomer in by a link, once, and shows it to no server', async () => {
    await environment.sql(
      `INSERT INTO sign_in_links (token_hash, operator_id, expires_at)
       SELECT $1, id, now() + interval '1 hour' FROM operators WHERE name = 'vic'`,
      [createHash('sha256').update('once').digest()],
    );
    const { page, context } = await openPage(browser);
    await page.goto(`${service.url}/ops/sign-in#once`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain('once');
    const again = await openPage(browser);
    await again.page.goto(`${service.url}/ops/sign-in#once`);
    await again.page.getByText('This link was used already, or is too old.').waitFor();
    if (pictures) await again.page.screenshot({ path: `${pictures}/sign-in-1440-light.png` });
    await Promise.all([context.close(), again.context.close()]);
  });
});
