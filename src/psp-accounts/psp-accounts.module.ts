import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { PspAdministration } from './psp-administration.js';
import { MerchantRouting, StoredPspAccount } from './psp-account.entity.js';
import { RoutingAdministration } from './routing-administration.js';
import { StoredPspsReader } from './stored-psps.js';

/** PSP accounts and routing rules that administrators change while processes run. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([StoredPspAccount, MerchantRouting])],
  providers: [StoredPspsReader, PspAdministration, RoutingAdministration],
  exports: [PspAdministration, RoutingAdministration],
})
export class PspAccountsModule {}
