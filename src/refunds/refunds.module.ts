import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { DatabaseModule } from '../database/database.module.js';
import { RefundEntity } from './refund.entity.js';
import { RefundReader } from './refund.reader.js';

/** What a refund is, and reading refunds. A refund is asked for at its payment. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([RefundEntity])],
  providers: [{ provide: RefundReader, inject: [Pool], useFactory: (pool: Pool) => new RefundReader(pool) }],
  exports: [RefundReader],
})
export class RefundsModule {}
