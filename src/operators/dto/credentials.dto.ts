import { IsText } from '../../http/fields.js';
import { IsTotpCode } from './totp-code.js';

/** Twelve characters at least: PCI DSS 4.0.1, 8.3.6. */
const NewPassword = () =>
  IsText({ minLength: 12, maxLength: 200, message: 'must be a password of 12 to 200 characters' });

/** A password, and a code of the authenticator that `sealed` is of. */
export class EnrolDto {
  @NewPassword()
  password: string;

  @IsText({ maxLength: 400, pattern: '^[A-Za-z0-9_-]{1,400}$', message: 'must be what was shown before' })
  sealed: string;

  @IsText({ maxLength: 6, pattern: '^[0-9]{6}$', message: 'must be the six digits of the code' })
  code: string;
}

export class ChangePasswordDto {
  @IsText({ minLength: 1, maxLength: 200, message: 'must be the password until now' })
  current: string;

  @NewPassword()
  password: string;

  @IsTotpCode()
  code?: string;
}
