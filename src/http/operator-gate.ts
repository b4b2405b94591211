import { hash, timingSafeEqual } from 'node:crypto';
import { unauthorized } from './headers.js';

/** Lets operators in: those who have the one token of the installation. Merchants' keys open nothing here. */
export class OperatorGate {
  private readonly digest: Buffer | null;

  /** `token` null: no operator is let in. */
  constructor(token: string | null) {
    this.digest = token === null ? null : digestOf(token);
  }

  /** @throws Problem `unauthorized` */
  admit(bearer: string): void {
    // Digests are as long as each other, and are compared in a time that tells nothing of either.
    if (this.digest === null || !timingSafeEqual(this.digest, digestOf(bearer))) throw unauthorized();
  }
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
