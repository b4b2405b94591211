import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsLine, IsPspName, IsReference } from '../../http/shared-fields.js';
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

  @IsLine({
    optional: true,
    description:
      'The reference or the e-mail address of their customer. Payments keep keyed hashes of both, so it has to be the whole of it; capital letters count in a reference.',
  })
  customer?: string;

  filter() {
    const { status, psp, reference, order: orderReference, customer } = this;
    return { status, psp, reference, orderReference, customer, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type PaymentFilter = Partial<ReturnType<ListPaymentsDto['filter']>>;
