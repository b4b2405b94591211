import { type Encryption } from '../core/encryption.js';
import { type Payment } from './payment.entity.js';

type Kind = 'reference' | 'email';

/** So much of a hash is compared: enough that no two customers have the same. */
const BYTES = 16;

const textOf = (kind: Kind, value: string) =>
  `customer-of-payment:${kind}:${kind === 'email' ? value.toLowerCase() : value}`;
const shortened = (digest: string) => Buffer.from(digest, 'hex').subarray(0, BYTES);

/** The hashes that a payment keeps of its customer; none where the request names no customer. */
export function customerHashes(
  seal: Encryption,
  { reference, email }: { readonly reference: string | null; readonly email: string | null },
): Pick<Payment, 'customerHash' | 'customerEmailHash'> {
  return {
    ...(reference === null ? {} : { customerHash: shortened(seal.digest(textOf('reference', reference))) }),
    ...(email === null ? {} : { customerEmailHash: shortened(seal.digest(textOf('email', email))) }),
  };
}

/** The hashes that payments of this customer keep (a reference or an e-mail address), one for each known seal key. */
export function hashesOfCustomer(seal: Encryption, name: string): readonly Uint8Array[] {
  return (['reference', 'email'] as const).flatMap((kind) => seal.digests(textOf(kind, name)).map(shortened));
}
