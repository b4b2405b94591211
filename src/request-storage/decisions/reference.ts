import { type Money } from '../../core/money.js';
import { type PspAttempt } from '../route.entity.js';

/** The PSP's id in an answer. */
export function referenceIn({ response }: PspAttempt): string | null {
  const reference = response?.['psp_reference'];
  return typeof reference === 'string' ? reference : null;
}

/** All ids in an answer: several if the PSP found several objects for one route. */
export function referencesIn(attempt: PspAttempt): readonly string[] {
  const references = attempt.response?.['psp_references'];
  const several = Array.isArray(references) ? references.filter((id) => typeof id === 'string') : [];
  const one = referenceIn(attempt);
  return several.length > 0 || one === null ? several : [one];
}

/** The money that the PSP reports in an answer. */
export function moneyIn({ response }: Pick<PspAttempt, 'response'>): Money | null {
  const money = response?.['money'] as Partial<Money> | undefined;
  return typeof money?.amount === 'number' && typeof money.currency === 'string' ? (money as Money) : null;
}
