import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { DatabaseModule } from '../database/database.module.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysService } from './api-keys.service.js';
import { CallersService } from './callers.service.js';
import { IssuedKeys } from './issued-keys.js';
import { Merchant } from './merchant.entity.js';
import { MerchantsService } from './merchants.service.js';
import { PayoutLimits } from './payout-limits.js';
import { ServiceTokens } from './service-tokens.js';
import { readTokenFile } from './token-settings.js';

/** Merchants, their API keys and the tokens of their services. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Merchant, ApiKey])],
  providers: [
    MerchantsService,
    ApiKeysService,
    CallersService,
    IssuedKeys,
    PayoutLimits,
    {
      provide: ServiceTokens,
      inject: [Config, Clock],
      useFactory: ({ jwtFile }: Config, clock: Clock) =>
        ServiceTokens.open(jwtFile === null ? null : readTokenFile(jwtFile), clock),
    },
  ],
  exports: [MerchantsService, ApiKeysService, CallersService, PayoutLimits, ServiceTokens],
})
export class MerchantsModule {}
