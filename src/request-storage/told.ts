import { type Failure } from '../core/failure.js';
import { type OperationHistory } from './attempt.js';
import { type RuledOut } from './next-step.js';
import { type PspAttempt } from './psp-request.entity.js';

/** One route as clients see it. */
export interface RouteView {
  readonly route: number;
  readonly psp: string;
  readonly verdict: string;
  readonly outcome: string | null;
}

export function routeViewsOf(history: OperationHistory | undefined): RouteView[] {
  return (history?.routes ?? []).map(({ request, attempts }) => ({
    route: request.route,
    psp: request.psp,
    verdict: request.verdict,
    outcome: outcomeOf(attempts),
  }));
}

/** The last thing a PSP said about the route: the latest answer that says anything. */
function outcomeOf(attempts: readonly PspAttempt[]): string | null {
  const told = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'unknown');
  return (told ?? attempts.at(-1))?.outcome ?? null;
}

/** `words`: what is said where the PSP said nothing. */
export function failureOf(
  { by, kind }: RuledOut,
  words: { readonly declined: string; readonly notDone: string },
): Failure {
  const declined = by.outcome === 'declined';
  const told = by.response?.['message'];
  return {
    category: declined ? 'declined' : kind === 'rejected' ? 'psp_rejected' : 'psp_unavailable',
    code: declined ? (by.decline ?? 'declined') : codeOf(by),
    psp_code: by.pspCode,
    message: typeof told === 'string' && told !== '' ? told : declined ? words.declined : words.notDone,
  };
}

function codeOf({ outcome }: PspAttempt): string {
  return outcome === 'not_found' ? 'not_executed' : (outcome ?? 'unknown');
}
