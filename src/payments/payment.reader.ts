import type pg from 'pg';
import { orUnavailable, Problem } from '../kernel/index.js';
import { columnsOf, readStories } from '../request-storage/index.js';
import { type Payment, payments } from './payment.entity.js';
import { firstEntityKey } from './payment-state.js';
import { viewOf } from './payment.view.js';
import { type Page, type PaymentFilter, type PaymentView } from './payments.js';

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
    return orUnavailable(this.read(merchantId, filter, limit, cursor));
  }

  /** Whose a payment is that a PSP names; null where there is none. */
  async merchantOf(id: string): Promise<string | null> {
    const { rows } = await orUnavailable(
      this.pool.query<{ merchant_id: string }>('SELECT merchant_id FROM payments WHERE id = $1', [id]),
    );
    return rows[0]?.merchant_id ?? null;
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
    const stories = await readStories(this.pool, merchantId, page.map(firstEntityKey));
    return {
      data: page.map((payment) => viewOf(payment, stories.get(firstEntityKey(payment)))),
      has_more: rows.length > limit,
      next_cursor: rows.length > limit ? page.at(-1)!.id : null,
    };
  }
}

export function notFound(): Problem {
  return new Problem('not_found', 'No such payment.');
}
