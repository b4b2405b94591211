/** Runs SQL: a pool, a client inside a transaction, or what runs it for one merchant. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape of the rows, as in pg
  query<Row extends object>(text: string, values: readonly unknown[]): Promise<{ readonly rows: Row[] }>;
}
