import { IsOneOf, IsText } from '../../http/fields.js';
import { UUID } from '../../http/shared-fields.js';
import { type DisputeStatus, disputeStatuses } from '../../payments/dispute.js';
import { type InboxList } from '../installation-reader.js';
import { CursorDto } from './search-payments.dto.js';

export class ListPayoutsDto extends CursorDto {
  @IsText({ maxLength: 255, optional: true, message: 'must be 1 to 255 characters' })
  q?: string;

  @IsOneOf(['processing', 'paid', 'failed', 'returned'], { optional: true })
  status?: string;
}

export class ListDisputesDto extends CursorDto {
  @IsOneOf(disputeStatuses, { optional: true })
  status?: DisputeStatus;
}

class PlaceDto {
  @IsText({
    maxLength: 600,
    pattern: '^[A-Za-z0-9_.-]+$',
    optional: true,
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;
}

export class ListDeliveriesDto extends PlaceDto {
  @IsOneOf(['undelivered'], { optional: true })
  list?: 'undelivered';
}

export class ListInboxDto extends PlaceDto {
  @IsOneOf(['all', 'undecided'], { optional: true })
  list?: InboxList;
}

export class ReplayDeliveryDto {
  @IsText({ maxLength: 36, pattern: UUID, message: 'must be the id of a merchant' })
  merchant_id: string;

  @IsText({ maxLength: 36, pattern: UUID, message: 'must be the id of an event' })
  event_id: string;

  @IsText({ maxLength: 36, pattern: UUID, message: 'must be the id of an endpoint' })
  endpoint_id: string;
}
