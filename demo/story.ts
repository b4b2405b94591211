import { type Comparison, compare, entriesOf, money, takesMoney, totalsOf } from './books.js';
import { type Paper } from './paper.js';
import { type Effect } from './psps.js';
import { type Answer, type Attempt, type Payment, type Refund } from './shop.js';
import { type Stage } from './stage.js';

export interface Scene {
  readonly title: string;
  play(scene: SceneReport): Promise<void>;
}

/** Prints a scene: the request, what went wrong, what Payonce did, and the result. */
export class SceneReport {
  private hasAsked = false;

  constructor(
    readonly environment: Stage,
    private readonly paper: Paper,
    private readonly number: number,
    private readonly surprises: string[],
  ) {}

  request(text: string): void {
    if (this.hasAsked) this.paper.line();
    this.hasAsked = true;
    this.paper.fact('request', text);
  }

  /** What goes wrong outside. */
  trouble(text: string): void {
    this.paper.fact('trouble', text, 'yellow');
  }

  payonce(text: string): void {
    this.paper.fact('payonce', text);
  }

  answer({ status, replayed }: Answer, payment: Payment, more = ''): void {
    const failed = payment.failure ? ` (${payment.failure.code})` : '';
    const again = replayed ? ', replayed' : '';
    this.paper.fact('answer', `${status} ${payment.status}${failed}${again}${more}`);
  }

  /** The answer to a client that requested the same refund. */
  refund(statuses: string, { status, amount }: Refund): void {
    this.paper.fact('answers', `${statuses}: one refund of ${(amount / 100).toFixed(2)}, ${status}`);
  }

  /** The event that the shop received. */
  event(text: string): void {
    this.paper.fact('event', text);
  }

  /** Where a report and the ledger differ. */
  differences(text: string): void {
    this.paper.fact('found', text, 'green');
  }

  /** Every call that was made to a PSP for the payment. */
  calls(attempts: readonly Attempt[]): void {
    const rows = attempts.map(({ route, psp, entity_key, kind, outcome, psp_code, latency_ms }) => [
      `route ${route}`,
      psp,
      kind === 'execute' ? (entity_key.split('-').at(-1) ?? kind) : kind,
      outcome ?? 'no answer seen',
      psp_code === null || outcome === 'succeeded' ? '' : psp_code,
      latency_ms === null ? '' : `${Math.round(latency_ms)} ms`,
    ]);
    this.paper.rows('calls', rows, new Set([5]));
  }

  /** What the PSPs' ledgers say that the customer paid: not what Payonce believes. */
  async customer({ id }: Payment): Promise<void> {
    const effects = (await this.environment.psps.effects()).filter(({ reference }) =>
      reference?.includes(id),
    );
    const paid = effects.filter(takesMoney);
    this.paper.fact('customer', paidText(paid, effects), paid.length > 1 ? 'red' : 'green');
    const back = effects.filter(({ operation }) => operation === 'refund');
    this.expect(paid.length <= 1, `the customer was charged ${paid.length} times`);
    this.expect(back.length <= 1, `the customer was given the money back ${back.length} times`);
  }

  /** What the scene is there to show. A story that goes another way is a failure of the demo. */
  expect(asTold: boolean, otherwise: string): void {
    if (asTold) return;
    this.surprises.push(`Scene ${this.number}: ${otherwise}.`);
    this.paper.fact('but', `${otherwise}: this is not what the demo expects.`, 'red');
  }
}

function paidText(paid: readonly Effect[], effects: readonly Effect[]): string {
  if (paid.length > 0) {
    return `paid ${list(paid)}${backText(effects)}`;
  }
  const reserved = effects.find(({ operation }) => operation === 'authorize');
  const released = effects.find(({ operation }) => operation === 'void');
  if (!reserved) return 'paid nothing';
  const held = money(reserved.amount, reserved.currency);
  return released
    ? `paid nothing: ${held} were reserved at ${reserved.psp} and released`
    : `paid nothing yet: ${held} are reserved at ${reserved.psp}`;
}

function backText(effects: readonly Effect[]): string {
  const back = effects.filter(({ operation }) => operation === 'refund');
  return back.length === 0 ? '' : `; got back ${list(back)}`;
}

function list(all: readonly Effect[]): string {
  const each = all.map(({ amount, currency, psp }) => `${money(amount, currency)} at ${psp}`);
  return `${each.join(' and ')}, ${all.length === 1 ? 'once' : `${all.length} TIMES`}`;
}

/** Plays the scenes and then counts. True when the story ended as it must. */
export async function tell(environment: Stage, paper: Paper, scenes: readonly Scene[]): Promise<boolean> {
  const surprises: string[] = [];
  for (const [index, scene] of scenes.entries()) {
    const startedMs = performance.now();
    paper.heading(index + 1, scene.title);
    await scene.play(new SceneReport(environment, paper, index + 1, surprises));
    paper.fact('took', seconds(performance.now() - startedMs), 'dim');
  }
  return count(environment, paper, scenes.length + 1, surprises);
}

/** Each PSP's ledger beside our own books. */
async function count(
  environment: Stage,
  paper: Paper,
  number: number,
  surprises: readonly string[],
): Promise<boolean> {
  const { shop, psps } = environment;
  const payments = await shop.payments();
  const books = await Promise.all(
    payments.map(async (payment) => entriesOf(payment, await shop.attempts(payment.id))),
  );
  const ledger = await psps.effects();
  const comparison = compare(ledger, books.flat());

  paper.heading(number, "The check: each PSP's ledger against the records of Payonce");
  printRows(paper, comparison);
  paper.line();
  const totals = totalsOf(ledger, books.flat());
  paper.table(
    ['psp', 'effects: ledger', 'books', 'money taken: ledger', 'books'],
    totals.map(({ psp, currency, ledger, books }) => [
      psp,
      String(ledger.effects),
      String(books.effects),
      money(ledger.taken, currency),
      money(books.taken, currency),
    ]),
    new Set([1, 2, 3, 4]),
  );

  const { doubled, complaints } = comparison;
  paper.line();
  paper.line(`operations with more than one effect: ${doubled}`, doubled === 0 ? 'green' : 'red');
  const agree = complaints.length === 0;
  paper.line(`books and ledgers agree: ${agree ? 'yes' : 'no'}`, agree ? 'green' : 'red');
  const problems = [...complaints, ...surprises];
  for (const problem of problems) paper.line(`- ${problem}`, 'red');
  return problems.length === 0;
}

function printRows(paper: Paper, { rows }: Comparison): void {
  const side = (side: { effects: number; amount: number }, currency: string) => [
    String(side.effects),
    side.effects === 0 ? '-' : money(side.amount, currency),
  ];
  paper.table(
    ['order', 'operation', 'psp', 'ledger', 'amount', 'books', 'amount', ''],
    rows.map(({ order, operation, psp, currency, ledger, books, complaint }) => [
      order,
      operation,
      psp ?? '-',
      ...side(ledger, currency),
      ...side(books, currency),
      complaint === null ? 'agree' : 'WRONG',
    ]),
    new Set([3, 4, 5, 6]),
    (row) => (rows[row]?.complaint === null ? undefined : 'red'),
  );
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
