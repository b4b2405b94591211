import { type RunResult, type Break } from '../../console/src/answers.js';
import { type Page } from '../../src/core/page.js';
import { type FetchView } from '../../src/reconciliation/report-fetch.view.js';
import { Client } from 'pg';
import { postDue } from '../support/ledger.js';
import { type ApprovalView, type ChangedView } from '../../src/approvals/approval-views.js';
import {
  ConsoleClient,
  freshCodeOf,
  newOperator,
  type OperatorCredentials,
} from '../support/console-client.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** Finance without a terminal: reports by hand, breaks that are closed and opened again, reports that are due. */
type Taken = RunResult & { readonly is_new: boolean; readonly detail?: string };

let environment: TestEnvironment;
let service: Service;
let fin: OperatorCredentials;
let finance: ConsoleClient;
let report: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  fin = await newOperator(environment, 'fin', 'finance');
  finance = await ConsoleClient.signedIn(() => service.url, fin);
  const shop = new ApiClient(() => service.url, await environment.merchant());
  for (const n of [1, 2, 3]) {
    const payment = paymentOf(
      await shop.post('/v1/payments', orderOf({ first: 'stripe', reference: `o-${n}` }), `o-${n}`),
    );
    expect(payment.status).toBe('captured');
  }
  const euros = await shop.post('/v1/payments', orderOf({ first: 'adyen', reference: 'a-1' }), 'a-1');
  expect(paymentOf(euros).status).toBe('captured');
  await postDue(environment);
  const { seq } = environment.effects().find(({ psp }) => psp === 'stripe')!;
  report = environment.simulator.report('stripe', { planted: [{ seq, difference: 'amount' }] });
});
afterAll(() => environment.close());

const send = (trial: 'yes' | 'no', content: string, psp = 'stripe') =>
  finance.upload<Taken>(
    `reconciliation/reports?${new URLSearchParams({ psp, name: 'november.csv', trial }).toString()}`,
    Buffer.from(content),
  );
const list = async <T>(path: string) => (await finance.get<Page<T>>(`reconciliation/${path}`)).body.data;
const tables = () =>
  environment.sql(
    `SELECT (SELECT count(*) FROM reconciliation_runs) AS runs, (SELECT count(*) FROM report_lines) AS lines,
            (SELECT count(*) FROM reconciliation_breaks) AS breaks, (SELECT count(*) FROM ledger_transactions) AS posted`,
  );

describe('a report that a person brings', () => {
  it('is tried first: what it would come to is shown, and nothing is kept', async () => {
    const before = await tables();
    const { status, body } = await send('yes', report);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      is_new: true,
      run: { psp: 'stripe', file_name: 'november.csv', imported_by: 'operator:fin' },
      breaks: [{ category: 'amount_mismatch', currency: 'USD', open: 1 }],
    });
    expect(body.run.lines).toBeGreaterThan(2);
    expect(await tables()).toEqual(before);
  });

  it('comes to the same when it is imported, once', async () => {
    const tried = (await send('yes', report)).body;
    const taken = (await send('no', report)).body;
    const figures = ({ matched, unmatched, totals, breaks, run: { lines } }: Taken) => ({
      matched,
      unmatched,
      totals,
      breaks,
      lines,
    });
    expect(figures(taken)).toEqual(figures(tried));
    expect(await list('runs')).toMatchObject([{ id: taken.run.id }]);
    const again = (await send('no', report)).body;
    expect(again).toMatchObject({ is_new: false, run: { id: taken.run.id } });
    expect(await list('runs')).toHaveLength(1);
  });

  it('is taken once however many bring it at once, and waits for no import of its account', async () => {
    const other = environment.simulator.report('adyen');
    const replies = await Promise.all(Array.from({ length: 5 }, () => send('no', other, 'adyen')));
    expect(new Set(replies.map(({ status }) => status)).has(500)).toBe(false);
    expect(replies.filter(({ status, body }) => status === 200 && body.is_new)).toHaveLength(1);

    const client = new Client({ connectionString: environment.database.url });
    await client.connect();
    await client.query(`SELECT pg_advisory_lock(hashtext('reconciliation'), hashtext('stripe'))`);
    const { status, body } = await send('yes', report);
    expect([status, body.detail]).toEqual([
      422,
      'Nothing was imported: another report of this account is being imported.',
    ]);
    await client.end();
  });

  it('is refused where it is of another PSP than the account, a bank statement too', async () => {
    const statement = '<Document><BkToCstmrStmt><Stmt></Stmt></BkToCstmrStmt></Document>';
    const replies = [await send('yes', report, 'adyen'), await send('yes', statement)];
    expect(replies.map(({ status, body }) => [status, body.detail])).toEqual([
      [
        422,
        expect.stringContaining('this is a report of stripe (stripe-itemised), and the account is of adyen'),
      ],
      [
        422,
        expect.stringContaining(
          'this is a report of bank-sepa (iso20022-camt), and the account is of stripe',
        ),
      ],
    ]);
  });

  it('may be the CSV of another PSP, read by a mapping', async () => {
    const csv = 'id;kind;ccy;amount;time\nK-1;SALE;EUR;12.34;2026-11-20T10:00:00Z\n';
    const columns = { key: 'id', type: 'kind', currency: 'ccy', gross: 'amount', occurredAt: 'time' };
    const by = (mapping: string) =>
      finance.upload<Taken>(
        `reconciliation/reports?${new URLSearchParams({ psp: 'keyless', name: 'k.csv', trial: 'yes', mapping }).toString()}`,
        Buffer.from(csv),
      );
    const mapping = { delimiter: ';', columns, types: { SALE: 'payment' }, covers: ['payment'] };
    expect((await by(JSON.stringify(mapping))).body).toMatchObject({
      run: { psp: 'keyless', format: 'mapped-csv', lines: 1 },
      totals: [{ currency: 'EUR', in: 1_234 }],
    });
    for (const [wrong, detail] of [
      ['{"columns":{}}', 'Nothing was imported: the mapping is not as docs/reconciliation.md says.'],
      ['{{', 'Nothing was imported: the mapping is no JSON.'],
    ] as const) {
      const { status, body } = await by(wrong);
      expect([status, body.detail]).toEqual([422, detail]);
    }
  });

  it('is refused where it is no report, of no account, or too large, and nothing is imported', async () => {
    const nothing = await send('no', 'a,b\n1,2\n');
    expect([nothing.status, nothing.body.detail]).toEqual([
      422,
      'Nothing was imported: line 1: the heading is that of no report that is known.',
    ]);
    const nobody = await send('no', report, 'strype');
    expect([nobody.status, nobody.body.detail]).toEqual([422, 'No PSP account is called "strype".']);
    // Above what other files may be, and above what this one may.
    const heading = report.slice(0, report.indexOf('\n') + 1);
    expect((await send('yes', heading + 'x'.repeat(3_000_000))).status).toBe(422);
    expect((await send('yes', heading + 'x'.repeat(21_000_000))).status).toBe(413);
    expect(await list('runs')).toHaveLength(2);
  });
});

describe('a break', () => {
  it('that was closed too early is listed among the closed, and opened again with the reason', async () => {
    const [found] = await list<Break>('breaks');
    const act = (name: string, note: string) =>
      finance.post<Break & { code?: string }>(`reconciliation/breaks/${found!.id}/${name}`, {
        psp: 'stripe',
        note,
      });
    expect((await act('reopen', 'It is open')).status).toBe(404);
    expect((await act('close', 'Stripe books it tomorrow')).body.resolved_at).not.toBeNull();
    expect(await list('breaks')).toEqual([]);
    expect(await list('closed-breaks')).toMatchObject([{ id: found!.id }]);
    expect((await act('reopen', ' ')).status).toBe(422);
    const reopened = await act('reopen', 'It did not');
    expect(reopened.body).toMatchObject({ id: found!.id, resolved_at: null });
    expect(await list('breaks')).toMatchObject([{ id: found!.id }]);
    expect(await list('closed-breaks')).toEqual([]);
    const { notes } = (await finance.get<{ notes: object[] }>(`reconciliation/breaks/${found!.id}`)).body;
    expect(notes).toMatchObject([{ by: 'operator:fin', note: 'It did not' }]);
    const acts = await environment.sql(
      "SELECT action FROM audit_records WHERE action LIKE 'break.%' ORDER BY at, id",
    );
    expect(acts.map(({ action }) => action)).toEqual(['break.resolved', 'break.reopened']);
  });
});

describe('a report that was due', () => {
  it('is listed with what became of it, and fetched now where it was refused', async () => {
    await environment.sql(
      `INSERT INTO report_fetches (psp, id, period_from, period_to, due_at, state, tries, fault)
       VALUES ('stripe', 'schedule:x', now() - interval '2 days', now() - interval '1 day', now() - interval '1 day', 'refused', 3, 'the heading is that of no report')`,
    );
    const fault = 'the heading is that of no report';
    expect(await list<FetchView>('fetches')).toMatchObject([
      { psp: 'stripe', id: 'schedule:x', state: 'refused', tries: 3, next_at: null, fault, run_id: null },
    ]);
    const now = (id: string) => finance.post('reconciliation/fetches/now', { psp: 'stripe', id });
    expect((await now('schedule:x')).body).toEqual({ due: true });
    const [row] = await list<FetchView>('fetches');
    expect(row).toMatchObject({ state: 'due' });
    expect(Date.parse(row!.next_at!)).toBeLessThanOrEqual(Date.now() + 5_000);
    expect((await now('schedule:y')).status).toBe(404);

    // It came by hand: with the report that was imported above, after it was due.
    const done = (id: string) => finance.post<object>('reconciliation/fetches/done', { psp: 'stripe', id });
    await environment.sql("UPDATE report_fetches SET due_at = now() + interval '1 hour'");
    expect(await done('schedule:x')).toMatchObject({
      status: 409,
      body: { detail: 'No report of stripe that is of its time was imported since it was due.' },
    });
    await environment.sql("UPDATE report_fetches SET due_at = now() - interval '1 day'");
    // The report is of today, and the fetch of the day before yesterday.
    expect((await done('schedule:x')).status).toBe(409);
    await environment.sql('UPDATE report_fetches SET period_to = now()');
    const [run] = (await list<{ id: string; psp: string }>('runs')).filter(({ psp }) => psp === 'stripe');
    expect((await done('schedule:x')).body).toEqual({ run_id: run!.id });
    expect(await list<FetchView>('fetches')).toMatchObject([
      { state: 'done', run_id: run!.id, next_at: null },
    ]);
    expect((await done('schedule:x')).status).toBe(409);
    // A report is that of one fetch.
    await environment.sql(
      `INSERT INTO report_fetches (psp, id, period_from, period_to, due_at, next_at)
       SELECT psp, 'schedule:z', period_from, period_to, due_at, now() FROM report_fetches`,
    );
    expect((await done('schedule:z')).status).toBe(409);
    const acts = await environment.sql(
      "SELECT actor FROM audit_records WHERE action = 'report.done_by_hand'",
    );
    expect(acts).toEqual([{ actor: 'operator:fin' }]);
  });
});

describe('a correction of the ledger', () => {
  const correction = {
    name: 'fee-2026-11',
    psp: 'stripe',
    debit: 'fees',
    credit: 'psp_clearing',
    amount: 450,
    currency: 'USD',
    note: 'Invoice 7 of Stripe',
    day: '2026-11-20',
  };
  const ask = async (over: object = {}) =>
    finance.post<ChangedView & { readonly detail?: string }>('approvals/corrections', {
      ...correction,
      code: await freshCodeOf(environment, fin),
      ...over,
    });
  const posted = () =>
    environment.sql(
      `SELECT source, debit, credit, amount::int, (occurred_at AT TIME ZONE 'UTC')::date::text AS day
         FROM ledger_transactions WHERE kind = 'correction'`,
    );

  it('is posted once another person has approved it, and says who asked', async () => {
    const { status, body } = await ask();
    expect([status, body.approval]).toMatchObject([
      201,
      {
        subject: 'ledger:correction-fee-2026-11',
        requested_by: 'fin',
        action: { amount: 450, debit: 'fees' },
      },
    ]);
    expect(await posted()).toEqual([]);
    const { id, action_hash } = body.approval!;
    const app = await newOperator(environment, 'app', 'approver');
    const approver = await ConsoleClient.signedIn(() => service.url, app);
    const approve = async () =>
      approver.post<ApprovalView>(`approvals/${id}/approve`, {
        action_hash,
        code: await freshCodeOf(environment, app),
      });
    expect((await finance.post(`approvals/${id}/approve`, { action_hash })).status).toBe(403);
    expect((await approve()).body.result).toBe('done: posted as correction-fee-2026-11');
    expect(await posted()).toEqual([
      {
        source: 'correction-fee-2026-11',
        debit: 'fees',
        credit: 'psp_clearing',
        amount: 450,
        day: '2026-11-20',
      },
    ]);
    expect((await approve()).status).toBe(409);
    const [act] = await environment.sql(
      "SELECT actor, detail FROM audit_records WHERE action = 'ledger.corrected'",
    );
    expect(act).toMatchObject({ actor: 'operator:fin', detail: { amount: 450, currency: 'USD' } });
  });

  it.each([
    [409, { amount: 451 }, 'Another correction is called fee-2026-11.'],
    [409, {}, 'The correction fee-2026-11 is posted already.'],
    [422, { name: 'x', day: '2199-01-01' }, 'A correction is of a day that has begun.'],
    [422, { name: 'x', psp: 'nobody' }, 'No entry of the ledger names the PSP account nobody.'],
    [422, { name: 'x', credit: 'fees' }, 'A correction moves an amount above zero between two accounts.'],
    [422, { name: 'a b' }, undefined],
    [403, { name: 'x', code: undefined }, undefined],
  ])('is refused with %d before it is asked for: %j', async (status, over, detail) => {
    const refused = await ask(over);
    expect(refused.status).toBe(status);
    if (detail !== undefined) expect(refused.body.detail).toBe(detail);
  });

  it('is withdrawn by the person who asked; what others ask for is theirs', async () => {
    const { approval } = (await ask({ name: 'withdrawn' })).body;
    const other = await newOperator(environment, 'fin-2', 'finance');
    const stranger = await ConsoleClient.signedIn(() => service.url, other);
    expect((await stranger.post(`approvals/${approval!.id}/decline`)).status).toBe(403);
    expect((await finance.post(`approvals/${approval!.id}/decline`)).status).toBe(200);
    expect(await posted()).toHaveLength(1);
  });
});

it('is not let near operations', async () => {
  const operation = { merchant_id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42', entity_key: 'payment-x-charge' };
  for (const act of ['retry', 'look-up', 'snooze']) {
    expect((await finance.post(`operations/${act}`, operation)).status).toBe(403);
  }
});
