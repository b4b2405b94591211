import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Config, ConfigError } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { holdSecrets } from '../core/redact.js';
import { BankInstructions } from './bank-sepa/bank-instructions.js';
import { PspDirectory } from './psp-directory.js';
import { accountsOf, PspsConfig } from './psps-file.js';
import { PspRouter } from './router.js';

/** Between a PSP's timeout and the end of the lock it is called under. */
const LOCK_MARGIN_MS = 1_000;

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
        const accounts = accountsOf(config, clock, instructions);
        holdSecrets(accounts.flatMap(({ secrets }) => secrets ?? []));
        return new PspDirectory(accounts, { clock, metrics, liveReachesTest });
      },
    },
    {
      provide: PspRouter,
      inject: [PspsConfig, PspDirectory],
      useFactory: ({ routing }: PspsConfig, psps: PspDirectory) => new PspRouter(routing, psps),
    },
  ],
  exports: [PspDirectory, PspRouter],
})
export class PspModule {}

/**
 * A call that could outlive its lock would never be made: said at the start, not by every payment.
 * @throws ConfigError
 */
export function refuseSlowPsps({ lockTtlMs }: Config, { psps }: PspsConfig): void {
  const slow = psps.filter(({ timeoutMs }) => timeoutMs + LOCK_MARGIN_MS > lockTtlMs);
  if (slow.length === 0) return;
  throw new ConfigError(
    slow.map(
      ({ name, timeoutMs }) =>
        `PAYONCE_LOCK_TTL_MS is ${lockTtlMs}; it takes at least ${timeoutMs + LOCK_MARGIN_MS}, for PSP ${name} may take ${timeoutMs} ms`,
    ),
  );
}
