import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { IsPspName, IsReference } from '../../http/shared-fields.js';
import { payoutStatuses } from '../payout.lifecycle.js';
import { type PayoutFilter } from '../payouts.js';

export class ListPayoutsDto extends CreatedRangeDto {
  @IsOneOf(payoutStatuses, { optional: true })
  status?: string;

  @IsPspName()
  psp?: string;

  @IsReference({ optional: true })
  reference?: string;

  @IsReference({ optional: true, description: "The recipient's reference." })
  recipient?: string;

  filter(): PayoutFilter {
    const { status, psp, reference, recipient } = this;
    return {
      ...(status === undefined ? {} : { status }),
      ...(psp === undefined ? {} : { psp }),
      ...(reference === undefined ? {} : { reference }),
      ...(recipient === undefined ? {} : { recipient }),
      ...this.created(),
    };
  }
}
