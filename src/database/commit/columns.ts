import { getMetadataArgsStorage } from 'typeorm';
import { type Table } from '../../core/table.js';

/** Types that a commit can carry. */
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

export interface Column {
  /** The name in the database. */
  readonly name: string;
  readonly type: ColumnType;
}

/** By property, in the order of the entity. */
export type Columns = ReadonlyMap<string, Column>;

const known = new Map<string, Columns>();

/**
 * The columns of a table, as its entity declares them. Throws, the first time a table is seen, where no entity
 * declares it, where the two name another primary key, and on a type that a commit cannot carry.
 */
export function columnsOf({ name, primary }: Table): Columns {
  let columns = known.get(name);
  if (!columns) known.set(name, (columns = declaredColumns(name, primary)));
  return columns;
}

function declaredColumns(table: string, primary: readonly string[]): Columns {
  const storage = getMetadataArgsStorage();
  const entity = storage.tables.find(({ name }) => name === table);
  if (!entity) throw new TypeError(`no entity declares the table ${table}`);
  const { target: entityClass } = entity;
  const own = storage.columns.filter(
    ({ target }) =>
      target === entityClass ||
      (typeof entityClass === 'function' &&
        typeof target === 'function' &&
        entityClass.prototype instanceof target),
  );
  const declared = own.filter(({ options }) => options.primary).map(({ propertyName }) => propertyName);
  if (declared.join() !== primary.join()) {
    throw new TypeError(
      `the primary key of ${table} is ${declared.join()} in its entity, not ${primary.join()}`,
    );
  }
  return new Map(
    own.map(({ propertyName, options: { name, type, array } }) => {
      if (array || !columnTypes.includes(type as ColumnType)) {
        throw new TypeError(`${table}.${propertyName}: a commit cannot carry this type`);
      }
      return [propertyName, { name: name ?? columnName(propertyName), type: type as ColumnType }];
    }),
  );
}

/** The column of a property that names none: `merchant_id` of `merchantId`. */
export function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
