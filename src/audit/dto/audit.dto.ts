import { IsText } from '../../http/fields.js';

export class AuditCursorDto {
  @IsText({
    maxLength: 15,
    pattern: '^\\d{1,15}$',
    optional: true,
    message: 'must be the next_cursor of a page',
  })
  cursor?: string;
}
