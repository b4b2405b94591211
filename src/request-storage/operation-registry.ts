import { inSpan } from '../core/tracing.js';
import { type NotificationItem } from '../psp/notification.js';
import { subjectOf } from './entity-key.js';
import { type ItemRecorder, type NotificationOutcome } from './decisions/record-notification.js';
import { type RouteWorker, type Subject } from './route-worker.js';

/** How to advance an operation when no client asks. */
export type RegisteredWorker = Pick<
  RouteWorker<unknown>,
  | 'advance'
  | 'recheckRoute'
  | 'askNow'
  | 'foreseeAsk'
  | 'resolveStuck'
  | 'foreseeResolution'
  | 'lookUpStated'
  | 'recordNotification'
>;

/** The operations of one module, as it registers them. */
interface RegisteredOperations {
  owns(entityKey: string): boolean;
  readonly worker: RegisteredWorker;
  /** The payment or payout with this id; null where there is none. */
  subjectOf(id: string): Promise<Subject | null>;
  /** Records what a PSP says of a dispute. Only payments are disputed. */
  readonly recordDispute?: (psp: string, item: NotificationItem) => Promise<NotificationOutcome>;
}

/**
 * Which module owns which entity keys. Each registers its own when the application starts, so that request
 * storage advances every open route without knowing what it is for.
 */
export class OperationRegistry implements ItemRecorder {
  private readonly registered: RegisteredOperations[] = [];

  register(operations: RegisteredOperations): void {
    this.registered.push(operations);
  }

  /** @throws RangeError where no module owns such operations */
  of(entityKey: string): RegisteredWorker {
    const operations = this.find(entityKey);
    if (!operations) throw new RangeError(`no module owns ${entityKey}`);
    return operations.worker;
  }

  /** Hands what a PSP says to the module that owns the operation. */
  async recordNotification(
    psp: string,
    item: NotificationItem,
    traceId: string,
  ): Promise<NotificationOutcome> {
    if (item.about === 'dispute') {
      const disputed = this.registered.find(({ recordDispute }) => recordDispute !== undefined);
      return (await disputed?.recordDispute?.(psp, item)) ?? 'unknown';
    }
    const name = item.entityKey ?? item.ofPayment;
    const subject = name === null ? null : subjectOf(name);
    // An operation that we did not send carries no name of ours: made by hand at the PSP, or by another system.
    const operations = subject ? this.find(name!) : undefined;
    const of = (await operations?.subjectOf(subject!.id)) ?? null;
    if (of === null) return 'unknown';
    return inSpan(
      {
        name: 'psp notification',
        kind: 'consumer',
        subject: subject!.id,
        rejoins: true,
        attributes: { 'payonce.psp': psp },
      },
      () => operations!.worker.recordNotification(of, psp, item, traceId),
      (outcome) => ({ 'payonce.notification': outcome }),
    );
  }

  private find(entityKey: string): RegisteredOperations | undefined {
    return this.registered.find((operations) => operations.owns(entityKey));
  }
}
