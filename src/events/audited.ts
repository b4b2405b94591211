import { type AuditRecord } from '../database/audit.entity.js';
import { actorOf as actorOfCaller, type Caller } from '../core/caller.js';

/** Who acts: an API key of the merchant, or an operator. */
export type ActingFor = Pick<Caller, 'merchantId' | 'sourceAddress'> &
  ({ readonly apiKeyId: string } | { readonly actor: string });

function actorOf(by: ActingFor): string {
  return 'actor' in by ? by.actor : actorOfCaller(by);
}

/** Who acts, and the record of it. */
export interface Act {
  readonly caller: ActingFor;
  readonly auditId: string;
  readonly at: Date;
  readonly action: `webhook_endpoint.${string}` | 'event.replayed';
}

/** The audit record of an act. */
export function recordOf(
  { caller, auditId: id, at, action }: Act,
  subject: string,
  detail: Readonly<Record<string, unknown>>,
): AuditRecord {
  const { merchantId, sourceAddress } = caller;
  const address = sourceAddress === undefined ? {} : { source_address: sourceAddress };
  return {
    merchantId,
    id,
    at,
    actor: actorOf(caller),
    action,
    subject,
    detail: { ...detail, ...address },
  };
}

/**
 * The CTE `recorded`: the audit record of an act, written by the statement that does it, and only where `from`
 * has a row. `values` follow the `taken` parameters that the statement has already. `subject` and `detail`
 * are SQL over `from`.
 */
export function recorded(
  { caller, auditId, at, action }: Act,
  taken: number,
  { from, subject, detail = "'{}'::jsonb" }: { from: string; subject: string; detail?: string },
): { readonly cte: string; readonly values: readonly unknown[] } {
  const parameter = (n: number, type: string) => `$${taken + n}::${type}`;
  const address = `jsonb_strip_nulls(jsonb_build_object('source_address', ${parameter(5, 'text')}))`;
  return {
    cte: `recorded AS (
      INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
      SELECT ${parameter(1, 'uuid')}, ${parameter(2, 'uuid')}, ${parameter(3, 'timestamptz')}, ${parameter(4, 'text')},
             '${action}', ${subject}, ${detail} || ${address}
        FROM ${from} LIMIT 1)`,
    values: [caller.merchantId, auditId, at, actorOf(caller), caller.sourceAddress ?? null],
  };
}
