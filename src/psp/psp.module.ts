import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Config, ConfigError } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { holdSecrets } from '../core/redact.js';
import { BankInstructions } from './bank-sepa/bank-instructions.js';
import { PspDirectory } from './psp-directory.js';
import { faultsOfTimeout, type PspConfig } from './psp-entry.js';
import { accountOf, oncePer, PspsConfig } from './psps-config.js';
import { PspRouter } from './router.js';

/** The accounts at PSPs and the rules by which one is chosen. */
@Module({
  providers: [
    {
      provide: PspDirectory,
      inject: [PspsConfig, Config, Clock, Registry, { token: BankInstructions, optional: true }],
      useFactory: (
        config: PspsConfig,
        { liveReachesTest }: Config,
        clock: Clock,
        metrics: Registry,
        instructions: BankInstructions | undefined,
      ) => {
        const made = oncePer((psp) => {
          const account = accountOf(psp, clock, instructions);
          holdSecrets(account.secrets ?? []);
          return account;
        });
        const accounts = () => config.psps.map(made);
        const directory = new PspDirectory(accounts(), { clock, metrics, liveReachesTest });
        config.onChange(() => directory.replace(accounts()));
        return directory;
      },
    },
    {
      provide: PspRouter,
      inject: [PspsConfig, PspDirectory],
      useFactory: (config: PspsConfig, psps: PspDirectory) => new PspRouter(config, psps),
    },
  ],
  exports: [PspDirectory, PspRouter],
})
export class PspModule {}

/**
 * A call that could outlive its lock would never be made: said at the start, not by every payment.
 * @throws ConfigError
 */
export function refuseSlowPsps(config: Pick<Config, 'lockTtlMs'>, psps: readonly PspConfig[]): void {
  const faults = psps.flatMap((psp) =>
    faultsOfTimeout(config, psp).map(({ message }) => `${message} (PSP ${psp.name})`),
  );
  if (faults.length > 0) throw new ConfigError(faults);
}
