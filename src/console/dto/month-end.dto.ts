import { IsText } from '../../http/fields.js';
import { LedgerDaysDto } from '../../ops/dto/ledger.dto.js';

export class OwedItemsDto extends LedgerDaysDto {
  @IsText({
    maxLength: 800,
    pattern: '^[A-Za-z0-9_-]+$',
    optional: true,
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;
}
