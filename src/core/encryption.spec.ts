import fc from 'fast-check';
import { Encryption } from './encryption.js';

const seal = new Encryption(Buffer.alloc(32, 1));
const secret = { tokens: { stripe: 'pm_card_visa' } };

describe('the seal', () => {
  it('opens what it closed, in the same place', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, place) => {
        const value: unknown = JSON.parse(json);
        expect(seal.decrypt(seal.encrypt(value, place), place)).toEqual(value);
      }),
    );
  });

  it('shows nothing of it, and never the same bytes twice', () => {
    const sealed = Buffer.from(seal.encrypt(secret, 'payment-1'));
    expect(sealed.toString('latin1')).not.toContain('pm_card_visa');
    expect(sealed.equals(Buffer.from(seal.encrypt(secret, 'payment-1')))).toBe(false);
  });

  it('does not open elsewhere, changed, or with another key', () => {
    const sealed = Buffer.from(seal.encrypt(secret, 'payment-1'));
    expect(() => seal.decrypt(sealed, 'payment-2')).toThrow();
    const changed = Buffer.from(sealed);
    changed[changed.length - 1]! ^= 1;
    expect(() => seal.decrypt(changed, 'payment-1')).toThrow();
    expect(() => new Encryption(Buffer.alloc(32, 2)).decrypt(sealed, 'payment-1')).toThrow();
  });

  describe('with a previous key', () => {
    const before = new Encryption(Buffer.alloc(32, 2));
    const both = new Encryption(Buffer.alloc(32, 1), Buffer.alloc(32, 2));
    /** As it was written before values carried the id of their key. */
    const withoutId = (sealed: Uint8Array) => sealed.subarray(12);

    it('opens what either sealed, with and without an id, and seals with the current one', () => {
      for (const each of [seal, before]) {
        const sealed = each.encrypt(secret, 'payment-1');
        expect(both.decrypt(sealed, 'payment-1')).toEqual(secret);
        expect(both.decrypt(withoutId(sealed), 'payment-1')).toEqual(secret);
        expect(Buffer.from(sealed.subarray(0, 12)).equals(both.label)).toBe(each === seal);
      }
      expect(seal.decrypt(both.encrypt(secret, 'payment-1'), 'payment-1')).toEqual(secret);
    });

    it('knows a text by a fingerprint under either, and says where it cannot tell', () => {
      for (const each of [seal, before]) {
        for (const fingerprint of [each.fingerprint('a'), each.digest('a')]) {
          expect([both.matches('a', fingerprint), both.matches('b', fingerprint)]).toEqual([true, false]);
        }
      }
      expect(both.digests('a')).toEqual([seal.digest('a'), before.digest('a')]);
      expect(seal.matches('a', before.fingerprint('a'))).toBeNull();
    });

    it('tells keys apart by ids that say nothing of them', () => {
      expect(both.keyIds).toEqual([...seal.keyIds, ...before.keyIds]);
      for (const id of both.keyIds) expect(id).toMatch(/^[0-9a-f]{16}$/);
    });
  });

  it('takes a key of 32 bytes and no other', () => {
    expect(() => new Encryption(Buffer.alloc(31))).toThrow(RangeError);
  });

  it('digests equal texts alike, and differently under another key', () => {
    expect(seal.digest('a')).toBe(seal.digest('a'));
    expect(seal.digest('a')).not.toBe(seal.digest('b'));
    expect(seal.digest('a')).not.toBe(new Encryption(Buffer.alloc(32, 2)).digest('a'));
  });
});
