import { IsText } from '../../http/fields.js';

/** Six digits of an authenticator; absent: the operator gives none. */
export function IsTotpCode(): PropertyDecorator {
  return IsText({
    maxLength: 6,
    pattern: '^[0-9]{6}$',
    optional: true,
    message: 'must be the six digits of the code',
  });
}
