/** A page of a list as the API shows it. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  readonly next_cursor: string | null;
}

/** A page of rows that were read up to one past `limit`; its cursor is the id of the last one shown. */
export function pageOf<Row extends { readonly id: string }, View>(
  rows: readonly Row[],
  limit: number,
  viewOf: (row: Row) => View,
): Page<View> {
  const shown = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(viewOf),
    has_more: hasMore,
    next_cursor: hasMore ? shown.at(-1)!.id : null,
  };
}
