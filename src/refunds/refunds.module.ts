import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { Refund } from './refund.entity.js';
import { RefundReader } from './refund.reader.js';

/** What a refund is, and reading refunds. A refund is asked for at its payment. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Refund])],
  providers: [RefundReader],
  exports: [RefundReader],
})
export class RefundsModule {}
