import { EntitySchema } from 'typeorm';
import { type Table, tableOf } from '../core/table.js';
import { type Failure } from '../core/failure.js';
import { type Dispute } from './dispute.js';
import { type PaymentEvent } from './payment.lifecycle.js';
import { type NextActionView, type PaymentStatus } from './payments.js';

/** Rows that are older than POST redirects hold a `type` and a `url` alone. */
export type StoredNextAction = NextActionView | { readonly type: 'redirect'; readonly url: string };

export interface Payment {
  merchantId: string;
  id: string;
  /** Raised by every write; a write that read an older one is refused. */
  version: number;
  reference: string;
  status: PaymentStatus;
  captureMode: 'automatic' | 'manual';
  /** Minor units. */
  amount: number;
  amountCaptured: number;
  amountRefunded: number;
  /** Minor units that a capture or a refund on its way may move: not to be promised twice. */
  captureReserved: number;
  refundReserved: number;
  currency: string;
  cardBrand: string | null;
  cardCountry: string | null;
  returnUrl: string | null;
  statementDescriptor: string | null;
  metadata: Record<string, string>;
  /** PSP accounts that may be asked, best first, as routed when it was opened. */
  candidates: string[];
  /** Routed by a rule that lets a charge in doubt be canceled and failed over. */
  fence: boolean;
  /** Tokens and customer data while they may still be needed; see core/seal. null once at rest. */
  sealed: Uint8Array | null;
  /** The PSP of the effective route, and its id there. */
  psp: string | null;
  pspReference: string | null;
  /** Why the last operation did not succeed; null when it did. */
  failure: Failure | null;
  nextAction: StoredNextAction | null;
  /** What was disputed of it, the oldest first; null: nothing. Left out of inserts. */
  disputes?: Dispute[] | null;
  createdAt: Date;
  updatedAt: Date;
}

/** One line of a payment's history. Appended, never edited. */
export interface PaymentTransition {
  merchantId: string;
  paymentId: string;
  /** The payment's version that this transition made. */
  version: number;
  event: PaymentEvent;
  fromStatus: PaymentStatus | null;
  toStatus: PaymentStatus;
  actor: string;
  /** The operation whose outcome caused it. */
  entityKey: string;
  at: Date;
}

export const PaymentEntity = new EntitySchema<Payment>({
  name: 'Payment',
  tableName: 'payments',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    id: { type: 'uuid', primary: true },
    version: { type: 'integer' },
    reference: { type: 'text' },
    status: { type: 'text' },
    captureMode: { type: 'text', name: 'capture_mode' },
    amount: { type: 'bigint' },
    amountCaptured: { type: 'bigint', name: 'amount_captured' },
    amountRefunded: { type: 'bigint', name: 'amount_refunded' },
    captureReserved: { type: 'bigint', name: 'capture_reserved' },
    refundReserved: { type: 'bigint', name: 'refund_reserved' },
    currency: { type: 'text' },
    cardBrand: { type: 'text', name: 'card_brand', nullable: true },
    cardCountry: { type: 'text', name: 'card_country', nullable: true },
    returnUrl: { type: 'text', name: 'return_url', nullable: true },
    statementDescriptor: { type: 'text', name: 'statement_descriptor', nullable: true },
    metadata: { type: 'jsonb' },
    candidates: { type: 'jsonb' },
    fence: { type: 'boolean' },
    sealed: { type: 'bytea', nullable: true },
    psp: { type: 'text', nullable: true },
    pspReference: { type: 'text', name: 'psp_reference', nullable: true },
    failure: { type: 'jsonb', nullable: true },
    nextAction: { type: 'jsonb', name: 'next_action', nullable: true },
    disputes: { type: 'jsonb', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});

export const PaymentTransitionEntity = new EntitySchema<PaymentTransition>({
  name: 'PaymentTransition',
  tableName: 'payment_transitions',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    paymentId: { type: 'uuid', primary: true, name: 'payment_id' },
    version: { type: 'integer', primary: true },
    event: { type: 'text' },
    fromStatus: { type: 'text', name: 'from_status', nullable: true },
    toStatus: { type: 'text', name: 'to_status' },
    actor: { type: 'text' },
    entityKey: { type: 'text', name: 'entity_key' },
    at: { type: 'timestamptz' },
  },
});

/** More than was authorized is never captured, more than was captured never refunded. */
const balance = {
  name: 'payments_balance',
  holds: (row: Readonly<Record<string, unknown>>) => {
    const { amount, amountCaptured, amountRefunded, captureReserved, refundReserved } =
      row as unknown as Payment;
    return (
      captureReserved >= 0 &&
      amountCaptured + captureReserved <= amount &&
      refundReserved >= 0 &&
      amountRefunded + refundReserved <= amountCaptured
    );
  },
};

export const payments: Table<Payment> = tableOf(PaymentEntity, { checks: [balance] });
export const paymentTransitions: Table<PaymentTransition> = tableOf(PaymentTransitionEntity);
