import { EntitySchema } from 'typeorm';
import { type Scope } from './caller.js';

/** A credential of a merchant, as it is stored: the key itself is not. */
export interface ApiKey {
  readonly merchantId: string;
  readonly id: string;
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array;
  /** The part of the key that people may see, `po_live_0192a3b4c5d6`. */
  readonly prefix: string;
  readonly scopes: Scope[];
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export const ApiKeyEntity = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  tableName: 'api_keys',
  columns: {
    merchantId: { type: 'uuid', name: 'merchant_id', primary: true },
    id: { type: 'uuid', primary: true },
    hash: { type: 'bytea' },
    prefix: { type: 'text' },
    scopes: { type: 'text', array: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    revokedAt: { type: 'timestamptz', name: 'revoked_at', nullable: true },
  },
  uniques: [{ columns: ['hash'] }],
});
