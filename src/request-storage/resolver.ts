import { type PspRequest } from './psp-request.entity.js';
import { type PspFilter, type RequestStorage } from './request-storage.js';

/** Drives the operation of a due route as far as it goes now. Returns false when another run drives it. */
export type AdvanceRoute = (due: PspRequest, traceId: string) => Promise<boolean>;

export interface ResolverReport {
  readonly stepResult: number;
  readonly failed: number;
}

/** A route that cannot be driven makes room for the others for so long. */
const AFTER_FAILURE_MS = 60_000;

/**
 * Drives open routes on when their time has come: looks up, sends again under the same key, voids,
 * or calls a person. The rooms that own the operations register how.
 */
export class Resolver {
  constructor(
    private readonly storage: RequestStorage,
    private readonly driveOn: AdvanceRoute,
    private readonly newTraceId: () => string,
    private readonly onError: (error: unknown, due: PspRequest) => void,
    /** Only the routes at these accounts. */
    private readonly psp?: PspFilter,
  ) {}

  /** One pass over what is due, at most `limit` routes, `atOnce` of them side by side. */
  async runOnce(limit = 100, atOnce = 8): Promise<ResolverReport> {
    const due = await this.storage.due(limit, this.psp);
    let [stepResult, failed] = [0, 0];
    const workers = Array.from({ length: Math.min(atOnce, due.length) }, async () => {
      for (let next = due.shift(); next; next = due.shift()) {
        try {
          if (await this.driveOn(next, `resolver-${this.newTraceId()}`)) stepResult += 1;
        } catch (error) {
          failed += 1;
          this.onError(error, next);
          // Where that fails as well the route stays due, and the next pass says so.
          await this.storage.postpone(next, AFTER_FAILURE_MS).catch(() => {});
        }
      }
    });
    await Promise.all(workers);
    return { stepResult, failed };
  }
}
