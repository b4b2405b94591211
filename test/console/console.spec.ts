import { randomBytes } from 'node:crypto';
import { type ApprovalView, type RetryView, type VerdictView } from '../../src/approvals/approval-views.js';
import {
  type OpenRow,
  type OverviewView,
  type PaymentPageView,
  type PaymentRow,
} from '../../src/console/console-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { type OperatorRole, operatorRoles } from '../../src/core/operator-role.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { postDue } from '../support/ledger.js';
import { lastAttempt, stuckPayment } from '../support/stuck-payment.js';
import {
  ApiClient,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

/** What operators read and do through the console's API; the ledger of the PSP judges. */
let environment: TestEnvironment;
let service: Service;
let shop: ApiClient;
const as = {} as Record<OperatorRole | 'other', ConsoleClient>;
const ids = {} as Record<'done' | 'retried' | 'nothing' | 'own', string>;
const url = () => service.url;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  shop = new ApiClient(url, await environment.merchant());
  service = await environment.start({ env: { PAYONCE_OPS_TOKEN: randomBytes(32).toString('hex') } });
  for (const role of operatorRoles) {
    as[role] = await ConsoleClient.signedIn(url, await newOperator(environment, role, role));
  }
  as.other = await ConsoleClient.signedIn(url, await newOperator(environment, 'other', 'approver'));
  const order = orderOf({ first: 'stripe', reference: 'order-done', amount: 1_000 });
  ids.done = paymentOf(await shop.post('/v1/payments', order, 'order-done')).id;
  for (const name of ['retried', 'nothing', 'own'] as const) {
    ids[name] = await stuckPayment(environment, shop, `order-${name}`, name === 'retried');
  }
});
afterAll(() => environment.close());

const page = async (id: string, client = as.viewer) =>
  (await client.get<PaymentPageView>(`payments/${id}`)).body;
const named = async (id: string) => {
  const { payment, operations } = await page(id);
  return { merchant_id: payment.merchant_id, entity_key: operations[0]!.entity_key };
};
const chargesOf = (id: string) => environment.effects(id).length;

describe('payments', () => {
  it('are listed newest first, over all merchants, and narrowed', async () => {
    const all = (await as.viewer.get<PageView<PaymentRow>>('payments')).body;
    expect(all.data.map(({ reference }) => reference)).toEqual([
      'order-own',
      'order-nothing',
      'order-retried',
      'order-done',
    ]);
    const captured = (await as.viewer.get<PageView<PaymentRow>>('payments?status=captured')).body;
    expect(captured.data.map(({ id, merchant, psp }) => [id, merchant, psp])).toEqual([
      [ids.done, 'Shop', 'stripe'],
    ]);
    expect((await as.viewer.get<PageView<PaymentRow>>('payments?status=refunded')).body.data).toEqual([]);
  });

  it('are found by id, by reference and by the id at the PSP', async () => {
    const { payment } = await page(ids.done);
    for (const name of [ids.done, ids.done.toUpperCase(), 'order-done', payment.psp_reference!]) {
      const { data } = (await as.viewer.get<PageView<PaymentRow>>(`payments?q=${name}`)).body;
      expect([name, data.map(({ id }) => id)]).toEqual([name, [ids.done]]);
    }
  });

  it('are found by the beginning of a reference or an id, by an entity key, an amount, a day and a failure', async () => {
    const found = async (query: string) =>
      (await as.viewer.get<PageView<PaymentRow>>(`payments?${query}`)).body.data.map(({ id }) => id);
    expect(await found('q=order-r')).toEqual([ids.retried]);
    expect(await found('q=or')).toEqual([]);
    expect(await found(`q=payment-${ids.done}-charge`)).toEqual([ids.done]);
    // Ids of one second begin alike.
    expect(await found(`q=${ids.own.slice(0, 9)}`)).toContain(ids.own);
    expect(await found('currency=USD&amount_from=1000&amount_to=1000')).toEqual([ids.done]);
    expect(await found('amount_from=2000')).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await found(`from=${today}&to=${today}`)).toHaveLength(4);
    expect(await found('from=2020-01-01&to=2020-12-31')).toEqual([]);
    expect(await found('failure=card_declined')).toEqual([]);
    expect(await found('order=oldest')).toEqual([ids.done, ids.retried, ids.nothing, ids.own]);
    expect(await found('order=largest&currency=USD')).toHaveLength(4);
    expect((await as.viewer.get('payments?order=largest')).status).toBe(422);
    const { status, body } = await as.viewer.get<{ errors: object[] }>('payments?from=yesterday');
    expect([status, body.errors]).toMatchObject([422, [{ pointer: '/from' }]]);
  });

  it('are a file for a spreadsheet, with amounts in units of their currency', async () => {
    const { text } = (await as.viewer.get<{ text: string }>('payments.csv?status=captured')).body;
    const [head, ...lines] = text.trim().split('\n');
    expect(head).toBe('id,merchant,reference,status,amount,currency,psp,created_at');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/,order-done,captured,10\.00,USD,stripe,\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('are found by their customer, of whom the database has no address', async () => {
    const customer = { reference: 'cust-Ärger-42', email: 'Cleo@shop.example' };
    const one = (n: number, of: object) =>
      shop.post(
        '/v1/payments',
        { ...orderOf({ reference: `of-${n}`, tokens: { stripe: tokens.stripe } }), customer: of },
        `of-${n}`,
      );
    const ids = (
      await Promise.all([one(1, customer), one(2, customer), one(3, { email: customer.email })])
    ).map((reply) => paymentOf(reply).id);
    const found = async (name: string) =>
      (await as.viewer.get<PageView<PaymentRow>>(`payments?q=${encodeURIComponent(name)}`)).body.data
        .map(({ id }) => id)
        .toSorted();
    expect(await found(` ${customer.reference}`)).toEqual(ids.slice(0, 2).toSorted());
    expect(await found('cleo@SHOP.example')).toEqual(ids.toSorted());
    expect(await found('cust-ärger-42')).toEqual([]);
    const [stored] = await environment.sql<{ rows: string }>(
      'SELECT json_agg(p)::text AS rows FROM payments p',
    );
    expect(stored!.rows).not.toMatch(/cleo/i);
  });

  it('have a page that says what happened, without tokens and customer data', async () => {
    const { explained, timeline, lifecycle } = await page(ids.done);
    expect(explained).toMatch(
      /^The merchant asked for 10\.00 USD .* ago\. stripe did it\. 10\.00 USD is captured\. Nothing is left to do\.$/,
    );
    expect(timeline.map(({ what, title }) => [what, title])).toEqual(
      expect.arrayContaining([
        ['request', 'POST /v1/payments: answered 201'],
        ['call', 'execute at stripe: succeeded'],
        ['event', 'payment.captured: no endpoint is sent it'],
        ['state', 'processing → captured'],
      ]),
    );
    expect(timeline[0]).toMatchObject({
      what: 'request',
      detail: expect.stringMatching(/^Idempotency-Key order-done, from (::ffff:)?127\.0\.0\.1$/),
    });
    expect(lifecycle.visited.at(-1)).toBe('captured');
    const { body } = await as.viewer.get(`payments/${ids.done}/explain`);
    expect(body).toEqual({ id: ids.done, explained: expect.stringContaining('stripe did it') });
    const said = (await environment.command('explain', ids.done)) as { explained: string };
    expect(said.explained).toContain('Nothing is left to do.');
  });

  it('have a timeline with routes and what the ledger posted, with how long each took', async () => {
    await postDue(environment);
    const { timeline } = await page(ids.done);
    const [route] = timeline.filter(({ what }) => what === 'route');
    expect(route).toMatchObject({ title: 'route 1 at stripe: done', tone: 'good' });
    expect(route!.duration_ms).toBeGreaterThan(0);
    expect(
      timeline.filter(({ what }) => what === 'ledger').map(({ title, detail }) => [title, detail]),
    ).toEqual([
      [
        'charge posted to the ledger',
        'stripe, debit psp clearing 10.00 USD, credit merchant payable 10.00 USD',
      ],
    ]);
  });

  it('are looked at by name: one view of a page however often it is refreshed', async () => {
    await page(ids.done, as.other);
    await page(ids.done, as.other);
    const views = await environment.acts({ actor: 'operator:other', action: 'payment.viewed' });
    expect(views).toMatchObject([{ subject: `payment:${ids.done}` }]);
  });
});

describe('a stuck operation', () => {
  it('is listed with its reason, and explained', async () => {
    const { data } = (await as.viewer.get<PageView<OpenRow>>('operations/stuck')).body;
    expect(data.map(({ payment_id: id }) => id)).toEqual([ids.retried, ids.nothing, ids.own]);
    expect(data[0]).toMatchObject({ merchant: 'Shop', psp: 'stripe', reason: 'doubt', next_step_at: null });
    expect((await page(ids.nothing)).explained).toMatch(
      /It is not known whether stripe did it.*The charge has been stuck for/,
    );
    const overview = (await as.viewer.get<OverviewView>('overview')).body;
    expect(overview.waiting.map(({ name, count }) => [name, count])).toEqual([
      ['stuck', 3],
      ['orphans', 0],
      ['breaks', 0],
      ['disputes', 0],
      ['approvals', 0],
      ['dead_letters', 0],
      ['own_approvals', 0],
      ['snoozed', 0],
      ['open', 0],
    ]);
    const money = [{ currency: 'USD', amount: data.reduce((sum, { amount }) => sum + amount, 0) }];
    expect(overview.waiting[0]).toMatchObject({ oldest_at: data[0]!.stuck_at, money });
  });

  it('has a verdict before the click, which changes nothing, and is retried to success', async () => {
    const operation = await named(ids.retried);
    const before = environment.simulator.calls('stripe').length;
    const { body: verdict } = await as.viewer.post<VerdictView>('operations/verdict', operation);
    expect(verdict.allowed).toBe(true);
    expect(verdict.headline).toBe('stripe is asked what became of it. The lookup alone moves no money.');
    expect(verdict.facts.join(' ')).toMatch(/^Same key: stripe remembers it for another 22 h \d+ min/);
    expect(environment.simulator.calls('stripe')).toHaveLength(before);
    const { body: retried } = await as.operator.post<RetryView>('operations/retry', operation);
    expect(retried).toEqual({ calls: [{ kind: 'lookup', outcome: 'succeeded' }], stuck: false });
    expect((await page(ids.retried)).payment.status).toBe('captured');
    expect(chargesOf(ids.retried)).toBe(1);
    const again = await as.operator.post('operations/retry', operation);
    expect([again.status, again.body['code']]).toEqual([409, 'invalid_state']);
  });

  it('is looked up by itself: the PSP is asked once, and nothing is sent', async () => {
    const id = await stuckPayment(environment, shop, 'order-looked-up', false);
    const operation = await named(id);
    const { body: verdict } = await as.viewer.post<VerdictView>('operations/verdict', {
      ...operation,
      act: 'look_up',
    });
    expect([verdict.allowed, verdict.headline]).toEqual([
      true,
      'stripe is asked what became of it. Nothing else is sent; the service goes on by its answer.',
    ]);
    const sent = environment.orders('stripe').length;
    const { body: looked } = await as.operator.post<RetryView>('operations/look-up', operation);
    expect(looked.calls).toEqual([{ kind: 'lookup', outcome: 'not_found' }]);
    expect([environment.orders('stripe').length, chargesOf(id)]).toEqual([sent, 0]);
    const acts = await environment.acts({ action: 'route.looked_up' });
    expect(acts).toMatchObject([{ actor: 'operator:operator' }]);
    // The answer was the proof that another PSP needs, and the client's deadline has not passed.
    const { body: retried } = await as.operator.post<RetryView>('operations/retry', operation);
    expect([retried.calls.at(-1), environment.effects(id)]).toEqual([
      { kind: 'execute', outcome: 'succeeded' },
      [expect.objectContaining({ psp: 'adyen' })],
    ]);
    const late = await as.operator.post('operations/look-up', operation);
    expect([late.status, late.body['code']]).toEqual([409, 'invalid_state']);
  });

  it('is resolved by two people: never by who asked, once, and for exactly what was asked', async () => {
    const operation = await named(ids.nothing);
    const action = {
      kind: 'resolve_stuck',
      ...operation,
      route: 1,
      attempt: await lastAttempt(environment, ids.nothing),
      as: 'not-done',
      evidence: 'Not in the dashboard',
    };
    const foreseen = await as.viewer.post<VerdictView>('operations/action-verdict', action);
    expect(foreseen.body.headline).toContain('closed as not done at stripe');
    // An approver may ask as well, and may still not approve it.
    const { status, body: asked } = await as.approver.post<ApprovalView>('approvals', action);
    expect([status, asked.requested_by, asked.decision]).toEqual([201, 'approver', null]);
    expect((await as.other.post('approvals', action)).status).toBe(409);
    const approve = (client: ConsoleClient, hash = asked.action_hash) =>
      client.post<ApprovalView & { code: string }>(`approvals/${asked.id}/approve`, { action_hash: hash });
    expect((await approve(as.approver)).body.code).toBe('forbidden');
    expect((await approve(as.operator)).body.code).toBe('forbidden');
    expect((await approve(as.other, '0'.repeat(64))).body.code).toBe('invalid_state');
    expect((await page(ids.nothing)).payment.status).toBe('processing');
    const both = await Promise.all([approve(as.other), approve(as.admin)]);
    expect(new Set(both.map((reply) => reply.status))).toEqual(new Set([200, 409]));
    const [done] = both.filter((reply) => reply.status === 200);
    expect(done!.body).toMatchObject({ decision: 'approved', result: 'done: ruled_out' });
    const { payment, explained } = await page(ids.nothing);
    expect(payment.status).toBe('failed');
    expect(explained).toContain('stripe did nothing, as operator:approver found out');
    expect(chargesOf(ids.nothing)).toBe(0);
    const { data: attempts } = JSON.parse((await shop.get(`/v1/payments/${ids.nothing}/attempts`)).text) as {
      data: { kind: string; outcome: string }[];
    };
    expect(attempts[0]).toMatchObject({ kind: 'statement', outcome: 'not_found' });
    expect((await page(ids.nothing)).timeline.filter(({ what }) => what === 'proof')).toMatchObject([
      { title: 'proved that route 1 did nothing: person' },
    ]);
  });

  it('is judged again when the approval is given, and an old or declined approval does nothing', async () => {
    const action = {
      kind: 'resolve_stuck',
      ...(await named(ids.own)),
      route: 1,
      attempt: await lastAttempt(environment, ids.own),
      as: 'not-done',
      evidence: 'Not in the dashboard',
    };
    const ask = async (evidence: string) =>
      (await as.operator.post<ApprovalView>('approvals', { ...action, evidence })).body;
    const approve = ({ id, action_hash }: ApprovalView) =>
      as.approver.post<ApprovalView>(`approvals/${id}/approve`, { action_hash });
    const declined = await ask('declined');
    expect((await as.operator.post(`approvals/${declined.id}/decline`)).status).toBe(200);
    expect((await approve(declined)).status).toBe(409);
    const old = await ask('old');
    // What is approved may not be changed behind the trigger's back, so the trigger is put aside.
    await environment.sql('ALTER TABLE approvals DISABLE TRIGGER approvals_decided_once');
    await environment.sql("UPDATE approvals SET expires_at = now() - interval '1 s' WHERE id = $1", [old.id]);
    const forged = await ask('forged');
    await environment.sql(
      `UPDATE approvals SET action = action || '{"as": "done"}', action_hash = action_hash WHERE id = $1`,
      [forged.id],
    );
    await environment.sql('ALTER TABLE approvals ENABLE TRIGGER approvals_decided_once');
    expect((await approve(old)).status).toBe(409);
    expect((await approve(forged)).status).toBe(409);
    const late = await ask('late');
    await environment.sql(
      'UPDATE psp_requests SET stuck_at = NULL, next_step_at = now() WHERE payment_id = $1',
      [ids.own],
    );
    const { body } = await approve(late);
    expect(body.result).toMatch(/^refused: payment-.* is not stuck\.$/);
    expect((await page(ids.own)).payment.status).toBe('processing');
  });

  it('leaves a record of who asked, who approved and what was retried', async () => {
    const byPeople = async (id: string) =>
      (await environment.acts({ subject: `payment:${id}` }))
        .filter(({ actor, action }) => actor.startsWith('operator:') && action !== 'payment.viewed')
        .map(({ actor, action }) => `${actor} ${action}`);
    expect(await byPeople(ids.retried)).toEqual(['operator:operator route.retried']);
    expect(await byPeople(ids.nothing)).toEqual([
      'operator:approver approval.requested',
      'operator:approver route.resolved',
      expect.stringMatching(/^operator:(other|admin) approval\.approved$/),
    ]);
    const { data } = (await as.viewer.get<PageView<{ action: string }>>('audit')).body;
    expect(data.map(({ action }) => action)).toContain('approval.approved');
  });
});

it('refuses in the database what one person approves for themself, and a second decision', async () => {
  const [row] = await environment.sql<{ id: string }>(
    'SELECT id FROM approvals WHERE decision IS NULL OR true LIMIT 1',
  );
  await expect(
    environment.sql(
      "UPDATE approvals SET decision = 'approved', decided_by = requested_by, decided_at = now() WHERE decision IS NULL",
    ),
  ).rejects.toThrow('approvals_two_people');
  await expect(
    environment.sql("UPDATE approvals SET action = '{}' WHERE id = $1", [row!.id]),
  ).rejects.toThrow('decided once');
});

/** What each role may ask for; `viewer` may only read. */
const acts: readonly (readonly [needs: OperatorRole, method: string, path: string])[] = [
  ['viewer', 'GET', 'overview'],
  ['viewer', 'GET', 'activity'],
  ['viewer', 'GET', 'payments'],
  ['viewer', 'GET', 'payments/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['viewer', 'GET', 'payments/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/explain'],
  ['viewer', 'GET', 'orders/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['viewer', 'GET', 'operations/stuck'],
  ['viewer', 'GET', 'operations/open'],
  ['viewer', 'GET', 'operations/snoozed'],
  ['operator', 'POST', 'operations/snooze'],
  ['operator', 'POST', 'operations/wake'],
  ['operator', 'POST', 'operations/note'],
  ['operator', 'POST', 'evidence'],
  ['viewer', 'GET', 'evidence/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['viewer', 'POST', 'operations/verdict'],
  ['viewer', 'POST', 'operations/action-verdict'],
  ['operator', 'POST', 'operations/retry'],
  ['operator', 'POST', 'operations/look-up'],
  ['viewer', 'GET', 'approvals'],
  ['operator', 'POST', 'approvals'],
  ['finance', 'POST', 'approvals/corrections'],
  ['approver', 'POST', 'approvals/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/approve'],
  ['finance', 'POST', 'approvals/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/decline'],
  ['viewer', 'GET', 'orphans'],
  ['viewer', 'GET', 'orphans.csv'],
  ['viewer', 'GET', 'payments.csv'],
  ['viewer', 'GET', 'payouts.csv'],
  ['viewer', 'GET', 'refunds'],
  ['viewer', 'GET', 'refunds.csv'],
  ['viewer', 'GET', 'disputes'],
  ['viewer', 'GET', 'disputes.csv'],
  ['viewer', 'GET', 'operations/stuck.csv'],
  ['viewer', 'GET', 'operations/snoozed.csv'],
  ['viewer', 'GET', 'operations/open.csv'],
  ['viewer', 'GET', 'merchants.csv'],
  ['viewer', 'GET', 'webhooks/deliveries.csv'],
  ['viewer', 'GET', 'webhooks/inbox.csv'],
  ['viewer', 'GET', 'dead-letters/list.csv'],
  ['viewer', 'GET', 'psps'],
  ['viewer', 'POST', 'psps/route'],
  ['operator', 'POST', 'psps/breaker'],
  ['admin', 'POST', 'psps/accounts'],
  ['admin', 'POST', 'psps/accounts/change'],
  ['admin', 'POST', 'psps/accounts/disable'],
  ['viewer', 'GET', 'psps/routing'],
  ['admin', 'POST', 'psps/routing'],
  ['operator', 'POST', 'psps/check'],
  ['admin', 'GET', 'psps/adapters'],
  ['admin', 'GET', 'psps/accounts'],
  ['admin', 'POST', 'psps/accounts/check'],
  ['viewer', 'GET', 'merchants'],
  ['viewer', 'GET', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['admin', 'POST', 'merchants'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/name'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/settings'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/keys'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/keys/rotate'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/keys/revoke'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/payout-limits'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/payout-limits/remove'],
  ['viewer', 'GET', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/recipients'],
  ['approver', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/recipients/approve'],
  ['approver', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/recipients/remove'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints/rotate'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints/disable'],
  ['admin', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints/enable'],
  ['operator', 'POST', 'merchants/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/endpoints/ping'],
  ['viewer', 'GET', 'webhooks/deliveries'],
  ['operator', 'POST', 'webhooks/replay'],
  ['viewer', 'GET', 'webhooks/inbox'],
  ['viewer', 'GET', 'payouts'],
  ['viewer', 'GET', 'payouts/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['viewer', 'GET', 'reconciliation/runs'],
  ['viewer', 'GET', 'reconciliation/runs/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['viewer', 'GET', 'reconciliation/runs/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/breaks'],
  ['viewer', 'GET', 'reconciliation/runs/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/breaks.csv'],
  ['viewer', 'GET', 'reconciliation/runs/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/lines.csv'],
  ['viewer', 'GET', 'reconciliation/breaks'],
  ['viewer', 'GET', 'reconciliation/breaks.csv'],
  ['viewer', 'GET', 'breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42?psp=stripe'],
  ['viewer', 'GET', 'reconciliation/breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['finance', 'POST', 'reconciliation/breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/assign'],
  ['finance', 'POST', 'reconciliation/breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/notes'],
  ['finance', 'POST', 'reconciliation/breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/close'],
  ['finance', 'POST', 'reconciliation/breaks/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42/reopen'],
  ['viewer', 'GET', 'reconciliation/closed-breaks'],
  ['viewer', 'GET', 'reconciliation/fetches'],
  ['finance', 'POST', 'reconciliation/fetches/now'],
  ['finance', 'POST', 'reconciliation/fetches/done'],
  ['finance', 'POST', 'reconciliation/reports'],
  ['viewer', 'GET', 'health'],
  ['viewer', 'GET', 'operators'],
  ['admin', 'POST', 'operators'],
  ['admin', 'POST', 'operators/reset'],
  ['admin', 'POST', 'operators/link'],
  ['admin', 'POST', 'operators/disable'],
  ['viewer', 'GET', 'session/list'],
  ['viewer', 'POST', 'session/password'],
  ['viewer', 'POST', 'session/credentials'],
  ['viewer', 'POST', 'session/enrolment'],
  ['viewer', 'GET', 'customers'],
  ['viewer', 'GET', 'customers.csv'],
  ['viewer', 'GET', 'bank/batches'],
  ['viewer', 'GET', 'bank/batches.csv'],
  ['viewer', 'GET', 'bank/files'],
  ['viewer', 'GET', 'bank/files.csv'],
  ['viewer', 'GET', 'ledger/balances'],
  ['viewer', 'GET', 'ledger/statement'],
  ['viewer', 'GET', 'ledger/statement.csv'],
  ['viewer', 'GET', 'month-end/owed'],
  ['viewer', 'GET', 'month-end/owed/items'],
  ['viewer', 'GET', 'month-end/owed/items.csv'],
  ['viewer', 'GET', 'month-end/transfers'],
  ['viewer', 'GET', 'month-end/transfers.csv'],
  ['viewer', 'GET', 'month-end/fees'],
  ['viewer', 'GET', 'month-end/fees.csv'],
  ['viewer', 'GET', 'audit'],
  ['viewer', 'GET', 'dead-letters'],
  ['viewer', 'GET', 'dead-letters/counts'],
  ['viewer', 'GET', 'dead-letters/019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42'],
  ['operator', 'POST', 'dead-letters/merge'],
  ['admin', 'POST', 'dead-letters/purge'],
];

it.each(acts)('%s and above: %s /ops/api/%s, and nobody without a session', async (needs, method, path) => {
  const stranger = new ConsoleClient(url);
  const ask = (client: ConsoleClient) => client.send(method, path, method === 'POST' ? {} : undefined);
  expect((await ask(stranger)).status).toBe(401);
  const key = {
    authorization: `Bearer ${await environment.merchant()}`,
    origin: new URL(service.url).origin,
  };
  expect((await stranger.send(method, path, undefined, { ...key, 'payonce-console': 'active' })).status).toBe(
    401,
  );
  for (const role of operatorRoles) {
    const { status, body } = await ask(as[role]);
    const isRefused = operatorRoles.indexOf(role) < operatorRoles.indexOf(needs);
    expect([role, status === 403 && body['code'] === 'forbidden']).toEqual([role, isRefused]);
    expect(status).not.toBe(500);
  }
});
