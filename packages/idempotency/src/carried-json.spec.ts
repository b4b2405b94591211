import vm from 'node:vm';
import fc from 'fast-check';
import { carriedJson } from './carried-json.js';

const CAP = 10_000;

const refusalOf = (value: unknown, cap = CAP) => {
  const carried = carriedJson(value, cap);
  return 'refused' in carried ? carried.refused : carried.text;
};

/** What JSON cannot tell from -0. */
function withoutMinusZero(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withoutMinusZero(member)]),
    );
  }
  return value === 0 ? 0 : value;
}

describe('the JSON of an answer', () => {
  it('comes out as it went in, and is what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const carried = carriedJson(value, 1_000_000);
        if ('refused' in carried) throw new Error(carried.what);
        expect(carried.text).toBe(JSON.stringify(value));
        expect(JSON.parse(carried.text)).toStrictEqual(withoutMinusZero(value));
      }),
    );
  });

  it('is refused where JSON would change or drop something without a word', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const holes: unknown[] = [1];
    holes[2] = 3;
    const values: [string, unknown][] = [
      ['undefined', undefined],
      ['undefined in a list', [undefined]],
      ['NaN', { a: Number.NaN }],
      ['infinity', [Infinity]],
      ['bigint', 1n],
      ['function', { a: () => 1 }],
      ['symbol', Symbol('a')],
      ['a member named by a symbol', { [Symbol('a')]: 1 }],
      ['Date', new Date(0)],
      ['Map', new Map([[1, 2]])],
      ['bytes', Buffer.from('a')],
      [
        'a class',
        new (class Money {
          readonly amount = 1;
        })(),
      ],
      ['a hole', holes],
      ['a list with a member', Object.assign([1], { extra: 2 })],
    ];
    for (const [name, value] of values) expect([name, refusalOf(value)]).toEqual([name, 'not_json']);
    expect(refusalOf(cycle)).toBe('too_deep');
  });

  it('takes an undefined member for an absent one, and objects of another realm for plain', () => {
    expect(refusalOf({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
    expect(refusalOf({ a: undefined })).toBe('{}');
    expect(refusalOf(vm.runInNewContext('({ a: [1, {}] })'))).toBe('{"a":[1,{}]}');
    expect(refusalOf(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it('reads everything once, so that what was checked is what is written', () => {
    let reads = 0;
    const shifty = {
      get a() {
        return reads++ === 0 ? 1 : Number.NaN;
      },
    };
    expect(refusalOf(shifty)).toBe('{"a":1}');
  });

  it('holds at most so many bytes of UTF-8, and stops looking when there are more', () => {
    expect(refusalOf('é'.repeat(4), 10)).toBe('"éééé"');
    expect(refusalOf('é'.repeat(5), 10)).toBe('too_large');
    expect(refusalOf({ aaaa: 'b' }, 12)).toBe('{"aaaa":"b"}');
    expect(refusalOf({ aaaa: 'b' }, 11)).toBe('too_large');
    let read = 0;
    const endless = Array.from({ length: 100 }, () => ({
      get a() {
        return ++read;
      },
    }));
    expect(refusalOf(endless, 100)).toBe('too_large');
    expect(read).toBeLessThan(20);
  });
});
