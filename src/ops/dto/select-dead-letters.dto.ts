import { ApiSchema } from '@nestjs/swagger';
import { IsTextList, IsTrue } from '../../http/fields.js';
import { invalidFields } from '../../core/problem.js';
import { UUID } from '../../http/shared-fields.js';
import { type Selection } from '../../jobs/dead-letters.js';
import { IsCode } from './code.js';

/** The most ids in one selection: they have to fit into a body. */
const MAX_IDS = 1_000;

@ApiSchema({
  name: 'DeadLetterSelection',
  description: 'Selects dead letters in one of three ways: `ids`; or a `kind`, a `cause` or both; or `all`.',
})
export class SelectDeadLettersDto {
  @IsTextList({
    items: { maxLength: 36, pattern: UUID, message: 'must be the id of a dead letter' },
    minItems: 1,
    maxItems: MAX_IDS,
    optional: true,
    description: 'The letters with these ids.',
    message: `must be a list of 1 to ${MAX_IDS} ids`,
  })
  ids?: string[];

  @IsCode('Noun and verb: `webhook.apply`.')
  kind?: string;

  @IsCode('Why it was given up: a code that the handler of the kind gave.')
  cause?: string;

  @IsTrue({ optional: true, description: 'Every dead letter.' })
  all?: true;

  /** Exactly one way of naming them: an empty body is never everything by accident. */
  selection(): Selection {
    const { ids, kind, cause, all } = this;
    const ways = [ids !== undefined, kind !== undefined || cause !== undefined, all !== undefined];
    if (ways.filter(Boolean).length !== 1) {
      const message = 'must have ids, or a kind or a cause or both, or all, and one of these alone';
      throw invalidFields([{ pointer: '', message }]);
    }
    if (ids !== undefined) return { ids };
    return { ...(kind === undefined ? {} : { kind }), ...(cause === undefined ? {} : { cause }) };
  }
}
