import { Global, Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { BankInstructions } from '../psp/bank-sepa/bank-instructions.js';
import { InstructionStore } from './instruction-store.js';

/** The store in which the adapter of a bank collects its instructions: an adapter knows no database. */
@Global()
@Module({
  imports: [DatabaseModule],
  providers: [{ provide: BankInstructions, useClass: InstructionStore }],
  exports: [BankInstructions],
})
export class BankInstructionsModule {}
