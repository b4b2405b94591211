import fc from 'fast-check';
import { captured } from '../../../src/payments/payment.examples.js';
import { newSecret, signedHeaders } from '../../../src/events/endpoint-secret.js';
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './webhooks.js';

const secret = newSecret();
const SENT_AT_MS = Date.UTC(2026, 10, 21, 10);
const event = {
  object: 'event',
  id: '019aa5c0-8be0-7a41-8d2c-7e6f1b0c9a55',
  type: 'payment.captured',
  timestamp: '2026-11-21T10:00:00.412Z',
  data: captured,
};
const body = JSON.stringify(event);

/** As the service signs it. */
const signed = (text = body, secrets: readonly string[] = [secret]) =>
  signedHeaders(event.id, text, secrets, new Date(SENT_AT_MS));

function verified(
  headers: WebhookHeaders,
  {
    by = secret,
    text = body,
    afterMs = 0,
  }: { by?: string | string[]; text?: string | Uint8Array; afterMs?: number } = {},
) {
  return verifyWebhook(by, headers, text, { now: () => SENT_AT_MS + afterMs });
}

async function refusal(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof WebhookVerificationError ? error.reason : `no refusal: ${String(error)}`;
}

describe('a webhook', () => {
  it('that the service signed is the event, however headers and body are handed over', async () => {
    const headers = signed();
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const given of [headers, shouted, new Headers(headers)]) {
      expect(await verified(given)).toEqual(event);
      expect(await verified(given, { text: Buffer.from(body) })).toEqual(event);
    }
  });

  it('is told by its types', async () => {
    const event = await verified(signed());
    if (event.type !== 'payment.captured') throw new Error('another type');
    const amount: number = event.data.amount_captured;
    expect(amount).toBe(captured.amount_captured);
  });

  it('is believed under either secret while one is rotated', async () => {
    const next = newSecret();
    const both = signed(body, [next, secret]);
    expect(await verified(both)).toEqual(event);
    expect(await verified(both, { by: next })).toEqual(event);
    expect(await verified(signed(), { by: [next, secret] })).toEqual(event);
    expect(await refusal(verified(signed(), { by: next }))).toBe('signature_invalid');
  });

  it('is refused where anything that is signed was changed', async () => {
    const headers = signed();
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 127 }), async (at, by) => {
        const bytes = Uint8Array.from(Buffer.from(body));
        bytes[at]! ^= by;
        expect(await refusal(verified(headers, { text: bytes }))).toBe('signature_invalid');
      }),
      { numRuns: 50 },
    );
    const other = { ...headers, 'webhook-id': 'another' };
    const later = { ...headers, 'webhook-timestamp': String(SENT_AT_MS / 1_000 + 1) };
    for (const changed of [other, later]) expect(await refusal(verified(changed))).toBe('signature_invalid');
  });

  it.each([
    ['', 'header_missing'],
    ['v1,', 'signature_invalid'],
    ['v1,!', 'signature_invalid'],
    ['v1a,AAAA', 'signature_invalid'],
    ['no signature at all', 'signature_invalid'],
  ])('is refused with the signature %j: %s', async (signature, reason) => {
    expect(await refusal(verified({ ...signed(), 'webhook-signature': signature }))).toBe(reason);
  });

  it('is refused without a header, and with one that comes twice', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      const headers = signed();
      const { [name]: value, ...rest } = headers;
      expect(await refusal(verified(rest))).toBe('header_missing');
      expect(await refusal(verified({ ...rest, [name]: [value!, value!] }))).toBe('header_missing');
    }
  });

  it('is refused more than five minutes from when it was sent, on either side', async () => {
    expect(await verified(signed(), { afterMs: 300_000 })).toEqual(event);
    expect(await verified(signed(), { afterMs: -300_000 })).toEqual(event);
    expect(await refusal(verified(signed(), { afterMs: 300_001 }))).toBe('too_old');
    expect(await refusal(verified(signed(), { afterMs: -300_001 }))).toBe('too_new');
    for (const timestamp of ['NaN', '1e9', '-1', ' 1', '9'.repeat(13)]) {
      const headers = { ...signed(), 'webhook-timestamp': timestamp };
      expect(await refusal(verified(headers))).toBe('timestamp_malformed');
    }
    const generous = { now: () => SENT_AT_MS + 400_000, toleranceMs: 600_000 };
    expect(await verifyWebhook(secret, signed(), body, generous)).toEqual(event);
  });

  it('that is signed and no event is refused', async () => {
    for (const text of ['{', '[]', 'null', '{"object":"payment"}']) {
      expect(await refusal(verified(signed(text), { text }))).toBe('body_malformed');
    }
  });

  it('cannot be verified with a secret that is none, which no error shows', async () => {
    for (const wrong of ['whsec_', 'whsec_!!!', '']) {
      const call = verified(signed(), { by: wrong });
      await expect(call).rejects.toThrow(new TypeError('secret: must be whsec_ and base64'));
    }
  });
});
