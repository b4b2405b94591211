import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsPspName, IsReference } from '../../http/shared-fields.js';
import { paymentStatuses } from '../payment.lifecycle.js';

export class ListPaymentsDto extends CreatedRangeDto {
  @IsOneOf(paymentStatuses, { optional: true })
  status?: string;

  @IsPspName()
  psp?: string;

  @IsReference({ optional: true })
  reference?: string;

  filter() {
    const { status, psp, reference } = this;
    return { status, psp, reference, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type PaymentFilter = Partial<ReturnType<ListPaymentsDto['filter']>>;
