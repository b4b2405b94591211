import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { ApiKey } from './api-key.entity.js';
import { Merchant } from './merchant.entity.js';
import { Merchants } from './merchants.js';

/** Merchants and their API keys. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Merchant, ApiKey])],
  providers: [Merchants],
  exports: [Merchants],
})
export class MerchantsModule {}
