import { EntitySchema } from 'typeorm';
import { type Change, insert } from '../core/change.js';
import { tableOf } from '../core/table.js';
import { redactDeep } from '../core/redact.js';

/** Who did what to what, when. Written in the commit that does it; never changed, never deleted. */
export interface AuditRecord {
  merchantId: string;
  id: string;
  at: Date;
  /** `api-key:<id>`, `system:resolver`, `psp:<account>`. */
  actor: string;
  /** `payment.opened`, `route.stuck`: noun and past participle. */
  action: string;
  /** `payment:<id>`. */
  subject: string;
  /** No secrets, no tokens, no customer data. */
  detail: Record<string, unknown>;
}

export const AuditRecordEntity = new EntitySchema<AuditRecord>({
  name: 'AuditRecord',
  tableName: 'audit_records',
  columns: {
    merchantId: { type: 'uuid', primary: true, name: 'merchant_id' },
    id: { type: 'uuid', primary: true },
    at: { type: 'timestamptz' },
    actor: { type: 'text' },
    action: { type: 'text' },
    subject: { type: 'text' },
    detail: { type: 'jsonb' },
  },
});

export const auditRecords = tableOf(AuditRecordEntity);

export function audit(record: AuditRecord): Change {
  return insert(auditRecords, { ...record, detail: redactDeep(record.detail) as AuditRecord['detail'] });
}
