import { type Failure } from '../../core/failure.js';
import { type Operation } from '../../psp/contract.js';
import { type PspAttempt } from '../route.entity.js';
import { type StepResult } from './advance.js';

const notDone: Readonly<Record<Operation, string>> = {
  charge: 'No PSP could take the payment; nothing was charged.',
  authorize: 'No PSP could take the payment; nothing was charged.',
  capture: 'The PSP could not be reached for the capture; nothing was taken.',
  void: 'The PSP could not be reached for the cancel; the authorization stands.',
  refund: 'The PSP could not be reached for the refund; nothing was given back.',
  payout: 'No PSP could make the payout; nothing was paid.',
};

/** Why an operation failed, for the client: in the PSP's words or ours, with the PSP's code beside them. */
export function failureOf(step: StepResult['step'], operation: Operation): Failure | null {
  if (step.do !== 'fail') return null;
  const { by, kind } = step.evidence;
  const declined = by.outcome === 'declined';
  const noun = operation === 'charge' || operation === 'authorize' ? 'payment' : operation;
  const ours = declined ? `The ${noun} was declined.` : notDone[operation];
  const pspMessage = by.response?.['message'];
  return {
    category: declined ? 'declined' : kind === 'rejected' ? 'psp_rejected' : 'psp_unavailable',
    code: declined ? (by.decline ?? 'declined') : failureCodeOf(by),
    psp_code: by.pspCode,
    message: typeof pspMessage === 'string' && pspMessage !== '' ? pspMessage : ours,
  };
}

function failureCodeOf({ outcome }: PspAttempt): string {
  return outcome === 'not_found' ? 'not_executed' : (outcome ?? 'unknown');
}
