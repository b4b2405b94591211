import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsPartReference } from '../../http/shared-fields.js';
import { type RefundStatus, refundStatuses } from '../refund.lifecycle.js';

export class ListRefundsDto extends CreatedRangeDto {
  @IsOneOf(refundStatuses, { optional: true })
  status?: RefundStatus;

  @IsPartReference()
  reference?: string;

  filter() {
    const { status, reference } = this;
    return { status, reference, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type RefundFilter = Partial<ReturnType<ListRefundsDto['filter']>>;
