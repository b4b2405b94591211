import { IsText } from '../../http/fields.js';
import { CODE } from '../../jobs/dead-letters.js';

/** A kind of job or the cause of a dead letter. */
export function IsCode(description: string): PropertyDecorator {
  return IsText({
    maxLength: 100,
    pattern: CODE,
    optional: true,
    description,
    message: 'must be 1 to 100 of A-Z a-z 0-9 . _ - and begin with a letter or a digit',
  });
}
