import { ApiSchema } from '@nestjs/swagger';
import { type Failure } from '../core/failure.js';
import { Text } from './view-fields.js';

@ApiSchema({ name: 'Failure' })
export class FailureView implements Failure {
  @Text()
  readonly category: string;

  @Text()
  readonly code: string;

  @Text({ nullable: true })
  readonly psp_code: string | null;

  @Text()
  readonly message: string;
}
