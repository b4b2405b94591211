import fc from 'fast-check';
import { Seal } from './seal.js';

const seal = new Seal(Buffer.alloc(32, 1));
const secret = { tokens: { stripe: 'pm_card_visa' } };

describe('the seal', () => {
  it('opens what it closed, in the same place', () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, place) => {
        const value: unknown = JSON.parse(json);
        expect(seal.open(seal.close(value, place), place)).toEqual(value);
      }),
    );
  });

  it('shows nothing of it, and never the same bytes twice', () => {
    const sealed = Buffer.from(seal.close(secret, 'payment-1'));
    expect(sealed.toString('latin1')).not.toContain('pm_card_visa');
    expect(sealed.equals(Buffer.from(seal.close(secret, 'payment-1')))).toBe(false);
  });

  it('does not open elsewhere, changed, or with another key', () => {
    const sealed = Buffer.from(seal.close(secret, 'payment-1'));
    expect(() => seal.open(sealed, 'payment-2')).toThrow();
    const changed = Buffer.from(sealed);
    changed[changed.length - 1]! ^= 1;
    expect(() => seal.open(changed, 'payment-1')).toThrow();
    expect(() => new Seal(Buffer.alloc(32, 2)).open(sealed, 'payment-1')).toThrow();
  });

  it('takes a key of 32 bytes and no other', () => {
    expect(() => new Seal(Buffer.alloc(31))).toThrow(RangeError);
  });

  it('digests equal texts alike, and differently under another key', () => {
    expect(seal.digest('a')).toBe(seal.digest('a'));
    expect(seal.digest('a')).not.toBe(seal.digest('b'));
    expect(seal.digest('a')).not.toBe(new Seal(Buffer.alloc(32, 2)).digest('a'));
  });
});
