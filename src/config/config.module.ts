import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { Clock, SystemClock } from '../core/clock.js';
import { DatabaseClock } from '../core/database-clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids, SystemIds } from '../core/ids.js';
import { holdSecrets } from '../core/redact.js';
import { Config } from './config.js';
import { sealKeyOf } from './seal-key.js';

/** Injection token of the log; pino has no class of it. */
export const LOGGER = Symbol('logger');

/**
 * The providers that every module may ask for: the configuration, the clock, ids, encryption, the log and the metrics. `more`
 * is configuration of the same kind that other folders declare, as the file of PSP accounts is.
 */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: Config, logger: Logger, more: readonly Provider[]): DynamicModule {
    const clock = new DatabaseClock(new SystemClock(config.clockOffsetMs));
    const providers = [
      { provide: Config, useValue: config },
      { provide: LOGGER, useValue: logger },
      { provide: Registry, useValue: new Registry() },
      { provide: DatabaseClock, useValue: clock },
      { provide: Clock, useExisting: DatabaseClock },
      { provide: Ids, useValue: new SystemIds(clock) },
      { provide: Encryption, useFactory: () => encryptionOf(config) },
      ...more,
    ];
    return { module: ConfigModule, providers, exports: providers };
  }
}

/**
 * With the secrets of the configuration kept out of logs from now on.
 * @throws ConfigError without a seal key
 */
function encryptionOf(config: Config): Encryption {
  const sealKey = sealKeyOf(config);
  holdSecrets(secretsOf(config, sealKey));
  return new Encryption(sealKey, config.sealKeyPrevious);
}

/** The secrets that must never be written anywhere, see `redact`. */
function secretsOf(
  { opsToken, databaseUrl, redisUrl, sealKeyPrevious }: Config,
  sealKey: Uint8Array,
): (string | null)[] {
  const passwords = [databaseUrl, redisUrl].map((url) =>
    url !== null && URL.canParse(url) ? new URL(url).password : null,
  );
  const encodings = [sealKey, ...(sealKeyPrevious ? [sealKeyPrevious] : [])].flatMap((key) =>
    (['base64', 'base64url', 'hex'] as const).map((encoding) => Buffer.from(key).toString(encoding)),
  );
  return [opsToken, ...passwords, ...encodings];
}
