import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { DeadLettersController } from './dead-letters.controller.js';

/** What operators may do, where there is a token for them. */
@Module({ imports: [JobsModule], controllers: [DeadLettersController] })
export class OpsModule {}
