import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { type Config } from '../config/config.js';
import { Problem } from '../core/problem.js';
import { type Caller } from '../core/caller.js';

/** In the place of a handler, whose decorators the throttler reads. */
const everyRequest = () => {};

/** The throttler reads no more of a context than this. Nest makes none before it has the body. */
function contextOf(caller: Caller): ExecutionContext {
  const read: Pick<ExecutionContext, 'getHandler' | 'getClass' | 'getArgByIndex'> = {
    getHandler: () => everyRequest,
    getClass: () => RateLimitGuard as never,
    getArgByIndex: () => caller as never,
  };
  return read as ExecutionContext;
}

/**
 * Nest's throttler with a bucket for each API key and one for each merchant. It is asked by the hooks of requests
 * and calls, before a byte of the body is read, and not by Nest, which asks guards after that.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** @throws Problem `rate_limited` */
  async check(caller: Caller): Promise<void> {
    await this.canActivate(contextOf(caller));
  }

  protected override getRequestResponse(context: ExecutionContext): {
    req: Record<string, unknown>;
    res: Record<string, unknown>;
  } {
    return { req: context.getArgByIndex<Record<string, unknown>>(0), res: {} };
  }

  protected override throwThrottlingException(
    _: ExecutionContext,
    { timeToBlockExpire: retryAfterS }: { readonly timeToBlockExpire: number },
  ): Promise<void> {
    throw new Problem('rate_limited', 'This API key or its merchant sends more requests than it may.', {
      retryAfterS,
    });
  }
}

function callerIn(context: ExecutionContext): Caller {
  return context.getArgByIndex<Caller>(0);
}

/** Requests a second, by name of the bucket: of each API key, and of each merchant, which may have its own. */
export function throttlersOf({
  keyRate,
  merchantRate,
}: Pick<Config, 'keyRate' | 'merchantRate'>): Pick<
  Exclude<ThrottlerModuleOptions, readonly unknown[]>,
  'throttlers' | 'setHeaders' | 'generateKey'
> {
  /** A rate of 0 is no limit. */
  const throttler = (name: string, rateOf: (caller: Caller) => number, of: (caller: Caller) => string) => ({
    name,
    limit: (context: ExecutionContext) => rateOf(callerIn(context)),
    skipIf: (context: ExecutionContext) => rateOf(callerIn(context)) === 0,
    ttl: 1_000,
    getTracker: (caller: object) => of(caller as Caller),
  });
  return {
    throttlers: [
      ...(keyRate === 0
        ? []
        : [
            throttler(
              'key',
              () => keyRate,
              ({ apiKeyId }) => apiKeyId,
            ),
          ]),
      throttler(
        'merchant',
        ({ requestRate }) => requestRate ?? merchantRate,
        ({ merchantId }) => merchantId,
      ),
    ],
    setHeaders: false,
    generateKey: (_, tracker, name) => `${name}:${tracker}`,
  };
}
