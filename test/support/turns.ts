/** The number of the commit whose proofs are played; absent outside `npm run proofs`, and with --long. */
const COMMIT = process.env['PROOF_TURN'];

/**
 * Of cases that prove one promise in different surroundings those whose turn it is: one in `of` at each commit, so that all
 * of them are played within as many commits. Played whole by `npm run proofs -- --long` and where a proof is run by itself.
 */
export function inTurn<Case>(cases: readonly Case[], of = cases.length): readonly Case[] {
  return COMMIT === undefined ? cases : cases.filter((_, n) => n % of === Number(COMMIT) % of);
}
