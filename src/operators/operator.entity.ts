import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type OperatorRole } from '../core/operator-role.js';

/** A person who signs in to the console. */
@Entity('operators')
export class Operator {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  @Column('text')
  role: OperatorRole;

  /** The human being: one with several accounts may not approve with one what another one asked for. */
  @Column('text')
  person: string;

  /** By whom and as whom an OpenID provider knows the operator; null: not at all. */
  @Column('text', { nullable: true })
  oidcIssuer: string | null;

  @Column('text', { nullable: true })
  oidcSubject: string | null;

  /** argon2id. null: signs in by a one-time link alone. */
  @Column('text', { nullable: true })
  passwordHash: string | null;

  /** Encrypted; see totp.ts. */
  @Column('bytea', { nullable: true })
  totpSecret: Uint8Array | null;

  /** The counter of the last code that was taken. */
  @Column('bigint', { default: 0 })
  totpUsed: number;

  @Column('timestamptz', { nullable: true })
  disabledAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;
}

@Entity('operator_sessions')
export class OperatorSession {
  /** SHA-256 of the token in the cookie. */
  @PrimaryColumn('bytea')
  tokenHash: Uint8Array;

  @Column('uuid')
  operatorId: string;

  @Column('text')
  sourceAddress: string;

  @Column('timestamptz')
  startedAt: Date;

  @Column('timestamptz')
  seenAt: Date;
}

/** Signs an operator in once. */
@Entity('sign_in_links')
export class SignInLink {
  @PrimaryColumn('bytea')
  tokenHash: Uint8Array;

  @Column('uuid')
  operatorId: string;

  @Column('timestamptz')
  expiresAt: Date;
}
