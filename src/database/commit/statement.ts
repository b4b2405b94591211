import { type Change, FromNow, type Update, type Value } from '../../core/change.js';
import { encode, encodeArray } from './encoding.js';
import { type Table } from '../../core/table.js';
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
 * - Nothing is joined by value but the target tables by primary key, so each step is a nested loop
 *   over an index whatever the planner believed about table sizes when it prepared the statement.
 */
export interface Shape {
  /** Identifies the shape; equal for commits that may share a statement. */
  readonly id: string;
  readonly one: string;
  readonly many: string;
  readonly slots: readonly Slot[];
}

/** Where a parameter's value stands in a commit's changes. */
interface Slot {
  readonly change: number;
  readonly part: 'row' | 'key' | 'set' | 'guard';
  readonly property: string;
  readonly type: ColumnType;
}

const LEASE = 'bigint' satisfies ColumnType;

/** The text that tells shapes apart; cheap, since it is computed for every commit. */
export function shapeId(changes: readonly Change[]): string {
  let id = '';
  for (const change of changes) {
    if (change.op === 'insert') {
      id += `+${change.table.name}(`;
      for (const property in change.row) id += leaseMark(property, change.row[property]!);
    } else {
      id += `~${change.table.name}(`;
      for (const property in change.set) id += leaseMark(property, change.set[property]!);
      id += '|';
      for (const property in change.guard)
        id += change.guard[property] === null ? `${property}0,` : `${property},`;
      if (change.lapsed) id += `<${change.lapsed}`;
    }
    id += ')';
  }
  return id;
}

function leaseMark(property: string, value: Value): string {
  return value instanceof FromNow ? `${property}@,` : `${property},`;
}

/** Builds the statements of a shape from a commit that has it. */
export function shapeOf(id: string, changes: readonly Change[]): Shape {
  check(changes);
  const slots: Slot[] = [];
  const slot = (change: number, part: Slot['part'], property: string, column: Column, isLease: boolean) => {
    slots.push({ change, part, property, type: isLease ? LEASE : column.type });
    return slots.length - 1;
  };
  const plan = changes.map((change, index) => planOf(change, index, slot));
  return { id, slots, one: textForOne(plan, slots), many: textForMany(plan, slots) };
}

/** Parameters of the single-row text. */
export function paramsForOne(shape: Shape, changes: readonly Change[]): (string | null)[] {
  return shape.slots.map((slot) => encode(valueAt(slot, changes)));
}

/** Parameters of the multi-row text: an array per slot. */
export function paramsForMany(shape: Shape, commits: readonly (readonly Change[])[]): string[] {
  return shape.slots.map((slot) => {
    const values: Value[] = [];
    for (const changes of commits) values.push(valueAt(slot, changes));
    return encodeArray(values, slot.type);
  });
}

function valueAt({ change, part, property }: Slot, changes: readonly Change[]): Value {
  const whole = changes[change]! as unknown as Record<Slot['part'], Record<string, Value>>;
  return whole[part][property] ?? null;
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

type NewSlot = (
  change: number,
  part: Slot['part'],
  property: string,
  column: Column,
  isLease: boolean,
) => number;

function planOf(change: Change, index: number, slot: NewSlot): Planned {
  const { table } = change;
  const columns = columnsOf(table);
  const assign = (part: Slot['part'], property: string, value: Value): Assigned => {
    const column = columns.get(property);
    if (!column) throw new TypeError(`${table.name} has no column for ${property}`);
    const isLease = value instanceof FromNow;
    return { column: column.name, slot: slot(index, part, property, column, isLease), isLease };
  };
  const all = (part: Slot['part'], values: Readonly<Record<string, Value>>) =>
    Object.entries(values).map(([property, value]) => assign(part, property, value));
  if (change.op === 'insert') {
    const values = all('row', change.row);
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
  all: (part: Slot['part'], values: Readonly<Record<string, Value>>) => Assigned[],
  columns: Columns,
) {
  const { guard, lapsed } = change;
  const columnOf = (property: string) => columns.get(property)!.name;
  const given = Object.entries(guard).filter(([, value]) => value !== null);
  const nulls = Object.entries(guard).filter(([, value]) => value === null);
  return {
    values: all('set', change.set),
    key: all('key', change.key),
    guard: all('guard', Object.fromEntries(given)),
    nulls: nulls.map(([property]) => columnOf(property)),
    lapsed: lapsed && columnOf(lapsed),
  };
}

/** Every parameter as a column of `input`: `v0, v1, …`; the many-text adds the row's number `i`. */
function textForOne(plan: readonly Planned[], slots: readonly Slot[]): string {
  const columns = slots.map(({ type }, n) => `$${n + 1}::${type} AS v${n}`).join(', ');
  return text(plan, `input AS (SELECT 0 AS i, ${columns})`);
}

function textForMany(plan: readonly Planned[], slots: readonly Slot[]): string {
  const arrays = slots.map(({ type }, n) => `$${n + 1}::${type}[]`).join(', ');
  const names = slots.map((_, n) => `v${n}`).join(', ');
  return text(
    plan,
    `input AS MATERIALIZED (SELECT t.*, (t.n - 1)::int AS i FROM unnest(${arrays}) WITH ORDINALITY AS t(${names}, n))`,
  );
}

function text(plan: readonly Planned[], input: string): string {
  const steps = [input];
  let alive = 'input';
  const [gate] = plan;
  const gateIsInsert = gate!.op === 'insert';
  if (gateIsInsert) {
    const { table, values, key } = gate!;
    const keys = key.map(({ column }) => column).join(', ');
    steps.push(
      `gate AS (${insertText(table, values, 'input')} ON CONFLICT (${keys}) DO NOTHING RETURNING ${keys})`,
      `alive AS (SELECT input.* FROM gate JOIN input ON ${key.map((k) => `gate.${k.column} = v${k.slot}`).join(' AND ')})`,
    );
    alive = 'alive';
  }
  let updates = 0;
  for (const step of plan) {
    if (step.op !== 'update') continue;
    const name = `u${updates++}`;
    steps.push(`${name} AS (${updateText(step, alive)})`);
    alive = name;
  }
  let inserts = 0;
  for (const step of plan) {
    if (step.op !== 'insert' || step === gate) continue;
    steps.push(`n${inserts++} AS (${insertText(step.table, step.values, alive)})`);
  }
  const entered = gateIsInsert ? 'alive' : 'u0';
  const whole =
    entered === alive
      ? ''
      : `, payonce_all_or_nothing((SELECT count(*) FROM ${entered}), (SELECT count(*) FROM ${alive}))`;
  return `WITH ${steps.join(',\n')}\nSELECT ARRAY(SELECT i FROM ${alive})${whole}`;
}

function insertText(table: Table, values: readonly Assigned[], from: string): string {
  const columns = values.map(({ column }) => column).join(', ');
  return `INSERT INTO ${table.name} (${columns}) SELECT ${values.map((value) => expression(value, from)).join(', ')} FROM ${from}`;
}

function updateText({ table, values, key, guard, nulls, lapsed }: Planned, from: string): string {
  const conditions = [
    ...[...key, ...guard].map(({ column, slot }) => `t.${column} = ${from}.v${slot}`),
    ...nulls.map((column) => `t.${column} IS NULL`),
    ...(lapsed ? [`(t.${lapsed} IS NULL OR t.${lapsed} <= statement_timestamp())`] : []),
  ];
  const sets = values.map((value) => `${value.column} = ${expression(value, from)}`).join(', ');
  return `UPDATE ${table.name} t SET ${sets} FROM ${from} WHERE ${conditions.join(' AND ')} RETURNING ${from}.*`;
}

function expression({ slot, isLease }: Assigned, from: string): string {
  const value = `${from}.v${slot}`;
  return isLease ? `statement_timestamp() + ${value} * interval '1 millisecond'` : value;
}
