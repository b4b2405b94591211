import type pg from 'pg';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { columnsOf, readHistories } from '../request-storage/histories.js';
import { type Subject } from '../request-storage/operation-resolver.js';
import { type Payment, payments } from './payment.entity.js';
import { firstEntityKey } from './payment-state.js';
import { viewOf } from './payment.view.js';
import { type Page } from '../core/page.js';
import { type PaymentFilter, type PaymentView } from './payments.js';

/** Lists of payments: hand-written SQL, newest first, by cursor. */
export class PaymentReader {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * A page of a merchant's payments. The cursor is the id of the last one seen: ids are UUIDv7, so
   * their order is that of creation and the primary key serves the page without a sort.
   */
  list(
    merchantId: string,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    return translateOutage(this.read(merchantId, filter, limit, cursor));
  }

  /** The payment that a PSP names by our id; null where there is none. */
  async subjectOf(id: string): Promise<Subject | null> {
    const { rows } = await translateOutage(
      this.pool.query<{ merchant_id: string }>('SELECT merchant_id FROM payments WHERE id = $1', [id]),
    );
    return rows[0] ? { merchantId: rows[0].merchant_id, paymentId: id, payoutId: null } : null;
  }

  /** The payment that a PSP made under this id of its own; null where there is none. */
  async ofReference(psp: string, pspReference: string): Promise<{ merchantId: string; id: string } | null> {
    const { rows } = await translateOutage(
      this.pool.query<{ merchantId: string; id: string }>(
        `SELECT merchant_id AS "merchantId", payment_id AS id FROM psp_requests
          WHERE psp_reference = $2 AND psp = $1 AND operation IN ('charge', 'authorize')
            AND verdict = 'effective' LIMIT 1`,
        [psp, pspReference],
      ),
    );
    return rows[0] ?? null;
  }

  private async read(
    merchantId: string,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    const values: unknown[] = [merchantId];
    const conditions = ['merchant_id = $1'];
    const where = (sql: string, value: unknown) => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(`${sql} $${values.length}`);
    };
    where('id <', cursor);
    where('status =', filter.status);
    where('psp =', filter.psp);
    where('reference =', filter.reference);
    where('created_at >=', filter.createdFrom);
    where('created_at <=', filter.createdTo);
    const { rows } = await this.pool.query<Payment>(
      `SELECT ${columnsOf(payments)} FROM payments WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ${limit + 1}`,
      values,
    );
    const page = rows.slice(0, limit);
    const histories = await readHistories(this.pool, merchantId, page.map(firstEntityKey));
    return {
      data: page.map((payment) => viewOf(payment, histories.get(firstEntityKey(payment)))),
      has_more: rows.length > limit,
      next_cursor: rows.length > limit ? page.at(-1)!.id : null,
    };
  }
}

export function notFound(): Problem {
  return new Problem('not_found', 'No such payment.');
}
