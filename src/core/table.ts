import type { EntitySchema } from 'typeorm';

/**
 * A table as a commit sees it: its columns, its primary key and the rules that the database holds
 * for it. Columns and types come from the TypeORM entity, so that a table is declared once; the
 * rules are repeated here (the migration is where they act) for the in-memory store, and a
 * property test holds the two against each other.
 */
export interface Table<Row = unknown> {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly byProperty: ReadonlyMap<string, Column>;
  readonly primary: readonly Column[];
  readonly uniques: readonly Unique[];
  readonly references: readonly Reference[];
  readonly checks: readonly Check[];
  /** Listeners on this channel learn, some time after a commit, that rows were added. */
  readonly wakes: string | null;
  /** Only the type is used. */
  readonly row?: Row;
}

export interface Column {
  readonly property: string;
  /** The name in the database. */
  readonly name: string;
  readonly type: ColumnType;
}

const columnTypes = [
  'uuid',
  'text',
  'bigint',
  'integer',
  'smallint',
  'boolean',
  'timestamptz',
  'json',
  'jsonb',
  'bytea',
] as const;
export type ColumnType = (typeof columnTypes)[number];

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

/** Declares a table from its entity. Throws on a column type that a commit cannot carry. */
export function tableOf<Row extends object>(
  schema: EntitySchema<Row>,
  rules: {
    readonly uniques?: readonly Unique[];
    readonly references?: readonly Reference[];
    readonly checks?: readonly Check[];
    readonly wakes?: string;
  } = {},
): Table<Row> {
  const { name, tableName, columns: declared } = schema.options;
  const columns: Column[] = [];
  const primary: Column[] = [];
  for (const [property, options] of Object.entries(declared)) {
    if (!options) continue;
    const {
      type,
      name: columnName,
      primary: isPrimary,
    } = options as {
      type: unknown;
      name?: string;
      primary?: boolean;
    };
    const column = { property, name: columnName ?? snakeCase(property), type: type as ColumnType };
    if (!columnTypes.includes(column.type)) {
      throw new TypeError(`${name}.${property}: a commit cannot carry the type ${String(type)}`);
    }
    columns.push(column);
    if (isPrimary) primary.push(column);
  }
  return {
    name: tableName ?? snakeCase(name),
    columns,
    byProperty: new Map(columns.map((column) => [column.property, column])),
    primary,
    uniques: rules.uniques ?? [],
    references: rules.references ?? [],
    checks: rules.checks ?? [],
    wakes: rules.wakes ?? null,
  };
}

export function snakeCase(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
