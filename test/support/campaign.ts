/** `npm run proofs` plays campaigns whole; `npm test` a short draw of each, so that it ends in minutes. */
const isWhole = process.env['CAMPAIGN'] === 'whole';

/** The first `count` of the cases in `npm test`, all of them in `npm run proofs`. */
export function drawn<Case>(cases: readonly Case[], count = 1): readonly Case[] {
  return isWhole ? cases : cases.slice(0, count);
}

const undeclared = Object.assign(() => {}, { each: () => () => {} });

/** Declares a test in `npm run proofs` alone; `npm test` does not list it, not even as skipped. */
export const itInProofs = isWhole ? it : (undeclared as unknown as jest.It);
