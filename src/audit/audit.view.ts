/** An act of a person. Times are RFC 3339. */
export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** null: at the command line. */
  readonly source_address: string | null;
  /** `done`, what it came to, or why it was refused. */
  readonly result: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
