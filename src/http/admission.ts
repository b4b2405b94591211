import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Caller } from '../core/caller.js';
import { CallersService } from '../merchants/callers.service.js';
import { type ServiceClient } from '../merchants/service-client.js';
import { ServiceTokens } from '../merchants/service-tokens.js';
import { type InFlightRequest } from './access.js';
import { bearerOf } from './headers.js';
import { ApiLimits } from './limits.js';
import { LoadShedding } from './load-shedding.js';
import { RateLimits } from './rate-limits.js';
import { RequestHooks } from './request-hooks.js';

/** The client certificate of a request, and whose it is. */
export interface ShownCertificate {
  /** The service that it names, which may go without other credentials; null: none. */
  readonly service: ServiceClient | null;
  /** Whether every key needs one of its merchant here. */
  readonly isNeeded: boolean;
  isOf(merchantId: string): boolean;
}

/** Lets a request of a merchant in, by HTTP or by gRPC, before a byte of its body is read. */
@Injectable()
export class Admission {
  private held = 0;

  constructor(
    private readonly shedding: LoadShedding,
    private readonly hooks: RequestHooks,
    private readonly callers: CallersService,
    private readonly tokens: ServiceTokens,
    private readonly rates: RateLimits,
    private readonly limits: ApiLimits,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * `place`: among what is in flight; null for a stream, which waits more than it works. `certificate`: null where
   * clients show none, as by REST.
   * @throws Problem `overloaded`, `unauthorized`, `rate_limited`
   */
  async admit(
    authorization: string | undefined,
    place: Pick<InFlightRequest, 'release'> | null,
    certificate: ShownCertificate | null,
  ): Promise<Caller> {
    this.shedding.check();
    if (place) this.hooks.admit(place);
    const caller = await this.callerOf(authorization, certificate?.service ?? null);
    requireCertificate(caller, certificate);
    try {
      if (place) this.hooks.admitMerchant(place, caller.merchantId);
      await this.rates.check(caller);
    } catch (refusal) {
      await this.hold(place);
      throw refusal;
    }
    return caller;
  }

  /**
   * A client that sends the next request as soon as it is refused would take the event loop from other merchants:
   * each of its connections gets its refusals one by one, so late. Meanwhile the request takes no place in flight.
   */
  private async hold(place: Pick<InFlightRequest, 'release'> | null): Promise<void> {
    place?.release?.();
    if (place) place.release = null;
    if (this.held >= this.limits.maxHeldRefusals) return;
    this.held++;
    // Each by another time, or all that are refused together would come back together.
    await this.clock.sleep(this.limits.refusalMs * (0.5 + this.ids.random()));
    this.held--;
  }

  private async callerOf(
    authorization: string | undefined,
    certified: ServiceClient | null,
  ): Promise<Caller> {
    if (authorization === undefined && certified) return this.callers.ofService(certified);
    const bearer = bearerOf(authorization);
    if (!this.tokens.reads(bearer)) return this.callers.authenticate(bearer);
    return this.callers.ofService(await this.tokens.clientOf(bearer));
  }
}

/** A key that was stolen from its service is of no use without the certificate. @throws Problem `unauthorized` */
function requireCertificate({ merchantId, needsCertificate }: Caller, shown: ShownCertificate | null): void {
  if (!needsCertificate && !shown?.isNeeded) return;
  if (shown?.isOf(merchantId)) return;
  throw new Problem('unauthorized', 'This API key is taken only with a client certificate of its merchant.');
}
