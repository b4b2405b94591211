import { Injectable } from '@nestjs/common';
import { type Caller } from '../merchants/caller.js';
import { Merchants } from '../merchants/merchants.js';
import { type EdgeState } from './access.js';
import { bearerOf } from './headers.js';
import { LoadShedding } from './load-shedding.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RequestHooks } from './request-hooks.js';

/** Lets a request of a merchant in, by HTTP or by gRPC, before a byte of its body is read. */
@Injectable()
export class Admission {
  constructor(
    private readonly shedding: LoadShedding,
    private readonly hooks: RequestHooks,
    private readonly merchants: Merchants,
    private readonly rates: RateLimitGuard,
  ) {}

  /**
   * `place`: among what is in flight; null for a stream, which waits more than it works.
   * @throws Problem `overloaded`, `unauthorized`, `rate_limited`
   */
  async admit(authorization: string | undefined, place: Pick<EdgeState, 'release'> | null): Promise<Caller> {
    this.shedding.check();
    if (place) this.hooks.admit(place);
    const caller = await this.merchants.authenticate(bearerOf(authorization));
    if (place) this.hooks.admitMerchant(place, caller.merchantId);
    await this.rates.check(caller);
    return caller;
  }
}
