import fc from 'fast-check';
import { canonicalJson } from './fingerprint.js';

/** The same value with the members of every object in another order. */
function shuffled(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, turn));
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]) => [name, shuffled(member, turn)] as const);
  const cut = members.length > 0 ? turn % members.length : 0;
  return Object.fromEntries([...members.slice(cut), ...members.slice(0, cut)].toReversed());
}

describe('the canonical text of a request', () => {
  it('does not change with the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(10), (value, turn) => {
        expect(canonicalJson(shuffled(value, turn))).toBe(canonicalJson(value));
      }),
    );
  });

  it('is JSON that means the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('tells different values apart, and the order of lists', () => {
    expect(canonicalJson({ amount: 100 })).not.toBe(canonicalJson({ amount: 101 }));
    expect(canonicalJson({ amount: 1 })).not.toBe(canonicalJson({ amount: '1' }));
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });
});
