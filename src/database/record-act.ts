import { type EntityManager, type InsertQueryBuilder } from 'typeorm';
import { AuditRecord } from './audit.entity.js';

type Row = Parameters<InsertQueryBuilder<AuditRecord>['values']>[0];

/** Writes the record of an act, in the transaction that does it. */
export async function recordAct(tx: EntityManager, record: AuditRecord): Promise<void> {
  await tx.insert(AuditRecord, record as Row);
}
