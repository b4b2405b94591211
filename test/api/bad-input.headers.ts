import { paymentRequest as good } from '../../src/payments/payment.examples.js';
import { type Line } from './bad-input.lines.js';
import { PAYMENT_ID, READ_ONLY_KEY } from './fake-api.js';

const card = '4242424242424242';
const json = JSON.stringify(good);

/** Keys, credentials, paths, methods and media types: refused whatever the body is. */
export const headers: readonly Line[] = [
  ['no key', { body: good, idempotencyKey: null }, 400, 'idempotency_key_missing'],
  ['an empty key', { body: good, idempotencyKey: '' }, 400, 'idempotency_key_invalid'],
  ['an over-long key', { body: good, idempotencyKey: 'x'.repeat(256) }, 400, 'idempotency_key_invalid'],
  [
    'a key that is not printable',
    { body: good, idempotencyKey: 'caf\u00e9' },
    400,
    'idempotency_key_invalid',
  ],
  ['a half-quoted key', { body: good, idempotencyKey: '"abc' }, 400, 'idempotency_key_invalid'],
  ['two keys', { body: good, idempotencyKey: ['a', 'b'] }, 400, 'idempotency_key_invalid'],
  ['a card number as key', { body: good, idempotencyKey: '4242 4242 4242 4242' }, 422, 'card_number_refused'],
  [
    'no key to capture',
    { path: `/v1/payments/${PAYMENT_ID}/capture`, idempotencyKey: null },
    400,
    'idempotency_key_missing',
  ],
  [
    'no key to cancel',
    { path: `/v1/payments/${PAYMENT_ID}/cancel`, idempotencyKey: null },
    400,
    'idempotency_key_missing',
  ],
  ['no credentials', { body: good, apiKey: null }, 401, 'unauthorized'],
  ['wrong credentials', { body: good, apiKey: 'po_live_wrong' }, 401, 'unauthorized'],
  [
    'another scheme',
    { body: good, apiKey: null, headers: { authorization: 'Basic abc' } },
    401,
    'unauthorized',
  ],
  ['no credentials and a bad body', { body: '{', apiKey: null }, 401, 'unauthorized'],
  ['a scope missing', { body: good, apiKey: READ_ONLY_KEY }, 403, 'forbidden'],
  ['a scope missing and a bad body', { body: '{', apiKey: READ_ONLY_KEY }, 403, 'forbidden'],
  ['an id that is none', { method: 'GET', path: '/v1/payments/42' }, 404, 'not_found'],
  ['an id to capture that is none', { path: '/v1/payments/42/capture', body: {} }, 404, 'not_found'],
  ['a card number as id', { method: 'GET', path: `/v1/payments/${card}` }, 404, 'not_found'],
  ['an endless id', { method: 'GET', path: `/v1/payments/${'x'.repeat(5_000)}` }, 404, 'not_found'],
  ['a path that cannot be decoded', { method: 'GET', path: '/v1/payments/%ff%zz' }, 404, 'not_found'],
  ['a path that is none', { path: '/v2/payments', body: good }, 404, 'not_found'],
  ['a method that is none', { method: 'DELETE' }, 405, 'method_not_allowed'],
  [
    'PUT on a payment',
    { method: 'PUT', path: `/v1/payments/${PAYMENT_ID}`, body: good },
    405,
    'method_not_allowed',
  ],
  [
    'a form',
    { body: 'amount=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  ['text', { body: json, headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
  [
    'UTF-16',
    { body: json, headers: { 'content-type': 'application/json; charset=utf-16' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    { body: json, headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a content type that is none',
    { body: json, headers: { 'content-type': ';;;' } },
    415,
    'unsupported_media_type',
  ],
  ['headers over 16 kB', { body: good, headers: { 'x-a': 'x'.repeat(17_000) } }, 431, 'headers_too_large'],
];
