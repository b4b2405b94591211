import { type Change, insert } from '../core/change.js';
import { type Table, tableOf } from '../core/table.js';
import { redactDeep } from '../core/redact.js';
import { type AuditRecord } from './audit.entity.js';

export const auditRecords: Table<AuditRecord> = tableOf('audit_records', ['merchantId', 'id']);

export function audit(record: AuditRecord): Change {
  return insert(auditRecords, { ...record, detail: redactDeep(record.detail) as AuditRecord['detail'] });
}
