import { ApiSchema } from '@nestjs/swagger';
import { IsText } from '../../http/fields.js';
import { invalidFields } from '../../core/problem.js';
import { IsTime, UUID } from '../../http/shared-fields.js';

@ApiSchema({ name: 'EventReplayRequest', description: 'Sends the event again.' })
export class ReplayEventDto {
  @IsText({
    maxLength: 36,
    pattern: UUID,
    optional: true,
    description:
      'To this endpoint alone, whatever types it wants. Absent: to all endpoints that want the type.',
    message: 'must be the id of a webhook endpoint',
  })
  endpoint_id?: string;

  /** null: to all that want it. */
  endpointId(): string | null {
    return this.endpoint_id?.toLowerCase() ?? null;
  }
}

@ApiSchema({
  name: 'RangeReplayRequest',
  description: 'Sends again the events of a period, of the types that the endpoint wants; at most 10,000.',
})
export class ReplayRangeDto {
  @IsTime({ description: 'Events from this time on (RFC 3339).' })
  from: string;

  @IsTime({ description: 'Events until this time (RFC 3339).' })
  to: string;

  range(): { readonly from: Date; readonly to: Date } {
    const range = { from: new Date(this.from), to: new Date(this.to) };
    if (range.from <= range.to) return range;
    throw invalidFields([{ pointer: '/to', message: 'must not be earlier than from' }]);
  }
}
