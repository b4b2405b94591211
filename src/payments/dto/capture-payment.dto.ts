import { IsAmount, IsPartReference } from '../../http/shared-fields.js';
import { type CaptureAsk } from '../payments.js';

/**
 * Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several
 * captures.
 */
export class CapturePaymentDto {
  @IsAmount({ optional: true })
  amount?: number;

  @IsPartReference()
  reference?: string;

  toAsk(): CaptureAsk {
    return { amount: this.amount ?? null, reference: this.reference ?? null };
  }
}
