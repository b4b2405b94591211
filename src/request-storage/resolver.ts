import { type PspRequest } from './psp-request.entity.js';
import { type RequestStorage } from './request-storage.js';

/** Drives the operation of a due route as far as it goes now. Returns false when somebody else is at it. */
export type DriveOn = (due: PspRequest, traceId: string) => Promise<boolean>;

export interface ResolverReport {
  readonly driven: number;
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
    private readonly driveOn: DriveOn,
    private readonly newTraceId: () => string,
    private readonly onError: (error: unknown, due: PspRequest) => void,
  ) {}

  /** One pass over what is due, at most `limit` routes, `atOnce` of them side by side. */
  async runOnce(limit = 100, atOnce = 8): Promise<ResolverReport> {
    const due = await this.storage.due(limit);
    let [driven, failed] = [0, 0];
    const workers = Array.from({ length: Math.min(atOnce, due.length) }, async () => {
      for (let next = due.shift(); next; next = due.shift()) {
        try {
          if (await this.driveOn(next, `resolver-${this.newTraceId()}`)) driven += 1;
        } catch (error) {
          failed += 1;
          this.onError(error, next);
          await this.postpone(next);
        }
      }
    });
    await Promise.all(workers);
    return { driven, failed };
  }

  private async postpone(due: PspRequest): Promise<void> {
    try {
      await this.storage.postpone(due, AFTER_FAILURE_MS);
    } catch (error) {
      this.onError(error, due);
    }
  }
}
