import { type Failure } from '../../core/failure.js';
import { type RuledOut } from './next-step.js';
import { type PspAttempt } from '../route.entity.js';

/** `words`: the text to use if the PSP gave none. */
export function routeFailure(
  { by, kind }: RuledOut,
  words: { readonly declined: string; readonly notDone: string },
): Failure {
  const declined = by.outcome === 'declined';
  const pspMessage = by.response?.['message'];
  return {
    category: declined ? 'declined' : kind === 'rejected' ? 'psp_rejected' : 'psp_unavailable',
    code: declined ? (by.decline ?? 'declined') : failureCodeOf(by),
    psp_code: by.pspCode,
    message:
      typeof pspMessage === 'string' && pspMessage !== ''
        ? pspMessage
        : declined
          ? words.declined
          : words.notDone,
  };
}

function failureCodeOf({ outcome }: PspAttempt): string {
  return outcome === 'not_found' ? 'not_executed' : (outcome ?? 'unknown');
}
