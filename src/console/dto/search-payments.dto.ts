import { IsText } from '../../http/fields.js';
import { UUID } from '../../http/shared-fields.js';
import { type PaymentFilter } from '../console-reader.js';

export class CursorDto {
  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the next_cursor of a page' })
  cursor?: string;
}

export class SearchPaymentsDto extends CursorDto {
  @IsText({ maxLength: 255, optional: true, message: 'must be 1 to 255 characters' })
  q?: string;

  @IsText({ maxLength: 30, pattern: '^[a-z_]{1,30}$', optional: true, message: 'must be a status' })
  status?: string;

  @IsText({ maxLength: 64, optional: true, message: 'must be the name of a PSP account' })
  psp?: string;

  @IsText({ maxLength: 36, pattern: UUID, optional: true, message: 'must be the id of a merchant' })
  merchant?: string;

  /** `customersOf`: what payments keep of a customer of that name. */
  filter(customersOf: (name: string) => readonly Uint8Array[]): PaymentFilter {
    const { status = null, psp = null, merchant = null } = this;
    const q = this.q?.trim() || null;
    return { q, customers: q === null ? [] : customersOf(q), status, psp, merchant };
  }
}
