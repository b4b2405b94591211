/** What is stored in place of the lock once the handler has run to its end. */
export type CallRecord =
  | { readonly kind: 'answer'; /** JSON. */ readonly text: string }
  /** The answer could not be stored exactly: the record keeps the handler from running again. */
  | { readonly kind: 'not_kept'; readonly why: string };

export function writeRecord(record: CallRecord): string {
  return record.kind === 'answer' ? `{"answer":${record.text}}` : JSON.stringify({ not_kept: record.why });
}

/** null: not written by `writeRecord`. The answer is parsed anew for every caller, who may change it. */
export function readRecord(
  written: string,
): { readonly answer: unknown } | { readonly notKept: string } | null {
  let record: unknown;
  try {
    record = JSON.parse(written);
  } catch {
    return null;
  }
  if (typeof record !== 'object' || record === null) return null;
  if ('answer' in record) return { answer: record.answer };
  return 'not_kept' in record && typeof record.not_kept === 'string' ? { notKept: record.not_kept } : null;
}
