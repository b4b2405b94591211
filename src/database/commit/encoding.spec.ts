import { array, assert, boolean, constantFrom, oneof, property, string } from 'fast-check';
import { encodeArray } from './encoding.js';

const texts = oneof(
  string({ unit: 'binary', maxLength: 20 }),
  array(constantFrom('"', '\\', '\n', '\u0001', '\u007f', '\ud83d', '\ude00', '\u2028', 'é', 'a'), {
    maxLength: 20,
  }).map((parts) => parts.join('')),
);

describe('an array of texts', () => {
  it('escapes the quote and the backslash, and nothing else', () => {
    assert(
      property(texts, boolean(), (text, isNull) => {
        const escaped = `"${text.replace(/["\\]/g, '\\$&')}"`;
        expect(encodeArray([[text], [isNull ? null : text]], 0, 'text')).toBe(
          `{${escaped},${isNull ? 'NULL' : escaped}}`,
        );
      }),
    );
  });
});
