import { type Clock } from '../../src/core/clock.js';
import {
  type Change,
  changesOf,
  type Commit,
  type CommitResult,
  DONE,
  FromNow,
  type Insert,
  type JsonValue,
  NoneOf,
  type Refusal,
  refusedBy,
  type Store,
  type Update,
  type Value,
  type Values,
  type Where,
} from '../../src/core/change.js';
import { CommitWatch } from '../../src/core/commit-watch.js';
import { JsonText } from '../../src/core/json-text.js';
import { encode } from '../../src/database/commit/encoding.js';
import { type Table } from '../../src/core/table.js';
import { rulesOf } from './table-rules.js';

type Stored = Record<string, Value>;

/** Rows are replaced and never changed, so that a copy of the maps is enough. */
export type MemorySnapshot = ReadonlyMap<string, ReadonlyMap<string, Stored>>;

/**
 * The same guards as Postgres, in one map per table. Used where a million schedules have to run in
 * a minute; a property test holds it against the real database.
 */
export class MemoryStore implements Store {
  private readonly tables = new Map<string, Map<string, Stored>>();
  private readonly watches = new Set<CommitWatch>();

  constructor(private readonly clock: Clock) {}

  commit(commit: Commit): Promise<CommitResult> {
    return Promise.resolve(this.commitNow(commit));
  }

  /** A copy of its rows, for `restore`. */
  snapshot(): MemorySnapshot {
    return new Map([...this.tables].map(([name, rows]) => [name, new Map(rows)]));
  }

  /** It holds again what it held then: what was committed since is lost. */
  restore(snapshot: MemorySnapshot): void {
    this.tables.clear();
    for (const [name, rows] of snapshot) this.tables.set(name, new Map(rows));
  }

  /** All or nothing, without a promise between: what a single statement is to Postgres. */
  commitNow(commit: Commit): CommitResult {
    const undo: (() => void)[] = [];
    const refusal = this.write(commit, undo);
    if (!refusal) {
      this.watches.forEach((watch) => watch.wake());
      return DONE;
    }
    for (const step of undo.toReversed()) step();
    return refusedBy(refusal);
  }

  watchCommits(): CommitWatch {
    const watch = new CommitWatch(this.clock, () => this.watches.delete(watch));
    this.watches.add(watch);
    return watch;
  }

  private write(commit: Commit, undo: (() => void)[]): Refusal | null {
    const { gate } = commit;
    for (const change of changesOf(commit)) {
      const broken =
        change.op === 'insert' ? this.insert(change, undo, change === gate) : this.update(change, undo);
      if (broken) return broken.by === 'guard' && change === gate ? { by: 'gate' } : broken;
    }
    return this.brokenReference(changesOf(commit));
  }

  private insert({ table, row }: Insert, undo: (() => void)[], isGate: boolean): Refusal | null {
    const rows = this.rows(table);
    const key = keyOf(table, row);
    if (isGate && rows.has(key)) return { by: 'gate' };
    const stored: Stored = { ...table.defaults };
    for (const [property, value] of Object.entries(row)) stored[property] = this.stored(value ?? null);
    const broken =
      brokenCheck(table, stored) ?? this.taken(table, key) ?? this.brokenUnique(table, stored, key);
    if (broken) return broken;
    rows.set(key, stored);
    undo.push(() => rows.delete(key));
    return null;
  }

  private taken(table: Table, key: string): Refusal | null {
    return this.rows(table).has(key) ? { by: 'unique', rule: `${table.name}_pkey` } : null;
  }

  private update(change: Update, undo: (() => void)[]): Refusal | null {
    const rows = this.rows(change.table);
    const key = keyOf(change.table, change.key);
    const before = rows.get(key);
    if (!before || !this.guardHolds(change, before)) return { by: 'guard' };
    const after: Stored = { ...before };
    for (const [property, value] of Object.entries(change.set)) after[property] = this.stored(value);
    const broken = brokenCheck(change.table, after) ?? this.brokenUnique(change.table, after, key);
    if (broken) return broken;
    rows.set(key, after);
    undo.push(() => rows.set(key, before));
    return null;
  }

  private guardHolds(change: Update, row: Stored): boolean {
    for (const [property, value] of Object.entries(change.guard)) {
      if (!same(row[property] ?? null, value)) return false;
    }
    if (change.lapsed) {
      const until = row[change.lapsed];
      if (until instanceof Date && until.getTime() > this.clock.now().getTime()) return false;
    }
    return true;
  }

  private brokenUnique(table: Table, row: Stored, ownKey: string): Refusal | null {
    for (const { name, columns, where } of rulesOf(table).uniques ?? []) {
      if ((where && !where(row)) || columns.some((column) => row[column] === null)) continue;
      for (const [key, other] of this.rows(table)) {
        if (key === ownKey || (where && !where(other))) continue;
        if (columns.every((column) => same(other[column] ?? null, row[column] ?? null))) {
          return { by: 'unique', rule: name };
        }
      }
    }
    return null;
  }

  /** Foreign keys are looked at when the statement ends, as Postgres does. */
  private brokenReference(changes: readonly Change[]): Refusal | null {
    for (const change of changes) {
      if (change.op !== 'insert') continue;
      for (const { name, columns, to } of rulesOf(change.table).references ?? []) {
        const values = columns.map((column) => change.row[column] ?? null);
        if (values.includes(null)) continue;
        if (!this.rows(to).has(joined(values))) return { by: 'reference', rule: name };
      }
    }
    return null;
  }

  async find<Row>(table: Table<Row>, where: Where<Row>, limit?: number): Promise<Row[]> {
    return this.select(table, (row) => matches(row, where), limit);
  }

  async findByPrefix<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    prefix: string,
  ): Promise<Row[]> {
    return this.select(table, (row) => matches(row, where) && textOf(row[column] ?? null).startsWith(prefix));
  }

  async findDue<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    before: Date | 'now',
    limit: number,
  ): Promise<Row[]> {
    const bound = (before === 'now' ? this.clock.now() : before).getTime();
    const isDue = (row: Stored) => {
      const time = row[column];
      return time instanceof Date && time.getTime() < bound && matches(row, where);
    };
    const due = this.select<Row>(table, isDue);
    const timeOf = (row: Row) => (row[column] as Date).getTime();
    return due.toSorted((a, b) => timeOf(a) - timeOf(b)).slice(0, limit);
  }

  private select<Row>(table: Table, wanted: (row: Stored) => boolean, limit?: number): Row[] {
    const found: [string, Stored][] = [];
    for (const entry of this.rows(table)) if (wanted(entry[1])) found.push(entry);
    const order = (a: Stored, b: Stored) => compare(table.primary, a, b);
    return found
      .map(([, row]) => row)
      .toSorted(order)
      .slice(0, limit)
      .map((row) => ({ ...row }) as Row);
  }

  private rows(table: Table): Map<string, Stored> {
    let rows = this.tables.get(table.name);
    if (!rows) this.tables.set(table.name, (rows = new Map()));
    return rows;
  }

  private stored(value: Value): Value {
    if (value instanceof FromNow) return new Date(this.clock.now().getTime() + value.ms);
    return value instanceof JsonText ? (JSON.parse(value.text) as Value) : value;
  }
}

function brokenCheck(table: Table, row: Stored): Refusal | null {
  const broken = rulesOf(table).checks?.find(({ holds }) => !holds(row));
  return broken ? { by: 'check', rule: broken.name } : null;
}

function keyOf(table: Table, values: Values): string {
  return joined(table.primary.map((property) => values[property] ?? null));
}

function joined(values: readonly Value[]): string {
  return JSON.stringify(values);
}

function same(a: Value, b: Value): boolean {
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (isBinary(a) && isBinary(b)) return Buffer.compare(a, b) === 0;
  return a === b;
}

function isBinary(value: Value): value is Uint8Array {
  return (value as JsonValue | null) instanceof Uint8Array;
}

function matches<Row>(row: Stored, where: Where<Row>): boolean {
  return Object.entries(where as Readonly<Record<string, Value | NoneOf>>).every(([property, value]) => {
    const own = row[property] ?? null;
    if (value instanceof NoneOf) return own !== null && !value.values.includes(own as string);
    return same(own, value);
  });
}

function compare(properties: readonly string[], a: Stored, b: Stored): number {
  for (const property of properties) {
    const [x, y] = [a[property], b[property]];
    if (typeof x === 'number' && typeof y === 'number') {
      if (x !== y) return x - y;
      continue;
    }
    const [left, right] = [textOf(x ?? null), textOf(y ?? null)];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function textOf(value: Value): string {
  return encode(value) ?? '';
}
