/**
 * A table as a change names it. Its columns are declared by the entity class of that table (`*.entity.ts`), where
 * the store that writes SQL takes them from: what decides names tables and loads no TypeORM. What the in-memory
 * store needs of a table stands here, and a property test holds the two stores against each other.
 */
export interface Table<Row = unknown> {
  readonly name: string;
  /** The properties of the primary key, in its order. */
  readonly primary: readonly string[];
  /** The values of properties that an insert may leave out. */
  readonly defaults: Readonly<Record<string, null>>;
  readonly uniques: readonly Unique[];
  readonly references: readonly Reference[];
  readonly checks: readonly Check[];
  /** Listeners on this channel learn, some time after a commit, that rows were added. */
  readonly wakes: string | null;
  /** Only the type is used. */
  readonly row?: Row;
}

/** A unique index: no two rows for which `where` holds agree in `columns` (with no null among them). */
export interface Unique {
  readonly name: string;
  readonly columns: readonly string[];
  readonly where?: (row: Readonly<Record<string, unknown>>) => boolean;
}

/** A foreign key. Not checked where one of `columns` is null, as in SQL (MATCH SIMPLE). */
export interface Reference {
  readonly name: string;
  readonly columns: readonly string[];
  readonly to: () => Table;
}

/** A CHECK constraint. */
export interface Check {
  readonly name: string;
  readonly holds: (row: Readonly<Record<string, unknown>>) => boolean;
}

interface Rules {
  readonly uniques?: readonly Unique[];
  readonly references?: readonly Reference[];
  readonly checks?: readonly Check[];
  readonly wakes?: string;
}

/** Exactly the properties that are optional in the row. */
type Defaults<Row> = { readonly [K in keyof Row as undefined extends Row[K] ? K : never]-?: null };

/** Names a table and its primary key, with the rules that the database holds for it. */
export function tableOf<Row>(
  name: string,
  primary: readonly (keyof Row & string)[],
  ...[rules]: object extends Defaults<Row> ? [Rules?] : [Rules & { readonly defaults: Defaults<Row> }]
): Table<Row> {
  return { name, primary, defaults: {}, uniques: [], references: [], checks: [], wakes: null, ...rules };
}
