/**
 * A table as a change names it. Its columns are declared by the entity class of that table (`*.entity.ts`), where
 * the store that writes SQL takes them from: what decides names tables and loads no TypeORM.
 */
export interface Table<Row = unknown> {
  readonly name: string;
  /** The properties of the primary key, in its order. */
  readonly primary: readonly string[];
  /** The values of properties that an insert may leave out. */
  readonly defaults: Readonly<Record<string, null>>;
  /** Listeners on this channel learn, some time after a commit, that rows were added. */
  readonly wakes: string | null;
  /** Only the type is used. */
  readonly row?: Row;
}

interface More {
  readonly wakes?: string;
}

/** Exactly the properties that are optional in the row. */
type Defaults<Row> = { readonly [K in keyof Row as undefined extends Row[K] ? K : never]-?: null };

/** Names a table and its primary key. */
export function tableOf<Row>(
  name: string,
  primary: readonly (keyof Row & string)[],
  ...[more]: object extends Defaults<Row> ? [More?] : [More & { readonly defaults: Defaults<Row> }]
): Table<Row> {
  return { name, primary, defaults: {}, wakes: null, ...more };
}
