import { createHash } from 'node:crypto';

/** An act that moves money or overrules evidence, named to the last detail. */
export type ApprovableAction =
  | {
      readonly kind: 'resolve_stuck';
      readonly merchant_id: string;
      readonly entity_key: string;
      readonly route: number;
      /** The last attempt that was looked at. Absent in what was asked for before it was named: refused. */
      readonly attempt?: number;
      readonly overrules_psp?: boolean;
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
      /** Of any operation of the payment. */
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

/** The same for the same action, in any order of its members. */
export function hashOfAction(action: ApprovableAction): string {
  const members = Object.entries(action).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}
