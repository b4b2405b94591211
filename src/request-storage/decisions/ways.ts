import { type Capabilities, makesOnce } from '../../psp/contract.js';
import { firstSentAt, type RouteHistory, WINDOW_MARGIN_MS } from './assess-route.js';
import { wasSkipped } from './skipped-call.js';
import { type PspAttempt } from '../route.entity.js';

/*
 * The calls that a PSP allows for a route, by what its adapter declares and what was sent: whether it can be
 * asked, sent the same again, or asked to undo it. Which of them is made, and when, is for nextStep().
 */

export function waysToAsk({ request }: RouteHistory, { lookup }: Capabilities): readonly 'lookup'[] {
  return lookup && (lookup.by === 'reference' || request.pspReference !== null) ? ['lookup'] : [];
}

/**
 * A resend is safe only if the PSP makes nothing twice under this key, and only while it remembers the key, counted
 * from the FIRST execute. A PSP that replays only successes may have moved money, answered 500, and would do it
 * again.
 */
export function mayResend({ attempts }: RouteHistory, { idempotency }: Capabilities, now: Date): boolean {
  const executes = attempts.filter((a) => a.kind === 'execute');
  return makesOnce(idempotency) && isKeyKnown(executes, idempotency.windowMs, now);
}

/** The payment's replayed answer is older than the customer's action: only sending the details asks about that. */
export function mayHandInAgain({ attempts }: RouteHistory, can: Capabilities, now: Date): boolean {
  const { completion, idempotency } = can;
  const handedIn = attempts.filter((a) => a.kind === 'complete' && !wasSkipped(a));
  return (
    handedIn.length === 0 ||
    (completion?.repeatable === true &&
      (idempotency.replays === 'all' || idempotency.replays === 'latest') &&
      isKeyKnown(handedIn, idempotency.windowMs, now))
  );
}

/** Whether the PSP still knows the key of these calls. Without a window it never does. */
export function isKeyKnown(attempts: readonly PspAttempt[], windowMs: number | null, now: Date): boolean {
  if (windowMs === null) return false;
  return now.getTime() < firstSentAt(attempts) + windowMs - WINDOW_MARGIN_MS;
}

export function mayCancel({ request }: RouteHistory, { cancel }: Capabilities): boolean {
  return cancel === 'reference' || (cancel === 'id' && request.pspReference !== null);
}
