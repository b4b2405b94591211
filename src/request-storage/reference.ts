import { type PspAttempt } from './psp-request.entity.js';

/** The PSP's own id that an answer told. */
export function referenceIn({ response }: PspAttempt): string | null {
  const reference = response?.['psp_reference'];
  return typeof reference === 'string' ? reference : null;
}
