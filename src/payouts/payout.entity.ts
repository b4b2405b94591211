import { EntitySchema } from 'typeorm';
import { type Table, tableOf } from '../core/table.js';
import { type Failure } from '../core/failure.js';
import { type PayoutEvent } from './payout.lifecycle.js';
import { type PayoutStatus } from './payouts.js';

export interface Payout {
  merchantId: string;
  /** The merchant's name for the recipient; the first half of what a sequence is known by. */
  recipient: string;
  id: string;
  /** Raised by every write; a write that read an older one is refused. */
  version: number;
  reference: string;
  status: PayoutStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  statementDescriptor: string | null;
  metadata: Record<string, string>;
  /** PSP accounts that may be asked, best first, as routed when it was opened. */
  candidates: string[];
  /** The tokens of where the money goes, as long as they may be needed; see core/seal. */
  sealed: Uint8Array | null;
  /** The PSP of the effective route, and its id there. */
  psp: string | null;
  pspReference: string | null;
  failure: Failure | null;
  /** The payout of this recipient that had ended last when this one was asked for; null for the first. */
  previous: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** One line of a payout's history. Appended, never edited. */
export interface PayoutTransition {
  merchantId: string;
  payoutId: string;
  /** The payout's version that this transition made. */
  version: number;
  event: PayoutEvent;
  fromStatus: PayoutStatus | null;
  toStatus: PayoutStatus;
  actor: string;
  /** The operation whose outcome caused it. */
  entityKey: string;
  at: Date;
}

export const PayoutEntity = new EntitySchema<Payout>({
  name: 'Payout',
  tableName: 'payouts',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    recipient: { type: 'text', primary: true },
    id: { type: 'uuid', primary: true },
    version: { type: 'integer' },
    reference: { type: 'text' },
    status: { type: 'text' },
    amount: { type: 'bigint' },
    currency: { type: 'text' },
    statementDescriptor: { type: 'text', name: 'statement_descriptor', nullable: true },
    metadata: { type: 'jsonb' },
    candidates: { type: 'jsonb' },
    sealed: { type: 'bytea', nullable: true },
    psp: { type: 'text', nullable: true },
    pspReference: { type: 'text', name: 'psp_reference', nullable: true },
    failure: { type: 'jsonb', nullable: true },
    previous: { type: 'uuid', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});

export const PayoutTransitionEntity = new EntitySchema<PayoutTransition>({
  name: 'PayoutTransition',
  tableName: 'payout_transitions',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    payoutId: { type: 'uuid', primary: true, name: 'payout_id' },
    version: { type: 'integer', primary: true },
    event: { type: 'text' },
    fromStatus: { type: 'text', name: 'from_status', nullable: true },
    toStatus: { type: 'text', name: 'to_status' },
    actor: { type: 'text' },
    entityKey: { type: 'text', name: 'entity_key' },
    at: { type: 'timestamptz' },
  },
});

const sequence = ['merchantId', 'recipient'] as const;

/**
 * The rules that make a sequence of a recipient's payouts, as the in-memory store holds them. In
 * Postgres the second and third are one index, for which null is a value like any other.
 */
export const payouts: Table<Payout> = tableOf(PayoutEntity, {
  uniques: [
    {
      name: 'payouts_one_in_progress',
      columns: sequence,
      where: ({ status }) => status === 'processing',
    },
    { name: 'payouts_one_after_another', columns: sequence, where: ({ previous }) => previous === null },
    { name: 'payouts_one_after_another', columns: [...sequence, 'previous'] },
    { name: 'payouts_id', columns: ['merchantId', 'id'] },
  ],
  references: [{ name: 'payouts_follow_one', columns: [...sequence, 'previous'], to: () => payouts }],
  checks: [
    { name: 'payouts_never_after_itself', holds: ({ previous, id }) => previous !== id },
    {
      name: 'payouts_sealed_until_ended',
      holds: ({ status, sealed }) => (status === 'processing') === (sealed !== null),
    },
  ],
});

export const payoutTransitions: Table<PayoutTransition> = tableOf(PayoutTransitionEntity);
