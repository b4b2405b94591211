/** A report that was due. For the console. */
export interface FetchView {
  readonly psp: string;
  readonly id: string;
  /** The beginning of the time that it is of; null for one that was announced. */
  readonly period_from: string | null;
  readonly due_at: string;
  readonly state: 'due' | 'done' | 'refused';
  readonly tries: number;
  readonly next_at: string | null;
  readonly fault: string | null;
  readonly run_id: string | null;
}
