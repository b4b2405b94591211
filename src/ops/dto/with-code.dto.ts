import { IsText } from '../../http/fields.js';

/** For what lifts a bound, and so takes two people. */
export class WithCodeDto {
  @IsText({
    maxLength: 6,
    pattern: '^[0-9]{6}$',
    optional: true,
    message: 'must be the six digits of your authenticator',
  })
  code?: string;
}
