import { type Operation } from '../psp/contract.js';
import { type StepResult } from '../request-storage/decisions/advance.js';
import { type Failure } from '../core/failure.js';
import { routeFailure as failureFrom } from '../request-storage/decisions/route-failure.js';

const notDone: Readonly<Record<Operation, string>> = {
  charge: 'No PSP could take the payment; nothing was charged.',
  authorize: 'No PSP could take the payment; nothing was charged.',
  capture: 'The PSP could not be reached for the capture; nothing was taken.',
  void: 'The PSP could not be reached for the cancel; the authorization stands.',
  refund: 'The PSP could not be reached for the refund; nothing was given back.',
  payout: 'No PSP could make the payout; nothing was sent.',
};

/** Why an operation failed, for the client: in our words, with the PSP's code beside them. */
export function failureOf(step: StepResult['step'], operation: Operation): Failure | null {
  if (step.do !== 'fail') return null;
  const noun = operation === 'charge' || operation === 'authorize' ? 'payment' : operation;
  return failureFrom(step.evidence, {
    declined: `The ${noun} was declined.`,
    notDone: notDone[operation],
  });
}
