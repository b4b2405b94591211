import { bodyOf, records, text, waitOf } from './json-body.js';

it('reads no body of another form', () => {
  expect(bodyOf('{"a":1}')).toEqual({ a: 1 });
  for (const json of ['[]', 'null', '"text"', '{', '']) expect(bodyOf(json)).toBeNull();
});

it('reads nothing where there is nothing', () => {
  expect(records([{ a: 1 }, null, 'text'])).toEqual([{ a: 1 }, {}, {}]);
  expect(records({ a: 1 })).toEqual([]);
  expect([text('a'), text(''), text(1)]).toEqual(['a', undefined, undefined]);
});

it('waits as long as told, but not for days', () => {
  expect(waitOf('3')).toEqual({ retryAfterMs: 3_000 });
  expect(waitOf('9999999')).toEqual({ retryAfterMs: 3_600_000 });
  for (const header of ['soon', '', undefined]) expect(waitOf(header)).toEqual({});
});
