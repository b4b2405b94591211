const SEED = process.env['PROPERTY_SEED'];
const FACTOR = Number(process.env['PROPERTY_FACTOR'] ?? 1);

/**
 * How many cases of a property are drawn: a tenth of `full` in `npm test`; from another seed at every commit three tenths in
 * `npm run proofs`, and all of them with --long.
 */
export function runs(full: number): { numRuns: number; seed?: number } {
  return SEED === undefined
    ? { numRuns: Math.ceil(full / 10) }
    : { numRuns: Math.ceil(full * FACTOR), seed: Number(SEED) };
}
