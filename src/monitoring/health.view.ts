import { ApiSchema } from '@nestjs/swagger';
import { type Warning, WARNINGS } from '../database/readiness.js';
import { Constant, Field, OneOf, Text } from '../http/view-fields.js';

@ApiSchema({ name: 'Live' })
export class LiveView {
  @Constant('live')
  readonly status: 'live';

  @Text()
  readonly version: string;
}

@ApiSchema({ name: 'Ready' })
export class ReadyView {
  @OneOf(['ready', 'not_ready', 'draining'])
  readonly status: 'ready' | 'not_ready' | 'draining';

  @Field({ type: 'object', additionalProperties: { type: 'string', enum: ['up', 'down'] } })
  readonly checks: Readonly<Record<string, 'up' | 'down'>>;

  @Field({
    type: 'array',
    items: { type: 'string', enum: [...WARNINGS] },
    required: false,
    description: 'What a person has to see to, though the process works.',
  })
  readonly warnings?: readonly Warning[];
}
