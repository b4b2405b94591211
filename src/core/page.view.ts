/** A page of a list in the console. */
export interface PageView<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}
