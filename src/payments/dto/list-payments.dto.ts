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

  @IsReference({ optional: true, description: 'The order that they are for.' })
  order?: string;

  filter() {
    const { status, psp, reference, order: orderReference } = this;
    return { status, psp, reference, orderReference, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type PaymentFilter = Partial<ReturnType<ListPaymentsDto['filter']>>;
