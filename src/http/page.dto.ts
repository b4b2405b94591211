import { ApiSchema } from '@nestjs/swagger';
import { IsText, IsWholeNumber } from './fields.js';
import { IsQueryTime } from './shared-fields.js';

/** The query of a list: how many, and from where on. */
export class PageDto {
  @IsWholeNumber({
    minimum: 1,
    maximum: 100,
    optional: true,
    default: 20,
    description: 'How many at most on a page.',
  })
  limit = 20;

  @IsText({
    maxLength: 36,
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    optional: true,
    description: '`next_cursor` of the page before.',
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;
}

/** The query of a list that can be narrowed by when things were created. */
export class CreatedRangeDto extends PageDto {
  @IsQueryTime('Created at this time or later (RFC 3339).')
  'created[gte]'?: string;

  @IsQueryTime('Created at this time or earlier (RFC 3339).')
  'created[lte]'?: string;

  protected created(): { createdFrom?: Date; createdTo?: Date } {
    const { 'created[gte]': from, 'created[lte]': to } = this;
    return {
      ...(from === undefined ? {} : { createdFrom: new Date(from) }),
      ...(to === undefined ? {} : { createdTo: new Date(to) }),
    };
  }
}

/** A body that has nothing to say: an empty object, or none at all. */
@ApiSchema({ name: 'NothingRequest', description: 'An empty object, or no body at all.' })
// oxlint-disable-next-line typescript/no-extraneous-class -- a DTO is a class, this one without fields
export class EmptyDto {}
