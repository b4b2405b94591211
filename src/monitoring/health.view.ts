import { ApiSchema } from '@nestjs/swagger';
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
}
