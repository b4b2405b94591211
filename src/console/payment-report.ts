import { And, LessThan, MoreThanOrEqual, type Repository } from 'typeorm';
import { Problem } from '../core/problem.js';
import { Refund } from '../refunds/refund.entity.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { OrphanEffect } from '../request-storage/route.entity.js';
import { readHistories } from '../request-storage/read-histories.js';
import { orderOfPayment, type OrderReport } from '../orders/order-report.js';
import { type Payment } from '../payments/payment.entity.js';

/** All that operators see of a payment: neither tokens nor customer data, nor what the customer is to do. */
export interface PaymentReport {
  readonly payment: Omit<Payment, 'sealed' | 'nextAction' | 'metadata'>;
  /** In the order in which they were opened. */
  readonly operations: readonly OperationHistory[];
  readonly refunds: readonly Refund[];
  /** Those that are dealt with as well. */
  readonly orphans: readonly OrphanEffect[];
  /** Null: the payment names none. */
  readonly order: OrderReport | null;
}

const HIDDEN = ['sealed', 'nextAction', 'metadata'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The most payments of one reference that are named to choose from. */
const MAX_NAMED = 10;

/** Payments of all merchants, for operators, by id or reference. */
export class PaymentReports {
  constructor(private readonly payments: Repository<Payment>) {}

  /**
   * @param name the payment's id, or the merchant's reference of it
   * @param merchantId whose, where merchants use the same reference; null: anyone's
   * @throws Problem `not_found` for none, `invalid_state` for several of one reference
   */
  async find(name: string, merchantId: string | null): Promise<PaymentReport> {
    const byId = UUID.test(name) ? await this.rows('p.id = :name', name, merchantId) : [];
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

  private rows(where: string, name: string, merchantId: string | null): Promise<PaymentReport['payment'][]> {
    const { columns } = this.payments.metadata;
    const shown = columns.map(({ propertyName }) => propertyName).filter((each) => !HIDDEN.includes(each));
    const found = this.payments
      .createQueryBuilder('p')
      .select(shown.map((property) => `p.${property}`))
      .where(where, { name });
    if (merchantId !== null)
      found.andWhere('p.merchant_id::text = :merchantId', { merchantId: merchantId.toLowerCase() });
    return found
      .orderBy('p.id', 'DESC')
      .limit(MAX_NAMED + 1)
      .getMany();
  }

  private async about(payment: PaymentReport['payment']): Promise<Omit<PaymentReport, 'payment'>> {
    const { merchantId, id } = payment;
    const { manager } = this.payments;
    // Names of operations begin with the payment's id, and the primary key sorts them.
    const where = {
      merchantId,
      entityKey: And(MoreThanOrEqual(`payment-${id}-`), LessThan(`payment-${id}.`)),
    };
    const histories = [...(await readHistories(manager, where)).values()];
    const openedAt = ({ routes }: OperationHistory) => routes[0]!.request.openedAt.getTime();
    return {
      operations: histories.toSorted((a, b) => openedAt(a) - openedAt(b)),
      refunds: await manager.find(Refund, { where: { merchantId, paymentId: id }, order: { id: 'ASC' } }),
      orphans: await manager.find(OrphanEffect, {
        where,
        order: { foundAt: 'ASC', entityKey: 'ASC', route: 'ASC', object: 'ASC' },
      }),
      order: await orderOfPayment(manager, payment),
    };
  }
}

/** Merchant by merchant, as the index on references has it. */
const BY_REFERENCE = 'p.reference = :name AND p.merchant_id IN (SELECT id FROM merchants)';
