import { IsWholeNumber } from '../../http/fields.js';

export class ListRunsDto {
  @IsWholeNumber({
    minimum: 1,
    maximum: 1_000,
    optional: true,
    default: 100,
    description: 'How many at most.',
  })
  limit = 100;
}
