import { type ApprovalView, type ChangedView } from '../../src/approvals/approval-views.js';
import { type PageView } from '../../src/core/page.view.js';
import {
  type MerchantPageView,
  type NewApiKeyView,
  type RoutingRulesView,
  type RoutingView,
} from '../../src/console/installation-views.js';
import {
  ConsoleClient,
  type ConsoleReply,
  freshCodeOf,
  newOperator,
  type OperatorCredentials,
} from '../support/console-client.js';
import { ApiClient, eventually, type Service, TestEnvironment } from '../support/test-environment.js';

/** What lifts a bound on what merchants and accounts may do: asked for by one person, approved by another. */
let environment: TestEnvironment;
let service: Service;
let [kim, leo]: [OperatorCredentials, OperatorCredentials] = [] as never;
let [admin, approver]: [ConsoleClient, ConsoleClient] = [] as never;
let merchantId: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  kim = await newOperator(environment, 'kim', 'admin');
  leo = await newOperator(environment, 'leo', 'approver');
  const url = () => service.url;
  admin = await ConsoleClient.signedIn(url, kim);
  approver = await ConsoleClient.signedIn(url, leo);
  merchantId = (await admin.post<MerchantPageView>('merchants', { name: 'Bakery' })).body.merchant.id;
});
afterAll(() => environment.close());

type Refused = { readonly code?: string; readonly detail?: string };
type Changed = ConsoleReply<ChangedView & Refused>;

const change = (path: string, body: object): Promise<Changed> =>
  admin.post(`merchants/${merchantId}/${path}`, body);
const asked = async (path: string, body: object) =>
  change(path, { ...body, code: await freshCodeOf(environment, kim) });
const pays = (value: string) => ({ name: 'payout_recipients', value });
const page = async () => (await admin.get<MerchantPageView>(`merchants/${merchantId}`)).body;
const approve = ({ id, action_hash }: ApprovalView, client: ConsoleClient, code?: string) =>
  client.post<ApprovalView & Refused>(`approvals/${id}/approve`, { action_hash, code });

/** Another person approves it, with a code; kept from doing it without, and the one who asked in any case. */
async function approved({ status, body }: Changed): Promise<string | null> {
  expect([status, body.approval?.decision]).toEqual([200, null]);
  const approval = body.approval!;
  expect((await approve(approval, approver)).status).toBe(403);
  expect((await approve(approval, admin, await freshCodeOf(environment, kim))).status).toBe(403);
  return (await approve(approval, approver, await freshCodeOf(environment, leo))).body.result;
}

it('sets limits at once, and lifts them once another person has approved that', async () => {
  const limit = { currency: 'EUR', per: 'merchant', amount: 1_000 };
  expect((await change('payout-limits', limit)).body).toEqual({ approval: null });
  expect((await change('payout-limits', { ...limit, amount: 500 })).body).toEqual({ approval: null });
  for (const [path, body] of [
    ['payout-limits', { ...limit, amount: 501 }],
    ['payout-limits', { ...limit, currency: 'USD' }],
    ['payout-limits/remove', { currency: 'EUR', per: 'merchant' }],
  ] as const) {
    const alone = await change(path, body);
    expect([alone.status, alone.body.code]).toEqual([403, 'forbidden']);
  }
  expect((await page()).payout_limits).toEqual([{ ...limit, amount: 500, count: null }]);

  expect(await approved(await asked('payout-limits', { ...limit, amount: 900 }))).toBe('done: set');
  expect((await page()).payout_limits).toEqual([{ ...limit, amount: 900, count: null }]);
  const { currency, per } = limit;
  expect(await approved(await asked('payout-limits/remove', { currency, per }))).toBe('done: set');
  expect((await page()).payout_limits).toEqual([]);
  expect((await asked('payout-limits/remove', { currency, per })).status).toBe(404);
});

it('narrows whom a merchant pays at once, and widens it once another person has approved that', async () => {
  expect((await change('settings', pays('approved'))).body).toEqual({ approval: null });
  expect((await change('settings', pays('registered'))).status).toBe(403);
  expect((await page()).merchant.settings.payout_recipients).toBe('approved');
  expect(await approved(await asked('settings', pays('any')))).toBe('done: set');
  expect((await page()).merchant.settings.payout_recipients).toBe('any');
  const acts = await environment.acts({ merchantId, actor: 'operator:leo' });
  expect(acts.at(-1)).toMatchObject({ action: 'approval.approved', detail: { requested_by: 'kim' } });
});

it('routes payments otherwise once another person has approved that, and keeps what the rules were', async () => {
  const url = `psps/routing?merchant_id=${merchantId}`;
  const rules = async () => (await admin.get<RoutingRulesView>(url)).body;
  const set = async (routing: object, replaces: number, code?: string): Promise<Changed> =>
    admin.post('psps/routing', { merchant_id: merchantId, routing, replaces, code });
  const code = () => freshCodeOf(environment, kim);
  const own = [
    { when: { currency: ['EUR'], amountFrom: 5_000 }, order: ['adyen', 'stripe'] },
    { order: ['stripe'] },
  ];
  expect(await rules()).toMatchObject({ is_own: false, version: 0, history: [] });

  expect((await set({ rules: own }, 0)).status).toBe(403);
  const unknown = await set({ rules: [{ order: ['nobody'] }] }, 0, await code());
  expect([unknown.status, unknown.body.detail]).toEqual([422, '/0/order/0: names no PSP account']);
  const waiting = await set({ rules: own }, 0, await code());
  expect(waiting.body.approval!.action).toMatchObject({ kind: 'set_routing', rules: own, replaces: 0 });
  const other = await set({ rules: [{ order: ['adyen'] }] }, 0, await code());
  expect(await rules()).toMatchObject({ is_own: false });
  expect(await approved(waiting)).toBe('done: set');
  expect(await rules()).toMatchObject({
    is_own: true,
    version: 1,
    rules: own,
    history: [{ actor: 'operator:kim', rules: own }],
  });
  const example = { operation: 'charge', amount: 1_000, currency: 'EUR', merchant_id: merchantId };
  const rule = async () => (await admin.post<RoutingView>('psps/route', example)).body.rule;
  await eventually(async () => (await rule()) === 2 || null, 'the rules to be read');
  // Asked for in the place of rules that are gone.
  expect(await approved(other)).toBe('refused: The rules were changed meanwhile: look at them again.');
  expect((await set({ rules: own }, 0, await code())).status).toBe(409);

  expect(await approved(await set({}, 1, await code()))).toBe('done: set');
  const now = await rules();
  expect(now).toMatchObject({ is_own: false, version: 2 });
  expect(now.history.map((each) => each.rules)).toEqual([null, own]);
});

it('makes keys that pay out nothing until another person has approved it, also in place of others', async () => {
  const scopes = ['payments:read', 'payouts:write'];
  expect((await change('keys', { scopes })).status).toBe(403);
  const payout = async (key: string) =>
    (await new ApiClient(() => service.url, key).post('/v1/payouts', {}, 'payout-1')).status;
  const made = (await asked('keys', { scopes })) as Changed & ConsoleReply<NewApiKeyView>;
  const { key, id } = made.body;
  environment.hide(key);
  expect(await payout(key)).toBe(403);
  expect(made.body.approval!.action).toMatchObject({
    kind: 'allow_payouts',
    prefix: key.split('_').slice(0, 3).join('_'),
  });
  expect(await approved(made)).toBe('done: set');
  await eventually(async () => (await payout(key)) === 422 || null, 'the key may pay out');

  const rotation = { id, grace_hours: 1 };
  expect((await change('keys/rotate', rotation)).status).toBe(403);
  const next = (await asked('keys/rotate', rotation)) as Changed & ConsoleReply<NewApiKeyView>;
  environment.hide(next.body.key);
  expect(await payout(next.body.key)).toBe(403);
  const otherwise = (await change('keys/rotate', {
    id: next.body.id.toUpperCase(),
    grace_hours: 1,
  })) as Changed & ConsoleReply<NewApiKeyView>;
  environment.hide(otherwise.body.key);
  const inCapitals = await change('keys/rotate', { id: id.toUpperCase(), grace_hours: 1 });
  expect([otherwise.status, inCapitals.status]).toEqual([200, 403]);
  expect(await payout(otherwise.body.key)).toBe(403);
  const only = (await asked('keys', { scopes: ['payouts:write'] })) as Changed & ConsoleReply<NewApiKeyView>;
  environment.hide(only.body.key);
  expect(await payout(only.body.key)).toBe(403);

  const test = await change('keys', { scopes, test: true });
  environment.hide((test.body as unknown as NewApiKeyView).key);
  expect([test.status, test.body.approval]).toEqual([200, null]);
});

it('sends the keys of a stored account to no other address than before', async () => {
  const [apiKey, reportsKey, laterKey] = ['stored-api-key-00', 'stored-reports-00', 'stored-reports-11'];
  environment.hide(apiKey, reportsKey, laterKey);
  const { adyen } = environment.simulator.urls;
  const account = {
    name: 'stored',
    adapter: 'adyen',
    baseUrl: `${adyen}/v71`,
    credentials: {
      apiKey,
      merchantAccount: 'Stored',
      reportsBaseUrl: `${adyen}/reports`,
      reportsApiKey: reportsKey,
    },
  };
  expect((await admin.post('psps/accounts', { account })).status).toBe(200);
  const code = await freshCodeOf(environment, kim);
  const changed = (credentials: object, more: object = {}) =>
    admin.post<ChangedView & Refused>('psps/accounts/change', {
      psp: 'stored',
      change: { credentials },
      ...more,
    });
  const reportsBaseUrl = 'http://127.0.0.1:9';
  for (const [credentials, pointer] of [
    [{ reportsBaseUrl }, '/credentials/reportsBaseUrl'],
    [{ transfersBaseUrl: reportsBaseUrl, balanceAccount: 'BA1' }, '/credentials/transfersBaseUrl'],
  ] as const) {
    const { status, body } = await changed(credentials, { code });
    expect([status, body]).toMatchObject([422, { errors: [{ pointer }] }]);
  }
  expect((await changed({ reportsApiKey: laterKey })).body).toEqual({ approval: null });
  const moved = { reportsBaseUrl, reportsApiKey: laterKey };
  expect((await changed(moved)).status).toBe(403);
  const waiting = await changed(moved, { code });
  const { action } = waiting.body.approval!;
  expect(action).toMatchObject({
    kind: 'change_psp_account',
    psp: 'stored',
    addresses: [`reportsBaseUrl: ${reportsBaseUrl}`],
    members: ['reportsApiKey'],
  });
  expect(action).not.toHaveProperty('sealed');
  expect(await approved(waiting)).toBe('done: set');
  const acts = await environment.acts({ subject: 'psp:stored' });
  expect(acts.map(({ action: name }) => name)).toEqual([
    'psp.account_added',
    'psp.account_changed',
    'approval.requested',
    'psp.account_changed',
    'approval.approved',
  ]);
  expect(JSON.stringify(acts)).not.toContain('sealed');
});

it('takes each code once, and lets an operator who guesses codes wait', async () => {
  const limit = { currency: 'USD', per: 'merchant', amount: 1 };
  expect((await change('payout-limits', limit)).status).toBe(200);
  const code = await freshCodeOf(environment, kim);
  expect((await change('payout-limits', { ...limit, amount: 2, code })).status).toBe(200);
  expect((await change('payout-limits', { ...limit, amount: 3, code })).status).toBe(403);
  const wrong = code === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 4; tries++) await change('payout-limits', { ...limit, amount: 3, code: wrong });
  expect((await asked('payout-limits', { ...limit, amount: 3 })).status).toBe(403);
  const failed = await environment.acts({ action: 'operator.confirmation_failed', actor: 'operator:kim' });
  expect(failed.length).toBeGreaterThanOrEqual(4);
  const { data } = (await admin.get<PageView<ApprovalView>>('approvals')).body;
  expect(data.filter(({ action }) => action['currency'] === 'USD' && action['amount'] === 3)).toEqual([]);
});

it('takes a sign-in of the last ten minutes of an operator who has no authenticator', async () => {
  await environment.sql(
    "UPDATE operators SET password_hash = NULL, totp_secret = NULL, oidc_issuer = 'i', oidc_subject = 's' WHERE name = 'kim'",
  );
  expect((await change('settings', pays('approved'))).status).toBe(200);
  expect((await change('settings', pays('registered'))).status).toBe(200);
  await environment.sql("UPDATE operator_sessions SET started_at = now() - interval '11 minutes'");
  expect((await change('settings', pays('any'))).status).toBe(403);
});
