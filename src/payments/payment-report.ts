import type pg from 'pg';
import { Problem } from '../core/problem.js';
import { type Refund, refunds } from '../refunds/refund.entity.js';
import { type OperationHistory } from '../request-storage/attempt.js';
import { columnsOf, readHistories } from '../request-storage/histories.js';
import { orphanEffects, type OrphanEffect } from '../request-storage/psp-request.entity.js';
import { type Payment, payments } from './payment.entity.js';

/** All that operators see of a payment: neither tokens nor customer data, nor what the customer is to do. */
export interface PaymentReport {
  readonly payment: Omit<Payment, 'sealed' | 'nextAction' | 'metadata'>;
  /** In the order in which they were opened. */
  readonly operations: readonly OperationHistory[];
  readonly refunds: readonly Refund[];
  /** Those that are dealt with as well. */
  readonly orphans: readonly OrphanEffect[];
}

const COLUMNS = columnsOf({
  columns: payments.columns.filter(
    ({ property }) => !['sealed', 'nextAction', 'metadata'].includes(property),
  ),
});
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** As many payments of one reference are named to choose from. */
const MAX_NAMED = 10;

/** Payments of all merchants, for operators: hand-written SQL, by id or reference. */
export class PaymentReports {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * @param name the payment's id, or the merchant's reference of it
   * @param merchantId whose, where merchants use the same reference; null: anyone's
   * @throws Problem `not_found` for none, `invalid_state` for several of one reference
   */
  async find(name: string, merchantId: string | null): Promise<PaymentReport> {
    const byId = UUID.test(name) ? await this.rows('id = $1', name, merchantId) : [];
    const found = byId.length > 0 ? byId : await this.rows(BY_REFERENCE, name, merchantId);
    const [payment, ...others] = found;
    if (!payment) throw new Problem('not_found', `No payment has the id or the reference ${name}.`);
    if (others.length > 0) {
      const ids = found.slice(0, MAX_NAMED).map(({ id }) => id);
      const more = found.length > MAX_NAMED ? ' and more' : '';
      throw new Problem(
        'invalid_state',
        `Several payments have the reference ${name}; name one by its id: ${ids.join(', ')}${more}.`,
      );
    }
    return { payment, ...(await this.about(payment)) };
  }

  private async rows(
    where: string,
    name: string,
    merchantId: string | null,
  ): Promise<PaymentReport['payment'][]> {
    const { rows } = await this.pool.query<PaymentReport['payment']>(
      `SELECT ${COLUMNS} FROM payments WHERE ${where} AND ($2::text IS NULL OR merchant_id::text = $2)
        ORDER BY id DESC LIMIT ${MAX_NAMED + 1}`,
      [name, merchantId?.toLowerCase() ?? null],
    );
    return rows;
  }

  private async about({
    merchantId,
    id,
  }: PaymentReport['payment']): Promise<Pick<PaymentReport, 'operations' | 'refunds' | 'orphans'>> {
    // Names of operations begin with the payment's id, and stand in the order of the primary key.
    const range = [merchantId, `payment-${id}-`, `payment-${id}.`];
    const of = 'WHERE merchant_id = $1 AND entity_key >= $2 AND entity_key < $3';
    const keys = await this.pool.query<{ entity_key: string }>(
      `SELECT entity_key FROM psp_requests ${of} GROUP BY entity_key ORDER BY min(opened_at), entity_key`,
      range,
    );
    const names = keys.rows.map((row) => row.entity_key);
    const histories = await readHistories(this.pool, merchantId, names);
    const orphans = await this.pool.query<OrphanEffect>(
      `SELECT ${columnsOf(orphanEffects)} FROM orphan_effects ${of} ORDER BY found_at, entity_key, route, object`,
      range,
    );
    const given = await this.pool.query<Refund>(
      `SELECT ${columnsOf(refunds)} FROM refunds WHERE merchant_id = $1 AND payment_id = $2 ORDER BY id`,
      [merchantId, id],
    );
    return {
      operations: names.map((name) => histories.get(name)!),
      refunds: given.rows,
      orphans: orphans.rows,
    };
  }
}

/** Merchant by merchant, as the index on references has it. */
const BY_REFERENCE = 'reference = $1 AND merchant_id IN (SELECT id FROM merchants)';
