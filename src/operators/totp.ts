import { Secret, TOTP } from 'otpauth';
import { type Encryption } from '../core/encryption.js';

/** Codes of RFC 6238 as every authenticator app makes them: SHA-1, six digits, 30 s. */
const SHAPE = { issuer: 'Payonce', algorithm: 'SHA1', digits: 6, period: 30 };
/** Codes of the period before and after are taken too: clocks of phones differ. */
const WINDOW = 1;

export interface NewTotp {
  /** Base32, shown once. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

export function newTotp(name: string): NewTotp {
  const totp = new TOTP({ ...SHAPE, label: name, secret: new Secret({ size: 20 }) });
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The counter of the period that the code is of, if it is one of about now; null: it is not. */
export function counterOf(secret: string, code: string, now: Date): number | null {
  const totp = new TOTP({ ...SHAPE, secret: Secret.fromBase32(secret) });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** Also in database/sealed-values.ts, which re-encrypts it. */
function contextOf(operatorId: string): string {
  return `operator/${operatorId}`;
}

export function encryptTotp(seal: Encryption, operatorId: string, secret: string): Uint8Array {
  return seal.encrypt(secret, contextOf(operatorId));
}

export function decryptTotp(seal: Encryption, operatorId: string, encrypted: Uint8Array): string {
  return seal.decrypt(encrypted, contextOf(operatorId)) as string;
}
