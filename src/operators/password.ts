import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';

/** Argon2id as OWASP advises it: 19 MiB, two passes, one lane. Each takes some 30 ms of a thread of libuv. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Its binary is loaded at the first sign-in, not at every start. */
const argon2 = () => createRequire(import.meta.url)('@node-rs/argon2') as typeof import('@node-rs/argon2');

export function hashPassword(password: string): Promise<string> {
  return argon2().hash(password, COST);
}

let ofNobody: Promise<string> | undefined;

/** Takes as long for an operator that does not exist, so that its time reveals no name. */
export async function isPassword(stored: string | null, password: string): Promise<boolean> {
  const against = stored ?? (await (ofNobody ??= hashPassword(newSecret())));
  return (await argon2().verify(against, password)) && stored !== null;
}

/** No digits, which may look like a card number, and no letters that look like others. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz';

/** Some 117 random bits that a person can type: `qwkxz-mnbtr-...`. */
export function newSecret(): string {
  const letters = Array.from({ length: 26 }, () => LETTERS[randomInt(LETTERS.length)]);
  return letters.join('').replaceAll(/(.{5})(?=.)/g, '$1-');
}
