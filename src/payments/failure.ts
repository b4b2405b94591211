import { type Operation } from '../psp/index.js';
import { type PspAttempt, type Step } from '../request-storage/index.js';
import { type Failure } from './payment.entity.js';

const notDone: Readonly<Record<Operation, string>> = {
  charge: 'No PSP could take the payment; nothing was charged.',
  authorize: 'No PSP could take the payment; nothing was charged.',
  capture: 'The PSP could not be asked to capture; nothing was taken.',
  void: 'The PSP could not be asked to cancel; the authorization stands.',
  refund: 'The PSP could not be asked to refund; nothing was given back.',
  payout: 'No PSP could make the payout; nothing was sent.',
};

/** Why an operation failed, for the client: in our words, with the PSP's code beside them. */
export function failureOf(step: Step, operation: Operation): Failure | null {
  if (step.do !== 'fail') return null;
  const { by, kind } = step.evidence;
  const declined = by.outcome === 'declined';
  const told = by.response?.['message'];
  const own = declined ? `The ${nounOf(operation)} was declined.` : notDone[operation];
  return {
    category: declined ? 'declined' : kind === 'rejected' ? 'psp_rejected' : 'psp_unavailable',
    code: declined ? (by.decline ?? 'declined') : codeOf(by),
    psp_code: by.pspCode,
    message: typeof told === 'string' && told !== '' ? told : own,
  };
}

function nounOf(operation: Operation): string {
  return operation === 'charge' || operation === 'authorize' ? 'payment' : operation;
}

function codeOf({ outcome }: PspAttempt): string {
  return outcome === 'not_found' ? 'not_executed' : (outcome ?? 'unknown');
}
