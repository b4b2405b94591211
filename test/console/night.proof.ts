import { type Browser, type Page } from 'playwright-core';
import { stuckReasons } from '../../src/request-storage/decisions/stuck-reason.js';
import { describeInBrowser, fillIn, openBrowser, openPage } from '../support/browser.js';
import { newOperator } from '../support/console-client.js';
import { stuckPayment } from '../support/stuck-payment.js';
import { ApiClient, orderOf, type Service, TestEnvironment } from '../support/test-environment.js';

/**
 * An operator who is woken at night, for each reason that an operation is stuck for: from the link of the alarm to a safe
 * decision, in clicks and in words to read.
 */
const MOST_CLICKS = 4;
/** People read about four words a second (200 to 260 a minute); 20 s of them. */
const MOST_WORDS = 80;

let environment: TestEnvironment;
let service: Service;
let browser: Browser;
let page: Page;
let complaints: string[];

interface Night {
  /** What the PSP, or the configuration, came to: SQL over the operation's route and its last attempt, `$1` its entity key. */
  readonly made: string;
  readonly decide: (reference: string) => Promise<void>;
}

/** One more attempt of the stuck operation. */
const attempt = (kind: string, outcome: string, code: string | null = null, response = '{}') => `
  INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, psp_code, trace_id, request, response, started_at, ended_at)
  SELECT merchant_id, entity_key, route, attempt + 1, '${kind}', '${outcome}', ${code === null ? 'NULL' : `'${code}'`}, 'spec',
         '{"about": "operation"}', '${response}', started_at, started_at
    FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1`;

const act = () => page.getByRole('region', { name: 'Act on the charge' });

/** The PSP is asked; its answer decides. */
const asks = async () => {
  await act().getByRole('button', { name: 'Retry now' }).click();
  await page.getByText('Nothing is left to do.').waitFor();
};

const states = (what: string) => async () => {
  await act().getByRole('button', { name: 'Mark resolved…' }).click();
  await page.getByLabel(what).check();
  await page.getByLabel('How you know').fill('Seen in the dashboard at 3:10');
  await page.getByRole('button', { name: 'Ask for approval' }).click();
  await page.getByText('You asked for this: an approver has to approve it.').waitFor();
};

/** What ends it is done elsewhere in the morning: an owner is named, and nothing is sent. */
const waits = async () => {
  await act().getByText('Configure the old account under the name stripe again').waitFor();
  await act().getByRole('button', { name: 'Snooze…' }).click();
  await page.getByLabel('What is being done').fill('The old account is configured again in the morning');
  await page.getByRole('button', { name: 'Snooze', exact: true }).click();
  await page.getByText('nia looks after it').waitFor();
};

const nights: Readonly<Record<string, Night>> = {
  doubt: { made: 'SELECT $1::text', decide: asks },
  undoing: { made: attempt('cancel', 'unknown'), decide: asks },
  pending: { made: attempt('lookup', 'pending'), decide: asks },
  requires_action: { made: attempt('lookup', 'requires_action'), decide: asks },
  'the PSP holds something else than was asked for': {
    made: attempt(
      'notice',
      'conflict',
      'money_differs',
      '{"psp_reference": "pi_1", "money": {"amount": 1399, "currency": "USD"}}',
    ),
    decide: states('It was there and has been given back'),
  },
  'the PSP knows this key with other parameters': {
    made: attempt('lookup', 'conflict', 'idempotency_error'),
    decide: states('stripe did not do it'),
  },
  'the PSP answered with its id of another operation': {
    made: attempt('lookup', 'conflict', 'id_of_another_operation'),
    decide: states('stripe did not do it'),
  },
  'another account is configured under the name of this PSP': {
    made: `UPDATE psp_requests SET account_fingerprint = 'another' WHERE entity_key = $1`,
    decide: waits,
  },
  'too many calls': {
    made: `
      INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, trace_id, request, response, started_at, ended_at)
      SELECT merchant_id, entity_key, route, n, 'lookup', 'unknown', 'spec', '{}', '{}', started_at, started_at
        FROM (SELECT * FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1) a, generate_series(a.attempt + 1, 1000) n`,
    decide: asks,
  },
  'commits may be lost': {
    made: `WITH held AS (UPDATE failover_hold SET held_until = 'infinity') SELECT $1::text`,
    decide: asks,
  },
};

/** Clicks of the person, wherever they are. */
const COUNT_CLICKS = `
  globalThis.clicks = Number(sessionStorage.getItem('clicks') ?? 0);
  addEventListener('click', ({ isTrusted }) => {
    if (isTrusted) sessionStorage.setItem('clicks', String(++globalThis.clicks));
  }, { capture: true });`;

/** The text of the part that decides, without what is clicked. */
const READ = `(() => {
  const part = document.querySelector('[aria-label="Act on the charge"]').cloneNode(true);
  for (const each of part.querySelectorAll('button, a')) each.remove();
  for (const each of part.querySelectorAll('td, th, p, li, h2, div, span, caption')) each.append(' ');
  return part.textContent.trim();
})()`;

describeInBrowser('the night of an operator', () => {
  beforeAll(async () => {
    environment = await TestEnvironment.open({
      timeoutMs: 700,
      lockTtlMs: 1_800,
      env: { PAYONCE_DEADLINE_MS: '1000' },
    });
    service = await environment.start();
    browser = await openBrowser();
    const opened = await openPage(browser);
    ({ page, complaints } = opened);
    await opened.context.addInitScript(COUNT_CLICKS);
    await page.goto(`${service.url}/ops/`);
    await fillIn(page, await newOperator(environment, 'nia', 'operator'), 0);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await environment?.close();
  });

  it('knows every reason', () => {
    expect(Object.keys(nights).toSorted()).toEqual(stuckReasons.toSorted());
  });

  it.each(Object.keys(nights))('decides safely where it is stuck for: %s', async (reason) => {
    const { made, decide } = nights[reason]!;
    const shop = new ApiClient(() => service.url, await environment.merchant());
    const reference = `night-${Object.keys(nights).indexOf(reason)}`;
    // Ten failures in a row would open the breaker: one payment that succeeds ends the row.
    await shop.post(
      '/v1/payments',
      orderOf({ first: 'stripe', reference: `day-${reference}` }),
      `day-${reference}`,
    );
    const id = await stuckPayment(environment, shop, reference, true);
    await environment.sql(made, [`payment-${id}-charge`]);
    await environment.sql('UPDATE psp_requests SET stuck_reason = $2 WHERE payment_id = $1', [id, reason]);
    const before = environment.effects(id).length;

    // The link of the alarm.
    await page.goto(`${service.url}/ops/stuck`);
    await page.evaluate(`sessionStorage.setItem('clicks', '0'); globalThis.clicks = 0`);
    const began = performance.now();
    await page.getByRole('link', { name: reference }).click();
    await act().getByRole('button').first().waitFor();
    await act().getByText('What to do about it').waitFor();
    await act()
      .locator('button[data-variant="filled"]')
      .or(act().getByText('What ends it'))
      .first()
      .waitFor();
    const shown = await page.evaluate<string>(READ);
    await decide(reference);
    const clicks = await page.evaluate<number>('globalThis.clicks');
    const words = shown.split(/\s+/).length;
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.info(
      `${reason}: ${clicks} clicks, ${words} words to read, decided after ${seconds} s without reading`,
    );
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(words).toBeLessThanOrEqual(MOST_WORDS);
    expect(environment.effects(id)).toHaveLength(before);
    expect(complaints).toEqual([]);
  });
});
