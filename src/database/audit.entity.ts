import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who did what to what, when. Written in the commit that does it; never changed, never deleted. */
@Entity('audit_records')
export class AuditRecord {
  @PrimaryColumn('uuid')
  merchantId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  /** `api-key:<id>`, `system:resolver`, `psp:<account>`. */
  @Column('text')
  actor: string;

  /** `payment.canceled`, `route.stuck`: noun and past participle. */
  @Column('text')
  action: string;

  /** `payment:<id>`. */
  @Column('text')
  subject: string;

  /** No secrets, no tokens, no customer data. */
  @Column('jsonb')
  detail: Record<string, unknown>;
}
