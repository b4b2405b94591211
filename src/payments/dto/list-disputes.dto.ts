import { IsOneOf } from '../../http/fields.js';
import { PageDto } from '../../http/page.dto.js';
import { type DisputeStatus, disputeStatuses } from '../dispute.js';

export class ListDisputesDto extends PageDto {
  @IsOneOf(disputeStatuses, { optional: true })
  status?: DisputeStatus;
}
