import { ApiSchema } from '@nestjs/swagger';
import { Field, PageOf, WholeNumber } from '../http/view-fields.js';
import { DeadLetterCountView, DeadLetterView } from '../jobs/dead-letter.view.js';

export const DeadLetterPage = PageOf('DeadLetterPage', DeadLetterView);

@ApiSchema({ name: 'DeadLetterCounts' })
export class DeadLetterCountsView {
  @Field({ type: DeadLetterCountView, isArray: true })
  readonly data: readonly DeadLetterCountView[];
}

const left = {
  minimum: 0,
  description: 'Selected and not handled: more than one request takes, or taken by another operator.',
};

@ApiSchema({ name: 'DeadLettersMerged' })
export class DeadLettersMergedView {
  @WholeNumber({ minimum: 0 })
  readonly merged: number;

  @WholeNumber(left)
  readonly left: number;
}

@ApiSchema({ name: 'DeadLettersPurged' })
export class DeadLettersPurgedView {
  @WholeNumber({ minimum: 0 })
  readonly purged: number;

  @WholeNumber(left)
  readonly left: number;
}
