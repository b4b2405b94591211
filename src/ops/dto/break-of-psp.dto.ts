import { IsText } from '../../http/fields.js';

/** A break has its id within the PSP account. */
export class BreakOfPspDto {
  @IsText({ minLength: 1, maxLength: 64, message: 'must be the name of a PSP account' })
  psp: string;
}
