import { IsText } from '../../http/fields.js';
import { invalidFields } from '../../core/problem.js';
import { IsTotpCode } from './totp-code.js';

/** A name with a password and a code, or the token of a link. */
export class SignInDto {
  @IsText({ maxLength: 64, optional: true, message: 'must be the name of an operator' })
  name?: string;

  @IsText({ maxLength: 200, optional: true, message: 'must be the password' })
  password?: string;

  @IsTotpCode()
  code?: string;

  @IsText({ maxLength: 100, optional: true, message: 'must be the token of the link' })
  link?: string;

  factors(): { link: string } | { name: string; password: string; code: string } {
    const { name, password, code, link } = this;
    if (link !== undefined) return { link };
    if (name === undefined || password === undefined || code === undefined) {
      throw invalidFields([{ pointer: '', message: 'must have a name, a password and a code' }]);
    }
    return { name, password, code };
  }
}
