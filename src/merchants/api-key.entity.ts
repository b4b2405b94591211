import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { type Scope } from '../core/caller.js';
import { Merchant } from './merchant.entity.js';

/** A credential of a merchant, as it is stored: the key itself is not. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  readonly merchantId: string;

  /** Read where it is asked for. */
  @ManyToOne(() => Merchant)
  @JoinColumn({ name: 'merchant_id' })
  readonly merchant?: Merchant;

  @PrimaryColumn('uuid')
  readonly id: string;

  /** SHA-256 of the whole key. */
  @Column('bytea', { unique: true })
  readonly hash: Uint8Array;

  /** The part of the key that people may see, `po_live_0192a3b4c5d6`. */
  @Column('text')
  readonly prefix: string;

  /** Keys that were issued before checksums have none. */
  @Column('boolean', { default: false })
  readonly hasChecksum: boolean;

  @Column('text', { array: true })
  readonly scopes: Scope[];

  /** It is taken only with a client certificate of its merchant. */
  @Column('boolean', { default: false })
  readonly needsCertificate: boolean;

  @Column('timestamptz')
  readonly createdAt: Date;

  /** The actor of audit records; null: it is older than this column. */
  @Column('text', { nullable: true })
  readonly createdBy: string | null;

  @Column('timestamptz', { nullable: true })
  readonly revokedAt: Date | null;

  /** From when it is refused; null: until it is revoked. */
  @Column('timestamptz', { nullable: true })
  readonly expiresAt: Date | null;

  /** To the minute. */
  @Column('timestamptz', { nullable: true })
  readonly lastUsedAt: Date | null;
}

/** Whether the time from which a key is refused has come. */
export function isPast(time: Date | null, now: Date): boolean {
  return time !== null && time <= now;
}
