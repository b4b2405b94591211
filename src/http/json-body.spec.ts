import * as fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { Problem } from '../core/problem.js';
import { readJsonBody } from './json-body.js';

function read(text: string): unknown {
  return readJsonBody(Buffer.from(text));
}

function refusal(body: string | Buffer): { code: string; pointer: string | undefined; detail: string } {
  try {
    readJsonBody(Buffer.from(body));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, pointer: error.more.errors?.[0]?.pointer, detail: error.detail };
  }
  throw new Error('was read');
}

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('the JSON reader', () => {
  it('reads every document as JSON.parse does', () => {
    // Long runs of digits are left to the card search's own spec.
    const noTraps = (text: string): boolean =>
      !/__proto__|constructor|prototype|\\u0000|[0-9][0-9.]{11}/.test(text);
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }).filter(noTraps),
        fc.constantFrom(undefined, 2, '\t'),
        (json, indent) => {
          const text = JSON.stringify(JSON.parse(json), null, indent);
          expect(read(text)).toEqual(JSON.parse(text));
        },
      ),
      runs(3_000),
    );
  });

  it('refuses every text that JSON.parse refuses', () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom('', ',', '"', '}', '\\', '1', 'e', '\u0001'))
      .map(([json, at, stroke]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + stroke + json.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let takes = true;
        try {
          JSON.parse(text);
        } catch {
          takes = false;
        }
        // Nothing at all is an empty body, see below.
        if (!takes && text.trim() !== '') expect(() => read(text)).toThrow(Problem);
      }),
      runs(5_000),
    );
  });

  it('takes an empty body', () => {
    expect(readJsonBody(Buffer.alloc(0))).toBeUndefined();
  });

  it('takes 2,000 values and no more', () => {
    const zeros = (count: number): string => `[${Array.from({ length: count }, () => 0).join()}]`;
    expect(read(zeros(1_999))).toHaveLength(1_999);
    expect(refusal(zeros(2_000))).toMatchObject({ code: 'validation_failed', pointer: '/1999' });
  });

  it.each([
    ['NUL', '{"a":{"b":"x\\u0000"}}', '/a/b'],
    ['NUL in a key', '{"a":{"b\\u0000":1}}', '/a'],
    ['a lone high surrogate', '{"a":"\\ud83d"}', '/a'],
    ['a lone low surrogate', '{"a":"\\ude00x"}', '/a'],
    ['a lone surrogate in a key', '{"\\ud83d":1}', ''],
    ['a key twice', '{"a":{"b":1,"b":2}}', '/a'],
    ['a key twice, once escaped', '{"ab":1,"a\\u0062":2}', ''],
    ['__proto__', '{"__proto__":{"x":1}}', ''],
    ['__proto__, escaped', '{"a":{"__pr\\u006fto__":1}}', '/a'],
    ['constructor', '{"constructor":{"prototype":{}}}', ''],
    ['2^53 + 1', '{"amount":9007199254740993}', '/amount'],
    ['1e400', '{"amount":1e400}', '/amount'],
    ['-1e400', '{"amount":-1e400}', '/amount'],
    ['1e-400', '{"amount":1e-400}', '/amount'],
    ['too many decimals', '{"a":[0,0.1000000000000000055511151231257827]}', '/a/1'],
    ['33 levels', nested(33), '/0'.repeat(32)],
    ['10 kB of levels', nested(5_000), '/0'.repeat(32)],
  ])('refuses %s', (_what, text, pointer) => {
    expect(refusal(text)).toMatchObject({ code: 'validation_failed', pointer });
  });

  it.each([
    '{',
    '{"a"}',
    '{"a":1,}',
    "{'a':1}",
    '[1,]',
    '01',
    '1.',
    '.5',
    '+1',
    '-',
    'NaN',
    'tru',
    '"a',
    '"\n"',
    '"\\x"',
    '"\\u12"',
    '{} {}',
    '\ufeff{}',
    ' ',
    '/**/{}',
  ])('calls %j malformed', (text) => {
    expect(refusal(text).code).toBe('body_malformed');
  });

  it.each([
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ])('calls %s malformed', (_what, bytes) => {
    expect(refusal(bytes).code).toBe('body_malformed');
  });

  it('takes what is exact, however it is written', () => {
    expect(read('[1e3, 1000.0, 0.1, -0.0, 9007199254740991, 1.50, 1E+2, 32]')).toEqual([
      1000, 1000, 0.1, -0, 9007199254740991, 1.5, 100, 32,
    ]);
    expect(read(nested(32))).toBeDefined();
    expect(read('"\\ud83d\\ude00 \\u00e9 é"')).toBe('😀 é é');
  });

  it.each([
    ['a string', '{"a":["x","4242424242424242"]}', '/a/1'],
    ['text', '{"metadata":{"note":"card 4242 4242 4242 4242, please"}}', '/metadata/note'],
    ['a number', '{"amount":4242424242424242}', '/amount'],
    ['a number with an exponent', '{"amount":4.242424242424242e15}', '/amount'],
    ['a number with decimals', '{"amount":4242424242424242.0}', '/amount'],
    ['a number too large to carry', '{"a":4000000000000000006}', '/a'],
    ['a key', '{"metadata":{"4242424242424242":"x"}}', '/metadata'],
    ['a key that is there twice', '{"metadata":{"4242424242424242":1,"4242424242424242":2}}', '/metadata'],
    ['escapes', '{"a":"\\u0034242-4242\\u00a04242\\t4242"}', '/a'],
    ['full-width digits', '{"a":"４２４２ ４２４２ ４２４２ ４２４２"}', '/a'],
    ['a string with something else wrong', '{"a":"4242424242424242\\u0000"}', '/a'],
  ])('finds a card number in %s', (_what, text, pointer) => {
    const { code, pointer: found, detail } = refusal(text);
    expect({ code, pointer: found }).toEqual({ code: 'card_number_refused', pointer });
    expect(detail).not.toMatch(/4242/);
  });

  it('repeats nothing of the body', () => {
    expect(refusal('{"a": "4242424242424242" oops}')).toEqual({
      code: 'body_malformed',
      pointer: undefined,
      detail: 'The JSON is wrong at character 26.',
    });
  });
});
