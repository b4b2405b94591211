import { type Answer, type Operation } from './contract.js';
import { type AnnouncedReport } from './psp-reports.js';

/** A notification of a PSP, checked and translated. Holds nothing secret: it is stored. */
export interface PspNotification {
  /**
   * The id that duplicates share and nothing else does, within the account: Stripe's event id; at Adyen,
   * which has none, made of event code, pspReference and success. At most 200 characters.
   */
  readonly eventId: string;
  /** The PSP's own word for the kind of event, verbatim. At most 100 characters. */
  readonly type: string;
  readonly occurredAt: Date | null;
  /** Its facts about our operations; empty for types that say nothing about one. */
  readonly facts: readonly NotificationItem[];
  /** A report that reconciliation reads is ready. */
  readonly report?: AnnouncedReport;
}

/**
 * One statement of a notification about one operation. Its route is found by the best of: our own name
 * for it, the PSP's id of the object that the operation made, the PSP's id of the payment together with
 * the operation.
 *
 * A fact says at most what a lookup at that moment would have said. A notification of one event may hold
 * two facts where one object of the PSP represents two operations, and one of them may be about an
 * operation that was never requested: a payment that was canceled is reported as the authorization's end and
 * as the void's outcome, whether or not a merchant asked for a void.
 */
export interface NotificationItem {
  /**
   * Our entity key, where the PSP hands it back; one that is too long for the PSP comes back as it was
   * sent, shortened (`isOwnName` of its capabilities compares). An operation by that name but of another kind than
   * `operation` is not the one that is meant: some PSPs hand back the name of the payment.
   */
  readonly entityKey: string | null;
  readonly route: number | null;
  /**
   * Any entity key of the payment that was acted upon, where the PSP hands one back but not the
   * operation's own: it names the payment, not the operation.
   */
  readonly ofPayment: string | null;
  /** The PSP's id of what the operation made (pi_…, re_…, a pspReference). */
  readonly pspReference: string | null;
  /** The PSP's id of the payment that was captured, voided or refunded. */
  readonly parentReference: string | null;
  /** Which operation it is, as far as the PSP says. */
  readonly operation: Operation | null;
  /**
   * `operation`: it is the operation's own outcome. `cancel`: it is what became of a cancel of it, whose
   * own id is `cancelReference`: `canceled`, or `declined` where the PSP did not cancel it.
   */
  readonly about: 'operation' | 'cancel' | 'dispute';
  /**
   * about a dispute alone: it is of the payment whose id is `parentReference`, `answer` holds its money and
   * the PSP's code for its reason, and nothing here speaks of an operation of ours.
   */
  readonly dispute?: DisputeNews;
  readonly cancelReference: string | null;
  /**
   * `succeeded`, `declined`, `requires_action`, `pending`, `canceled` or `conflict`. Its money is what the
   * PSP says; the code that knows the operation compares. A `declined` may come after a `succeeded`: a
   * capture, refund or payout that came to nothing in the end.
   */
  readonly answer: Answer;
}

/** How far a dispute of a payment (a chargeback) has come at the PSP. */
export interface DisputeNews {
  /** The PSP's id of the dispute. */
  readonly reference: string;
  /** Raised by each step of its course: news of a step that has been passed is old. */
  readonly stage: number;
  readonly status: 'open' | 'won' | 'lost';
  /** Whether the PSP holds the money back, or has taken it. */
  readonly withheld: boolean;
  /** The time until which the bank takes an answer, RFC 3339; absent where the PSP does not say. */
  readonly respondBy?: string;
}

/**
 * Why a notification was not taken. Never holds what was sent. `malformed` may be signed all the same:
 * a body in a form that is not known, or beyond the bounds (256 kB, 250 items, 32 levels).
 */
export type NotificationRefusal =
  'signature_missing' | 'signature_invalid' | 'untimely' | 'malformed' | 'other_account';

/** A notification may be a batch: each item stands for itself. */
export interface NotificationReading {
  readonly notices: readonly PspNotification[];
  /** One for each item that was refused; for a body that cannot be read at all, one. */
  readonly refused: readonly NotificationRefusal[];
  /**
   * The PSP's ids of objects of which something may have become, by a notification that proves nothing: anybody may have
   * sent it. Never evidence, and a reason to ask the PSP.
   */
  readonly hints?: readonly string[];
}

/** Reads the notifications of one PSP account. */
export interface NotificationReader {
  /**
   * Fetches what a signature is checked by, where the PSP publishes it and the notification names it. Bounded in time and
   * number; what cannot be had is refused by `read`.
   */
  prepare?(headers: Readonly<Record<string, string | undefined>>, now: Date): Promise<void>;
  /**
   * Checks signatures over the bytes as they came and translates. Never throws.
   * @param headers names in lower case
   * @param now judges how old a signature may be
   */
  read(raw: Buffer, headers: Readonly<Record<string, string | undefined>>, now: Date): NotificationReading;
}
