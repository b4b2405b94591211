import { inSpan } from '../core/tracing.js';
import { type NotificationItem } from '../psp/notification.js';
import { subjectOf } from './entity-key.js';
import { type ItemRecorder, type NotificationOutcome } from './notification.js';
import { type OperationResolver, type Subject } from './operation-resolver.js';

/** How to advance an operation when no client asks. */
export type OperationAdvancer = Pick<
  OperationResolver<unknown>,
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
export interface OwnedOperations {
  owns(entityKey: string): boolean;
  readonly resolver: OperationAdvancer;
  /** The payment or payout with this id; null where there is none. */
  subjectOf(id: string): Promise<Subject | null>;
  /** Records what a PSP says of a dispute. Only payments are disputed. */
  readonly recordDispute?: (psp: string, item: NotificationItem) => Promise<NotificationOutcome>;
}

/**
 * Which module owns which entity keys. Each registers its own when the application starts, so that request
 * storage advances every open route without knowing what it is for.
 */
export class OperationOwners implements ItemRecorder {
  private readonly owners: OwnedOperations[] = [];

  register(owner: OwnedOperations): void {
    this.owners.push(owner);
  }

  /** @throws RangeError where no module owns such operations */
  of(entityKey: string): OperationAdvancer {
    const owner = this.ownerOf(entityKey);
    if (!owner) throw new RangeError(`no module owns ${entityKey}`);
    return owner.resolver;
  }

  /** Hands what a PSP says to the module that owns the operation. */
  async recordNotification(
    psp: string,
    item: NotificationItem,
    traceId: string,
  ): Promise<NotificationOutcome> {
    if (item.about === 'dispute') {
      const owner = this.owners.find(({ recordDispute }) => recordDispute !== undefined);
      return (await owner?.recordDispute?.(psp, item)) ?? 'unknown';
    }
    const name = item.entityKey ?? item.ofPayment;
    const subject = name === null ? null : subjectOf(name);
    // An operation that we did not send carries no name of ours: made by hand at the PSP, or by another system.
    const owner = subject ? this.ownerOf(name!) : undefined;
    const of = (await owner?.subjectOf(subject!.id)) ?? null;
    if (of === null) return 'unknown';
    return inSpan(
      {
        name: 'psp notification',
        kind: 'consumer',
        subject: subject!.id,
        rejoins: true,
        attributes: { 'payonce.psp': psp },
      },
      () => owner!.resolver.recordNotification(of, psp, item, traceId),
      (outcome) => ({ 'payonce.notification': outcome }),
    );
  }

  private ownerOf(entityKey: string): OwnedOperations | undefined {
    return this.owners.find((owner) => owner.owns(entityKey));
  }
}
