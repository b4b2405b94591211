import { type CommitWatch } from './commit-watch.js';
import { type JsonText } from './json-text.js';
import { type Table } from './table.js';

/**
 * Changes as data. A decision returns them; a store writes all of one decision, or none, in one
 * guarded statement.
 */
export type Change = Insert | Update;

/** All that one commit writes, in the order in which it is written. */
export interface Commit {
  /**
   * If it does not apply (its guard fails, or its primary key is taken) the commit is refused quietly
   * (`by: 'gate'`), which is how races are lost. Every other guard that fails, and every rule of the database
   * that is broken, refuses the whole commit as well, and says which.
   */
  readonly gate: Change;
  /** Each only where those before it applied: a route is ruled out before the next one is inserted. */
  readonly updates: readonly Update[];
  readonly inserts: readonly Insert[];
}

/** The commit of these changes behind a gate. */
export function commitOf(gate: Change, changes: readonly Change[] = []): Commit {
  return {
    gate,
    updates: changes.filter((change) => change.op === 'update'),
    inserts: changes.filter((change) => change.op === 'insert'),
  };
}

/** The commit of changes whose first one is the gate. */
export function gatedByFirst([gate, ...changes]: readonly Change[]): Commit {
  if (!gate) throw new RangeError('a commit without changes');
  return commitOf(gate, changes);
}

/** Everything that a commit writes, in its order. */
export function changesOf({ gate, updates, inserts }: Commit): readonly Change[] {
  return [gate, ...updates, ...inserts];
}

export interface Insert {
  readonly op: 'insert';
  readonly table: Table;
  readonly row: Values;
}

export interface Update {
  readonly op: 'update';
  readonly table: Table;
  /** The primary key. */
  readonly key: Values;
  readonly set: Values;
  /** Values that the row must still have. */
  readonly guard: Values;
  /** A column that must be null or in the past, by the store's clock: a lease that has run out. */
  readonly lapsed: string | null;
}

export type Values = Readonly<Record<string, Value>>;
export type Value = string | number | boolean | null | Date | Uint8Array | FromNow | JsonText | JsonValue;
export type JsonValue = Readonly<Record<string, unknown>> | readonly unknown[];

/** A time that the store's own clock decides when it writes: now, plus `ms`. For leases. */
export class FromNow {
  constructor(readonly ms: number) {}
}

/** The time `ms` after the moment of writing, by the store's clock. */
export function fromNow(ms: number): FromNow {
  return new FromNow(ms);
}

/** A column's value may be given as the row has it, for a time as `fromNow(ms)`, or for an object as its JSON. */
export type NewRow<Row> = {
  readonly [K in keyof Row]:
    | Row[K]
    | (Date extends Row[K] ? FromNow : never)
    | (Record<string, unknown> extends Row[K] ? JsonText : never);
};

/** Adds a row. A row that is already there breaks a rule (`by: 'unique'`), unless the insert is a gate. */
export function insert<Row>(table: Table<Row>, row: NewRow<Row>): Insert {
  return { op: 'insert', table, row: row as Values };
}

/** Changes one row, if it still is as `guard` says. */
export function update<Row>(
  table: Table<Row>,
  key: Partial<Row>,
  set: Partial<NewRow<Row>>,
  guard: Partial<Row>,
  lapsed: (keyof Row & string) | null = null,
): Update {
  return { op: 'update', table, key: key as Values, set: set as Values, guard: guard as Values, lapsed };
}

/** Why a commit was not written. Nothing of it was. */
export type Refusal =
  | { readonly by: 'gate' }
  | { readonly by: 'guard' }
  | { readonly by: 'unique' | 'reference' | 'check'; readonly rule: string };

export type CommitResult = { readonly done: true } | { readonly done: false; readonly refused: Refusal };

export const DONE: CommitResult = { done: true };
export function refusedBy(refused: Refusal): CommitResult {
  return { done: false, refused };
}

/** Any value except these; never null. */
export class NoneOf {
  constructor(readonly values: readonly string[]) {}
}

/** Equality on properties; a property that is null must be null. */
export type Where<Row> = { readonly [K in keyof Row]?: Row[K] | NoneOf };

/**
 * The store of rows. Two implementations answer alike: Postgres, and memory for simulations.
 */
export abstract class Store {
  /**
   * Writes all of a commit or nothing. Resolves with what came of it; rejects only when the store could
   * not be reached or broke (then it is unknown whether the commit was written: read again).
   */
  abstract commit(commit: Commit): Promise<CommitResult>;
  /** Rows that match, in the order of their primary key: all of them, or the first `limit`. */
  abstract find<Row>(table: Table<Row>, where: Where<Row>, limit?: number): Promise<Row[]>;
  /**
   * All rows whose text column begins with `prefix` and that match, in the order of their primary key.
   * There is no limit: money is decided from them, and a history cut short says something else.
   */
  abstract findByPrefix<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    prefix: string,
  ): Promise<Row[]>;
  /** Rows that match whose time is not null and before now (by the store's clock) or `before`. */
  abstract findDue<Row>(
    table: Table<Row>,
    where: Where<Row>,
    column: keyof Row & string,
    before: Date | 'now',
    limit: number,
  ): Promise<Row[]>;
  /** For a wait for what another run decides: open it, look, wait, look again, close it. */
  abstract watchCommits(): CommitWatch;
}
