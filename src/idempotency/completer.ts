import { commitOf, fromNow, type Store, update } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { idempotencyKeys } from './idempotency-key.table.js';
import { type IdempotentRunner } from './idempotent-runner.js';
import { type Flow } from './phases.js';

export interface CompleterReport {
  readonly taken: number;
  readonly failed: number;
}

/** When a key that failed is taken up again. */
const AFTER_FAILURE_MS = 60_000;

/** Takes up keys whose run stopped halfway and brings them to an answer, as the client's retry would. */
export class Completer {
  private readonly byOperation: ReadonlyMap<string, Flow<never, unknown>>;

  constructor(
    private readonly store: Store,
    private readonly flows: IdempotentRunner,
    known: readonly Flow<never, unknown>[],
    private readonly ids: Ids,
    private readonly onError: (error: unknown, key: IdempotencyKey) => void,
    /** Only these keys, the oldest first; absent: every key that is due. */
    private readonly dueKeys = (limit: number): Promise<IdempotencyKey[]> =>
      this.store.findDue(idempotencyKeys, {}, 'resumableAt', 'now', limit),
  ) {
    this.byOperation = new Map(known.map((flow) => [flow.operation, flow]));
  }

  /**
   * One pass over what is due, at most `limit` keys, `atOnce` of them side by side. A key that fails does not
   * delay the others.
   */
  async runOnce(limit = 100, atOnce = 8): Promise<CompleterReport> {
    const due = await this.dueKeys(limit);
    const report = { taken: 0, failed: 0 };
    const workers = Array.from({ length: Math.min(atOnce, due.length) }, async () => {
      for (let next = due.shift(); next; next = due.shift()) {
        const done = await this.complete(next);
        if (done !== null) report[done] += 1;
      }
    });
    await Promise.all(workers);
    return report;
  }

  private async complete(key: IdempotencyKey): Promise<keyof CompleterReport | null> {
    const flow = this.byOperation.get(key.operation);
    try {
      if (!flow) throw new RangeError(`no flow for ${key.operation}`);
      const answer = await this.flows.resume(flow, key, `completer-${this.ids.uuid()}`);
      return answer && 'taken';
    } catch (error) {
      this.onError(error, key);
      await this.postpone(key).catch((e: unknown) => this.onError(e, key));
      return 'failed';
    }
  }

  /** A key that cannot be completed makes room for the others. Refused where a run holds it by now. */
  private async postpone({ merchantId, key, lockToken }: IdempotencyKey): Promise<void> {
    const later = { resumableAt: fromNow(AFTER_FAILURE_MS) };
    await this.store.commit(
      commitOf(update(idempotencyKeys, { merchantId, key }, later, { lockToken }, 'resumableAt')),
    );
  }
}
