import { NO_MERCHANT } from '../../core/ids.js';
import { type OperatorRole, operatorRoles } from '../../core/operator-role.js';
import { IsOneOf, IsText } from '../../http/fields.js';
import { LINE } from '../../http/shared-fields.js';
import { type OperatorAction } from '../../approvals/approvable-action.js';
import { IsTotpCode } from '../../operators/dto/totp-code.js';

const IsName = () =>
  IsText({ minLength: 1, maxLength: 64, pattern: LINE, message: 'must be the name of an operator' });

export class OperatorDto {
  @IsName()
  name: string;

  @IsTotpCode()
  code?: string;

  reset(): OperatorAction {
    return { kind: 'reset_operator', merchant_id: NO_MERCHANT, name: this.name };
  }
}

export class InviteOperatorDto {
  @IsName()
  name: string;

  @IsOneOf(operatorRoles)
  role: OperatorRole;

  /** The human being, where one has several accounts. */
  @IsText({
    minLength: 1,
    maxLength: 320,
    pattern: LINE,
    optional: true,
    message: 'must be 1 to 320 characters',
  })
  person?: string;

  @IsTotpCode()
  code?: string;

  action(): OperatorAction {
    const { name, role, person = name } = this;
    return { kind: 'invite_operator', merchant_id: NO_MERCHANT, name, role, person: person.toLowerCase() };
  }
}
