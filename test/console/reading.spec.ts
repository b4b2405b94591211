import { type BreakSidesView } from '../../src/console/break-page.view.js';
import { type PageView } from '../../src/core/page.view.js';
import { type BalancesView, type EntryView } from '../../src/ledger/ledger.view.js';
import {
  type BreakView,
  type RunResultView,
  type RunView,
} from '../../src/reconciliation/reconciliation.view.js';
import { ConsoleClient, newOperator } from '../support/console-client.js';
import { reconcile } from '../support/reconcile.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

/** What the pages of the console read beside payments: reconciliation and the ledger. */
let environment: TestEnvironment;
let service: Service;
let viewer: ConsoleClient;
let paid: string;
const FORMULA = '=HYPERLINK("http://evil.example")';

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start();
  const url = () => service.url;
  const shop = new ApiClient(url, await environment.merchant());
  const order = orderOf({ first: 'stripe', reference: 'order-1', amount: 1_000 });
  paid = paymentOf(await shop.post('/v1/payments', order, 'order-1')).id;
  viewer = await ConsoleClient.signedIn(url, await newOperator(environment, 'vic', 'viewer'));
  const { seq } = environment.effects(paid)[0]!;
  await reconcile(environment, 'stripe', [{ seq, difference: 'amount' }]);
});
afterAll(() => environment.close());

const read = async <T>(path: string) => (await viewer.get<T>(path)).body;
const text = async (path: string) => {
  const reply = await fetch(`${service.url}/ops/api/${path}`, { headers: { cookie: viewer.cookie } });
  return { headers: reply.headers, text: await reply.text() };
};

describe('reconciliation', () => {
  let run: RunView;
  let found: BreakView;
  beforeAll(async () => {
    [run] = (await read<PageView<RunView>>('reconciliation/runs')).data as [RunView];
    [found] = (await read<PageView<BreakView>>('reconciliation/breaks')).data as [BreakView];
  });

  it('shows a report with totals that add up', async () => {
    expect(run).toMatchObject({ psp: 'stripe', file_name: 'report.csv' });
    const { totals, breaks } = await read<RunResultView>(`reconciliation/runs/${run.id}`);
    for (const sum of totals) {
      expect(sum.opening + sum.in - sum.out - sum.fees - sum.settled).toBe(sum.closing);
    }
    expect(totals).toHaveLength(1);
    expect(breaks).toMatchObject([{ category: 'amount_mismatch', open: 1, closed: 0 }]);
    expect((await read<PageView<BreakView>>(`reconciliation/runs/${run.id}/breaks`)).data).toEqual([found]);
  });

  it('traces a break to the line of the report and to the attempt', async () => {
    expect(found).toMatchObject({
      category: 'amount_mismatch',
      expected: 1_000,
      entity_key: `payment-${paid}-charge`,
    });
    const page = await read<BreakSidesView>(`breaks/${found.id}?psp=stripe`);
    expect(page.line).toMatchObject({ line: found.line, gross: found.reported, kind: 'payment' });
    expect(page.entries).toMatchObject([
      { source: `payment-${paid}-charge#1`, amount: 1_000, matched_by: 'psp_reference' },
    ]);
    expect(page.subject).toEqual({ kind: 'payment', id: paid });
    expect(page.attempts).toMatchObject([
      {
        route: 1,
        attempt: 1,
        kind: 'execute',
        outcome: 'succeeded',
        psp_reference: page.line!.psp_reference,
      },
    ]);
    const other = await viewer.get(`breaks/${found.id}?psp=adyen`);
    expect([other.status, other.body['code']]).toEqual([404, 'not_found']);
  });

  it('has its lines written as CSV, with what each was matched with', async () => {
    const { text: csv } = await text(`reconciliation/runs/${run.id}/lines.csv`);
    const [heading, ...rows] = csv.trimEnd().split('\n');
    expect(heading).toMatch(/^line,type,kind,psp_reference,.*,matched_by,entity_key$/);
    expect(rows).toHaveLength(run.new_lines);
    expect(csv).toContain(`,payment-${paid}-charge#1,psp_reference,`);
  });

  it('is written as CSV, in which nothing is a formula', async () => {
    await environment.sql('UPDATE reconciliation_breaks SET psp_reference = $1', [FORMULA]);
    for (const path of ['reconciliation/breaks.csv', `reconciliation/runs/${run.id}/breaks.csv`]) {
      const { headers, text: csv } = await text(path);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const [heading, row, ...rest] = csv.trimEnd().split('\n');
      expect(heading).toMatch(/^psp,id,category,/);
      expect(row).toContain(`"'=HYPERLINK(""`);
      expect(rest).toEqual([]);
    }
  });
});

describe('the ledger', () => {
  it('shows balances whose debits are their credits', async () => {
    const { psps, trial } = await read<BalancesView>('ledger/balances');
    expect(psps).toMatchObject([{ psp: 'stripe', currency: 'USD', taken: 1_000 }]);
    const sum = (side: 'debit' | 'credit') => trial.reduce((total, line) => total + line[side], 0);
    expect(sum('debit')).toBe(sum('credit'));
    expect((await read<BalancesView>('ledger/balances?from=2020-01-01&to=2020-01-02')).trial).toEqual([]);
  });

  it('lists entries, by account, page by page, and as CSV', async () => {
    const all = await read<PageView<EntryView>>('ledger/statement');
    expect(all.data.length).toBeGreaterThan(2);
    const paged: EntryView[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page: PageView<EntryView> = await read(`ledger/statement?limit=1${after}`);
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all.data);
    const fees = await read<PageView<EntryView>>('ledger/statement?account=fees');
    expect(fees.data.map(({ account }) => account)).toEqual(['fees']);
    const { text: csv } = await text('ledger/statement.csv');
    expect(csv.trimEnd().split('\n')).toHaveLength(all.data.length + 1);
    // A credit is a number, and no formula either.
    expect(csv).toMatch(/,-10\.00,/);
  });
});
