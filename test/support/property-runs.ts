const SEED = process.env['PROPERTY_SEED'];

/**
 * How many cases of a property are drawn: a tenth of `full` in `npm test`; all of them, from another seed at
 * every commit, in `npm run proofs`.
 */
export function runs(full: number): { numRuns: number; seed?: number } {
  return SEED === undefined ? { numRuns: Math.ceil(full / 10) } : { numRuns: full, seed: Number(SEED) };
}
