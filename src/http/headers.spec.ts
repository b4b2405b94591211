import { Problem } from '../core/problem.js';
import { bearerOf, deadlineMsOf, idempotencyKeyOf, isJson, waitSecondsOf } from './headers.js';

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'none';
}

describe('Idempotency-Key', () => {
  it.each([
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['"abc";v=1', 'abc'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['with a space', 'with a space'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ['1767225600007', '1767225600007'],
  ])('%s is the key %s', (header, key) => {
    expect(idempotencyKeyOf(header)).toBe(key);
  });

  it.each([
    [undefined, 'idempotency_key_missing'],
    ['', 'idempotency_key_invalid'],
    ['""', 'idempotency_key_invalid'],
    ['"abc', 'idempotency_key_invalid'],
    ['"a" "b"', 'idempotency_key_invalid'],
    ['x'.repeat(256), 'idempotency_key_invalid'],
    ['caf\u00e9', 'idempotency_key_invalid'],
    ['tab\tbed', 'idempotency_key_invalid'],
    ['4242424242424242', 'card_number_refused'],
    ['"4242 4242 4242 4242"', 'card_number_refused'],
  ])('%j is %s', (header, code) => {
    expect(codeOf(() => idempotencyKeyOf(header))).toBe(code);
  });

  it('may come once only', () => {
    expect(codeOf(() => idempotencyKeyOf('a, b', 2))).toBe('idempotency_key_invalid');
  });
});

describe('Authorization', () => {
  it.each(['Bearer po_live_abc', 'bearer po_live_abc', 'BEARER  po_live_abc'])('%s', (header) => {
    expect(bearerOf(header)).toBe('po_live_abc');
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'Bearer a b',
    `Bearer ${'x'.repeat(4_099)}`,
    'po_live_abc',
  ])('%j is refused', (header) => {
    expect(codeOf(() => bearerOf(header))).toBe('unauthorized');
  });
});

describe('Prefer', () => {
  it.each([
    [undefined, 0],
    ['wait=10', 10],
    ['respond-async, wait=10', 10],
    ['wait="5"; x=1', 5],
    ['Wait = 7', 7],
    ['wait=0', 0],
    ['wait=61', 60],
    ['wait=999999999', 60],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait', 0],
    ['await=10', 0],
  ])('%j waits %i s', (header, seconds) => {
    expect(waitSecondsOf(header)).toBe(seconds);
  });
});

test('only JSON in UTF-8 is JSON', () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ]) {
    expect(isJson(type)).toBe(true);
  }
  for (const type of ['application/json; charset=utf-16', 'application/jsonx', 'text/json', '']) {
    expect(isJson(type)).toBe(false);
  }
});

describe('Payonce-Deadline', () => {
  it('is read in ms, and refused where it cannot be', () => {
    expect(deadlineMsOf(undefined)).toBeNull();
    expect(deadlineMsOf('1')).toBe(1);
    expect(deadlineMsOf('60000')).toBe(60_000);
    for (const wrong of ['', '0', '-1', '1.5', '1e3', '60001', '10s', '0x10']) {
      expect(() => deadlineMsOf(wrong)).toThrow('validation_failed');
    }
  });
});
