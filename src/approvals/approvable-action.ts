import { createHash } from 'node:crypto';
import { type LedgerAccount } from '../core/ledger-accounts.js';
import { type RecipientRule } from '../core/merchant-settings.js';
import { type OperatorRole } from '../core/operator-role.js';
import { type PayoutLimit } from '../merchants/payout-limits.js';
import { type RoutingRule } from '../psp/routing-rule.js';
import { auditSubjectOf } from '../request-storage/entity-key.js';

/** An act that moves money, overrules evidence or lifts a bound, named to the last detail. */
export type ApprovableAction = OperationAction | SettingAction;

/**
 * A change of what a merchant or an account may do, or of the books. One that lifts a bound takes two people (lifts-bound.ts), as
 * does every correction of the ledger.
 */
export type SettingAction =
  | { readonly kind: 'set_payout_recipients'; readonly merchant_id: string; readonly rule: RecipientRule }
  | ({ readonly kind: 'set_payout_limit'; readonly merchant_id: string } & PayoutLimit)
  | ({ readonly kind: 'remove_payout_limit'; readonly merchant_id: string } & Pick<
      PayoutLimit,
      'currency' | 'per'
    >)
  | {
      readonly kind: 'allow_payouts';
      readonly merchant_id: string;
      readonly api_key: string;
      /** The part of the key that people may see. */
      readonly prefix: string;
    }
  | {
      readonly kind: 'change_psp_account';
      /** `NO_MERCHANT`. */
      readonly merchant_id: string;
      readonly psp: string;
      /** The addresses that it changes, as `reportsBaseUrl: https://…`. */
      readonly addresses: readonly string[];
      /** The names of what else it changes. */
      readonly members: readonly string[];
      /** The change, encrypted: it has credentials. Shown to nobody. */
      readonly sealed: string;
    }
  | {
      readonly kind: 'set_routing';
      readonly merchant_id: string;
      /** null: those of the PSPs file apply again. */
      readonly rules: readonly RoutingRule[] | null;
      /** The version of the rules that were looked at. */
      readonly replaces: number;
    }
  | CorrectLedger
  | OperatorAction;

/** A person is let in to the console, or let in anew. */
export type OperatorAction =
  | {
      readonly kind: 'invite_operator';
      /** `NO_MERCHANT`. */
      readonly merchant_id: string;
      readonly name: string;
      readonly role: OperatorRole;
      readonly person: string;
    }
  | { readonly kind: 'reset_operator'; readonly merchant_id: string; readonly name: string };

/** An amount that is moved between two accounts of the ledger, because what was posted is not what happened. */
export interface CorrectLedger {
  readonly kind: 'correct_ledger';
  /** `NO_MERCHANT` where it is about none. */
  readonly merchant_id: string;
  readonly name: string;
  readonly psp: string;
  readonly debit: LedgerAccount;
  readonly credit: LedgerAccount;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  /** The day (UTC) that it is of; null: the one on which it is approved. */
  readonly day: string | null;
  readonly note: string;
}

export type ResolveStuck = Extract<OperationAction, { kind: 'resolve_stuck' }>;

export type OperationAction =
  | {
      readonly kind: 'resolve_stuck';
      readonly merchant_id: string;
      readonly entity_key: string;
      readonly route: number;
      /** The last attempt that was looked at. Absent in what was asked for before it was named: refused. */
      readonly attempt?: number;
      readonly overrules_psp?: boolean;
      /** Not done, against what the PSP has said: it was there, and has been given back. */
      readonly given_back?: boolean;
      /** The PSP's words about `psp_reference`, where it could be asked. */
      readonly psp_says?: string;
      readonly as: 'done' | 'not-done';
      readonly psp_reference: string | null;
      readonly evidence: string;
      /** A file of the operation, and the hash of its bytes. Absent in what was asked for before there were files. */
      readonly evidence_file?: string | null;
      readonly evidence_sha256?: string | null;
    }
  | {
      readonly kind: 'cancel_payment';
      readonly merchant_id: string;
      readonly entity_key: string;
      readonly evidence: string;
    }
  | {
      readonly kind: 'refund_payment';
      readonly merchant_id: string;
      /** The entity key of any operation of the payment. */
      readonly entity_key: string;
      /** Minor units. */
      readonly amount: number;
      /** Its name among several refunds of the payment; null for the only one. */
      readonly reference: string | null;
      readonly evidence: string;
    }
  | {
      readonly kind: 'return_orphan' | 'close_orphan';
      readonly merchant_id: string;
      readonly entity_key: string;
      readonly route: number;
      readonly psp_reference: string | null;
      readonly evidence: string;
    };

/**
 * Whether a statement overrules what the PSP has said. "Not done" does where a file shows it, or where it says that what was there
 * has been given back: a box that is ticked is no evidence.
 */
export function overrulesPsp({
  as,
  overrules_psp: isAsked = false,
  given_back: isGivenBack = false,
  evidence_file: file = null,
}: Pick<ResolveStuck, 'as' | 'overrules_psp' | 'given_back' | 'evidence_file'>): boolean {
  return isAsked && (as === 'done' || isGivenBack || file !== null);
}

/** The same for the same action, in any order of its members, at any depth: the database keeps none. */
export function hashOfAction(action: ApprovableAction): string {
  const text = JSON.stringify(membersOf(action), (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(membersOf(value))
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function isSetting(action: ApprovableAction): action is SettingAction {
  return !('entity_key' in action);
}

export function isAboutOperator(action: SettingAction): action is OperatorAction {
  return action.kind === 'invite_operator' || action.kind === 'reset_operator';
}

/** The subject of the action in audit records. */
export function subjectOfAction(action: ApprovableAction): string {
  if (!isSetting(action)) return auditSubjectOf(action.entity_key);
  if (action.kind === 'correct_ledger') return `ledger:correction-${action.name}`;
  if (isAboutOperator(action)) return `operator:${action.name}`;
  return action.kind === 'change_psp_account' ? `psp:${action.psp}` : `merchant:${action.merchant_id}`;
}

/** The action as people and audit records see it. */
export function shownAction(action: ApprovableAction): Omit<ApprovableAction, 'sealed'> {
  if (!('sealed' in action)) return action;
  const { sealed: _sealed, ...shown } = action;
  return shown;
}
