import { IsText } from '../../http/fields.js';
import { UUID } from '../../http/shared-fields.js';
import { type PaymentFilter } from '../console-reader.js';

export class CursorDto {
  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the next_cursor of a page' })
  cursor?: string;
}

export class ListPaymentsDto extends CursorDto {
  @IsText({ maxLength: 255, optional: true, message: 'must be 1 to 255 characters' })
  q?: string;

  @IsText({ maxLength: 30, pattern: '^[a-z_]{1,30}$', optional: true, message: 'must be a status' })
  status?: string;

  @IsText({ maxLength: 64, optional: true, message: 'must be the name of a PSP account' })
  psp?: string;

  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the id of a merchant' })
  merchant?: string;

  filter(): PaymentFilter {
    const { q = '', status = null, psp = null, merchant = null } = this;
    return { q: q.trim() === '' ? null : q, status, psp, merchant };
  }
}
