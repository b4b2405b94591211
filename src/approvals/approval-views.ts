/** Answers about operations, acts on them and their approvals. Times are RFC 3339. */

/** A stuck operation is not listed until then. */
export interface SnoozeView {
  readonly until: string;
  readonly owner: string;
  readonly note: string;
}

/** A file that says how an operator knows. */
export interface FileView {
  readonly id: string;
  readonly entity_key: string;
  readonly name: string;
  readonly content_type: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly at: string;
  readonly added_by: string;
}

/** A preview of an action, before the click. */
export interface VerdictView {
  /** False: the act is refused, and `headline` says why. */
  readonly allowed: boolean;
  readonly headline: string;
  readonly facts: readonly string[];
}

export interface RetryView {
  readonly calls: readonly { readonly kind: string; readonly outcome: string | null }[];
  readonly stuck: boolean;
}

export interface ApprovalView {
  readonly id: string;
  readonly action: Readonly<Record<string, unknown>>;
  readonly action_hash: string;
  readonly subject: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly expires_at: string;
  readonly decision: 'approved' | 'declined' | null;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly result: string | null;
  /** The currency of the payment that it is about; null if it is about none. */
  readonly currency: string | null;
}

/** The answer to a change of a setting. `approval`: the change lifts a bound and waits for a second person; null: it is done. */
export interface ChangedView {
  readonly approval: ApprovalView | null;
}
