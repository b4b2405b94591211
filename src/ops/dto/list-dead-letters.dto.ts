import { IsText, IsWholeNumber } from '../../http/fields.js';
import { IsQueryTime } from '../../http/shared-fields.js';
import { CURSOR, type DeadLetterFilter, MAX_IN_A_PAGE } from '../../jobs/dead-letters.js';
import { IsCode } from './code.js';

export class ListDeadLettersDto {
  @IsWholeNumber({
    minimum: 1,
    maximum: MAX_IN_A_PAGE,
    optional: true,
    default: 20,
    description: 'How many at most on a page.',
  })
  limit = 20;

  @IsText({
    maxLength: 52,
    pattern: CURSOR,
    optional: true,
    description: '`next_cursor` of the page before.',
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;

  @IsCode('Noun and verb: `webhook.apply`.')
  kind?: string;

  @IsCode('Why it was given up: a code that the handler of the kind gave.')
  cause?: string;

  @IsQueryTime('Given up at this time or earlier (RFC 3339).')
  'died[lte]'?: string;

  toValues(): DeadLetterFilter & { readonly limit: number; readonly cursor: string | null } {
    const { kind, cause, 'died[lte]': to, limit, cursor } = this;
    return {
      ...(kind === undefined ? {} : { kind }),
      ...(cause === undefined ? {} : { cause }),
      ...(to === undefined ? {} : { olderThan: new Date(to) }),
      limit,
      cursor: cursor ?? null,
    };
  }
}
