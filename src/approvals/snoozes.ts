import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { auditSubjectOf } from '../request-storage/entity-key.js';
import { type SnoozeView } from './approval-views.js';
import { type NamedOperation } from './actions.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';

/** For how long, whose the operation is meanwhile, and why. */
export interface NewSnooze {
  readonly hours: number;
  /** null: of who asks. */
  readonly owner: string | null;
  readonly note: string;
}

const SNOOZE = `
INSERT INTO operation_snoozes (merchant_id, entity_key, until, owner_id, note)
SELECT r.merchant_id, r.entity_key, now() + $3::int * interval '1 hour', o.id, $5
  FROM psp_requests r, operators o
 WHERE r.merchant_id = $1 AND r.entity_key = $2 AND r.stuck_at IS NOT NULL
   AND o.name = $4 AND o.disabled_at IS NULL
ON CONFLICT (merchant_id, entity_key) DO UPDATE
   SET until = excluded.until, owner_id = excluded.owner_id, note = excluded.note, at = now()
RETURNING until`;

/** Stuck operations that are off the list for a while, because an operator looks after them. They stay as stuck as they are. */
@Injectable()
export class Snoozes {
  constructor(
    private readonly pool: Pool,
    private readonly acts: ActionLog,
  ) {}

  /** @throws Problem `invalid_state` where it is not stuck, or there is no such operator */
  async add(
    { merchantId, entityKey }: NamedOperation,
    { hours, owner, note }: NewSnooze,
    operator: SignedIn,
  ): Promise<SnoozeView> {
    const name = owner ?? operator.name;
    const { rows } = await translateOutage(
      this.pool.query<{ until: Date }>(SNOOZE, [merchantId, entityKey, hours, name, note]),
    );
    if (!rows[0]) {
      const active = 'SELECT FROM operators WHERE name = $1 AND disabled_at IS NULL';
      const { rowCount } = await translateOutage(this.pool.query(active, [name]));
      throw new Problem(
        'invalid_state',
        rowCount === 1 ? `${entityKey} is not stuck.` : `There is no active operator ${name}.`,
      );
    }
    const until = rows[0].until.toISOString();
    const detail = { entity_key: entityKey, until, owner: name, note };
    await this.acts.record(operator, merchantId, 'operation.snoozed', auditSubjectOf(entityKey), detail);
    return { until, owner: name, note };
  }

  /** Lists it again. @throws Problem `not_found` */
  async end({ merchantId, entityKey }: NamedOperation, operator: SignedIn): Promise<void> {
    const { rowCount } = await translateOutage(
      this.pool.query(
        'DELETE FROM operation_snoozes WHERE merchant_id = $1 AND entity_key = $2 AND until > now()',
        [merchantId, entityKey],
      ),
    );
    if (rowCount === 0) throw new Problem('not_found', `${entityKey} is not snoozed.`);
    const detail = { entity_key: entityKey };
    await this.acts.record(operator, merchantId, 'operation.woken', auditSubjectOf(entityKey), detail);
  }

  /** By entity key, those that hold now. */
  async of(merchantId: string, entityKeys: readonly string[]): Promise<ReadonlyMap<string, SnoozeView>> {
    const { rows } = await translateOutage(
      this.pool.query<SnoozeView & { entity_key: string }>(
        `SELECT s.entity_key, s.until, o.name AS owner, s.note
           FROM operation_snoozes s JOIN operators o ON o.id = s.owner_id
          WHERE s.merchant_id = $1 AND s.entity_key = ANY ($2) AND s.until > now()`,
        [merchantId, entityKeys],
      ),
    );
    return new Map(rows.map(({ entity_key: key, ...snooze }) => [key, snooze]));
  }
}
