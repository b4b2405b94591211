import { IsOneOf } from '../../http/fields.js';
import { CreatedRangeDto } from '../../http/page.dto.js';
import { eventTypes } from '../../core/event-types.js';

export interface EventFilter {
  readonly type?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

export class ListEventsDto extends CreatedRangeDto {
  @IsOneOf([...eventTypes, 'ping'], { optional: true })
  type?: EventFilter['type'];

  filter(): EventFilter {
    return { ...(this.type === undefined ? {} : { type: this.type }), ...this.created() };
  }
}
