import { createHash } from 'node:crypto';

/** An act that moves money or overrules evidence, named to the last detail. */
export type ApprovableAction =
  | {
      readonly kind: 'resolve_stuck';
      readonly merchant_id: string;
      readonly entity_key: string;
      readonly route: number;
      readonly as: 'done' | 'not-done';
      readonly psp_reference: string | null;
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

/** The same for the same action, whatever the order in which its members are stored. */
export function hashOfAction(action: ApprovableAction): string {
  const members = Object.entries(action).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}
