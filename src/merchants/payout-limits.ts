import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { isCurrency, MAX_AMOUNT } from '../core/money.js';
import { Problem } from '../core/problem.js';
import { recordAct } from '../database/record-act.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';

export const payoutLimitScopes = ['merchant', 'recipient'] as const;

/** The most that is paid out in a currency on a day (UTC): by the merchant in all, or to each recipient. */
export interface PayoutLimit {
  readonly currency: string;
  readonly per: (typeof payoutLimitScopes)[number];
  /** Minor units; null: any. */
  readonly amount: number | null;
  /** How many payouts; null: any. */
  readonly count: number | null;
}

export const MAX_COUNT = 1_000_000;

const SET = `
INSERT INTO payout_limits (merchant_id, currency, per, max_amount, max_count) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (merchant_id, currency, per) DO UPDATE
   SET max_amount = excluded.max_amount, max_count = excluded.max_count`;

const LIST = `
SELECT currency, per, max_amount::float8 AS amount, max_count AS count
  FROM payout_limits WHERE merchant_id = $1 ORDER BY currency, per`;

/** The limits of merchants' payouts, as an administrator keeps them. The database holds payouts to them. */
@Injectable()
export class PayoutLimits {
  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Holds for every payout that is opened from now on, in all processes; what was paid out today counts.
   * @throws Problem `validation_failed`, `not_found` where there is no such merchant
   */
  async set(merchantId: string, limit: PayoutLimit, actor: string): Promise<void> {
    checkPayoutLimit(limit);
    const { currency, per, amount, count } = limit;
    try {
      await this.change(merchantId, 'payout_limit.set', { ...limit }, actor, SET, [
        currency,
        per,
        amount,
        count,
      ]);
    } catch (error) {
      const isUnknown = sqlStateOf(error) === sqlState.FOREIGN_KEY_VIOLATION;
      if (!isUnknown) throw error;
      throw new Problem('not_found', `There is no merchant ${merchantId}.`);
    }
  }

  /** After the last one the merchant has no limit. @throws Problem `not_found` */
  async remove(
    merchantId: string,
    { currency, per }: Pick<PayoutLimit, 'currency' | 'per'>,
    actor: string,
  ): Promise<void> {
    const sql =
      'DELETE FROM payout_limits WHERE merchant_id = $1 AND currency = $2 AND per = $3 RETURNING per';
    await this.change(merchantId, 'payout_limit.removed', { currency, per }, actor, sql, [currency, per]);
  }

  list(merchantId: string): Promise<PayoutLimit[]> {
    refuseNoId(merchantId);
    return this.source.query<PayoutLimit[]>(LIST, [merchantId]);
  }

  private async change(
    merchantId: string,
    action: string,
    detail: Readonly<Record<string, unknown>>,
    actor: string,
    sql: string,
    values: readonly unknown[],
  ): Promise<void> {
    refuseNoId(merchantId);
    await this.source.transaction(async (tx) => {
      const changed = await tx.query<unknown[]>(sql, [merchantId, ...values]);
      if (action === 'payout_limit.removed' && (changed[1] as number) === 0) {
        throw new Problem('not_found', `merchant ${merchantId} has no such limit of payouts`);
      }
      const [id, at] = [this.ids.uuid(), this.clock.now()];
      await recordAct(tx, { merchantId, id, at, actor, action, subject: `merchant:${merchantId}`, detail });
    });
  }
}

/** @throws Problem `validation_failed` */
export function checkPayoutLimit({ currency, amount, count }: PayoutLimit): void {
  if (!isCurrency(currency)) throw invalid('/currency', 'an ISO 4217 currency');
  if (amount === null && count === null) throw invalid('', 'an amount, a count or both');
  if (amount !== null && !isWhole(amount, MAX_AMOUNT)) throw invalid('/amount', 'whole minor units');
  if (count !== null && !isWhole(count, MAX_COUNT)) throw invalid('/count', `0 to ${MAX_COUNT}`);
}

function isWhole(value: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= most;
}

function refuseNoId(merchantId: string): void {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchantId)) return;
  throw new Problem('not_found', `There is no merchant ${merchantId}.`);
}

function invalid(pointer: string, message: string): Problem {
  return new Problem('validation_failed', `a limit takes ${message}`, { errors: [{ pointer, message }] });
}
