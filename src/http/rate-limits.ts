import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { type Caller } from '../core/caller.js';
import { Problem } from '../core/problem.js';
import { LeasedBuckets } from './leased-buckets.js';

/**
 * Requests a second of each API key, and of each merchant, which may have a rate of its own. A rate of 0 is no limit.
 * Asked before a byte of the body is read, while Nest asks guards after that: so no guard, and no throttler of Nest.
 */
@Injectable()
export class RateLimits {
  constructor(
    private readonly config: Config,
    private readonly buckets: LeasedBuckets,
  ) {}

  /** @throws Problem `rate_limited` */
  async check({ apiKeyId, merchantId, requestRate }: Caller): Promise<void> {
    const { keyRate, merchantRate } = this.config;
    await this.spend(`key:${apiKeyId}`, keyRate);
    await this.spend(`merchant:${merchantId}`, requestRate ?? merchantRate);
  }

  private async spend(bucket: string, perSecond: number): Promise<void> {
    const retryAfterS = perSecond === 0 ? 0 : await this.buckets.spend(bucket, perSecond);
    if (retryAfterS === 0) return;
    throw new Problem('rate_limited', 'This API key or its merchant sends more requests than it may.', {
      retryAfterS,
    });
  }
}
