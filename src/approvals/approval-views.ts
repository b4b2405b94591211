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

/** The way out of a stuck operation where the PSP cannot be asked. */
export interface StuckAdviceView {
  /** For people. */
  readonly say: string;
  /**
   * `ask`: the PSP is asked first, and where it cannot be, a person's word about it ends it. `state`: nothing but a person's
   * word does. `other`: something else does, after which the PSP can be asked again.
   */
  readonly way: 'ask' | 'state' | 'other';
}

/** The last that a PSP has said of what it was asked for. */
export interface PspWord {
  readonly attempt: number;
  /** The kind of call, or `notice`. */
  readonly kind: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly message: string | null;
  /** Null: it named none. */
  readonly money: { readonly amount: number; readonly currency: string } | null;
  /** By their ids there; the address is of the PSP's own dashboard. */
  readonly objects: readonly { readonly id: string; readonly url: string | null }[];
  /** In which it is not what was asked for; null: in nothing. */
  readonly differs: 'money' | 'objects' | null;
  /** An earlier word that was not what was asked for, where this one is; null: there is none. */
  readonly before: {
    readonly money: { readonly amount: number; readonly currency: string } | null;
    readonly objects: number;
    readonly at: string;
  } | null;
  readonly at: string;
}

/** A preview of an action, before the click. */
export interface VerdictView {
  /** False: the act is refused, and `headline` says why. */
  readonly allowed: boolean;
  readonly headline: string;
  readonly facts: readonly string[];
}

/** A preview of an act that takes a second person. */
export interface ActionVerdictView extends VerdictView {
  /** The PSP's words against it; null: none. */
  readonly against: string | null;
}

/** The thing that an act is about, and what would come of the act now. */
export interface ApprovalDetailsView {
  /** The payment or payout, in its present state. */
  readonly about: {
    readonly merchant: string;
    readonly reference: string;
    readonly order: string | null;
    readonly amount: number;
    readonly currency: string;
    readonly status: string;
    readonly psp: string | null;
  };
  readonly psp_word: PspWord | null;
  /** Null: it is decided, or waited for too long. */
  readonly verdict: ActionVerdictView | null;
  readonly file: FileView | null;
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
  /** Undecided, and not too old to be approved. */
  readonly waits: boolean;
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
