import { type Change, FromNow, type Update, type Value } from '../../core/change.js';
import { type Table } from '../../core/table.js';
import { TENANTS } from '../tenants.js';
import { type Column, type Columns, columnsOf, type ColumnType } from './columns.js';
import { encode } from './encoding.js';

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
export interface Parameter {
  readonly slot: number;
  readonly type: ColumnType;
}

export interface ChangeShape {
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
export function planOf(change: Change, slot: NewSlot): ChangeShape {
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
export function shapeOf(
  plan: readonly ChangeShape[],
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

function text(plan: readonly ChangeShape[], named: Named, input: string, scope: string): string {
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
  { table, values, key, guard, nulls, lapsed }: ChangeShape,
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
