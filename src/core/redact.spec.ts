import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { runs } from '../../test/support/property-runs.js';
import { adversarialTexts, cpuMsOf, MAX_MS, withinMs } from '../../test/support/adversarial-texts.js';
import { pspText } from '../psp/psp-text.js';
import { holdSecrets, redact, redactDeep, redactedLine, REMOVED } from './redact.js';

/** Of bytes, so that every character of the alphabet comes. */
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
const alphanumeric = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const letters = (length: number) =>
  fc
    .array(fc.constantFrom(...alphanumeric), { minLength: length, maxLength: length })
    .map((all) => all.join(''));
/** Ids of Stripe: letters and digits, of both some. */
const stripeId = letters(24).map((id) => `1N${id}`);

/** A secret that has a shape is removed, wherever it stands. */
const base32 = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Array.from(bytes, (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte % 32]).join(''));
const operatorPassword = fc
  .uint8Array({ minLength: 26, maxLength: 26 })
  .map((array) => Array.from(array, (byte) => 'abcdefghjkmnpqrstuvwxyz'[byte % 23]).join(''))
  .map((typed) => typed.replaceAll(/(.{5})(?=.)/g, '$1-'));
const shaped = {
  'an API key of ours': fc
    .tuple(bytes(6), bytes(32))
    .map(([id, secret]) => `po_live_${id.toString('hex')}_${secret.toString('base64url')}`),
  'a webhook secret of ours': bytes(32).map((secret) => `whsec_${secret.toString('base64')}`),
  'a webhook secret of Stripe': letters(32).map((secret) => `whsec_${secret}`),
  'a secret key of Stripe': letters(99).map((secret) => `sk_live_51${secret}`),
  'a restricted key of Stripe': letters(99).map((secret) => `rk_test_51${secret}`),
  'an API key of Adyen': fc
    .tuple(
      bytes(48),
      bytes(32),
      fc.string({
        unit: fc.constantFrom(...Array.from('~!@#$%^&*()-_=+[]{}|;:,.<>/?aB3')),
        minLength: 16,
        maxLength: 16,
      }),
    )
    .map(([a, b, c]) => `AQE${a.toString('base64')}-${b.toString('base64')}-${c}`),
  'a payment method of Stripe': stripeId.map((id) => `pm_${id}`),
  'a token of Stripe': stripeId.map((id) => `tok_${id}`),
  'a source of Stripe': stripeId.map((id) => `src_${id}`),
  'a card of Stripe': stripeId.map((id) => `card_${id}`),
  'a bank account of Stripe': stripeId.map((id) => `ba_${id}`),
  'a client secret of Stripe': fc
    .tuple(letters(24), letters(24))
    .map(([id, secret]) => `pi_${id}_secret_${secret}`),
  'card data that Adyen encrypted': bytes(60).map((data) => `adyenjs_0_1_25$${data.toString('base64')}`),
  'a bearer token': bytes(24).map((token) => `Bearer ${token.toString('base64')}`),
  'a signed token': fc
    .tuple(bytes(30), bytes(64))
    .map(
      ([body, signature]) =>
        `eyJhbGciOiJFUzI1NiJ9.${body.toString('base64url')}.${signature.toString('base64url')}`,
    ),
  'an encrypted token': fc
    .tuple(bytes(30), bytes(256), bytes(12), bytes(60), bytes(16))
    .map((parts) => `eyJhbGciOiJSU0EtT0FFUCJ9${parts.map((part) => part.toString('base64url')).join('.')}`),
  'the token of a wallet': letters(60).map((text) => `eyJ2${Buffer.from(text).toString('base64url')}`),
  'a session of an operator': bytes(32).map((token) => `payonce_session=${token.toString('base64url')}`),
  'a password of an operator': operatorPassword,
  "an authenticator's secret": base32(32),
  'a private key': bytes(400).map(
    (key) => `-----BEGIN RSA PRIVATE KEY-----\n${key.toString('base64').replaceAll(/(.{64})/g, '$1\n')}`,
  ),
  'a key in a header': letters(30).map((key) => `X-API-Key: ${key}`),
  'a key in a header as JSON': letters(30).map((key) => String.raw`{\"x-api-key\":\"${key}`),
  'a password in a URL': fc
    .tuple(letters(20), fc.constantFrom('', '/', '@', ':', '+', '%'))
    .map(([password, sign]) => `postgres://payonce:${password}${sign}${password}@`),
};

/** What has none: known because this process holds it. */
const anySigns = fc.string({
  unit: fc.constantFrom(...Array.from('abcXYZ0189-+/_=.~!"\\$%&(){}[]*?^|\'<>#@:; ü€')),
  minLength: 32,
  maxLength: 64,
});
const unshaped = {
  'the token of operators': bytes(32).map((token) => token.toString('hex')),
  'a seal key': bytes(32).map((key) => key.toString('base64')),
  'an HMAC key of Adyen': bytes(32).map((key) => key.toString('hex').toUpperCase()),
  'a credential of any signs': anySigns,
};

/** What may stand on either side; the second kind clings to what it surrounds. */
const around = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '"',
    "'",
    'x',
    '9',
    '_',
    '-',
    '=',
    'key=',
    '{"a":"',
    '"}',
    '\\n',
    ',',
    ')',
    '%20',
    'Bearer ',
  ),
);

/** Pieces of the secret of eight characters that are still there. */
function survivors(secret: string, text: string, surroundings: string): string[] {
  const pieces: string[] = [];
  for (let at = 12; at + 8 <= secret.length; at++) pieces.push(secret.slice(at, at + 8));
  return pieces.filter((piece) => text.includes(piece) && !surroundings.includes(piece));
}

describe('the redactor', () => {
  // Before the others, after which this process holds many hundred secrets, as no service does.
  it('takes any long text in linear time', () => {
    holdSecrets([randomBytes(32).toString('hex')]);
    const words = ['po_live_', 'pm_', 'Bearer ', 'AQE', 'pi_', '://', '4242 4242 4242 4242 ', '_secret_'];
    for (const text of adversarialTexts('a0 _-+/@', words)) withinMs(MAX_MS, () => redact(text));
  });

  const words =
    'po_live_|whsec_|sk_live_|pm_|tok_|AQE|adyenjs_|pi_|pi_a_secret_|card_|ba_|eyJ|eyJhbGciOiJF.|Bearer |Basic |x-api-key: |payonce_session=|://|://a:|A2|@|abcde-|-----BEGIN PRIVATE KEY-----|-----BEGIN |4242 4242 4242 4242 |DE02|f1|2026-01-01 ';
  it.each(words.split('|'))('reads 256 kB of %j in less than 50 ms', (word) => {
    const text = word.repeat(Math.ceil(262_144 / word.length));
    expect(cpuMsOf(() => redact(text))).toBeLessThan(50);
  });

  it.each(Object.entries(shaped))('removes %s whole, in whatever text it stands', (_what, secrets) => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        for (const clean of [redact(before + secret + after), redactedLine(before + secret + after, 2_000)]) {
          expect(survivors(secret, clean, before + after)).toEqual([]);
        }
      }),
      runs(1_000),
    );
  });

  it.each(['4242424242424242', '4242 4242 4242 4242', '5555-5555-5555-4444', '378282246310005'])(
    'removes the card number %s from a text, from a line and from what is kept as JSON',
    (number) => {
      const digits = number.replaceAll(/\D/g, '');
      for (const clean of [
        redact(`declined ${number}.`),
        redactedLine(`declined ${number}.`, 100),
        JSON.stringify(redactDeep({ message: `declined ${number}.` })),
      ]) {
        expect(clean.replaceAll(/\D/g, '')).not.toContain(digits);
        expect(clean).toContain('declined');
      }
    },
  );

  it('removes an API key of Adyen behind what looks like a key of Stripe', () => {
    const key = `AQE${'A'.repeat(30)}-${'b'.repeat(20)}=-<last~part>`;
    expect(redact(`rk_${key} and on`)).toBe(`${REMOVED} and on`);
  });

  it.each(['rk_', 'po_live_abc', 'AQEabcdefghijklmnopqrstuvw#'])(
    'removes a token behind %sBearer',
    (before) => {
      expect(redact(`${before}Bearer ${'A'.repeat(32)}`)).not.toContain('AAAA');
    },
  );

  it.each(Object.entries(unshaped))('removes %s that the process holds, also escaped', (_what, secrets) => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        holdSecrets([secret]);
        for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
          const clean = redact(before + form + after);
          expect(survivors(form, clean, before + after)).toEqual([]);
        }
      }),
      runs(200),
    );
  });

  it('removes secrets from what PSPs answer, before it is cut', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(shaped)), around, around, (secret, before, after) => {
        const clean = pspText(before + secret + after);
        expect(survivors(secret.normalize('NFKC'), clean, before + after)).toEqual([]);
      }),
      runs(1_000),
    );
    const key = `held-${randomBytes(40).toString('hex')}`;
    holdSecrets([key]);
    for (let length = 0; length < 400; length += 7) {
      expect(pspText(`${'x'.repeat(length)} ${key}`)).not.toContain(key.slice(0, 12));
      expect(pspText(`${'x'.repeat(length)} ${`${key} `.repeat(300)}`)).not.toContain(key.slice(-40, -20));
    }
  });

  it.each([
    'card_declined',
    'card_velocity_exceeded',
    'card_not_supported',
    'card_decline_rate_limit_exceeded',
    'token_already_used',
    'expired_card',
    'pi_3NXWPnFn5Gs8Hl2F1a2b3c4d',
    'ch_3NXWPnFn5Gs8Hl2F1a2b3c4d',
    're_3NXWPnFn5Gs8Hl2F1a2b3c4d',
    'risk_level of the desk_lamp',
    'payment-0192ab34-5678-7abc-8def-0123456789ab-charge',
    'payment_intent_authentication_failure',
  ])('leaves %s as it is, which is no secret', (text) => {
    expect(redact(text)).toBe(text);
    expect(redactedLine(text, 200)).toBe(text);
  });

  it('keeps what JSON is', () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values(shaped)), (secret) => {
        const line = JSON.stringify({ msg: `failed with ${secret}`, next: 1 });
        expect(JSON.parse(redact(line))).toMatchObject({ next: 1 });
      }),
    );
    expect(redactDeep({ note: ['sk_live_51Abcdef', 4], at: null })).toEqual({
      note: ['[removed]', 4],
      at: null,
    });
  });
});
