import { ApiError, PayonceClient, type PaymentRequest } from '@payonce/client';
import { execFile } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Paper } from './paper.js';
import { type Effect, Psps } from './psps.js';
import { rehearseBankFile } from './rehearse-bank-file.js';

/**
 * `npm run rehearse -- <state>`: puts the installation that `npm start` runs on this machine into a state that
 * a runbook is for. It talks to the API, to the simulator's control port and to `payonce`, and refuses an
 * installation whose PSPs are not the bundled simulator.
 */

const USAGE = `npm run rehearse -- <state> [--url <service>] [--control <simulator>]

  stuck         a charge of which nobody can tell whether it was made
  orphan        a PSP charged twice for one payment, and the refund was refused
  break         a PSP takes back a capture of which a part was refunded
  3ds           a payment whose customer came back from the bank
  order         a customer who pays twice, since the first answer was lost
  dispute       a customer's bank takes a payment back
  lost-commits  the database may have lost its last commits
  bank-file     a bank refuses one transfer of a file

For an installation that runs here on the bundled simulator: npm start.
For bank-file one of its own is started, which needs openssh-server.
`;

/** Everybody knows these; a real PSP signs with its own. */
const KNOWN_SECRETS = { stripe: 'whsec_simulator', adyen: '00'.repeat(32) } as const;
const AMOUNT = 1_299;
const CURRENCY = 'EUR';
const PATIENCE_MS = 20_000;
const POLL_MS = 100;
const MERCHANT = 'Rehearsal';

/** What is wrong, in words for the person at the terminal. */
class Refused extends Error {}

interface Rehearsal {
  readonly client: PayonceClient;
  readonly psps: Psps;
  readonly url: string;
  readonly control: string;
  readonly apiKey: string;
}

/** What was done, and what comes next: paragraphs, and commands as they are typed. */
interface Report {
  readonly payment: string;
  readonly done: string;
  readonly next: readonly string[];
  readonly page: string;
}

const states: Readonly<Record<string, (rehearsal: Rehearsal) => Promise<Report>>> = {
  stuck: rehearseStuck,
  orphan: rehearseOrphan,
  break: rehearseBreak,
  '3ds': rehearse3ds,
  order: rehearseOrder,
  dispute: rehearseDispute,
  'lost-commits': rehearseLostCommits,
};

/** Stripe charges, its answer is lost, and it reports another amount: only a person can decide. */
async function rehearseStuck(rehearsal: Rehearsal): Promise<Report> {
  const { id, effect } = await makeStuck(rehearsal);
  const stuck = (await payonce('stuck', 'list')) as { payment_id: string; last_attempt: number }[];
  const attempt = stuck.find(({ payment_id: of }) => of === id)?.last_attempt;
  return {
    payment: id,
    done:
      'Stripe charged the customer and its answer was lost. Then Stripe reported another amount than was ' +
      'requested, so the charge is stuck, and a person has to decide it.',
    next: [
      'npx payonce stuck list',
      `npx payonce payments show ${id}`,
      '# the ledger stands for the dashboard of the PSP: what did it charge?',
      ...ledger(rehearsal, 'stripe', `payment-${id}-charge`),
      `npx payonce stuck resolve ${id} --attempt ${attempt} \\`,
      `  --as done --psp-reference ${effect.psp_reference} \\`,
      '  --evidence "ledger: charged once, 12.99 EUR"',
    ],
    page: 'docs/runbooks/stuck-payment.md',
  };
}

/** Stripe charges a second time for one payment. The refund is refused, so that a person has to look. */
async function rehearseOrphan(rehearsal: Rehearsal): Promise<Report> {
  const { client, psps } = rehearsal;
  const { body } = await client.payments.create(orderFor('stripe', 'pm_card_visa'));
  const key = `payment-${body.id}-charge`;
  await chargeAgain(await psps.urlOf('stripe'), key);
  const orphan = await eventually(
    async () => {
      const listed = (await payonce('orphans', 'list')) as Orphan[];
      return listed.find(({ entity_key: name }) => name === key);
    },
    'the orphan effect is listed',
    // With PAYONCE_ORPHANS=approve it stays open.
    ({ status }) => status === 'failed',
  );
  const hasFailed = orphan.status === 'failed';
  return {
    payment: body.id,
    done:
      'Stripe charged the customer a second time for one payment. ' +
      (hasFailed
        ? 'The service tried to give that back, and Stripe refused the refund.'
        : 'The service waits for an operator before it gives that back; Stripe will refuse the refund.'),
    next: [
      'npx payonce orphans list',
      '# the ledger stands for the dashboard of the PSP: two charges, no refund',
      ...ledger(rehearsal, 'stripe', key),
      ...(hasFailed ? [] : orphanCommand('approve', orphan)),
      '# once it failed: give it back by hand in the dashboard, then',
      ...orphanCommand('close', orphan, '--note "refunded by hand"'),
    ],
    page: 'docs/runbooks/orphan-effect.md',
  };
}

/** Another system charges under our names, to a card whose refunds fail. */
async function chargeAgain(stripeUrl: string, entityKey: string): Promise<void> {
  const { status } = await ask(`${stripeUrl}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk_test_simulator', 'idempotency-key': randomUUID() },
    body: new URLSearchParams({
      amount: String(AMOUNT),
      currency: CURRENCY.toLowerCase(),
      confirm: 'true',
      payment_method: 'pm_card_refundFail',
      capture_method: 'automatic',
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
      'metadata[payonce_entity_key]': entityKey,
      'metadata[payonce_route]': '1',
    }),
  });
  if (status !== 200) throw new Refused(`The simulated Stripe answered ${status}.`);
}

function ledger({ control }: Rehearsal, psp: 'stripe' | 'adyen', entityKey: string): string[] {
  return [`curl -s --get ${control}/${psp}/_ledger \\`, `  --data reference=${entityKey}`];
}

interface Orphan {
  readonly merchant_id: string;
  readonly entity_key: string;
  readonly route: number;
  readonly status: string;
}

function orphanCommand(
  act: string,
  { merchant_id: merchant, entity_key: key, route }: Orphan,
  more = '',
): string[] {
  const last = `--route ${route} ${more}`.trim();
  return [
    `npx payonce orphans ${act} \\`,
    `  --merchant ${merchant} \\`,
    `  --entity-key ${key} \\`,
    `  ${last}`,
  ];
}

/** Adyen takes a capture on, and days later says that it came to nothing. */
async function rehearseBreak(rehearsal: Rehearsal): Promise<Report> {
  const { client, psps } = rehearsal;
  const { body: made } = await client.payments.create({ ...orderFor('adyen', '8415'), capture: 'manual' });
  await client.payments.capture(made.id);
  // A refund was made of the captured money, so that only a person can take the capture back.
  await client.payments.refund(made.id, { amount: 100 });
  const key = `payment-${made.id}-capture`;
  const capture = await eventually(
    async () => (await psps.effects()).find((one) => one.reference === key),
    'Adyen captures',
  );
  await psps.fail('adyen', capture.psp_reference);
  const found = await eventually(async () => {
    const listed = (await payonce('breaks', 'list')) as { event_id: string; entity_key: string | null }[];
    return listed.find(({ entity_key: name }) => name === key);
  }, 'the break is listed');
  return {
    payment: made.id,
    done:
      'Adyen captured a payment, and a part was refunded; then it reported that the capture failed. The refund ' +
      'rests on it, so our records still say captured: a break.',
    next: [
      'npx payonce breaks list',
      `npx payonce payments show ${made.id}`,
      '# the ledger stands for the dashboard of the PSP: "undone_at" is set',
      ...ledger(rehearsal, 'adyen', key),
      'npx payonce breaks resolve --psp adyen \\',
      `  --event ${found.event_id} \\`,
      '  --note "the merchant did not get the money and knows"',
    ],
    page: 'docs/runbooks/break.md',
  };
}

/** Adyen sends the customer to the bank. */
async function rehearse3ds({ client, url, apiKey }: Rehearsal): Promise<Report> {
  const order = { ...orderFor('adyen', 'redirect'), return_url: 'https://shop.example/back' };
  const { body } = await client.payments.create(order);
  const { id, status, next_action: action } = body;
  if (status !== 'requires_action' || action?.type !== 'redirect') throw new Refused(`It is ${status}.`);
  const { headers } = await ask(action.url, { redirect: 'manual' });
  const result = new URL(headers.get('location') ?? '').searchParams.get('redirectResult') ?? '';
  return {
    payment: id,
    done:
      'Adyen wanted the customer to authenticate, who confirmed at the bank and came back to the shop with a ' +
      'redirectResult. The payment waits, and Adyen asks no bank before it is completed.',
    next: [
      `KEY=${apiKey}`,
      `RESULT=${result}`,
      `API=${url}/v1/payments`,
      `ID=${id}`,
      "curl $API/$ID/complete -H 'Idempotency-Key: complete-1' \\",
      '  -H \'Content-Type: application/json\' -H "Authorization: Bearer $KEY" \\',
      `  -d '{"details": {"redirectResult": "'$RESULT'"}}'`,
    ],
    page: 'docs/lifecycles/payment.md',
  };
}

/** Stripe charges, and none of its answers arrives for as long as the request takes. Returns the payment's id. */
async function loseAnswers({ client, psps }: Rehearsal, request: PaymentRequest): Promise<string> {
  await psps.misbehave('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
  try {
    return (await client.payments.create(request)).body.id;
  } finally {
    await psps.behave('stripe');
  }
}

/** Stripe charges one card, its answer is lost, and the customer pays with another card. */
async function rehearseOrder(rehearsal: Rehearsal): Promise<Report> {
  const { client } = rehearsal;
  const request = orderFor('stripe', 'pm_card_visa');
  const order = { reference: request.reference };
  const id = await loseAnswers(rehearsal, { ...request, order });
  const otherCard = orderFor('stripe', 'pm_card_mastercard').payment_method;
  const second = await client.orders.pay(order, { ...request, payment_method: otherCard });
  if (second.outcome !== 'paid_before' || second.paymentId !== id) {
    throw new Refused(`The second card is ${second.outcome}.`);
  }
  return {
    payment: id,
    done:
      'Stripe charged the first card, and its answer was lost. The customer paid again with another card, under ' +
      'another Idempotency-Key: the service asked Stripe about the first charge, found it, and refused the second ' +
      '(order_paid). The customer paid once.',
    next: [
      `npx payonce orders show ${order.reference}`,
      `npx payonce explain ${id}`,
      '# the ledger stands for the dashboard of the PSP: one charge',
      ...ledger(rehearsal, 'stripe', `payment-${id}-charge`),
    ],
    page: 'docs/orders.md',
  };
}

/** The customer disputes a charge, and Stripe holds its money back. */
async function rehearseDispute(rehearsal: Rehearsal): Promise<Report> {
  const { client, psps, control } = rehearsal;
  const { body } = await client.payments.create(orderFor('stripe', 'pm_card_visa'));
  await psps.dispute('stripe', body.psp_reference!, 'open');
  await eventually(
    async () => (await client.payments.get(body.id)).disputes.length > 0,
    'the dispute is known here',
  );
  return {
    payment: body.id,
    done:
      "The customer's bank took a charge of Stripe's back. Stripe told of the dispute: the payment stays captured, " +
      'its money is withheld, and it cannot be refunded meanwhile. You answer in the dashboard of the PSP.',
    next: [
      `npx payonce payments show ${body.id}`,
      '# the bank decides for you: the money comes back',
      `curl -s ${control}/stripe/_dispute \\`,
      `  -d '{"id": "${body.psp_reference}", "do": "win"}'`,
      `npx payonce payments show ${body.id}`,
    ],
    page: 'docs/lifecycles/payment.md',
  };
}

/** `failover hold`, as after a promoted standby: the service sends nothing that it might have sent before. */
async function rehearseLostCommits(rehearsal: Rehearsal): Promise<Report> {
  const { client } = rehearsal;
  const paid = await client.payments.create(orderFor('stripe', 'pm_card_visa'));
  await payonce('failover', 'hold');
  const { payment_method: method, ...order } = orderFor('stripe', 'pm_card_visa');
  const tokens = { ...method.tokens, adyen: '8415' };
  const several = { ...order, payment_method: { ...method, tokens, customers: { adyen: 'shopper' } } };
  const refused = await eventually(async () => {
    const error: unknown = await client.payments.create(several as PaymentRequest, { maxTries: 1 }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof ApiError && error.code === 'commits_may_be_lost' && error;
  }, 'a payment that two PSPs could take is refused');
  return {
    payment: paid.body.id,
    done:
      'The rehearsal said that Postgres may have lost commits, as the service does when another server answers. ' +
      'A payment that Stripe and Adyen could both take is refused now ' +
      `(${refused.code}): one of them may have taken it already. Payments for one PSP go on.`,
    next: [
      'npx payonce failover status',
      `# compare what each PSP did with what is stored, as for this one`,
      `npx payonce payments show ${paid.body.id}`,
      ...ledger(rehearsal, 'stripe', `payment-${paid.body.id}-charge`),
      '# nothing is missing',
      'npx payonce failover resume --nothing-lost',
      'npx payonce failover status',
    ],
    page: 'docs/operations.md#lost-commits',
  };
}

/** A charge at Stripe whose answer is lost, and of which Stripe reports another amount and nothing else. */
function makeStuck(rehearsal: Rehearsal): Promise<{ id: string; effect: Effect }> {
  const hook = { url: `${rehearsal.url}/v1/webhooks/stripe`, secret: KNOWN_SECRETS.stripe };
  return rehearsal.psps.withoutNotifications('stripe', hook, () => loseCharge(rehearsal));
}

async function loseCharge({ client, psps, url }: Rehearsal) {
  const before = new Set((await psps.effects()).map(nameOf));
  await psps.misbehave('stripe', { fault: 'reset_after', next: 1 });
  await psps.misbehave('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
  try {
    const asked = client.payments.create(orderFor('stripe', 'pm_card_visa'));
    // Report below; a rejection must not end the process first.
    asked.catch(() => {});
    const effect = await eventually(
      async () =>
        (await psps.effects()).find(
          (one) => one.psp === 'stripe' && one.amount === AMOUNT && !before.has(nameOf(one)),
        ),
      'Stripe charges',
    );
    await notifyAsStripe(url, intentOf(effect, AMOUNT + 100));
    const { id } = (await asked).body;
    await eventually(async () => {
      const listed = (await payonce('stuck', 'list')) as { entity_key: string }[];
      return listed.some(({ entity_key: key }) => key.includes(id));
    }, 'the charge is stuck');
    return { id, effect };
  } finally {
    await psps.behave('stripe');
  }
}

const nameOf = ({ psp, psp_reference: reference }: Effect): string => `${psp} ${reference}`;

function orderFor(psp: 'stripe' | 'adyen', token: string): PaymentRequest {
  return {
    reference: `rehearsal-${randomUUID().slice(0, 8)}`,
    amount: AMOUNT,
    currency: CURRENCY,
    payment_method: {
      type: 'card',
      tokens: { [psp]: token },
      ...(psp === 'adyen' ? { customers: { adyen: 'shopper-of-the-rehearsal' } } : {}),
    },
  };
}

/** What Stripe would tell of this charge, with an amount. */
function intentOf({ psp_reference: id, reference, route }: Effect, amount: number): object {
  return {
    id,
    object: 'payment_intent',
    status: 'succeeded',
    capture_method: 'automatic',
    amount,
    amount_received: amount,
    currency: CURRENCY.toLowerCase(),
    metadata: { payonce_entity_key: reference, payonce_route: route },
  };
}

/** A notification as the simulated Stripe signs it. @throws Refused where the service knows another secret */
async function notifyAsStripe(url: string, object: object | null): Promise<void> {
  const created = Math.floor(Date.now() / 1_000);
  const type = object === null ? 'rehearsal.asked' : 'payment_intent.succeeded';
  const event = { id: `evt_${randomUUID()}`, object: 'event', type, created, data: { object: object ?? {} } };
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', KNOWN_SECRETS.stripe).update(`${created}.${body}`).digest('hex');
  await notify(`${url}/v1/webhooks/stripe`, body, { 'stripe-signature': `t=${created},v1=${signature}` });
}

/** An item that says nothing of a payment. @throws Refused where the service knows another secret */
async function notifyAsAdyen(url: string): Promise<void> {
  const item = { eventCode: 'REPORT_AVAILABLE', success: 'true', pspReference: randomUUID() };
  const signed = [item.pspReference, '', 'PayonceECOM', '', '0', CURRENCY, item.eventCode, item.success];
  const key = Buffer.from(KNOWN_SECRETS.adyen, 'hex');
  const hmacSignature = createHmac('sha256', key).update(signed.join(':')).digest('base64');
  const NotificationRequestItem = {
    ...item,
    merchantAccountCode: 'PayonceECOM',
    amount: { value: 0, currency: CURRENCY },
    additionalData: { hmacSignature },
  };
  await notify(
    `${url}/v1/webhooks/adyen`,
    JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem }] }),
  );
}

async function notify(url: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  const { status } = await ask(url, { method: 'POST', body, headers: { ...headers, ...JSON_BODY } });
  if (status !== 200) throw new Refused(NOT_SIMULATED);
}

const JSON_BODY = { 'content-type': 'application/json' };
const NOT_SIMULATED =
  'The installation that runs there is not on the bundled simulator. Nothing was done: a rehearsal never ' +
  'touches a PSP that may be real. Start one with npm start, without PAYONCE_PSPS_FILE and DATABASE_URL.';

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(5_000) });
}

/** A `payonce` command on the installation of this folder. @throws Refused with what it says */
async function payonce(...args: readonly string[]): Promise<unknown> {
  const command = fileURLToPath(new URL('../../bin/payonce.mjs', import.meta.url));
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [command, ...args, '--json'], (error, stdout, stderr) => {
      // What a command refuses is the last line on standard error.
      resolve(error === null ? stdout : (stderr.trim().split('\n').at(-1) ?? error.message));
    });
  });
  const answer = JSON.parse(printed) as { error?: { message: string } };
  if (answer.error) throw new Refused(answer.error.message);
  return answer;
}

/** Until something is so; `isBest` ends the wait for a better answer, which is taken as it stands after a while. */
async function eventually<T>(
  look: () => Promise<T | undefined | false>,
  what: string,
  isBest: (found: T) => boolean = () => true,
): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found && (isBest(found) || performance.now() > giveUpAt)) return found;
    if (performance.now() > giveUpAt) {
      throw new Refused(`It did not come to this within ${PATIENCE_MS / 1_000} s: ${what}.`);
    }
    await sleep(POLL_MS);
  }
}

/** @throws Refused unless this leads to a service of this machine, and to the simulator that plays its PSPs */
async function installationAt(url: string, control: string): Promise<Rehearsal> {
  for (const address of [url, control]) {
    const host = URL.canParse(address) ? new URL(address).hostname : '';
    if (!['127.0.0.1', 'localhost', '[::1]'].includes(host)) {
      throw new Refused(`${address} is not on this machine. A rehearsal is for loopback addresses alone.`);
    }
  }
  if (!(await answers(`${url}/health/live`))) {
    throw new Refused(`No installation runs at ${url}. Start one in another terminal:\nnpm start`);
  }
  const psps = new Psps(control);
  for (const psp of ['stripe', 'adyen'] as const) {
    const notified = await psps.notified(psp).catch((): string[] => []);
    if (!notified.includes(`${url}/v1/webhooks/${psp}`)) throw new Refused(NOT_SIMULATED);
  }
  // Only who knows the simulator's secrets takes these; a PSP that is real has others.
  await notifyAsStripe(url, null);
  await notifyAsAdyen(url);
  const apiKey = await apiKeyOf(url);
  return { client: new PayonceClient({ apiKey, baseUrl: url }), psps, url, control, apiKey };
}

async function answers(url: string): Promise<boolean> {
  return ask(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** A key of the merchant of the rehearsals, which is made where there is none. */
async function apiKeyOf(url: string): Promise<string> {
  const merchants = (await payonce('merchants', 'list')) as { id: string; name: string }[];
  const merchant =
    merchants.find(({ name }) => name === MERCHANT) ??
    ((await payonce('merchants', 'create', '--name', MERCHANT)) as { id: string });
  const scopes = 'payments:read,payments:write';
  const made = await payonce('api-keys', 'create', '--merchant', merchant.id, '--scopes', scopes);
  const { key } = made as { key: string };
  const { status } = await ask(`${url}/v1/payments`, { headers: { authorization: `Bearer ${key}` } });
  if (status === 401) {
    throw new Refused(
      `The service at ${url} is not the installation of this folder. Go to the folder of npm start.`,
    );
  }
  return key;
}

function paperAt80Columns(): Paper {
  const { stdout, env } = process;
  const output = { write: (text: string) => stdout.write(text), isTTY: true, columns: 80 };
  return new Paper(output, stdout.isTTY ? env : { ...env, NO_COLOR: '1' });
}

function printed(state: string, { payment, done, next, page }: Report): void {
  const paper = paperAt80Columns();
  paper.line(`Rehearsal: ${state}`, 'bold');
  paper.line(done);
  paper.line(`Payment ${payment}, 12.99 EUR, of the merchant "${MERCHANT}".`);
  paper.line();
  paper.line(`Next: ${page}, and`, 'bold');
  paper.commands(next);
}

async function main(): Promise<number> {
  const { PORT: port = '3000' } = process.env;
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { url: { type: 'string' }, control: { type: 'string' } },
    });
    if (positionals.join() === 'bank-file') {
      await rehearseBankFile(paperAt80Columns());
      return 0;
    }
    const rehearse = states[positionals[0] ?? ''];
    if (!rehearse || positionals.length !== 1) {
      process.stderr.write(USAGE);
      return 2;
    }
    const url = (values.url ?? `http://127.0.0.1:${port}`).replace(/\/$/, '');
    const control = (values.control ?? 'http://127.0.0.1:8450').replace(/\/$/, '');
    printed(positionals[0]!, await rehearse(await installationAt(url, control)));
    return 0;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) {
      process.stderr.write(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    if (!(error instanceof Refused) && !(error instanceof ApiError)) throw error;
    const paper = new Paper(
      { write: (text) => process.stderr.write(text), isTTY: true, columns: 80 },
      { NO_COLOR: '1' },
    );
    paper.line(error.message);
    return 1;
  }
}

process.exitCode = await main();
