import { Problem } from '../core/problem.js';
import { objectOf, readMessage, readQuery, structOf, timestampOf } from './message.js';

describe('a message as the fields of REST', () => {
  it('has words for the values of enums, at any depth, and none for what is not specified', () => {
    const choices = { capture: 'CAPTURE_MODE', payment_method: { type: 'PAYMENT_METHOD_TYPE' } };
    const message = {
      capture: 'CAPTURE_MODE_UNSPECIFIED',
      payment_method: { type: 'PAYMENT_METHOD_TYPE_CARD' },
    };
    expect(readMessage(message, choices)).toEqual({ payment_method: { type: 'card' } });
    expect(readMessage({ capture: 77 }, choices)).toEqual({ capture: 77 });
  });

  it('has an amount that is exact, or one that no DTO takes', () => {
    expect(readMessage({ amount: '1000' })).toEqual({ amount: 1_000 });
    expect(readMessage({ amount: '9007199254740993' })).toEqual({ amount: '9007199254740993' });
    expect(readMessage({ metadata: { amount: '1000' } })).toEqual({ metadata: { amount: '1000' } });
  });

  it.each([
    [{ reference: '4242424242424242' }, 'card_number_refused'],
    [{ reference: 'a\0b' }, 'validation_failed'],
    [{ reference: '\ud800' }, 'validation_failed'],
    [{ metadata: JSON.parse('{"__proto__":"x"}') as object }, 'validation_failed'],
  ])('refuses what the reader of JSON refuses', (message, code) => {
    expect(() => readMessage(message)).toThrow(expect.objectContaining({ code }));
  });

  it('has the bounds of a list by their names in a query', () => {
    expect(readQuery({ limit: 3, created_gte: { seconds: '1700000000', nanos: 500_000_000 } })).toEqual({
      limit: 3,
      'created[gte]': '2023-11-14T22:13:20.500Z',
    });
    expect(readQuery({ created_lte: { seconds: '999999999999999' } })).toEqual({
      'created[lte]': '999999999999999',
    });
    expect(readQuery({ amount_gte: '1000', amount_lte: 0, metadata: { a_gte: '1' } })).toEqual({
      'amount[gte]': 1_000,
      'amount[lte]': 0,
      metadata: { a_gte: '1' },
    });
  });
});

it('carries any object as a Struct and back', () => {
  const object = { a: 'x', b: 1.5, c: false, d: null, e: [1, ['y'], { f: {} }], g: { h: [] } };
  expect(objectOf(structOf(object))).toEqual(object);
  expect(objectOf(undefined)).toEqual({});
  let deep: unknown = 'x';
  for (let level = 0; level < 40; level++) deep = { deep };
  expect(() => objectOf(structOf({ deep }))).toThrow(Problem);
});

it('tells a time to the millisecond', () => {
  expect(timestampOf('2026-11-22T10:00:00.123Z')).toEqual({ seconds: 1_795_341_600, nanos: 123_000_000 });
  expect(timestampOf('1969-12-31T23:59:59.999Z')).toEqual({ seconds: -1, nanos: 999_000_000 });
  expect(timestampOf(null)).toBeNull();
});
