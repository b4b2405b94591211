import { createHash } from 'node:crypto';
import { poolAt } from '../support/database.js';
import { readFileSync } from 'node:fs';

import { type Browser, type Page } from 'playwright-core';
import { SystemClock } from '../../src/core/clock.js';
import { ActivityCounter } from '../../src/console/activity-counter.js';
import {
  describeInBrowser,
  dropReport,
  fillIn,
  openBrowser,
  openPage,
  seriousFindings,
} from '../support/browser.js';
import { codeOf, freshCodeOf, newOperator, type OperatorCredentials } from '../support/console-client.js';
import { postDue } from '../support/ledger.js';
import { reconcile } from '../support/reconcile.js';
import { stuckPayment } from '../support/stuck-payment.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
  LAST_RULE,
} from '../support/test-environment.js';
import { inTurn } from '../support/turns.js';

/** Where pictures of the pages go, where someone wants to look at them; and sheets of them for the guides, with plain names. */
const { CONSOLE_SCREENSHOTS: pictures, CONSOLE_SHEETS: sheets } = process.env;

/** The console as people use it: in Chromium, against the real service and the simulator. */
const EVIL = sheets
  ? 'Winter coats, spring sale'
  : '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
/** Written from right to left, and a word of 10 kB: both would push the rest of a page aside. */
const UNRULY = sheets ? 'Bakery at the corner' : `\u202Emoor on sevael ${'x'.repeat(10_000)}`;

/** Buttons of those who may act. */
const acts = [
  'Retry',
  'Look up',
  'Mark resolved…',
  'Snooze…',
  'Refund…',
  'Cancel at the PSP…',
  'Add a note…',
  'Approve…',
  'Requeue',
  'Purge…',
  'Close…',
  'Import a report…',
  'Open breaker…',
  'Replay',
  'New merchant…',
  'New key…',
  'Rotate…',
  'Revoke…',
  'Limit payouts…',
  'Change: Pays out to',
  'Add an account…',
  'Test…',
  'New endpoint…',
  'Change the routing…',
  'Rename…',
  'Invite…',
  'Reset…',
  'Disable…',
];

/** As the browser measures it (Event Timing): from the press until the next frame is painted, in ms. */
const observeInteractions = `
  globalThis.interactions = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId) interactions.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 });`;

/** From the next click until another page has this text: a promise of ms, Infinity after 10 s. Looks once a frame. */
const waitForText = (text: RegExp) => `{
  const before = location.href;
  globalThis.shownAfter = new Promise((resolve) => {
    const look = (from) => {
      const after = performance.now() - from;
      if (after > 10_000) resolve(Infinity);
      else if (location.href === before || !${String(text)}.test(document.querySelector('main').textContent))
        requestAnimationFrame(() => look(from));
      else resolve(after);
    };
    addEventListener('click', ({ timeStamp }) => look(timeStamp), { once: true, capture: true });
  });
  0;
}`;

const figures = (all: readonly number[]) =>
  `${all.toSorted((a, b) => a - b)[all.length >> 1]} (at most ${Math.max(...all)})`;

let environment: TestEnvironment;
let service: Service;
let browser: Browser;
let shop: ApiClient;
let [ada, ben, cyd, eve, fay, gus, vic]: OperatorCredentials[] = [];
const ids: string[] = [];
let orderId: string;
const STOLEN = 'pm_card_visa_chargeDeclinedStolenCard';

async function signIn(page: Page, operator: OperatorCredentials, periods = 0): Promise<void> {
  await page.goto(`${service.url}/ops/`);
  await fillIn(page, operator, periods);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Pictures of a page at every width, where someone wants to look at them. */
async function everyWidth(page: Page, name: string): Promise<void> {
  for (const width of pictures ? [375, 768, 1_024, 1_440] : []) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${pictures}/${name}-${width}.png`, fullPage: true });
  }
}

/** One picture of a page as it is at each width, side by side at half their size. */
async function sheetOf(page: Page, path: string): Promise<void> {
  const images: string[] = [];
  for (const width of [1_440, 1_024, 768, 375]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(400);
    const shot = await page.screenshot();
    images.push(
      `<img width="${width / 2}" src="data:image/png;base64,${shot.toString('base64')}" style="border:1px solid #adb5bd">`,
    );
  }
  const sheet = await page.context().newPage();
  await sheet.setViewportSize({ width: 1_880, height: 480 });
  await sheet.setContent(
    `<body style="margin:8px;display:flex;gap:12px;align-items:start;background:#e9ecef">${images.join('')}`,
  );
  await sheet.screenshot({ path, type: 'jpeg', quality: 60 });
  await sheet.close();
}

describeInBrowser('the console', () => {
  beforeAll(async () => {
    environment = await TestEnvironment.open({
      timeoutMs: 700,
      lockTtlMs: 1_800,
      env: { PAYONCE_DEADLINE_MS: '1000', PAYONCE_WEBHOOK_TARGETS: 'any' },
    });
    shop = new ApiClient(
      () => service.url,
      await environment.merchant(['payments:read', 'payments:write', 'payouts:write']),
    );
    service = await environment.start();
    // The guides show a payment that Adyen was not reached for.
    if (sheets) environment.simulator.faults('adyen', { fault: 'refuse', for_ms: 2_000 });
    const order = orderOf({ first: sheets ? 'adyen' : 'stripe', reference: 'order-1' });
    ids.push(
      paymentOf(await shop.post('/v1/payments', { ...order, metadata: { note: EVIL } }, 'order-1')).id,
    );
    for (const [reference, arrived] of [
      ['order-2', true],
      ['order-3', false],
      ['order-4', true],
    ] as const) {
      ids.push(await stuckPayment(environment, shop, reference, arrived));
    }
    const part = (n: number, token: string, amount: number, order: object = {}) => ({
      ...orderOf({ tokens: { stripe: token }, reference: `part-${n}`, amount }),
      order: { reference: EVIL, parts: true, amount: 2_000, ...order },
    });
    for (const [n, token] of [...Array<string>(12).fill(STOLEN), 'pm_card_visa'].entries()) {
      await shop.post('/v1/payments', part(n, token, 1_200), `part-${n}`);
    }
    environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
    await shop.post('/v1/payments', part(13, 'pm_card_visa', 700), 'part-13');
    await environment.simulator.clearFaults('stripe');
    [{ id: orderId }] = (await environment.sql<{ id: string }>('SELECT id FROM orders')) as [{ id: string }];
    // As a PSP and a merchant might have it.
    await environment.sql('UPDATE payments SET reference = $1, metadata = $2 WHERE id = $3', [
      EVIL,
      { note: UNRULY },
      ids[0],
    ]);
    await environment.sql(
      'INSERT INTO merchants (id, name, created_at) VALUES (gen_random_uuid(), $1, now())',
      [UNRULY.slice(0, 200)],
    );
    await environment.sql(
      'UPDATE psp_requests SET stuck_reason = $1 WHERE stuck_at IS NOT NULL AND payment_id = $2',
      [sheets ? 'doubt' : EVIL, ids[2]],
    );
    await environment.sql(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       VALUES (gen_random_uuid(), 'webhook.apply', 'webhook.apply.1', '{}', 'exhausted', $1, 5, now(), now())`,
      [EVIL + UNRULY],
    );
    const { seq } = environment.effects(ids[0])[0]!;
    await reconcile(environment, 'stripe', [{ seq, difference: 'amount' }]);
    await environment.sql('UPDATE report_lines SET type = $1', [EVIL]);
    const recipient = { reference: 'driver-7', tokens: { adyen: 'SE322KH223222F5GXZFNM3BGP' } };
    await shop.post('/v1/payouts', { amount: 2_500, currency: 'EUR', reference: 'salary-1', recipient }, 'p');
    // As a delivery that failed, and a notification, stand there.
    await environment.sql(
      `WITH e AS (INSERT INTO webhook_endpoints (merchant_id, id, url, slot, secret, created_at, updated_at)
         SELECT merchant_id, id, 'https://shop.example/' || $1, 1, '', now(), now() FROM payments WHERE id = $2 RETURNING *),
       v AS (SELECT * FROM events WHERE subject = 'payment:' || $2 LIMIT 1),
       d AS (INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, tries, attempts, created_at, updated_at)
         SELECT e.merchant_id, v.id, e.id, 'exhausted', 1, 1, now(), now() FROM e, v)
       INSERT INTO webhook_inbox (psp, event_id, type, facts, received_at, trace_id, state, reason, decided_at)
       VALUES ('stripe', 'evt_1', $1, '[]', now(), 't', 'break', 'contradiction', now())`,
      [EVIL.slice(0, 90), ids[0]],
    );
    await environment.sql(
      `INSERT INTO schedules (name, every_ms, started_at, ended_at, failures)
       SELECT name, every_ms, now() - interval '2 seconds', now() - interval '1 second', failures
         FROM (VALUES ('reaper', 60000, 0), ('reports-stripe-of-a-long-name', 15000, 3)) task (name, every_ms, failures)`,
    );
    await environment.sql(
      `INSERT INTO bank_batches (psp, number, id, kind, format, message_id, file_name, due_on, transactions, total, bytes, sha256, sealed, formed_at, fault)
       VALUES ('bank-of-a-long-name', 1, gen_random_uuid(), 'credit_transfer', 'pain.001.001.09', 'M1', $1, now(), 20, 123456789, 1, repeat('a', 64), '', now(), $1)`,
      [EVIL],
    );
    await environment.sql(
      `INSERT INTO bank_files (psp, sha256, name, bytes, modified_at, state, fault, ours, "unknown", received_at)
       VALUES ('bank-of-a-long-name', repeat('b', 64), $1, 1, now(), 'refused', $1, 12, 3, now())`,
      [EVIL],
    );
    // A refund that failed, a dispute and an orphan effect, as PSPs might have made them.
    const paid = paymentOf(
      await shop.post('/v1/payments', orderOf({ first: 'adyen', reference: 'disputed' }), 'disputed'),
    );
    await environment.sql(
      `INSERT INTO refunds (merchant_id, entity_key, id, payment_id, reference, status, amount, currency, reason, metadata, psp, failure, created_at, updated_at)
       SELECT merchant_id, 'payment-' || id || '-refund', gen_random_uuid(), id, $2, 'failed', 500, currency, $2, '{}', psp, $3, now(), now()
         FROM payments WHERE id = $1`,
      [paid.id, EVIL.slice(0, 200), { code: 'insufficient_funds', category: 'declined', message: 'no' }],
    );
    await environment.sql(
      `UPDATE payments SET disputes = jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'pspReference', 'D-1',
         'status', 'open', 'reason', $2::text, 'amount', 1999, 'amountWithheld', 1999, 'stage', 1, 'openedAt', now(),
         'respondBy', now() + interval '2 days')) WHERE id = $1`,
      [paid.id, EVIL],
    );
    await environment.sql(
      `INSERT INTO orphan_effects (merchant_id, entity_key, route, attempt, psp, amount, currency, found_at, psp_reference, status)
       SELECT merchant_id, entity_key, route, attempt, 'adyen', 1999, 'EUR', now(), 'ORPHAN1', 'failed' FROM psp_attempts
        WHERE entity_key = $1 LIMIT 1`,
      [`payment-${paid.id}-charge`],
    );
    const pool = poolAt(environment.database.url);
    await new ActivityCounter(pool, new SystemClock(60_000)).runOnce();
    await pool.end();
    ada = await newOperator(environment, 'ada', 'operator');
    ben = await newOperator(environment, 'ben', 'approver');
    cyd = await newOperator(environment, 'cyd', 'operator');
    eve = await newOperator(environment, 'eve', 'operator');
    fay = await newOperator(environment, 'fay', 'operator');
    gus = await newOperator(environment, 'gus', 'admin');
    vic = await newOperator(environment, 'viewer-of-the-night-shift', 'viewer');
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await environment?.close();
  });

  it('leads from signing in to a stuck payment that is retried to success, by its verdict', async () => {
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, ada!);
    await page.getByRole('link', { name: 'Stuck and open' }).click();
    await page.getByRole('link', { name: 'order-2' }).click();
    await page.getByText('Retry now: safe').waitFor();
    await page.getByRole('button', { name: 'Other ways' }).click();
    await page.getByText('Look up now: safe').waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/stuck-payment.png`, fullPage: true });
    await page.getByText('Same key: stripe remembers it for another').waitFor();
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('Nothing is left to do.').waitFor();
    expect(environment.effects(ids[1])).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('looks several up from the keyboard, each by its own verdict', async () => {
    const account = (fingerprint: string | null) =>
      environment.sql<{ before: string }>(
        `UPDATE psp_requests r SET account_fingerprint = coalesce($2, r.account_fingerprint)
           FROM psp_requests b WHERE b.payment_id = $1 AND r.entity_key = b.entity_key AND r.route = b.route
         RETURNING b.account_fingerprint AS before`,
        [ids[2], fingerprint],
      );
    // Another account under the name of the PSP: no question about it can be answered there.
    const [{ before }] = (await account('another')) as [{ before: string }];
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, fay!);
    await page.goto(`${service.url}/ops/stuck`);
    await page.getByRole('link', { name: 'order-4' }).waitFor();
    // Three are stuck: all are chosen from the keyboard, without those that are decided.
    await page.keyboard.press('?');
    await page.getByText('the next row').waitFor();
    await page.keyboard.press('?');
    await page.getByText('the next row').waitFor({ state: 'detached' });
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    if (pictures) await page.screenshot({ path: `${pictures}/stuck-chosen.png`, fullPage: true });
    await page.getByRole('button', { name: 'Look up 2…' }).click();
    await page.getByText('1 of 2 are safe.').waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/stuck-bulk.png`, fullPage: true });
    await page.getByRole('button', { name: 'Look up now: 1' }).click();
    await page.getByText('1 of 1 done.').waitFor();
    await page.getByText('lookup: succeeded. Not stuck any more.').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('link', { name: 'order-4' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'order-3' }).waitFor();
    await account(before);
    expect(environment.effects(ids[3])).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('sends a dead letter that was chosen back to its queue', async () => {
    const id = '01a206da-053b-7a53-a53b-a98e6ceb2004';
    await environment.sql(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       VALUES ($1, 'webhook.apply', 'webhook.apply.2', '{}', 'exhausted', 'timed out', 5, now(), now())`,
      [id],
    );
    await environment.sql(
      `INSERT INTO dead_letters (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       SELECT gen_random_uuid(), 'webhook.apply', 'webhook.apply.of-' || n, '{"account": "stripe"}', 'unreadable', '', 1, now(), now()
         FROM generate_series(1, 60) n`,
    );
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, ada!, 1);
    await page.getByRole('link', { name: 'Dead letters' }).first().click();
    // More than a page shows: by their cause.
    await page
      .getByRole('row', { name: /webhook.apply unreadable 60/ })
      .getByRole('button', { name: 'Requeue all' })
      .click();
    await page.getByText('60 sent back to their queue.').waitFor();
    await page.getByLabel(`Choose ${id}`).check();
    await page.getByRole('button', { name: 'Requeue 1' }).click();
    await page.getByText('1 sent back to their queue.').waitFor();
    expect(await environment.sql('SELECT job_id FROM dead_letters')).toEqual([{ job_id: 'webhook.apply.1' }]);
    expect(await environment.sql("SELECT kind FROM staged_jobs WHERE job_id = 'webhook.apply.2'")).toEqual([
      { kind: 'webhook.apply' },
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('snoozes with an owner, and asks for a refund by its verdict', async () => {
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, cyd!);
    await page.goto(`${service.url}/ops/payments/${ids[2]}`);
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await page.getByLabel('What is being done').fill('Asked support');
    await page.getByRole('button', { name: 'Snooze', exact: true }).click();
    await page.getByText('cyd looks after it').waitFor();
    await page.goto(`${service.url}/ops/stuck?list=snoozed`);
    await page.getByRole('link', { name: 'order-3' }).click();
    await page.getByRole('button', { name: 'List it again' }).click();
    await page.getByText('cyd looks after it').waitFor({ state: 'detached' });
    await page.goto(`${service.url}/ops/payments/${ids[0]}`);
    await page.getByRole('button', { name: 'Refund…' }).click();
    await page.getByText(/stripe is asked to give .* back, once\./).waitFor();
    await page.getByLabel('Why').fill('Returned');
    const amount = page.getByLabel('Amount in USD');
    for (const ambiguous of ['12,34', '1,234.00', '20.00']) {
      await amount.fill(ambiguous);
      await page.getByText(/^(Write it as 1234\.00|At most 19\.99 USD)/).waitFor();
      expect(await page.getByRole('button', { name: 'Ask for approval' }).isDisabled()).toBe(true);
    }
    expect(await seriousFindings(page)).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/refund.png` });
    await amount.fill('12.34');
    await page.getByText('stripe is asked to give 12.34 USD back, once.').waitFor();
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('an approver has to approve it').first().waitFor();
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('approval.declined').waitFor();
    expect(environment.effects(ids[0])).toHaveLength(1);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('refuses an approval to the operator who asked for it, and lets another operator approve it', async () => {
    const first = await openPage(browser);
    await signIn(first.page, eve!);
    await first.page.goto(`${service.url}/ops/payments/${ids[2]}`);
    await first.page.getByRole('button', { name: 'Other ways' }).click();
    await first.page.getByRole('button', { name: 'Mark resolved…' }).click();
    // Nothing is chosen beforehand, and nothing is judged before.
    expect(await first.page.getByText('This: safe').count()).toBe(0);
    await first.page.getByLabel('stripe did not do it').check();
    await first.page.getByText('This: safe').waitFor();
    expect(await seriousFindings(first.page)).toEqual([]);
    if (pictures) await first.page.screenshot({ path: `${pictures}/resolve.png` });
    await first.page.getByLabel('How you know').fill(`Not in the dashboard ${EVIL}`);
    await first.page.getByRole('button', { name: 'Ask for approval' }).click();
    await first.page.getByText('You asked for this: an approver has to approve it.').first().waitFor();
    expect(await first.page.getByRole('button', { name: 'Approve…' }).count()).toBe(0);
    const second = await openPage(browser);
    await signIn(second.page, ben!);
    await second.page.getByRole('link', { name: 'Approvals' }).first().click();
    await second.page.getByText('Now: safe').waitFor();
    await second.page.getByRole('button', { name: 'Approve…' }).click();
    expect(environment.effects(ids[2])).toEqual([]);
    await second.page.getByRole('button', { name: 'Yes, do it: mark resolved' }).click();
    await second.page.getByText('done: ruled_out').waitFor();
    expect([...first.complaints, ...second.complaints]).toEqual([]);
    expect(environment.effects(ids[2])).toEqual([]);
    await Promise.all([first.context.close(), second.context.close()]);
  });

  it('shows what was asked for beside what the PSP says, and takes no "not done" against that as safe', async () => {
    const id = await stuckPayment(environment, shop, 'order-of-13.99', true);
    const money = { amount: 1_399, currency: 'USD' };
    await environment.sql(
      `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, psp_code, trace_id, request, response, started_at, ended_at)
       SELECT merchant_id, entity_key, route, attempt + 1, 'notice', 'conflict', 'money_differs', 'spec', '{"about": "operation"}', $2, started_at, started_at
         FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1`,
      [`payment-${id}-charge`, { psp_reference: environment.effects(id)[0]!.psp_reference, money }],
    );
    await environment.sql(
      `UPDATE psp_requests SET stuck_reason = 'the PSP holds something else than was asked for' WHERE payment_id = $1`,
      [id],
    );
    const look = async (page: Page, name: string) => {
      for (const colorScheme of pictures ? (['light', 'dark'] as const) : []) {
        await page.emulateMedia({ colorScheme });
        for (const width of [375, 768, 1_024, 1_440]) {
          await page.setViewportSize({ width, height: 900 });
          await page.waitForTimeout(300);
          await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: true });
        }
      }
    };
    await freshCodeOf(environment, eve!);
    const asking = await openPage(browser);
    await signIn(asking.page, eve!);
    await asking.page.goto(`${service.url}/ops/payments/${id}`);
    await asking.page.getByRole('row', { name: /Amount.*19\.99.*≠.*13\.99/ }).waitFor();
    await asking.page.getByRole('link', { name: 'What to do about it' }).waitFor();
    await look(asking.page, 'asked-and-said');
    await asking.page.getByRole('button', { name: 'Mark resolved…' }).click();
    expect(await asking.page.getByLabel('stripe did not do it').count()).toBe(0);
    await asking.page.getByLabel('It never was: the file shows it').check();
    await asking.page.getByText('The PSP has said otherwise').waitFor();
    await asking.page.getByLabel('How you know').fill('It never was in the dashboard');
    expect(await asking.page.getByRole('button', { name: 'Ask for approval' }).isDisabled()).toBe(true);
    await asking.page.locator('input[type=file]').setInputFiles({
      name: 'dashboard.png',
      mimeType: 'image/png',
      buffer: await asking.page.screenshot(),
    });
    await asking.page.getByText('This: against what the PSP has said').waitFor();
    expect(await seriousFindings(asking.page)).toEqual([]);
    await look(asking.page, 'resolve-against');
    await asking.page.getByRole('button', { name: 'Ask for approval' }).click();
    await asking.page.getByText('You asked for this: an approver has to approve it.').first().waitFor();

    await freshCodeOf(environment, ben!);
    const approving = await openPage(browser);
    await signIn(approving.page, ben!);
    await approving.page.goto(`${service.url}/ops/approvals`);
    const card = approving.page.getByRole('article').filter({ hasText: 'order-of-13.99' });
    await card.getByText('waits for you').waitFor();
    await card.getByText('Now: against what the PSP has said').waitFor();
    await card.getByRole('button', { name: 'Show' }).click();
    await card.getByRole('img', { name: 'dashboard.png' }).waitFor();
    const width = `(async (image) => (await image.decode(), image.naturalWidth))(document.querySelector('article img'))`;
    expect(await approving.page.evaluate<number>(width)).toBeGreaterThan(300);
    expect(await seriousFindings(approving.page)).toEqual([]);
    await look(approving.page, 'approval-against');
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.getByText('declined', { exact: true }).waitFor();
    await card.getByRole('link', { name: 'dashboard.png' }).waitFor();
    expect([...asking.complaints, ...approving.complaints]).toEqual([]);
    await Promise.all([asking.context.close(), approving.context.close()]);
  });

  it('lets an administrator create a key, limit payouts and disable a stored PSP account', async () => {
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, gus!);
    await page.getByRole('link', { name: 'Merchants' }).click();
    await page.getByRole('link', { name: 'Shop' }).click();
    await page.getByRole('button', { name: 'New key…' }).click();
    for (const scope of ['payouts:write', 'recipients:write']) await page.getByLabel(scope).check();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, gus!));
    if (pictures) await page.screenshot({ path: `${pictures}/new-key.png` });
    await page.getByRole('button', { name: 'Create it' }).click();
    const key = (await page.locator('pre').textContent())!;
    environment.hide(key);
    await page.getByText('It pays out once another person has approved that.').waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/new-key-shown.png` });
    const client = new ApiClient(() => service.url, key);
    expect((await client.get('/v1/payments')).status).toBe(200);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText(key).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Limit payouts…' }).click();
    await page.getByLabel('Currency').fill('eur');
    await page.getByLabel('Payouts at most').fill('3');
    await page.getByRole('button', { name: 'Set it' }).click();
    await page.getByText('Payouts of EUR a day').waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/merchant-of-an-admin.png`, fullPage: true });
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('This takes a code of your authenticator.').waitFor();
    await page.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, gus!));
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByText('This lifts a bound').waitFor();
    if (pictures) await page.screenshot({ path: `${pictures}/limit-asked.png` });
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText('Payouts of EUR a day').waitFor();

    const other = await openPage(browser);
    await freshCodeOf(environment, ben!);
    await signIn(other.page, ben!);
    await other.page.getByRole('link', { name: 'Approvals' }).first().click();
    for (const title of ['Let an API key pay out', 'Remove a limit of payouts']) {
      const card = other.page.getByRole('article').filter({ hasText: title });
      await card.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, ben!));
      for (const width of pictures ? [1_440, 1_024, 768, 375] : []) {
        await other.page.setViewportSize({ width, height: 900 });
        await other.page.screenshot({ path: `${pictures}/approvals-${width}.png`, fullPage: true });
      }
      expect(await seriousFindings(other.page)).toEqual([]);
      await card.getByRole('button', { name: 'Approve…' }).click();
      await card.getByRole('button', { name: /^Yes, do it/ }).click();
      await card.getByText('done: set').waitFor();
    }
    expect(other.complaints).toEqual([]);
    await other.context.close();
    await page.reload();
    await page.getByText('Its payouts have no limit.').waitFor();

    await page.getByRole('button', { name: 'Change: Pays out to' }).click();
    await page.getByLabel('Pays out to', { exact: true }).selectOption('approved');
    await page.getByRole('button', { name: 'Set it' }).click();
    // The dialog has the same words among its choices.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('recipients that an operator approved').waitFor();
    const driver = { reference: 'driver-8', tokens: { adyen: 'SE322KH223222F5GXZFNM3BGP' } };
    expect((await client.post('/v1/recipients', driver, 'r')).status).toBe(200);
    await page.reload();
    await page.getByText('adyen …3BGP').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    if (pictures) await page.screenshot({ path: `${pictures}/approve-recipient.png` });
    await page.getByRole('button', { name: 'Approve it' }).click();
    // The key is of the administrator who would approve.
    await page.getByText('You created the API key that registered it').waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('button', { name: 'Remove recipient…' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('row').filter({ hasText: 'driver-8' }).getByText('removed').waitFor();

    await page.getByRole('link', { name: 'PSP accounts' }).click();
    await page.getByRole('button', { name: 'Add an account…' }).click();
    const secretKey = 'sk_test_byClick0000000000';
    environment.hide(secretKey);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('by-click');
    await dialog.getByLabel('Address').fill(environment.simulator.urls.stripe);
    await dialog.getByLabel('Account at the PSP').fill('acct_1Other');
    await dialog.getByLabel('secretKey').fill(secretKey);
    await dialog.getByLabel('Timeout of a call (ms)').fill('500');
    await dialog.getByRole('button', { name: 'Test the connection' }).click();
    await dialog.getByText('The secret key is of another account than the one that is configured').waitFor();
    await dialog.getByLabel('Account at the PSP').fill('acct_byClick0000000000');
    await dialog.getByRole('button', { name: 'Test the connection' }).click();
    await dialog.getByText('It works', { exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await everyWidth(page, 'add-account');
    await page.getByRole('button', { name: 'Add it' }).click();
    const row = page.getByRole('row').filter({ hasText: 'by-click' });
    await row.getByRole('button', { name: 'Change…' }).click({ timeout: 20_000 });
    await dialog.getByPlaceholder('Kept as it is').first().waitFor();
    await dialog.getByLabel('Timeout of a call (ms)').fill('450');
    await page.getByRole('button', { name: 'Change it' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [changed] = await environment.acts({ actor: 'operator:gus', action: 'psp.account_changed' });
    expect(changed!.detail).toEqual({ members: { timeoutMs: 450 }, credentials: [] });
    await row.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('button', { name: 'Disable it' }).click();
    await row.getByRole('button', { name: 'Enable…' }).waitFor({ timeout: 20_000 });
    if (pictures) await page.screenshot({ path: `${pictures}/accounts-of-an-admin.png`, fullPage: true });
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lets an administrator make an endpoint, and route a merchant by rules that another person approves', async () => {
    const { context, page, complaints } = await openPage(browser);
    await freshCodeOf(environment, gus!);
    await signIn(page, gus!);
    await page.getByRole('link', { name: 'Merchants' }).click();
    await page.getByRole('link', { name: 'Shop' }).click();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New endpoint…' }).click();
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/of-the-console');
    await dialog.getByLabel('Note').fill('The till');
    await dialog.getByRole('button', { name: 'Create it' }).click();
    environment.hide((await dialog.locator('pre').textContent())!);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    const url = 'http://127.0.0.1:9/of-the-console';
    await page.getByRole('button', { name: `Disable… ${url}` }).click();
    await dialog.getByRole('button', { name: 'Disable it' }).click();
    await page.getByRole('button', { name: `Enable… ${url}` }).waitFor();

    await page.getByText('Those for all apply.').waitFor();
    await page.getByRole('button', { name: 'Change the routing…' }).click();
    const rule = dialog.getByRole('group', { name: 'Rule 1' });
    await rule.getByLabel('Currencies').fill('eur');
    await rule.getByLabel('Currencies').press('Enter');
    await rule.getByLabel('Amount from').fill('5000');
    await rule.getByLabel('Payment methods').click();
    await page.getByRole('option', { name: 'Card', exact: true }).click();
    await page.getByRole('option', { name: 'iDEAL' }).click();
    await page.keyboard.press('Escape');
    await rule.getByText('By weight').click();
    await rule.getByLabel('Weight of stripe').fill('3');
    expect(await seriousFindings(page)).toEqual([]);
    await everyWidth(page, 'set-routing');
    await dialog.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, gus!));
    await dialog.getByRole('button', { name: 'Set it' }).click();
    await dialog.getByText('This lifts a bound').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();

    const other = await openPage(browser);
    await freshCodeOf(environment, ben!);
    await signIn(other.page, ben!);
    await other.page.getByRole('link', { name: 'Approvals' }).first().click();
    const card = other.page.getByRole('article').filter({ hasText: 'Change where the payments' });
    await card.getByText('Card or iDEAL, EUR, from 50.00 EUR').waitFor();
    expect(await seriousFindings(other.page)).toEqual([]);
    await everyWidth(other.page, 'approve-routing');
    await card.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, ben!));
    await card.getByRole('button', { name: 'Approve…' }).click();
    await card.getByRole('button', { name: /^Yes, do it/ }).click();
    await card.getByText('done: set').waitFor();
    await page.reload();
    await page.getByText('It has rules of its own.').waitFor();
    await page.getByText('Changed once').click();
    await page.getByText('by operator:gus').waitFor();
    await everyWidth(page, 'merchant-routing');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Where would a payment go?' }).click();
    // Processes read rules that were stored within ten seconds.
    const isPassed = async () => {
      await page.reload();
      await page.getByText(/Rule \d is the first that matches/).waitFor();
      return (await page.getByText(`Rule ${LAST_RULE} is the first that matches`).count()) > 0;
    };
    await eventually(isPassed, 'the rules to be read');
    await page.getByLabel('Amount (minor units)').fill('5000');
    await page.getByText('Rule 1 is the first that matches').waitFor();
    await page.getByText('stripe would get it').waitFor();
    await page.getByLabel('Payment method').selectOption('Klarna');
    await page.getByText(`Rule ${LAST_RULE} is the first that matches`).waitFor();
    await page.goto(`${service.url}/ops/payments?currency=USD`);
    await page.getByLabel('Order').selectOption('largest');
    await page.getByText('At most 200').waitFor();
    await page.getByRole('button', { name: 'Without Currency' }).click();
    await page.getByText('At most 200').waitFor({ state: 'detached' });
    expect([...complaints, ...other.complaints]).toEqual([]);
    await Promise.all([context.close(), other.context.close()]);
  });

  it('traces a break of reconciliation to its attempt', async () => {
    const { context, page, complaints } = await openPage(browser);
    await signIn(page, ben!, 1);
    await page.getByRole('link', { name: 'Reconciliation' }).click();
    await page.getByRole('link', { name: 'Amount mismatch' }).click();
    const line = page.getByRole('region', { name: 'In the report' });
    await line.getByText('report.csv, line').waitFor();
    const { psp_reference: reference } = environment.effects(ids[0])[0]!;
    await page.getByRole('region', { name: 'Attempts' }).getByText(reference).waitFor();
    expect(await line.getByText(reference).count()).toBe(1);
    await page.getByRole('link', { name: 'Open the payment' }).click();
    await page.getByText('execute at stripe: succeeded').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
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
      'health',
      'reconciliation',
      'reconciliation?list=reports',
      'reconciliation?list=closed',
      'reconciliation?list=due',
      'ledger',
      `month-end?month=${new Date().toISOString().slice(0, 7)}`,
      'payouts',
      'bank',
      'bank?list=files',
      'customers',
      'refunds',
      'disputes',
      'psps',
      'merchants',
      'webhooks',
      'webhooks?list=inbox',
      '?span=week',
      'audit',
      'operators',
      'you',
    ];
    /** Pages of one thing, by the link that leads to each from its list. */
    const leads: readonly (readonly [name: string, list: string, link: string | RegExp])[] = [
      ['report', 'reconciliation?list=reports', 'report.csv'],
      ['break', 'reconciliation', 'Amount mismatch'],
      ['merchant', 'merchants', 'Shop'],
      ['payout', 'payouts', 'salary-1'],
    ];
    let page: Page;
    let complaints: string[];

    beforeAll(async () => {
      ({ page, complaints } = await openPage(browser));
      await signIn(page, vic!);
    });

    const LISTS_FIT =
      "[...document.querySelectorAll('table.stacked')].every((table) => table.scrollWidth <= table.parentElement.clientWidth)";
    const BADGES_FIT =
      "[...document.querySelectorAll('.mantine-Badge-label')].every((label) => label.scrollWidth <= label.clientWidth)";
    const ROWS_ARE_LINES =
      "[...document.querySelectorAll('.stacked tbody tr')].every((row) => row.getBoundingClientRect().height < 50)";
    const schemes = ['light', 'dark'] as const;
    const widths = [375, 768, 1_024, 1_440, 2_560] as const;
    const look = async (name: string) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      if (sheets) {
        const slug = name
          .replaceAll('/', '-')
          .replace(/-\d{4}-\d\d$/, '')
          .replace(/^-/, 'overview-');
        if (name === 'overview' || name === 'payment') {
          await page.setViewportSize({ width: 1_280, height: 800 });
          await page.waitForTimeout(400);
          await page.screenshot({ path: `${sheets}/console-${slug}.png` });
        }
        return sheetOf(page, `${sheets}/page-${slug}.jpg`);
      }
      for (const colorScheme of pictures ? schemes : inTurn(schemes)) {
        await page.emulateMedia({ colorScheme });
        for (const width of pictures ? widths : [375, ...inTurn(widths.slice(1))]) {
          await page.setViewportSize({ width, height: width === 375 ? 800 : 900 });
          if (pictures) {
            await page.waitForTimeout(300);
            await page.screenshot({
              path: `${pictures}/${name}-${width}-${colorScheme}.png`,
              fullPage: true,
            });
          }
          // The menu slides away, and the chart is drawn anew.
          const isWithin = async () => {
            // The header is fixed, and widens no page that it does not fit.
            const signOut = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
            const right = signOut === null ? 0 : signOut.x + signOut.width;
            return (
              (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width &&
              right < width &&
              // A table that is a list shows all of a row: what is beyond its box would be seen by nobody.
              ((width > 375 && width < 1_440) || (await page.evaluate<boolean>(LISTS_FIT))) &&
              (await page.evaluate<boolean>(BADGES_FIT)) &&
              (width === 375 || (await page.evaluate<boolean>(ROWS_ARE_LINES)))
            );
          };
          await eventually(isWithin, `${name} to be ${width} wide`);
        }
        // The other scheme has other colours, and nothing else of its own.
        expect(await seriousFindings(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)).toEqual(
          [],
        );
      }
      await page.setViewportSize({ width: 1_440, height: 900 });
      for (const act of acts)
        expect([act, await page.getByRole('button', { name: act }).count()]).toEqual([act, 0]);
      expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
      expect(complaints).toEqual([]);
    };

    /** On a machine that does nothing else: 1 s for a first view, 100 ms for an interaction. It takes longer beside other specs. */
    it('narrows a list by filters in its address, keeps a view of it, and saves it as a file', async () => {
      const asked = () => Object.fromEntries(new URL(page.url()).searchParams);
      await page.goto(`${service.url}/ops/payments`);
      await page.getByRole('button', { name: 'Filter…' }).click();
      await page.getByLabel('State').selectOption('captured');
      await page.getByLabel('Currency').fill('usd');
      await page.getByLabel('At most').fill('12,00');
      await page.getByText('Digits, and a point before the decimals.').waitFor();
      expect(await page.getByRole('button', { name: 'Show' }).isDisabled()).toBe(true);
      await page.getByLabel('At most').fill('12.00');
      if (pictures) await page.screenshot({ path: `${pictures}/filters.png`, fullPage: true });
      expect(await seriousFindings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Show' }).click();
      await page.getByText('At most: 12.00 USD').waitFor();
      await page.getByRole('link', { name: 'order-2' }).waitFor({ state: 'detached' });
      const narrowed = { status: 'captured', currency: 'USD', amount_to: '1200' };
      expect(asked()).toEqual(narrowed);

      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('Name of this view').fill('small ones');
      await page.getByRole('button', { name: 'Keep' }).click();
      await page.getByRole('menuitem', { name: 'small ones' }).waitFor();
      if (pictures) await page.screenshot({ path: `${pictures}/filters-views.png`, fullPage: true });
      await page.keyboard.press('Escape');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('payments.csv');
      expect(readFileSync(await file.path(), 'utf8')).toMatch(
        /^id,.*\n.*,part-12,captured,12\.00,USD,stripe,.*\n$/,
      );

      await page.getByRole('button', { name: 'Without State' }).click();
      await page.getByRole('link', { name: 'part-1', exact: true }).waitFor();
      expect(asked()).toEqual({ currency: 'USD', amount_to: '1200' });
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'small ones' }).click();
      await page.getByRole('link', { name: 'part-1', exact: true }).waitFor({ state: 'detached' });
      expect(asked()).toEqual(narrowed);
    });

    it('shows its first view soon, and answers to clicks and keys at once', async () => {
      const seenAfter = async (path: string, text: string) => {
        const from = performance.now();
        await page.goto(`${service.url}/ops/${path}`);
        await page.getByText(text).first().waitFor();
        return Math.round(performance.now() - from);
      };
      const [payment, overview] = [
        await seenAfter(`payments/${ids[0]}`, 'What happened'),
        await seenAfter('', 'Find out what the PSP did'),
      ];
      await page.evaluate(observeInteractions);
      const shown: number[] = [];
      /** From the click until the page shows what it asked the service for. */
      const click = async (name: string, text: RegExp) => {
        const link = page.getByRole('link', { name }).first();
        await link.hover();
        await page.waitForTimeout(200);
        await page.evaluate(waitForText(text));
        await link.click();
        shown.push(Math.round(await page.evaluate<number>('globalThis.shownAfter')));
      };
      await click('Payments', /order-2/);
      await page.getByLabel('Search').pressSequentially('order-3');
      await page.keyboard.press('Enter');
      await page.getByText('order-2').waitFor({ state: 'detached' });
      await click('order-3', /What happened/);
      await click('Stuck and open', /order-|No operation is stuck/);
      for (const key of ['?', '?', 'j', 'k']) await page.keyboard.press(key);
      for (const [name, text] of [
        ['Payouts', /salary-1/],
        ['Reconciliation', /Amount mismatch/],
        ['Ledger', /Merchant payable/],
        ['PSP accounts', /stripe/],
        ['Merchants', /Shop/],
        ['Audit', /viewer-of-the/],
      ] as const)
        await click(name, text);
      await page.locator('main time').first().hover();
      await page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).waitFor();
      if (pictures) await page.screenshot({ path: `${pictures}/exact-time.png` });
      const painted = await page.evaluate<number[]>('globalThis.interactions');
      process.stdout.write(
        `first view: overview ${overview} ms, a payment ${payment} ms; ${painted.length} interactions painted after ${figures(painted)} ms; a page with its data ${figures(shown)} ms after the click\n`,
      );
      expect(painted.length).toBeGreaterThan(10);
      expect(Math.max(overview, payment, ...shown, ...painted)).toBeLessThan(10_000);
    });

    const paths = () =>
      ({ payment: `payments/${ids[0]}`, order: `orders/${orderId}` }) as Record<string, string>;

    it.each([...pages, 'payment', 'order'])(
      'shows /ops/%s to everyone, and runs nothing that it shows',
      async (path) => {
        await page.goto(`${service.url}/ops/${paths()[path] ?? path}`);
        await look(path === '' ? 'overview' : path.replace(/\?\w+=/, '-'));
      },
    );

    it.each(leads)('shows the page of a %s', async (name, list, link) => {
      await page.goto(`${service.url}/ops/${list}`);
      await page.getByRole('link', { name: link }).first().click();
      await look(name);
    });
  });

  it('lets finance try a report that is dropped, import it, and open a break again', async () => {
    const shop = new ApiClient(() => service.url, await environment.merchant());
    await shop.post('/v1/payments', orderOf({ first: 'adyen', reference: 'of-november' }), 'of-november');
    await postDue(environment);
    const report = environment.simulator.report('adyen');
    const { context, page, complaints } = await openPage(browser, { timezoneId: 'Asia/Tokyo' });
    await signIn(page, await newOperator(environment, 'fin', 'finance'));
    await page.goto(`${service.url}/ops/reconciliation`);
    await page.getByRole('button', { name: 'Import a report…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Of the PSP account').selectOption('adyen');
    await dropReport(page, 'november.csv', report);
    await dialog.getByText('opening + in - out - fees - settled = closing').waitFor();
    expect(await environment.sql("SELECT FROM reconciliation_runs WHERE psp = 'adyen'")).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/import-trial.png` });
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Import \d+ lines$/ }).click();
    await page.getByRole('heading', { name: 'november.csv' }).waitFor();
    expect(await environment.sql("SELECT file_name FROM reconciliation_runs WHERE psp = 'adyen'")).toEqual([
      { file_name: 'november.csv' },
    ]);

    await page.goto(`${service.url}/ops/reconciliation`);
    await page.getByRole('link', { name: 'Amount mismatch' }).click();
    // A double click notes it once, and shows no refusal of the second.
    await page.getByLabel('What you found').fill('Seen twice, noted once');
    await page.getByRole('button', { name: 'Note', exact: true }).dblclick();
    const isTaken = async () => (await page.getByLabel('What you found').inputValue()) === '';
    await eventually(isTaken, 'the note is taken');
    await page.waitForLoadState('networkidle');
    expect(await environment.sql("SELECT FROM audit_records WHERE action = 'break.noted'")).toHaveLength(1);
    await page.getByLabel('What you found').fill('Stripe books it tomorrow');
    await page.getByRole('button', { name: 'Close with this note' }).dblclick();
    await page.getByRole('button', { name: 'Open it again with this note' }).waitFor();
    await page.getByLabel('What you found').fill('It did not');
    await page.getByRole('button', { name: 'Open it again with this note' }).click();
    await page.getByRole('button', { name: 'Close with this note' }).waitFor();
    await page.getByText('It did not').waitFor();
    expect(await page.getByText('This did not work').count()).toBe(0);

    await page.getByRole('button', { name: 'How times are written' }).click();
    await page.getByRole('menuitem', { name: 'Exact, in UTC' }).click();
    await page.getByText(new Date().toISOString().slice(0, 10)).first().waitFor();
    await page.getByRole('button', { name: 'How times are written' }).click();
    await page.getByRole('menuitem', { name: 'Exact, in Asia/Tokyo' }).click();
    await page.reload();
    const inTokyo = new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 10);
    await page.locator('time').filter({ hasText: inTokyo }).first().hover();
    await page.getByText(/ UTC, .* Asia\/Tokyo$/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('lets a person in by a link that two others stand for, who chooses a password and an authenticator', async () => {
    const [gusPage, benPage, newPage] = [
      await openPage(browser),
      await openPage(browser),
      await openPage(browser),
    ];
    const { page } = gusPage;
    await freshCodeOf(environment, gus!);
    await signIn(page, gus!);
    await page.goto(`${service.url}/ops/operators`);
    await page.getByRole('button', { name: 'Invite…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('zoe');
    await dialog.getByLabel('Role').selectOption('finance');
    await dialog.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, gus!));
    if (pictures) await page.screenshot({ path: `${pictures}/invite.png` });
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await dialog.getByText('once another person has approved it').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    await freshCodeOf(environment, ben!);
    await signIn(benPage.page, ben!);
    await benPage.page.goto(`${service.url}/ops/approvals`);
    const card = benPage.page.getByRole('article').filter({ hasText: 'Let a person in' });
    await card.getByText('zoe').first().waitFor();
    await card.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, ben!));
    await card.getByRole('button', { name: 'Approve…' }).click();
    await card.getByRole('button', { name: /^Yes, do it/ }).click();
    await benPage.page.getByText('done: invited').waitFor();

    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'zoe' });
    await row.getByText('invited').waitFor();
    await row.getByRole('button', { name: 'Link…' }).click();
    await dialog.getByLabel('Code of your authenticator').fill(await freshCodeOf(environment, gus!));
    await dialog.getByRole('button', { name: 'Make a link' }).click();

    const link = (await dialog.locator('pre').textContent())!;
    environment.hide(link.split('#')[1]!);

    const { page: own } = newPage;
    const answers: string[] = [];
    own.on('response', (reply) => {
      if (reply.url().endsWith('/enrolment')) answers.push(reply.url());
    });
    await own.clock.install();
    await own.goto(link);
    await own.getByRole('heading', { name: 'Welcome' }).waitFor();
    await own.getByRole('img', { name: 'The authenticator as a QR code' }).waitFor();
    const secret = (await own.locator('pre').textContent())!;
    environment.hide(secret);
    // A person takes a while: what is read again every five seconds must not be the secret that is being scanned.
    await own.clock.fastForward(30_000);
    await own.waitForLoadState('networkidle');
    expect([await own.locator('pre').textContent(), answers.length]).toEqual([secret, 1]);
    const zoe = { name: 'zoe', password: 'a password of her own', totp_secret: secret };
    await own.getByLabel('Password').first().fill(zoe.password);
    await own.getByLabel('Code that the app shows now').fill(codeOf(zoe));
    if (pictures) await own.screenshot({ path: `${pictures}/welcome.png`, fullPage: true });
    expect(await seriousFindings(own)).toEqual([]);
    await own.getByRole('button', { name: 'Keep them and sign in' }).click();
    await own.getByLabel('Digit 1').waitFor();
    await freshCodeOf(environment, zoe);
    await fillIn(own, zoe);
    await own.getByRole('heading', { name: 'Overview' }).waitFor();
    await own.getByTitle('zoe, finance').click();
    await own.getByText('this one').waitFor();
    for (const { context, complaints } of [gusPage, benPage, newPage]) {
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it('leads a link through signing in, and signs in over a page whose session has ended, with what was written', async () => {
    const { context, page, complaints } = await openPage(browser);
    await page.goto(`${service.url}/ops/payments/${ids[0]}?from=the-alarm`);
    await freshCodeOf(environment, cyd!);
    await fillIn(page, cyd!);
    await page.getByText('What happened').waitFor();
    expect(await page.title()).toContain('Payonce');
    await page.getByRole('button', { name: 'Add a note…' }).click();
    await page.getByLabel('What others shall know').fill('written before the session ended');
    await environment.sql('DELETE FROM operator_sessions');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your session has ended').waitFor();
    await freshCodeOf(environment, cyd!);
    expect(await seriousFindings(page)).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/signed-in-over.png` });
    await fillIn(page, cyd!);
    await page.getByText('operation.noted').waitFor();
    await eventually(async () => (await page.getByRole('dialog').count()) === 0, 'both dialogs are closed');
    expect(await environment.acts({ action: 'operation.noted' })).toMatchObject([
      { detail: { note: 'written before the session ended' } },
    ]);
    // Another person gets pages of their own.
    await environment.sql('DELETE FROM operator_sessions');
    await page.getByText('Your session has ended').waitFor();
    await freshCodeOf(environment, fay!);
    await fillIn(page, fay!);
    await page.getByText('fay operator').waitFor();
    await page.getByText('What happened').waitFor();
    // The browser itself complains of each 401.
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    await context.close();
  });

  it('says that the service is away, and lights no verdict until it answers again', async () => {
    const { context, page } = await openPage(browser);
    await freshCodeOf(environment, fay!);
    await signIn(page, fay!);
    await page.goto(`${service.url}/ops/payments/${ids[0]}`);
    await page.getByText('What happened').waitFor();
    const filterOf = () =>
      page.evaluate<string>(
        "getComputedStyle([...document.querySelectorAll('.mantine-Alert-root')].at(-1)).filter",
      );
    expect(await filterOf()).toBe('none');
    await page.route('**/ops/api/**', (route) => route.abort());
    await page.getByText('The service does not answer').waitFor();
    expect(await filterOf()).toBe('grayscale(1)');
    expect(await seriousFindings(page)).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/away.png` });
    await page.unroute('**/ops/api/**');
    await page.getByText('The service does not answer').waitFor({ state: 'detached' });
    expect(await filterOf()).toBe('none');
    await context.close();
  });

  it('signs a newcomer in by a link, once, and shows it to no server', async () => {
    await environment.sql(
      `WITH o AS (INSERT INTO operators (id, name, role, person, created_at) VALUES (gen_random_uuid(), 'newcomer', 'viewer', 'n', now()) RETURNING id)
       INSERT INTO sign_in_links (token_hash, operator_id, expires_at)
       SELECT $1, id, now() + interval '1 hour' FROM o`,
      [createHash('sha256').update('once').digest()],
    );
    const { page, context } = await openPage(browser);
    await page.goto(`${service.url}/ops/sign-in#once`);
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    expect(page.url()).not.toContain('once');
    const again = await openPage(browser);
    await again.page.goto(`${service.url}/ops/sign-in#once`);
    await again.page.getByText('This link was used already, or is too old.').waitFor();
    if (pictures) await again.page.screenshot({ path: `${pictures}/sign-in-1440-light.png` });
    await Promise.all([context.close(), again.context.close()]);
  });

  it('holds a night of 1,500 stuck payments, page by page, at every width', async () => {
    await environment.sql(
      `WITH one AS (SELECT payment_id FROM psp_requests WHERE stuck_at IS NOT NULL LIMIT 1),
       made AS (SELECT n, ('019aa5c0-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid AS id FROM generate_series(1, 1500) n),
       paid AS (
         INSERT INTO payments
         SELECT (jsonb_populate_record(p, jsonb_build_object('id', m.id, 'reference', 'night-' || m.n))).*
           FROM payments p JOIN one ON one.payment_id = p.id CROSS JOIN made m)
       INSERT INTO psp_requests
       SELECT (jsonb_populate_record(r, jsonb_build_object('payment_id', m.id, 'entity_key', 'payment-' || m.id || '-charge',
                 'psp_idempotency_key', 'night-' || m.n, 'psp_reference', NULL))).*
         FROM psp_requests r JOIN one USING (payment_id) CROSS JOIN made m WHERE r.stuck_at IS NOT NULL`,
    );
    const { context, page, complaints } = await openPage(browser);
    await freshCodeOf(environment, fay!);
    await signIn(page, fay!);
    const fromMs = performance.now();
    await page.goto(`${service.url}/ops/stuck`);
    const rows = page.locator('table.stacked tbody tr');
    await eventually(async () => (await rows.count()) === 200, '200 rows are shown');
    console.log(`200 of 1,500 stuck rows after ${Math.round(performance.now() - fromMs)} ms`);
    await page.getByRole('link', { name: /^Stuck and open \d/ }).waitFor();
    for (const width of [375, 768, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const isWithin = () => page.evaluate<boolean>(`document.documentElement.scrollWidth <= ${width}`);
      await eventually(isWithin, `the page is ${width} wide`);
      if (pictures) await page.screenshot({ path: `${pictures}/stuck-many-${width}.png` });
    }
    let seen = 200;
    for (
      const next = page.getByRole('button', { name: /^(Next|Older|Newer|More)$/ });
      (await next.count()) > 0;
    ) {
      const before = await rows.first().textContent();
      await next.click();
      await eventually(async () => (await rows.first().textContent()) !== before, 'the next page is shown');
      seen += await rows.count();
    }
    expect(seen).toBeGreaterThanOrEqual(1_500);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
