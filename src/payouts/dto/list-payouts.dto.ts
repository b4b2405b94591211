import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsPspName, IsReference } from '../../http/shared-fields.js';
import { payoutStatuses } from '../payout.lifecycle.js';

export class ListPayoutsDto extends CreatedRangeDto {
  @IsOneOf(payoutStatuses, { optional: true })
  status?: string;

  @IsPspName()
  psp?: string;

  @IsReference({ optional: true })
  reference?: string;

  @IsReference({ optional: true, description: "The recipient's reference." })
  recipient?: string;

  filter() {
    const { status, psp, reference, recipient } = this;
    return { status, psp, reference, recipient, ...this.created() };
  }
}

/** The request, parsed and validated; nothing optional is undefined. */
export type PayoutFilter = Partial<ReturnType<ListPayoutsDto['filter']>>;
