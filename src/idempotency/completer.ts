import { fromNow, type Ids, type Store, update } from '../kernel/index.js';
import { type IdempotencyKey, idempotencyKeys } from './idempotency-key.entity.js';
import { type KeyedFlows } from './keyed-flows.js';
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
    private readonly flows: KeyedFlows,
    known: readonly Flow<never, unknown>[],
    private readonly ids: Ids,
    private readonly onError: (error: unknown, key: IdempotencyKey) => void,
  ) {
    this.byOperation = new Map(known.map((flow) => [flow.operation, flow]));
  }

  /** One pass over what is due, at most `limit` keys. One that fails does not hold up the others. */
  async runOnce(limit = 100): Promise<CompleterReport> {
    const due = await this.store.findDue(idempotencyKeys, {}, 'resumableAt', 'now', limit);
    let [taken, failed] = [0, 0];
    for (const key of due) {
      const flow = this.byOperation.get(key.operation);
      try {
        if (!flow) throw new RangeError(`no flow for ${key.operation}`);
        if (await this.flows.resume(flow, key, `completer-${this.ids.uuid()}`)) taken += 1;
      } catch (error) {
        failed += 1;
        this.onError(error, key);
        await this.postpone(key).catch((e: unknown) => this.onError(e, key));
      }
    }
    return { taken, failed };
  }

  /** A key that cannot be completed makes room for the others. Refused where a run holds it by now. */
  private async postpone({ merchantId, key, lockToken }: IdempotencyKey): Promise<void> {
    const later = { resumableAt: fromNow(AFTER_FAILURE_MS) };
    await this.store.commit([
      update(idempotencyKeys, { merchantId, key }, later, { lockToken }, 'resumableAt'),
    ]);
  }
}
