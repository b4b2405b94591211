import { type Encryption } from '../core/encryption.js';
import { type Payment } from './payment.entity.js';

type Kind = 'reference' | 'email';

/** So much of a hash is compared: enough that no two customers have the same. */
const BYTES = 16;

const textOf = (kind: Kind, value: string) =>
  `customer-of-payment:${kind}:${kind === 'email' ? value.toLowerCase() : value}`;
const shortened = (digest: string) => Buffer.from(digest, 'hex').subarray(0, BYTES);

/**
 * The columns of a payment that tell of its customer; none where the request names none. A reference that is an e-mail address tells
 * who somebody is, so only its hash stays.
 */
export function keptOfCustomer(
  seal: Encryption,
  { reference, email }: { readonly reference: string | null; readonly email: string | null },
): Pick<Payment, 'customerReference' | 'customerHash' | 'customerEmailHash'> {
  return {
    ...(reference === null ? {} : { customerHash: shortened(seal.digest(textOf('reference', reference))) }),
    ...(reference === null || reference.includes('@') ? {} : { customerReference: reference }),
    ...(email === null ? {} : { customerEmailHash: shortened(seal.digest(textOf('email', email))) }),
  };
}

/** The hashes that payments of this customer keep (a reference or an e-mail address), one for each known seal key. */
export function hashesOfCustomer(seal: Encryption, name: string): readonly Uint8Array[] {
  return (['reference', 'email'] as const).flatMap((kind) => seal.digests(textOf(kind, name)).map(shortened));
}
