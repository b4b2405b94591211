import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { IdempotencyKey } from '../idempotency/idempotency-key.entity.js';
import { translateOutage } from '../database/store-unavailable.js';

/**
 * A key waits at an account where its payment or payout has an open route. OFFSET 0 has Postgres find the few
 * requests of the key by its subject first; else it joins every due key with every open route of the account.
 */
const WAITS_AT = `EXISTS (
  SELECT FROM (VALUES ('payment-' || k.subject_id || '-', 'payment-' || k.subject_id || '.'),
                      ('payout-' || k.subject_id || '-', 'payout-' || k.subject_id || '.')) AS keys (first, last)
   CROSS JOIN LATERAL (
     SELECT r.verdict, r.psp FROM psp_requests r
      WHERE r.merchant_id = k.merchant_id AND r.entity_key >= keys.first AND r.entity_key < keys.last
        AND r.verdict <> 'ruled_out' OFFSET 0) live
   WHERE live.verdict = 'open' AND live.psp = ANY(:accounts))`;

/** Idempotency keys whose run stopped halfway, by the PSP account at which they wait; the oldest first. */
@Injectable()
export class DueKeys {
  constructor(@InjectRepository(IdempotencyKey) private readonly keys: Repository<IdempotencyKey>) {}

  at(account: string, limit: number): Promise<IdempotencyKey[]> {
    return this.find(WAITS_AT, [account], limit);
  }

  /** Those that wait at none of these accounts. */
  elsewhere(accounts: readonly string[], limit: number): Promise<IdempotencyKey[]> {
    return this.find(`NOT ${WAITS_AT}`, accounts, limit);
  }

  private find(where: string, accounts: readonly string[], limit: number): Promise<IdempotencyKey[]> {
    const due = this.keys
      .createQueryBuilder('k')
      .where('k.resumable_at < statement_timestamp()')
      .andWhere(where, { accounts })
      .orderBy('k.resumableAt')
      .limit(limit);
    return translateOutage(due.getMany());
  }
}
