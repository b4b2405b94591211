import { type Encryption } from '../core/encryption.js';
import { type Payment } from './payment.entity.js';

type Kind = 'reference' | 'email';

/** So much of a hash is compared: enough that no two customers have the same. */
const BYTES = 16;

const textOf = (kind: Kind, value: string) =>
  `customer-of-payment:${kind}:${kind === 'email' ? value.toLowerCase() : value}`;
const shortened = (digest: string) => Buffer.from(digest, 'hex').subarray(0, BYTES);

/** What a payment keeps of its customer; nothing where the request names none. */
export function customerHashes(
  seal: Encryption,
  { reference, email }: { readonly reference: string | null; readonly email: string | null },
): Pick<Payment, 'customerHash' | 'customerEmailHash'> {
  return {
    ...(reference === null ? {} : { customerHash: shortened(seal.digest(textOf('reference', reference))) }),
    ...(email === null ? {} : { customerEmailHash: shortened(seal.digest(textOf('email', email))) }),
  };
}

/** What payments of this customer keep, whether it is a reference or an e-mail address, under each seal key that is here. */
export function hashesOfCustomer(seal: Encryption, name: string): readonly Uint8Array[] {
  return (['reference', 'email'] as const).flatMap((kind) => seal.digests(textOf(kind, name)).map(shortened));
}
