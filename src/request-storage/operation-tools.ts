import { type LockHolder } from '../core/lock-holder.js';
import { type Store } from '../core/change.js';
import { type Clock } from '../core/clock.js';
import { type Encryption } from '../core/encryption.js';
import { type Ids } from '../core/ids.js';
import { type RequestStorage } from './request-storage.js';

/** The services with which a module stores operations and advances them. */
export abstract class OperationTools {
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly seal: Encryption;
  readonly clock: Clock;
  readonly ids: Ids;
  /**
   * Creates lock tokens that name this process, so that its locks end soon after it dies. Absent: locks end by time
   * alone.
   */
  readonly holder?: LockHolder;
  /** How long a run that advances a route holds it. */
  readonly leaseMs: number;
}
