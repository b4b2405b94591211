import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const SHA256_WITH_RSA = '06092a864886f70d01010b';
const COMMON_NAME = '0603550403';

/** A key that is drawn when it is first needed, and a certificate that it has signed itself (RFC 5280). */
export class Signer {
  private made: { readonly key: KeyObject; readonly certificate: string } | undefined;

  constructor(private readonly name: string) {}

  /** PEM. */
  get certificate(): string {
    return this.keys.certificate;
  }

  /** RSA with SHA-256, in base64. */
  sign(text: string): string {
    return sign('sha256', Buffer.from(text), this.keys.key).toString('base64');
  }

  private get keys(): { readonly key: KeyObject; readonly certificate: string } {
    if (this.made) return this.made;
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const algorithm = tagged(0x30, hex(SHA256_WITH_RSA), hex('0500'));
    const attribute = tagged(0x30, hex(COMMON_NAME), tagged(0x0c, Buffer.from(this.name)));
    const name = tagged(0x30, tagged(0x31, attribute));
    const year = new Date().getUTCFullYear() % 100;
    const times = [year - 1, year + 1].map((each) => tagged(0x17, Buffer.from(`${each}0101000000Z`)));
    const body = tagged(
      0x30,
      tagged(0xa0, hex('020102')),
      hex('020101'),
      algorithm,
      name,
      tagged(0x30, ...times),
      name,
      publicKey.export({ type: 'spki', format: 'der' }),
    );
    const signature = tagged(0x03, hex('00'), sign('sha256', body, privateKey));
    const lines =
      tagged(0x30, body, algorithm, signature)
        .toString('base64')
        .match(/.{1,64}/g) ?? [];
    const certificate = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
    this.made = { key: privateKey, certificate };
    return this.made;
  }
}

/** One value in DER: its tag, its length, its content. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...long]), content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
