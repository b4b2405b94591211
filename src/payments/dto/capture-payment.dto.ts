import { ApiSchema } from '@nestjs/swagger';
import { IsAmount, IsPartReference } from '../../http/shared-fields.js';

@ApiSchema({
  name: 'CaptureRequest',
  description:
    'Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several captures, where the PSP can; the payment stays `authorized` until all is captured or the rest is canceled.',
})
export class CapturePaymentDto {
  @IsAmount({ optional: true })
  amount?: number;

  @IsPartReference()
  reference?: string;

  toValues() {
    return { amount: this.amount ?? null, reference: this.reference ?? null };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type NewCapture = ReturnType<CapturePaymentDto['toValues']>;
