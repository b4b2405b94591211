import { type EventRecord } from '../../src/database/event.entity.js';
import { type PaymentTransition } from '../../src/payments/payment.entity.js';
import { type Refund } from '../../src/refunds/refund.entity.js';
import { entityKey } from '../../src/request-storage/entity-key.js';
import { type Route } from '../../src/request-storage/route.entity.js';

/** All that the tables say of a payment, and what its merchant was told. */
export interface Told {
  readonly events: readonly EventRecord[];
  readonly transitions: readonly PaymentTransition[];
  readonly refunds: readonly Refund[];
  readonly routes: readonly Route[];
}

/**
 * What is wrong with what the merchant was told: one event for each change of status is right, and
 * none else. Judged by the histories, which are written beside the events. null where all is right.
 */
export function mistold({ events, transitions, refunds, routes }: Told): string | null {
  const expected = [...transitions.flatMap(saidByTransition), ...routes.flatMap(saidByStuck)];
  const told = events.filter((one) => !isRefusal(one)).map(saidByEvent);
  const [want, got] = [expected.toSorted().join('\n'), told.toSorted().join('\n')];
  if (want !== got) return `told\n${got}\ninstead of\n${want}`;
  if (new Set(events.map(({ id }) => id)).size !== events.length) return 'two events of one id';
  for (const refund of refunds) {
    const last = events.findLast(
      ({ data }) => data['entity_key'] === refund.entityKey && data['object'] === 'refund',
    );
    if (refund.status !== 'pending' && last?.data['status'] !== refund.status) {
      return `${refund.entityKey} is ${refund.status}, and told last was ${String(last?.type)}`;
    }
  }
  return null;
}

/** A refund that was never asked of a PSP has no line in the payment's history. */
function isRefusal({ type, data }: EventRecord): boolean {
  return type === 'refund.failed' && Object(data['failure']).category === 'refused';
}

function saidByEvent({ type, data }: EventRecord): string {
  if (type === 'payment.stuck') return type;
  if (data['object'] === 'refund') return `${type} ${String(data['entity_key'])}`;
  return `${type} ${String(data['status'])} at ${String(data['updated_at'])}`;
}

function saidByTransition({ event, fromStatus, toStatus, entityKey: name, at }: PaymentTransition): string[] {
  if (event === 'refund_failed') return [`refund.failed ${name}`];
  if (event === 'part_refunded' || event === 'refunded') return [`refund.succeeded ${name}`];
  // A part that is captured and an action that another PSP asks for are told, though the status stays.
  const isNews = event === 'part_captured' || event === 'action_required' || fromStatus !== toStatus;
  if (fromStatus === null || !isNews) return [];
  // What was captured is all there will be: so it is told, however much of it was given back already.
  const type = fromStatus === 'authorized' && toStatus !== 'canceled' ? 'captured' : toStatus;
  return [`payment.${type} ${toStatus} at ${at.toISOString()}`];
}

/** A route is given up once, however often it was asked about again. */
function saidByStuck({ paymentId, entityKey: name, stuckAt, firstStuckAt }: Route): string[] {
  if (name.startsWith(entityKey.orphan(paymentId ?? '', 0).slice(0, -1))) return [];
  return stuckAt !== null || firstStuckAt ? ['payment.stuck'] : [];
}
