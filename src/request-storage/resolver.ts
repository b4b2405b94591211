import { type PassReport, workThrough } from '../core/work-through.js';
import { type Route } from './route.entity.js';
import { type PspFilter, type RequestStorage } from './request-storage.js';

/** Advances the operation of a due route as far as it goes now. Returns false when another run advances it. */
export type AdvanceRoute = (due: Route, traceId: string) => Promise<boolean>;

/** How long a route that cannot be advanced is postponed for the others. */
const AFTER_FAILURE_MS = 60_000;

/**
 * Advances open routes when their time has come: looks up, sends again under the same key, voids,
 * or calls a person. The modules that own the operations register how.
 */
export class Resolver {
  constructor(
    private readonly storage: RequestStorage,
    private readonly advance: AdvanceRoute,
    private readonly newTraceId: () => string,
    private readonly onError: (error: unknown, due: Route) => void,
    /** Only the routes at these accounts. */
    private readonly psp?: PspFilter,
  ) {}

  /** One pass over what is due, at most `limit` routes, `atOnce` of them side by side. */
  async runOnce(limit = 100, atOnce = 8): Promise<PassReport> {
    return workThrough(
      await this.storage.due(limit, this.psp),
      atOnce,
      (due) => this.advance(due, `resolver-${this.newTraceId()}`),
      async (thrown, due) => {
        this.onError(thrown, due);
        // If that fails too, the route stays due, and the next pass logs it.
        await this.storage.postpone(due, AFTER_FAILURE_MS).catch(() => {});
      },
    );
  }
}
