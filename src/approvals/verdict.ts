import { formatMoney } from '../core/money.js';
import { type Decision } from '../idempotency/operation.js';
import { type PaymentState } from '../payments/payment-state.js';
import { firstSentAt, WINDOW_MARGIN_MS } from '../request-storage/decisions/assess-route.js';
import { isCall } from '../request-storage/decisions/attempt.js';
import { mayResend } from '../request-storage/decisions/ways.js';
import { type StepPreview } from '../request-storage/route-worker.js';
import { type VerdictView } from './approval-views.js';
import { duration } from '../core/duration.js';
import { stuckAdvice } from './stuck-advice.js';

/** Says of a retry what the next step would be, and what makes it safe. Pure. */
export function verdictOnRetry({ step, route, capabilities, now }: StepPreview): VerdictView {
  const { psp, leasedBy, leasedUntil } = route.request;
  const facts = factsOf({ step, route, capabilities, now });
  const allowed = (headline: string): VerdictView => ({ allowed: true, headline, facts });
  const refused = (headline: string): VerdictView => ({ allowed: false, headline, facts });
  if (leasedBy !== null && leasedUntil !== null && leasedUntil > now) {
    return refused('A run of the service works on this operation right now. Look again in a few seconds.');
  }
  switch (step.do) {
    case 'none':
      return refused('This operation is decided. There is nothing left to retry.');
    case 'finish':
      return allowed(`${psp} has said that it did it: the operation is closed as done.`);
    case 'fail':
      return allowed(
        `It is proved that ${psp} did nothing, and no other PSP is left: the operation is closed as failed.`,
      );
    case 'open':
      return allowed(`It is proved that ${psp} did nothing: ${step.psp} is asked next.`);
    case 'lookup':
      return allowed(`${psp} is asked what became of it. The lookup alone moves no money.`);
    case 'execute':
      return allowed(
        `The same request is sent to ${psp} again under the same key, so it is done once at most.`,
      );
    case 'complete':
      return allowed(`What the customer's return handed over is given to ${psp} again under the same key.`);
    case 'cancel':
      return allowed(`${psp} is asked to cancel it.`);
    case 'wait':
      return refused(
        `Nothing can be done before ${step.until.toISOString().slice(11, 19)} UTC (${reasonOf(step.why)}).`,
      );
    case 'stuck':
      return refused(
        `The service may not try this again by itself: ${step.why}. Find out at ${psp} what became of it.`,
      );
  }
}

/** Says of a lookup whether the PSP can be asked now. Pure. */
export function verdictOnLookup(foreseen: StepPreview): VerdictView {
  const { step, route, now } = foreseen;
  const { psp, leasedBy, leasedUntil } = route.request;
  const facts = factsOf(foreseen);
  const refused = (headline: string): VerdictView => ({ allowed: false, headline, facts });
  if (step.do === 'lookup' && (leasedBy === null || leasedUntil === null || leasedUntil <= now)) {
    const headline = `${psp} is asked what became of it. Nothing else is sent; the service goes on by its answer.`;
    return { allowed: true, headline, facts };
  }
  switch (step.do) {
    case 'lookup':
      return refused('A run of the service works on this operation right now. Look again in a few seconds.');
    case 'none':
      return refused('This operation is decided. There is nothing left to look up.');
    case 'finish':
    case 'fail':
      return refused(`What ${psp} did is known. Retry now closes the operation by it.`);
    case 'wait':
      return step.why === 'throttled' || step.why === 'clock'
        ? verdictOnRetry(foreseen)
        : refused(`${psp} cannot be asked about this operation now.`);
    default:
      return refused(`${psp} cannot be asked about this operation.`);
  }
}

/** Says of a cancel or a refund what it would begin with. Pure. */
export function verdictOnBegun(decision: Decision<Pick<PaymentState, 'call' | 'wanted'>>): VerdictView {
  const verdict = (allowed: boolean, headline: string) => ({ allowed, headline, facts: [] });
  switch (decision.go) {
    case 'reply': {
      if (decision.status < 400) return verdict(false, 'It is done already. Nothing is left to do.');
      const { detail = 'It is refused.' } = JSON.parse(decision.body) as { readonly detail?: string };
      return verdict(false, detail);
    }
    case 'pause':
      return verdict(
        false,
        decision.until === null
          ? 'An operation of this payment is stuck, and has to be decided first.'
          : 'An operation of this payment is open, and is decided first. Look again in a few minutes.',
      );
    case 'decide':
      return verdict(true, 'What is open is decided by what is known of it, and then this is done.');
    case 'call': {
      const { request, attempt } = decision.state.call!;
      const { psp, operation, amount, currency } = request;
      const money = formatMoney({ amount, currency });
      if (attempt.kind === 'cancel')
        return verdict(true, `${psp} is asked to cancel the ${operation} of ${money}.`);
      if (operation !== decision.state.wanted.operation) {
        return verdict(
          true,
          `${psp} is asked first what became of the ${operation}, and this is done after it.`,
        );
      }
      return verdict(
        true,
        operation === 'refund'
          ? `${psp} is asked to give ${money} back, once.`
          : `${psp} is asked to release ${money}.`,
      );
    }
  }
}

function reasonOf(why: string): string {
  const known: Readonly<Record<string, string>> = {
    clock: 'the clock of this process is not trusted',
    throttled: 'the PSP asked to be left alone until then',
    requires_action: 'the customer has to act',
    pending: 'the PSP has it and will decide',
  };
  return known[why] ?? why;
}

function factsOf({ step, route, capabilities, now }: StepPreview): string[] {
  const { request, attempts } = route;
  const { way } = stuckAdvice(request.stuckReason ?? null, request.psp);
  const facts =
    way === 'state' ? [`Whatever ${request.psp} answers, an operator and an approver decide this.`] : [];
  const executes = attempts.filter(({ kind }) => kind === 'execute');
  const { windowMs } = capabilities.idempotency;
  if (executes.length > 0 && windowMs !== null) {
    const leftMs = firstSentAt(executes) + windowMs - WINDOW_MARGIN_MS - now.getTime();
    facts.push(
      leftMs > 0
        ? `Same key: ${request.psp} remembers it for another ${duration(leftMs)}.`
        : `${request.psp} may have forgotten the key ${duration(-leftMs)} ago: the request is not sent again.`,
    );
  }
  if (step.do === 'lookup' && mayResend(route, capabilities, now)) {
    facts.push(
      `Where ${request.psp} knows nothing of it, the same request may be sent again under the same key.`,
    );
  }
  const lookup = attempts.findLast(({ kind }) => kind === 'lookup');
  if (lookup) {
    const ago = duration(now.getTime() - lookup.startedAt.getTime());
    facts.push(`Last lookup ${ago} ago: ${lookup.outcome ?? 'unanswered'}.`);
  } else if (capabilities.lookup === null) facts.push(`${request.psp} offers no lookup.`);
  const last = attempts.findLast(isCall);
  if (last && last !== lookup) facts.push(`Last call: ${last.kind}, ${last.outcome ?? 'unanswered'}.`);
  return facts;
}
