import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { DatabaseModule } from '../database/database.module.js';
import { ApiKey } from './api-key.entity.js';
import { Merchant } from './merchant.entity.js';
import { Merchants } from './merchants.js';

/** Merchants and their API keys. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Merchant, ApiKey])],
  providers: [
    {
      provide: Merchants,
      inject: [Pool, Clock, Ids],
      useFactory: (pool: Pool, clock: Clock, ids: Ids) => new Merchants(pool, clock, ids),
    },
  ],
  exports: [Merchants],
})
export class MerchantsModule {}
