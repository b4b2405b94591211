import { EntitySchema } from 'typeorm';

/** A tenant: whoever asks for payments, and owns what it asked for. */
export interface Merchant {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
}

export const MerchantEntity = new EntitySchema<Merchant>({
  name: 'Merchant',
  tableName: 'merchants',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});
