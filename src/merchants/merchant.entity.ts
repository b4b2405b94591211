import { EntitySchema } from 'typeorm';

/** A tenant: asks for payments, and owns them. */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  /** For how many seconds the same payment under another key is held to be a mistake; 0 = never. */
  readonly duplicateWindowS: number;
  readonly createdAt: Date;
}

export const MerchantEntity = new EntitySchema<Merchant>({
  name: 'Merchant',
  tableName: 'merchants',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    duplicateWindowS: { type: 'integer', name: 'duplicate_window_s', default: 0 },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});
