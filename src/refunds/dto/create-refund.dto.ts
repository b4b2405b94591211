import { ApiSchema } from '@nestjs/swagger';
import { IsAmount, IsLine, IsMetadata, IsPartReference } from '../../http/shared-fields.js';
import { type NewRefund } from '../refunds.service.js';

@ApiSchema({
  name: 'RefundRequest',
  description: 'Without `amount`, or without a body: all that was captured and is not refunded yet.',
})
export class CreateRefundDto {
  @IsAmount({ optional: true })
  amount?: number;

  @IsPartReference()
  reference?: string;

  @IsLine({ optional: true, description: 'The reason, for your own records. Not sent to the PSP.' })
  reason?: string;

  @IsMetadata()
  metadata?: Record<string, string>;

  toValues(): NewRefund {
    return {
      amount: this.amount ?? null,
      reference: this.reference ?? null,
      reason: this.reason ?? null,
      metadata: this.metadata ?? {},
    };
  }
}
