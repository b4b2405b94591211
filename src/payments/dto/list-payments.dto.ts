import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsPspName, IsReference } from '../../http/shared-fields.js';
import { paymentStatuses } from '../payment.lifecycle.js';
import { type PaymentFilter } from '../payments.js';

export class ListPaymentsDto extends CreatedRangeDto {
  @IsOneOf(paymentStatuses, { optional: true })
  status?: string;

  @IsPspName()
  psp?: string;

  @IsReference({ optional: true })
  reference?: string;

  filter(): PaymentFilter {
    const { status, psp, reference } = this;
    return {
      ...(status === undefined ? {} : { status }),
      ...(psp === undefined ? {} : { psp }),
      ...(reference === undefined ? {} : { reference }),
      ...this.created(),
    };
  }
}
