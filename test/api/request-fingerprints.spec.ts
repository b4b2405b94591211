import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRequest } from '../../src/http/request.pipe.js';
import { canonicalJson } from '../../src/idempotency/fingerprint.js';
import { CapturePaymentDto } from '../../src/payments/dto/capture-payment.dto.js';
import { CompletePaymentDto } from '../../src/payments/dto/complete-payment.dto.js';
import { CreatePaymentDto } from '../../src/payments/dto/create-payment.dto.js';
import { CreatePayoutDto } from '../../src/payouts/dto/create-payout.dto.js';
import { CreateRefundDto } from '../../src/refunds/dto/create-refund.dto.js';

/**
 * Requests and the text that their fingerprints were taken over, recorded in version 0.1. A retry of a request that
 * is stored must be replayed and not refused, so a text that changes here is a request refused after an upgrade.
 */
const recorded = JSON.parse(readFileSync(join(__dirname, 'request-fingerprints.json'), 'utf8')) as readonly {
  readonly kind: keyof typeof classes;
  readonly body: unknown;
  readonly canonical: string;
}[];

const classes = {
  payment: CreatePaymentDto,
  capture: CapturePaymentDto,
  complete: CompletePaymentDto,
  refund: CreateRefundDto,
  payout: CreatePayoutDto,
};

describe('what the fingerprint of a request is taken over', () => {
  it.each(Object.keys(classes))('is recorded for a %s', (kind) => {
    expect(recorded.filter((each) => each.kind === kind).length).toBeGreaterThanOrEqual(10);
  });

  it.each(recorded)('stays as it was: $kind $body', ({ kind, body, canonical }) => {
    const type: new () => { toValues(): unknown } = classes[kind];
    expect(canonicalJson(parseRequest(type, body).toValues())).toBe(canonical);
  });
});
