/** A page of a list as the API shows it. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  /** The `cursor` of the next page; null on the last. */
  readonly next_cursor: string | null;
}
