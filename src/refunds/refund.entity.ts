import { type Failure } from '../core/failure.js';
import { EntitySchema } from 'typeorm';
import { type Table, tableOf } from '../core/table.js';
import { type RefundStatus } from './refund.lifecycle.js';

export interface Refund {
  merchantId: string;
  /** `payment-<id>-refund` or `payment-<id>-refund-<reference>`: there is one refund of this name. */
  entityKey: string;
  id: string;
  paymentId: string;
  /** The merchant's name for it among the refunds of the payment; null for the only one. */
  reference: string | null;
  status: RefundStatus;
  /** Minor units. */
  amount: number;
  currency: string;
  reason: string | null;
  metadata: Record<string, string>;
  /** The PSP that took the payment; null until it is known which. */
  psp: string | null;
  pspReference: string | null;
  failure: Failure | null;
  createdAt: Date;
  updatedAt: Date;
}

export const RefundEntity = new EntitySchema<Refund>({
  name: 'Refund',
  tableName: 'refunds',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    entityKey: { type: 'text', primary: true, name: 'entity_key' },
    id: { type: 'uuid' },
    paymentId: { type: 'uuid', name: 'payment_id' },
    reference: { type: 'text', nullable: true },
    status: { type: 'text' },
    amount: { type: 'bigint' },
    currency: { type: 'text' },
    reason: { type: 'text', nullable: true },
    metadata: { type: 'jsonb' },
    psp: { type: 'text', nullable: true },
    pspReference: { type: 'text', name: 'psp_reference', nullable: true },
    failure: { type: 'jsonb', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});

export const refunds: Table<Refund> = tableOf(RefundEntity, {
  uniques: [{ name: 'refunds_id', columns: ['merchantId', 'id'] }],
});
