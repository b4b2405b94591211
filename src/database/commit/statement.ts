import { type Change, FromNow, type Update, type Value } from '../../core/change.js';
import { encode, encodeArray } from './encoding.js';
import { type Table } from '../../core/table.js';
import { TENANTS, tenants } from '../tenants.js';
import { type Column, type Columns, columnsOf, type ColumnType } from './columns.js';

/**
 * A commit as one SQL statement. Commits of one shape (the same tables, columns and guards in the
 * same order) share its text; the multi-row text writes many of them at once.
 *
 * How the statement is built, and why:
 *
 * - `input` holds a row per commit. The gate (the first change) runs first; every further update
 *   reads from the one before it, so it touches only the commits that are still alive; inserts
 *   come last and read from the last update. The order matters: a route must be ruled out before
 *   the next one is inserted, or the unique index on live routes would refuse it.
 * - A commit whose gate does not apply is simply not among the results. A commit whose gate
 *   applied but a later guard did not would be half written: then payonce_all_or_nothing() raises,
 *   and the whole statement is rolled back, to be split and tried again.
 * - The last parameter names the merchants of the batch, and row-level security lets the statement see and write
 *   their rows alone (migration 0080). It is set by the condition of the whole, which depends on no row and so is
 *   looked at before anything is read: a plan may look at a target table before it looks at `input`.
 * - Nothing is joined by value but the target tables by primary key, so each step is a nested loop
 *   over an index whatever the planner believed about table sizes when it prepared the statement.
 */
export interface Shape {
  readonly one: string;
  readonly many: string;
  readonly parameters: readonly Parameter[];
}

/** Which of a commit's values a parameter carries. */
interface Parameter {
  readonly slot: number;
  readonly type: ColumnType;
}

const LEASE = 'bigint' satisfies ColumnType;

/** What commits that go through the same code have in common, and their values in one order. */
export interface Recognised {
  readonly statement: Statement;
  readonly values: readonly Value[];
  /** Whose rows the commit writes: those of the gate's merchant alone. */
  readonly merchantId: string;
}

/** Tells commits apart by their tables, columns and guards; walked for every commit, so it builds no text. */
class Step {
  statement: Statement | null = null;
  private readonly next = new Map<unknown, Step>();
  private readonly nextLease = new Map<string, Step>();
  private readonly nextNull = new Map<string, Step>();

  to(mark: unknown): Step {
    return child(this.next, mark);
  }

  /** `values` takes the value where the statement needs it. */
  field(property: string, value: Value, values: Value[]): Step {
    values.push(value);
    return child(value instanceof FromNow ? this.nextLease : this.next, property);
  }

  guard(property: string, value: Value, values: Value[]): Step {
    return value === null ? child(this.nextNull, property) : this.field(property, value, values);
  }
}

function child<Key>(steps: Map<Key, Step>, key: Key): Step {
  let step = steps.get(key);
  if (!step) steps.set(key, (step = new Step()));
  return step;
}

/** All statements of a store. */
export class Statements {
  private readonly root = new Step();
  private count = 0;

  /** `most`: so many kinds of commit come from code paths; more is a mistake. */
  constructor(private readonly most: number) {}

  of(changes: readonly Change[]): Recognised {
    const values: Value[] = [];
    let step = this.root;
    for (const change of changes) {
      step = step.to(change.table).to(change.op);
      if (change.op === 'insert') {
        for (const property in change.row) step = step.field(property, change.row[property] ?? null, values);
      } else {
        for (const property in change.set) step = step.field(property, change.set[property] ?? null, values);
        step = step.to(KEY);
        for (const property in change.key) step = step.field(property, change.key[property] ?? null, values);
        step = step.to(GUARD);
        for (const property in change.guard)
          step = step.guard(property, change.guard[property] ?? null, values);
        if (change.lapsed) step = step.to(LAPSED).to(change.lapsed);
      }
      step = step.to(END);
    }
    if (!step.statement) {
      if (this.count >= this.most) throw new RangeError(`more than ${this.most} shapes of commit`);
      step.statement = new Statement(changes);
      this.count += 1;
    }
    return { statement: step.statement, values, merchantId: step.statement.merchantOf(values) };
  }
}

const [KEY, GUARD, LAPSED, END] = [Symbol('key'), Symbol('guard'), Symbol('lapsed'), Symbol('end')];

/** The column by which a row is a merchant's. */
const MERCHANT = 'merchant_id';

/** So many commits are looked at before a statement is made narrow. */
export const OBSERVED = 16;
/** So often a narrow statement is widened; what varies more goes as it is. */
const MAX_WIDENED = 8;
/** Words of the lifecycles, names of operations; never what would have to be escaped. */
const WORD = /^[a-z_.]{1,32}$/;

/**
 * The SQL of commits with the same tables, columns and guards. Most of what such commits carry repeats: the
 * merchant, the payment and the time stand in nearly every row, and states and nulls are the same each time.
 * After a few commits the statement sends each value once, and writes what never varied into its text. That is
 * held against every commit; one that does not fit widens the statement, a bounded number of times.
 */
export class Statement {
  /** Every value is a parameter of its own. */
  readonly plain: Shape;
  private readonly slots: readonly ColumnType[];
  private readonly plan: readonly Planned[];
  /** Slots by which rows are found: a constant there may lead the planner to another index. */
  private readonly sought: ReadonlySet<number>;
  /** Slots that hold a merchant, the gate's first. */
  private readonly merchants: readonly number[];
  private shape: Shape;
  private seen = 0;
  private widened = 0;
  /** For each slot the first one that had the same value in every commit. */
  private leaders: number[] = [];
  /** Slots whose word, small number or null was the same in every commit; undefined: it varies. */
  private constants: (Value | undefined)[] = [];

  constructor(changes: readonly Change[]) {
    check(changes);
    const slots: ColumnType[] = [];
    const slot = (column: Column, isLease: boolean) => slots.push(isLease ? LEASE : column.type) - 1;
    this.plan = changes.map((change) => planOf(change, slot));
    this.slots = slots;
    const finding = this.plan.filter(({ op }, index) => op === 'update' || index === 0);
    this.sought = new Set(finding.flatMap(({ key, guard }) => [...key, ...guard].map((each) => each.slot)));
    this.merchants = this.plan.flatMap(({ op, key, values }) =>
      [...(op === 'insert' ? values : key)]
        .filter(({ column }) => column === MERCHANT)
        .map(({ slot }) => slot),
    );
    this.plain = this.shape = shapeOf(this.plan, slots, [...slots.keys()], []);
  }

  /** The one merchant of a commit with these values. @throws TypeError where it has two: a mistake of ours */
  merchantOf(values: readonly Value[]): string {
    const [first, ...others] = this.merchants;
    if (first === undefined) return '';
    const merchant = values[first] as string;
    if (others.some((slot) => values[slot] !== merchant)) {
      throw new TypeError(
        `a commit of two merchants: ${this.plan.map(({ table }) => table.name).join(', ')}`,
      );
    }
    return merchant;
  }

  /** The shape that a commit with these values is written in. */
  shapeFor(values: readonly Value[]): Shape {
    if (this.widened > MAX_WIDENED) return this.plain;
    const isLearning = this.seen < OBSERVED;
    if (!isLearning && this.fits(values)) return this.shape;
    this.learn(values);
    if (isLearning) {
      this.seen += 1;
      if (this.seen < OBSERVED) return this.plain;
    } else if (++this.widened > MAX_WIDENED) return this.plain;
    return (this.shape = shapeOf(this.plan, this.slots, this.leaders, this.constants));
  }

  private fits(values: readonly Value[]): boolean {
    const { leaders, constants } = this;
    for (let slot = 0; slot < values.length; slot++) {
      const constant = constants[slot];
      if (constant === undefined) {
        const leader = leaders[slot]!;
        if (leader !== slot && !same(values[slot]!, values[leader]!)) return false;
      } else if (values[slot] !== constant) return false;
    }
    return true;
  }

  /** Forgets what does not hold for these values too. */
  private learn(values: readonly Value[]): void {
    const isFirst = this.leaders.length === 0;
    const before = this.leaders;
    this.constants = values.map((value, slot) => {
      const constant = isFirst ? constantOf(value, this.slots[slot]!) : this.constants[slot];
      return constant === value && !this.sought.has(slot) ? constant : undefined;
    });
    this.leaders = values.map((value, slot) => {
      if (this.constants[slot] !== undefined) return slot;
      for (let other = 0; other < slot; other++) {
        if (this.constants[other] !== undefined || this.slots[other] !== this.slots[slot]) continue;
        if ((isFirst || before[other] === before[slot]) && same(value, values[other]!)) return other;
      }
      return slot;
    });
  }
}

/** The value, where it may stand in the text of a statement. */
function constantOf(value: Value, type: ColumnType): Value | undefined {
  if (value === null || typeof value === 'boolean') return value;
  if (type === 'text') return typeof value === 'string' && WORD.test(value) ? value : undefined;
  if (type === 'smallint' || value === 0) return value;
  return undefined;
}

function same(a: Value, b: Value): boolean {
  if (a === b) return true;
  return a instanceof Date && b instanceof Date && a.getTime() === b.getTime();
}

/** What a statement is given of a commit. */
export type Given = Pick<Recognised, 'values' | 'merchantId'>;

/** Parameters of the single-row text. */
export function paramsForOne(shape: Shape, { values, merchantId }: Given): (string | null)[] {
  return [...shape.parameters.map(({ slot }) => encode(values[slot]!)), tenants([merchantId])];
}

/** Parameters of the multi-row text: an array for each. */
export function paramsForMany(shape: Shape, commits: readonly Given[]): string[] {
  const rows = commits.map(({ values }) => values);
  const merchants = new Set(commits.map(({ merchantId }) => merchantId));
  return [...shape.parameters.map(({ slot, type }) => encodeArray(rows, slot, type)), tenants(merchants)];
}

/** Mistakes of ours, not of a client: said loudly the first time a shape is seen. */
function check(changes: readonly Change[]): void {
  const touched = new Set<string>();
  for (const change of changes) {
    if (change.op === 'insert') continue;
    const name = `${change.table.name} ${JSON.stringify(change.key)}`;
    if (touched.has(name)) throw new TypeError(`a commit changes a row twice: ${name}`);
    touched.add(name);
    if (Object.keys(change.set).length === 0) throw new TypeError(`a change that changes nothing: ${name}`);
  }
}

interface Planned {
  readonly table: Table;
  readonly op: 'insert' | 'update';
  /** Column name and slot. */
  readonly values: readonly Assigned[];
  readonly key: readonly Assigned[];
  readonly guard: readonly Assigned[];
  readonly nulls: readonly string[];
  readonly lapsed: string | null;
}

interface Assigned {
  readonly column: string;
  readonly slot: number;
  readonly isLease: boolean;
}

type NewSlot = (column: Column, isLease: boolean) => number;

/** Slots are given out in the order in which `Statements.of` takes the values. */
function planOf(change: Change, slot: NewSlot): Planned {
  const { table } = change;
  const columns = columnsOf(table);
  const assign = (property: string, value: Value): Assigned => {
    const column = columns.get(property);
    if (!column) throw new TypeError(`${table.name} has no column for ${property}`);
    const isLease = value instanceof FromNow;
    return { column: column.name, slot: slot(column, isLease), isLease };
  };
  const all = (values: Readonly<Record<string, Value>>) =>
    Object.entries(values).map(([property, value]) => assign(property, value));
  if (change.op === 'insert') {
    const values = all(change.row);
    const primary = new Set(table.primary.map((property) => columns.get(property)!.name));
    const key = values.filter((value) => primary.has(value.column));
    return {
      table,
      op: 'insert',
      values,
      key,
      guard: [],
      nulls: [],
      lapsed: null,
    };
  }
  return { ...planOfUpdate(change, all, columns), table, op: 'update' };
}

function planOfUpdate(
  change: Update,
  all: (values: Readonly<Record<string, Value>>) => Assigned[],
  columns: Columns,
) {
  const { guard, lapsed } = change;
  const columnOf = (property: string) => columns.get(property)!.name;
  const given = Object.entries(guard).filter(([, value]) => value !== null);
  const nulls = Object.entries(guard).filter(([, value]) => value === null);
  return {
    values: all(change.set),
    key: all(change.key),
    guard: all(Object.fromEntries(given)),
    nulls: nulls.map(([property]) => columnOf(property)),
    lapsed: lapsed && columnOf(lapsed),
  };
}

/** How a statement names a value of the row `from`: a column of `input`, or the constant itself. */
type Named = (slot: number, from: string) => string;

/** Every parameter is a column of `input`: `v0, v1, …`; the many-text adds the row's number `i`. */
function shapeOf(
  plan: readonly Planned[],
  slots: readonly ColumnType[],
  leaders: readonly number[],
  constants: readonly (Value | undefined)[],
): Shape {
  const parameters: Parameter[] = [];
  const columns = new Map<number, string>();
  for (const [slot, type] of slots.entries()) {
    if (constants[slot] !== undefined || leaders[slot] !== slot) continue;
    columns.set(slot, `v${parameters.length}`);
    parameters.push({ slot, type });
  }
  const named: Named = (slot, from) => {
    const constant = constants[slot];
    if (constant === undefined) return `${from}.${columns.get(leaders[slot]!)!}`;
    return `${constant === null ? 'NULL' : `'${encode(constant)}'`}::${slots[slot]}`;
  };
  const names = [...columns.values()];
  const ones = parameters.map(({ type }, n) => `, $${n + 1}::${type} AS v${n}`).join('');
  const arrays = parameters.map(({ type }, n) => `$${n + 1}::${type}[]`).join(', ');
  const scope = `(SELECT set_config('${TENANTS}', $${parameters.length + 1}, true)) IS NOT NULL`;
  return {
    parameters,
    one: text(plan, named, `input AS (SELECT 0 AS i${ones})`, scope),
    many: text(
      plan,
      named,
      `input AS MATERIALIZED (SELECT t.*, (t.n - 1)::int AS i FROM unnest(${arrays}) WITH ORDINALITY AS t(${names.join(', ')}, n))`,
      scope,
    ),
  };
}

function text(plan: readonly Planned[], named: Named, input: string, scope: string): string {
  const steps = [input];
  let alive = 'input';
  const [gate] = plan;
  const gateIsInsert = gate!.op === 'insert';
  if (gateIsInsert) {
    const { table, values, key } = gate!;
    const keys = key.map(({ column }) => column).join(', ');
    steps.push(
      `gate AS (${insertText(table, values, named, 'input')} ON CONFLICT (${keys}) DO NOTHING RETURNING ${keys})`,
      `alive AS (SELECT input.* FROM gate JOIN input ON ${key.map((k) => `gate.${k.column} = ${named(k.slot, 'input')}`).join(' AND ')})`,
    );
    alive = 'alive';
  }
  let updates = 0;
  for (const step of plan) {
    if (step.op !== 'update') continue;
    const name = `u${updates++}`;
    steps.push(`${name} AS (${updateText(step, named, alive)})`);
    alive = name;
  }
  let inserts = 0;
  for (const step of plan) {
    if (step.op !== 'insert' || step === gate) continue;
    steps.push(`n${inserts++} AS (${insertText(step.table, step.values, named, alive)})`);
  }
  const entered = gateIsInsert ? 'alive' : 'u0';
  const whole =
    entered === alive
      ? ''
      : `, payonce_all_or_nothing((SELECT count(*) FROM ${entered}), (SELECT count(*) FROM ${alive}))`;
  return `WITH ${steps.join(',\n')}\nSELECT ARRAY(SELECT i FROM ${alive})${whole} WHERE ${scope}`;
}

function insertText(table: Table, values: readonly Assigned[], named: Named, from: string): string {
  const columns = values.map(({ column }) => column).join(', ');
  return `INSERT INTO ${table.name} (${columns}) SELECT ${values.map((value) => expression(value, named, from)).join(', ')} FROM ${from}`;
}

function updateText(
  { table, values, key, guard, nulls, lapsed }: Planned,
  named: Named,
  from: string,
): string {
  const conditions = [
    ...[...key, ...guard].map(({ column, slot }) => `t.${column} = ${named(slot, from)}`),
    ...nulls.map((column) => `t.${column} IS NULL`),
    ...(lapsed ? [`(t.${lapsed} IS NULL OR t.${lapsed} <= statement_timestamp())`] : []),
  ];
  const sets = values.map((value) => `${value.column} = ${expression(value, named, from)}`).join(', ');
  return `UPDATE ${table.name} t SET ${sets} FROM ${from} WHERE ${conditions.join(' AND ')} RETURNING ${from}.*`;
}

function expression({ slot, isLease }: Assigned, named: Named, from: string): string {
  const value = named(slot, from);
  return isLease ? `statement_timestamp() + ${value} * interval '1 millisecond'` : value;
}
