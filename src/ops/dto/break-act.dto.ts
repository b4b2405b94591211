import { IsText } from '../../http/fields.js';

/** A break has its id within the PSP account. */
export class BreakOfPspDto {
  @IsText({ minLength: 1, maxLength: 64, message: 'must be the name of a PSP account' })
  psp: string;
}

/** Who looks after a break; without an owner no one does. */
export class AssignBreakDto extends BreakOfPspDto {
  @IsText({ minLength: 1, maxLength: 100, optional: true, message: 'must be 1 to 100 characters' })
  owner?: string;
}

/** A person's finding about a break. */
export class BreakNoteDto extends BreakOfPspDto {
  @IsText({ minLength: 1, maxLength: 500, message: 'must say in 1 to 500 characters what you found' })
  note: string;
}
