/** Why an operation failed, as clients see it and as its row keeps it. */
export interface Failure {
  /** `declined`, `psp_rejected`, `psp_unavailable`. */
  readonly category: string;
  /** A decline category, or what the category means in short. */
  readonly code: string;
  readonly psp_code: string | null;
  readonly message: string;
}

/** With its fields in one order: jsonb keeps another, and an answer that is read again is the same bytes. */
export function failureViewOf(failure: Failure | null): Failure | null {
  if (!failure) return null;
  const { category, code, psp_code, message } = failure;
  return { category, code, psp_code, message };
}
