import { Column, Entity, PrimaryColumn } from 'typeorm';

/** To whom a merchant pays out, as the merchant registered it. */
@Entity('recipients')
export class Recipient {
  @PrimaryColumn('uuid')
  readonly merchantId: string;

  @PrimaryColumn('uuid')
  readonly id: string;

  /** The merchant's name for it, as payouts have it. */
  @Column('text')
  readonly reference: string;

  /** Raised with every change of the tokens, and by removal. */
  @Column('integer')
  readonly version: number;

  /** PSP account to token, encrypted; null: it was removed. */
  @Column('bytea', { nullable: true })
  readonly tokens: Uint8Array | null;

  /** PSP account to the last characters of the token. */
  @Column('jsonb')
  readonly accounts: Record<string, string>;

  @Column('text')
  readonly registeredBy: string;

  /** When this version was registered. */
  @Column('timestamptz')
  readonly registeredAt: Date;

  @Column('text', { nullable: true })
  readonly approvedBy: string | null;

  @Column('timestamptz', { nullable: true })
  readonly approvedAt: Date | null;
}
