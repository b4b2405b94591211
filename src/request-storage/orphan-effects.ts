import type pg from 'pg';
import { Problem } from '../kernel/index.js';
import { orphanEffects, type OrphanEffect } from './psp-request.entity.js';

const COLUMNS = orphanEffects.columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');

/** What PSPs did after they were ruled out, for operators: hand-written SQL over few rows. */
export class OrphanEffects {
  constructor(private readonly pool: pg.Pool) {}

  /** What is not given back yet, the oldest first, at most `limit`. */
  async list(limit = 100): Promise<OrphanEffect[]> {
    const { rows } = await this.pool.query<OrphanEffect>(
      `SELECT ${COLUMNS} FROM orphan_effects WHERE status <> 'compensated' ORDER BY found_at LIMIT $1`,
      [limit],
    );
    return rows;
  }

  /**
   * Lets it be given back; the decision and who made it are one commit. Also tries one again that
   * failed. Throws Problem `not_found` where there is none that waits.
   */
  async approve(
    merchantId: string,
    entityKey: string,
    route: number,
    by: { readonly actor: string; readonly auditId: string; readonly at: Date },
  ): Promise<OrphanEffect> {
    const { rows } = await this.pool.query<OrphanEffect>(
      `WITH approved AS (
         UPDATE orphan_effects SET status = 'approved'
          WHERE merchant_id = $1 AND entity_key = $2 AND route = $3 AND status IN ('open', 'failed')
          RETURNING *
       ), recorded AS (
         INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
         SELECT merchant_id, $4, $5, $6, 'orphan.approved', entity_key, jsonb_build_object('route', route)
           FROM approved
       )
       SELECT ${COLUMNS} FROM approved`,
      [merchantId, entityKey, route, by.auditId, by.at, by.actor],
    );
    if (!rows[0]) throw new Problem('not_found', 'No orphan effect of this name waits for a decision.');
    return rows[0];
  }
}
