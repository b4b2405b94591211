import { type Call, type CallKind } from './wire.js';
import { type Clock } from './clock.js';

const KEPT = 5_000;

/** One request as it was seen on the wire. */
export interface CallRecord {
  readonly seq: number;
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string | null;
  readonly at: string;
  /** null: refused before anybody looked what it is for. */
  kind: CallKind | null;
  reference: string | null;
  /** The fault that was applied to it. */
  fault: string | null;
  /** The status that was sent; null as long as none was. */
  status: number | null;
  replayed: boolean;
}

type Kept = Omit<CallRecord, 'at'> & { readonly at: number };

/** The last 5,000 requests, and how many there were in all. */
export class Calls {
  private readonly ring: Kept[] = [];
  private count = 0;

  constructor(private readonly clock: Clock) {}

  get total(): number {
    return this.count;
  }

  record(call: Call): Kept {
    const key = call.headers['idempotency-key'];
    const query = call.query === '' ? '' : `?${call.query}`;
    const kept: Kept = {
      seq: this.count + 1,
      method: call.method,
      path: `${call.path}${query}`.slice(0, 500),
      idempotency_key: typeof key === 'string' ? key.slice(0, 255) : null,
      at: this.clock.now(),
      kind: null,
      reference: null,
      fault: null,
      status: null,
      replayed: false,
    };
    this.ring[this.count % KEPT] = kept;
    this.count += 1;
    return kept;
  }

  read(reference?: string): CallRecord[] {
    return this.ring
      .toSorted((a, b) => a.seq - b.seq)
      .filter((call) => reference === undefined || call.reference === reference)
      .map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() }));
  }

  reset(): void {
    this.ring.length = 0;
    this.count = 0;
  }
}
