import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import {
  type ActionVerdictView,
  type ApprovalDetailsView,
  type ApprovalView,
  type FileView,
  type SnoozeView,
} from '../../src/approvals/approval-views.js';
import { type OpenRow, type OverviewView, type PaymentPageView } from '../../src/console/console-views.js';
import { type PageView } from '../../src/core/page.view.js';
import { ConsoleClient, newOperator, type OperatorCredentials } from '../support/console-client.js';
import { lastAttempt, makeStuck, stuckPayment } from '../support/stuck-payment.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** What operators do beside asking again: cancel, refund, put off, note, attach. The ledger of the PSP judges. */
let environment: TestEnvironment;
let service: Service;
let shop: ApiClient;
let [ada, ben, cyd, vic]: ConsoleClient[] = [];
const url = () => service.url;
const OPS_TOKEN = 'ops-token-of-the-actions-spec-0123456789';

beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { PAYONCE_OPS_TOKEN: OPS_TOKEN },
  });
  shop = new ApiClient(url, await environment.merchant());
  service = await environment.start();
  const signedIn = async (operator: OperatorCredentials) => ConsoleClient.signedIn(url, operator);
  ada = await signedIn(await newOperator(environment, 'ada', 'approver'));
  ben = await signedIn(await newOperator(environment, 'ben', 'approver'));
  cyd = await signedIn(await newOperator(environment, 'cyd', 'operator'));
  vic = await signedIn(await newOperator(environment, 'vic', 'viewer'));
});
afterAll(() => environment.close());

const page = async (id: string) => (await vic!.get<PaymentPageView>(`payments/${id}`)).body;
/** The lists of the overview that hold something, with how much. */
const waiting = async (who: ConsoleClient) => {
  const { waiting: lists } = (await who.get<OverviewView>('overview')).body;
  return Object.fromEntries(lists.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
};
const named = async (id: string) => {
  const { payment, operations } = await page(id);
  return { merchant_id: payment.merchant_id, entity_key: operations[0]!.entity_key };
};
const paid = async (reference: string, more: object = {}) => {
  const order = { ...orderOf({ first: 'stripe', reference, amount: 1_000 }), ...more };
  return paymentOf(await shop.post('/v1/payments', order, reference)).id;
};
const verdictOn = async (action: object) =>
  (await vic!.post<ActionVerdictView & { detail?: string }>('operations/action-verdict', action)).body;
const ask = async (client: ConsoleClient, action: object) => {
  const { status, body } = await client.post<ApprovalView>('approvals', action);
  expect(status).toBe(201);
  return body;
};
const approve = (client: ConsoleClient, { id, action_hash }: ApprovalView) =>
  client.post<ApprovalView & { code?: string }>(`approvals/${id}/approve`, { action_hash });
const operationsAt = (id: string) =>
  environment.effects(id).map(({ operation, amount }) => [operation, amount]);

describe('a refund', () => {
  const action = async (id: string, amount: number, reference?: string) => ({
    kind: 'refund_payment',
    ...(await named(id)),
    amount,
    ...(reference === undefined ? {} : { reference }),
    evidence: 'Asked for by phone',
  });

  it('has a verdict, and is made once, when another person approves it', async () => {
    const id = await paid('refunded');
    const wanted = await action(id, 400);
    expect((await verdictOn(wanted)).headline).toBe('stripe is asked to give 4.00 USD back, once.');
    expect((await page(id)).refunds).toEqual([]);
    const asked = await ask(cyd!, wanted);
    const both = await Promise.all([approve(ada!, asked), approve(ben!, asked)]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(both.find(({ status }) => status === 200)!.body.result).toBe('done: succeeded');
    const { payment, refunds, timeline } = await page(id);
    expect([payment.status, payment.amount_refunded, refunds.length]).toEqual(['partially_refunded', 400, 1]);
    expect(operationsAt(id)).toEqual([
      ['charge', 1_000],
      ['refund', 400],
    ]);
    expect(timeline.map(({ actor }) => actor)).toContain('operator:cyd');
  });

  it('that ends with an error of ours says so, and is not left without a result', async () => {
    const id = await paid('refund-that-fails');
    const asked = await ask(cyd!, await action(id, 100));
    expect(asked.currency).toBe('USD');
    await environment.sql(
      `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`,
    );
    await environment.sql(
      'CREATE TRIGGER broken BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION broken()',
    );
    try {
      expect(await approve(ada!, asked)).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    } finally {
      await environment.sql('DROP FUNCTION broken() CASCADE');
    }
    const { result } = (await page(id)).approvals.find((each) => each.id === asked.id)!;
    expect(result).toMatch(/^failed: an internal error/);
    const acts = await environment.acts({ action: 'approval.approved' });
    expect(acts.filter(({ detail }) => detail['approval'] === asked.id)).toMatchObject([
      { detail: { result } },
    ]);
    expect(environment.effects(id)).toHaveLength(1);
  });

  it('is judged again when it is approved', async () => {
    const id = await paid('refunded-twice');
    const [first, second] = [
      await ask(cyd!, await action(id, 600, 'a')),
      await ask(cyd!, await action(id, 600, 'b')),
    ];
    expect((await approve(ada!, first)).body.result).toBe('done: succeeded');
    expect((await approve(ada!, second)).body.result).toBe(
      'refused: At most 400 USD (minor units) can still be refunded.',
    );
    const refused = await verdictOn(await action(id, 600, 'c'));
    expect(refused.detail).toBe('At most 400 USD (minor units) can still be refunded.');
    expect(environment.effects(id)).toHaveLength(2);
  });

  it('is approved by no other account of the same person, nor by any key', async () => {
    const second = await newOperator(environment, 'cyd-admin', 'admin', 'CYD');
    const sameCyd = await ConsoleClient.signedIn(url, second);
    const id = await paid('own');
    const asked = await ask(cyd!, await action(id, 100));
    expect(await approve(sameCyd, asked)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    const hold = environment.sql(
      `UPDATE approvals SET decision = 'approved', decided_at = now(),
              decided_by = (SELECT id FROM operators WHERE name = 'cyd-admin') WHERE id = $1`,
      [asked.id],
    );
    await expect(hold).rejects.toThrow('the same person may not approve');
    const stranger = new ConsoleClient(url);
    for (const token of [await environment.merchant(), OPS_TOKEN]) {
      const headers = {
        authorization: `Bearer ${token}`,
        origin: service.url,
        'payonce-console': 'active',
        'content-type': 'application/json',
      };
      const { action_hash } = asked;
      const reply = await stranger.send('POST', `approvals/${asked.id}/approve`, { action_hash }, headers);
      expect(reply.status).toBe(401);
    }
    expect(environment.effects(id)).toHaveLength(1);
  });
});

describe('a cancel at the PSP', () => {
  it('releases what is authorized, and is refused where there is nothing to cancel', async () => {
    const id = await paid('canceled', { capture: 'manual' });
    const action = { kind: 'cancel_payment', ...(await named(id)), evidence: 'Sold out' };
    expect((await verdictOn(action)).headline).toBe('stripe is asked to release 10.00 USD.');
    expect((await approve(ada!, await ask(cyd!, action))).body.result).toBe('done: canceled');
    expect((await page(id)).payment.status).toBe('canceled');
    expect(operationsAt(id)).toEqual([
      ['authorize', 1_000],
      ['void', 1_000],
    ]);
    expect((await verdictOn(action)).detail).toBe('It is done already. Nothing is left to do.');
    const captured = { ...action, ...(await named(await paid('captured'))) };
    expect((await verdictOn(captured)).detail).toMatch(/cannot be (voided|canceled)|captured/);
  });
});

describe('what is stuck', () => {
  const stuck = async (list = 'stuck') => (await vic!.get<PageView<OpenRow>>(`operations/${list}`)).body.data;

  let snoozed: string;
  let payments = 0;
  // A success between the failures keeps the breaker of the PSP closed.
  beforeEach(() => paid(`between-${(payments += 1)}`));

  it('is off the list while its owner looks after it, and back when it is woken', async () => {
    const id = (snoozed = await stuckPayment(environment, shop, 'snoozed', false));
    const operation = await named(id);
    const snooze = (owner: string) =>
      cyd!.post<SnoozeView>('operations/snooze', {
        ...operation,
        hours: 4,
        owner,
        note: 'Support, ticket 7',
      });
    expect((await snooze('nobody')).status).toBe(409);
    expect((await snooze('ben')).body).toMatchObject({ owner: 'ben', note: 'Support, ticket 7' });
    expect((await stuck()).map(({ payment_id }) => payment_id)).not.toContain(id);
    expect(await stuck('snoozed')).toMatchObject([{ payment_id: id, owner: 'ben' }]);
    const atTheCommandLine = (await environment.command('stuck', 'list')) as {
      payment_id: string;
      snoozed_to: string | null;
    }[];
    expect(atTheCommandLine.find((each) => each.payment_id === id)).toMatchObject({ snoozed_to: 'ben' });
    expect((await page(id)).operations[0]!.snooze).toMatchObject({ owner: 'ben' });
    expect(await waiting(vic!)).toMatchObject({ snoozed: 1 });
    expect(await waiting(vic!)).not.toHaveProperty('stuck');
    expect((await cyd!.post('operations/wake', operation)).status).toBe(200);
    expect((await stuck()).map(({ payment_id }) => payment_id)).toContain(id);
    expect((await cyd!.post('operations/wake', operation)).status).toBe(404);
    await cyd!.post('operations/note', { ...operation, note: 'Called the customer <b>' });
    const acts = (await page(id)).timeline.filter(({ what }) => what === 'person');
    expect(acts.map(({ title, detail, actor }) => [title, detail, actor])).toEqual([
      ['operation.snoozed', 'Support, ticket 7', 'operator:cyd'],
      ['operation.woken', null, 'operator:cyd'],
      ['operation.noted', 'Called the customer <b>', 'operator:cyd'],
    ]);
  });

  const notDone = async (id: string) => ({
    kind: 'resolve_stuck',
    ...(await named(id)),
    route: 1,
    attempt: await lastAttempt(environment, id),
    as: 'not-done',
    evidence: 'Not in the dashboard',
  });

  it('is not resolved by what was asked before another operator had it sent: nothing is done twice', async () => {
    const id = await stuckPayment(environment, shop, 'retried-meanwhile', false);
    const asked = await ask(cyd!, await notDone(id));
    // Done, and its answer is lost.
    environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });
    environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
    expect((await ben!.post('operations/retry', await named(id))).status).toBe(200);
    await environment.simulator.clearFaults('stripe');
    await makeStuck(environment, id);
    const { body } = await approve(ada!, asked);
    expect(body.result).toMatch(/^refused: Attempt \d+ \(lookup\) was made since attempt \d+ was looked at/);
    expect((await page(id)).payment.status).toBe('processing');
    expect(operationsAt(id)).toEqual([['charge', expect.any(Number)]]);
    // A statement that names no attempt is refused as it is asked.
    const { attempt: _, ...unseen } = await notDone(id);
    expect((await cyd!.post('approvals', unseen)).status).toBe(422);
  });

  it('is not taken for another object: what a person names is looked up first', async () => {
    const id = await stuckPayment(environment, shop, 'stranger', true);
    const made = await fetch(`${environment.simulator.urls.stripe}/v1/payment_intents`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk_test_stage',
        'content-type': 'application/x-www-form-urlencoded',
        'idempotency-key': 'of-a-stranger',
      },
      body: 'amount=777&currency=usd&confirm=true&payment_method=pm_card_visa&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never',
    });
    const stranger = (await made.json()) as { id: string };
    const done = async (reference: string) => ({
      ...(await notDone(id)),
      as: 'done',
      psp_reference: reference,
    });
    const refused = await cyd!.post('approvals', await done(stranger.id));
    expect([refused.status, refused.body['detail']]).toEqual([
      409,
      expect.stringMatching(/^stripe says of pi_.*: conflict not_ours.*Nothing was decided\.$/),
    ]);
    expect((await page(id)).payment.status).toBe('processing');
    const own = environment.effects(id)[0]!.psp_reference;
    const asked = await ask(cyd!, await done(own));
    expect(asked.action).toMatchObject({
      psp_says: expect.stringContaining(`stripe says of ${own}: succeeded`) as string,
    });
    expect((await approve(ada!, asked)).body.result).toBe('done: effective');
    expect((await page(id)).payment).toMatchObject({ status: 'captured', psp_reference: own });
  });

  it('is not called not done against what the PSP has ever said, unless two people overrule it', async () => {
    const id = await stuckPayment(environment, shop, 'contradicted', true);
    const [effect] = environment.effects(id);
    const told = (kind: string, outcome: string, response: object) =>
      environment.sql(
        `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, psp_code, trace_id, request, response, started_at, ended_at)
         SELECT merchant_id, entity_key, route, attempt + 1, $2, $3, CASE WHEN $3 = 'conflict' THEN 'money_differs' END, 'spec',
                '{"about": "operation"}', $4, started_at, started_at
           FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1`,
        [`payment-${id}-charge`, kind, outcome, response],
      );
    const money = { amount: 1_399, currency: 'USD' };
    await told('notice', 'conflict', { psp_reference: effect!.psp_reference, money });
    const [route] = (await page(id)).operations[0]!.routes;
    expect(route).toMatchObject({
      psp_word: {
        outcome: 'conflict',
        code: 'money_differs',
        money,
        objects: [{ id: effect!.psp_reference }],
      },
      against: { done: null, 'not-done': expect.stringContaining('13.99 USD') as string },
    });
    expect((await page(id)).explained).toContain(
      `19.99 USD was asked for; stripe says 13.99 USD (${effect!.psp_reference}).`,
    );
    await told('lookup', 'not_found', {});
    const action = await notDone(id);
    expect((await verdictOn(action)).detail).toMatch(
      /stripe has said that it did it, or has it \(attempt \d+: conflict money_differs pi_/,
    );
    expect((await cyd!.post('approvals', action)).status).toBe(409);
    const overruling = { ...action, overrules_psp: true };
    expect((await verdictOn(overruling)).detail).toContain('in the console with a file that shows it');
    expect((await cyd!.post('approvals', overruling)).status).toBe(409);
    const givenBack = { ...overruling, given_back: true };
    const against = expect.stringContaining('stripe has said that it did it, or has it') as string;
    expect(await verdictOn(givenBack)).toMatchObject({
      allowed: true,
      headline: expect.stringContaining('closed as not done at stripe') as string,
      against,
    });
    const [{ approvals = 0 }, { own_approvals: own = 0 }] = [await waiting(ada!), await waiting(cyd!)];
    const asked = await ask(cyd!, givenBack);
    expect(await waiting(ada!)).toMatchObject({ approvals: approvals + 1 });
    expect(await waiting(cyd!)).toMatchObject({ own_approvals: own + 1 });
    expect(asked).toMatchObject({ waits: true, action: { overrules_psp: true, given_back: true } });
    // Who approves reads the same, judged now.
    const details = async (of: ApprovalView) =>
      (await ada!.get<ApprovalDetailsView>(`approvals/${of.id}`)).body;
    expect(await details(asked)).toEqual({
      about: {
        merchant: expect.any(String) as string,
        reference: 'contradicted',
        order: null,
        amount: 1_999,
        currency: 'USD',
        status: 'processing',
        psp: null,
      },
      psp_word: expect.objectContaining({ outcome: 'not_found' }) as object,
      verdict: expect.objectContaining({ allowed: true, against }) as object,
      file: null,
    });
    await told('execute', 'unknown', {});
    expect((await details(asked)).verdict).toMatchObject({
      allowed: false,
      headline: expect.stringContaining('was made since attempt') as string,
    });
    await cyd!.post(`approvals/${asked.id}/decline`, {});
    expect(await details(asked)).toMatchObject({ verdict: null });
    const again = await ask(cyd!, { ...(await notDone(id)), overrules_psp: true, given_back: true });
    expect((await approve(ada!, again)).body.result).toBe('done: ruled_out');
  });

  it('is resolved with a file that is what was looked at', async () => {
    const id = await stuckPayment(environment, shop, 'with-file', false);
    const operation = await named(id);
    const png = Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      Buffer.alloc(300_000, 7),
    ]);
    const attach = (content: Buffer, name: string, client = cyd!) =>
      client.upload<FileView>(`evidence?${new URLSearchParams({ ...operation, name }).toString()}`, content);
    expect((await attach(png, 'shot.png', vic)).status).toBe(403);
    expect((await attach(Buffer.from('<html>\u0000'), 'x.html')).status).toBe(415);
    expect((await attach(png, '../shot.png')).status).toBe(422);
    for (const bytes of [2_097_153, 8_000_000]) {
      const refused = await attach(Buffer.alloc(bytes, 32), 'large.txt');
      expect(refused).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
      const id = refused.headers.get('request-id')!;
      expect(service.output()).toMatch(new RegExp(`"request_id":"${id}".*"status":413`));
    }
    expect((await attach(Buffer.from('card 4111 1111 1111 1111'), 'card.txt')).body).toMatchObject({
      code: 'card_number_refused',
    });
    const pdf = Buffer.concat([
      Buffer.from('%PDF-1.7\n1 0 obj << /Filter /FlateDecode >> stream\n'),
      deflateSync('BT [(4111 1111) -20 ( 1111 1111)] TJ ET'),
      Buffer.from('\nendstream endobj\n%%EOF'),
    ]);
    expect((await attach(pdf, 'card.pdf')).body).toMatchObject({ code: 'card_number_refused' });
    const { status, body: file } = await attach(png, 'shot é.png');
    const sha256 = createHash('sha256').update(png).digest('hex');
    expect([status, file]).toEqual([
      201,
      expect.objectContaining({ name: 'shot é.png', content_type: 'image/png', sha256, bytes: png.length }),
    ]);
    expect((await page(id)).files).toEqual([file]);
    const action = {
      kind: 'resolve_stuck',
      ...operation,
      route: 1,
      attempt: await lastAttempt(environment, id),
      as: 'not-done',
      evidence: 'See the picture',
      evidence_file: file.id,
      evidence_sha256: sha256,
    };
    expect((await verdictOn({ ...action, evidence_sha256: '0'.repeat(64) })).detail).toMatch(/not the one/);
    const other = await named(snoozed);
    expect((await verdictOn({ ...action, ...other })).detail).toMatch(/no such file/);
    expect((await approve(ada!, await ask(cyd!, action))).body.result).toBe('done: ruled_out');
    const download = await fetch(`${service.url}/ops/api/evidence/${file.id}`, {
      headers: { cookie: vic!.cookie },
    });
    expect(
      Object.fromEntries(
        ['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy'].map(
          (name) => [name, download.headers.get(name)],
        ),
      ),
    ).toEqual({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''shot%20%C3%A9.png",
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await download.arrayBuffer()).equals(png)).toBe(true);
    expect((await fetch(`${service.url}/ops/api/evidence/${file.id}`)).status).toBe(401);
    // The routes of merchants take no file.
    const elsewhere = await fetch(`${service.url}/v1/payments`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await environment.merchant()}`,
        'idempotency-key': 'file',
        'content-type': 'application/octet-stream',
      },
      body: 'x',
    });
    expect(elsewhere.status).toBe(415);
  });
});
