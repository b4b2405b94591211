import { commitOf, fromNow, type Store, update } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { type PassReport, workThrough } from '../core/work-through.js';
import { type IdempotencyKey } from './idempotency-key.entity.js';
import { idempotencyKeys } from './idempotency-key.table.js';
import { type IdempotentRunner } from './idempotent-runner.js';

/** When a key that failed is tried again. */
const AFTER_FAILURE_MS = 60_000;

/** Continues keys whose run stopped halfway until they have an answer, as the client's retry would. */
export class Completer {
  constructor(
    private readonly store: Store,
    private readonly runner: IdempotentRunner,
    private readonly ids: Ids,
    private readonly onError: (error: unknown, key: IdempotencyKey) => void,
    /** Only these keys, the oldest first; absent: every key that is due. */
    private readonly dueKeys = (limit: number): Promise<IdempotencyKey[]> =>
      this.store.findDue(idempotencyKeys, {}, 'resumableAt', 'now', limit),
  ) {}

  /** One pass over what is due, at most `limit` keys, `atOnce` of them side by side. */
  async runOnce(limit = 100, atOnce = 8): Promise<PassReport> {
    return workThrough(
      await this.dueKeys(limit),
      atOnce,
      (key) => this.runner.resume(key, `completer-${this.ids.uuid()}`),
      async (thrown, key) => {
        this.onError(thrown, key);
        await this.postpone(key).catch((again: unknown) => this.onError(again, key));
      },
    );
  }

  /** Postpones a key that cannot be completed. Refused if a run has locked it meanwhile. */
  private async postpone({ merchantId, key, lockToken }: IdempotencyKey): Promise<void> {
    const later = { resumableAt: fromNow(AFTER_FAILURE_MS) };
    await this.store.commit(
      commitOf(update(idempotencyKeys, { merchantId, key }, later, { lockToken }, 'resumableAt')),
    );
  }
}
