import type pg from 'pg';
import { Problem } from '../core/problem.js';
import { orphanEffects, type OrphanEffect } from './psp-request.entity.js';

const COLUMNS = orphanEffects.columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');

/** What PSPs did after they were ruled out, for operators: hand-written SQL over few rows. */
export class OrphanEffects {
  constructor(private readonly pool: pg.Pool) {}

  /** What is not given back yet, the oldest first, at most `limit`. */
  async list(limit = 100): Promise<OrphanEffect[]> {
    const { rows } = await this.pool.query<OrphanEffect>(
      `SELECT ${COLUMNS} FROM orphan_effects WHERE status NOT IN ('compensated', 'closed') ORDER BY found_at LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /**
   * Lets it be given back; the decision and who made it are one commit. Also tries one again that
   * failed. Throws Problem `not_found` where there is none that waits.
   * @param pspReference which object of the route; null where only one waits
   */
  async approve(
    merchantId: string,
    entityKey: string,
    route: number,
    pspReference: string | null,
    by: { readonly actor: string; readonly auditId: string; readonly at: Date },
  ): Promise<OrphanEffect> {
    const { rows } = await this.pool.query<OrphanEffect>(
      `WITH approved AS (
         UPDATE orphan_effects SET status = 'approved', due_at = $5
          WHERE (merchant_id, entity_key, route, object) = (
                  SELECT merchant_id, entity_key, route, min(object) FROM orphan_effects
                   WHERE merchant_id = $1 AND entity_key = $2 AND route = $3 AND status IN ('open', 'failed')
                     AND ($7::text IS NULL OR psp_reference = $7)
                   GROUP BY merchant_id, entity_key, route HAVING count(*) = 1)
          RETURNING *
       ), recorded AS (
         INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
         SELECT merchant_id, $4, $5, $6, 'orphan.approved', entity_key, jsonb_build_object('route', route, 'psp_reference', psp_reference)
           FROM approved
       )
       SELECT ${COLUMNS} FROM approved`,
      [merchantId, entityKey, route, by.auditId, by.at, by.actor, pspReference],
    );
    if (!rows[0]) throw new Problem('not_found', 'No orphan effect of this name waits for a decision.');
    return rows[0];
  }

  /**
   * Takes it off the list, because a person has dealt with it; who, when and what was done are one commit
   * with it. Throws Problem `not_found` where there is none that waits for a person.
   * @param pspReference which object of the route; null where only one waits
   */
  async close(
    merchantId: string,
    entityKey: string,
    route: number,
    pspReference: string | null,
    by: { readonly actor: string; readonly auditId: string; readonly at: Date; readonly note: string },
  ): Promise<OrphanEffect> {
    const { rows } = await this.pool.query<OrphanEffect>(
      `WITH closed AS (
         UPDATE orphan_effects SET status = 'closed'
          WHERE (merchant_id, entity_key, route, object) = (
                  SELECT merchant_id, entity_key, route, min(object) FROM orphan_effects
                   WHERE merchant_id = $1 AND entity_key = $2 AND route = $3 AND status IN ('open', 'approved', 'failed')
                     AND ($8::text IS NULL OR psp_reference = $8)
                   GROUP BY merchant_id, entity_key, route HAVING count(*) = 1)
          RETURNING *
       ), recorded AS (
         INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
         SELECT merchant_id, $4, $5, $6, 'orphan.closed', entity_key, jsonb_build_object('route', route, 'psp_reference', psp_reference, 'note', $7::text)
           FROM closed
       )
       SELECT ${COLUMNS} FROM closed`,
      [merchantId, entityKey, route, by.auditId, by.at, by.actor, by.note, pspReference],
    );
    if (!rows[0]) throw new Problem('not_found', 'No orphan effect of this name waits for a person.');
    return rows[0];
  }
}
