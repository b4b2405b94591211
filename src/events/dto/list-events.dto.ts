import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { eventTypes } from '../../core/event-types.js';
import { type EventFilter } from '../webhooks.js';

export class ListEventsDto extends CreatedRangeDto {
  @IsOneOf([...eventTypes, 'ping'], { optional: true })
  type?: EventFilter['type'];

  filter(): EventFilter {
    return { ...(this.type === undefined ? {} : { type: this.type }), ...this.created() };
  }
}
