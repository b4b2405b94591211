import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type RoutingRule } from '../psp/routing-rule.js';

/** A PSP account that is stored. A trigger keeps its name, its fingerprint and the row itself (migration 0140). */
@Entity('psp_accounts')
export class StoredPspAccount {
  @PrimaryColumn('uuid')
  readonly id: string;

  @Column('text')
  readonly name: string;

  /** A `PspEntry`, encrypted whole: an address that is not encrypted could be changed to send the credentials there. */
  @Column('bytea')
  readonly entry: Uint8Array;

  /** See `accountFingerprint()`. */
  @Column('text')
  readonly fingerprint: string;

  @Column('timestamptz', { nullable: true })
  readonly disabledAt: Date | null;

  /** Raised by each change. */
  @Column('integer', { default: 1 })
  readonly version: number;

  @Column('timestamptz')
  readonly createdAt: Date;

  @Column('timestamptz')
  readonly changedAt: Date;
}

/** The routing rules of one merchant. */
@Entity('merchant_routing')
export class MerchantRouting {
  @PrimaryColumn('uuid')
  readonly merchantId: string;

  /** Null: those of the PSPs file apply again. */
  @Column('jsonb', { nullable: true })
  readonly rules: readonly RoutingRule[] | null;

  @Column('integer', { default: 1 })
  readonly version: number;

  @Column('timestamptz')
  readonly changedAt: Date;
}

/** The context that an encrypted entry is bound to. */
export function entryContext(id: string): string {
  return `psp-account/${id}`;
}
