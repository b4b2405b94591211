import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Config, ConfigError } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { repeat } from '../core/repeat.js';
import { faultsOfTimeout, type PspConfig, type PspEntry, type PspProblem, pspOf } from '../psp/psp-entry.js';
import { PspsConfig } from '../psp/psps-config.js';
import { entryContext, MerchantRouting, StoredPspAccount } from './psp-account.entity.js';

/** How often each process asks whether an account or a rule has changed. */
const LOOK_MS = 3_000;

/** Each change raises one of these sums, in whichever order changes are committed. */
const VERSIONS = `
SELECT (SELECT count(*) || '/' || coalesce(sum(version), 0) FROM psp_accounts) || ' ' ||
       (SELECT count(*) || '/' || coalesce(sum(version), 0) FROM merchant_routing) AS versions`;

interface KnownAccounts {
  readonly version: number;
  readonly psp: PspConfig;
}

/**
 * Keeps the PSP accounts and routing rules of this process as they are stored. A start is refused where one of them
 * cannot be used and is not disabled; later such a change is logged, and what was read before goes on to apply. A
 * payment reads none of it.
 */
@Injectable()
export class StoredPspsReader implements OnModuleInit, OnModuleDestroy {
  private readonly closing = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private known: Accounts = new Map();
  private versions = '';
  private isAway = false;
  private readonly unusable: Gauge;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly psps: PspsConfig,
    @Inject(Encryption) private readonly encryption: Pick<Encryption, 'decrypt'>,
    @Inject(Config) private readonly config: Pick<Config, 'simulated' | 'exposed' | 'lockTtlMs'>,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'error' | 'info' | 'warn'>,
    metrics: Registry,
  ) {
    this.unusable = new Gauge({
      name: 'payonce_psp_accounts_unusable',
      help: 'Stored PSP accounts whose last change this process cannot use; it goes on with what they were before',
      registers: [metrics],
    });
  }

  /** @throws ConfigError where a stored account cannot be used, or there is no account at all */
  async onModuleInit(): Promise<void> {
    const faults = (await this.read()).filter(({ isDisabled }) => !isDisabled);
    if (faults.length > 0) throw new ConfigError(faults.map(({ message }) => message));
    if (this.psps.psps.length === 0) {
      throw new ConfigError([
        'there is no PSP account: the PSPs file names none, and none is stored (npx payonce psps add)',
      ]);
    }
    this.looking = repeat(
      this.clock,
      this.closing.signal,
      () => LOOK_MS,
      () => this.look(),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort(new Error('closing'));
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      const faults = await this.read();
      if (faults.length > 0) this.logger.error({ faults }, 'a stored PSP account cannot be used');
      this.isAway = false;
    } catch (err) {
      // Said once for an outage, in which accounts stay as they are.
      if (!this.isAway) this.logger.warn({ err }, 'stored PSP accounts cannot be read');
      this.isAway = true;
    }
  }

  /** Reads what has changed since the last time. Returns what cannot be used of it. */
  private async read(): Promise<readonly Fault[]> {
    const { source, psps, encryption, config } = this;
    const [{ versions }] = await source.query<[{ versions: string }]>(VERSIONS);
    if (versions === this.versions) return [];
    const { known, faults } = await readStoredPsps({ source, psps, encryption, config }, this.known);
    [this.known, this.versions] = [known, versions];
    this.unusable.set(faults.length);
    if (known.size > 0) this.logger.info({ accounts: known.size }, 'stored PSP accounts were read');
    return faults;
  }
}

/** Why a stored account cannot be used. */
interface Fault {
  readonly message: string;
  readonly isDisabled: boolean;
}

interface Reading {
  readonly source: DataSource;
  readonly psps: PspsConfig;
  readonly encryption: Pick<Encryption, 'decrypt'>;
  readonly config: Pick<Config, 'simulated' | 'exposed' | 'lockTtlMs'>;
}

type Accounts = ReadonlyMap<string, KnownAccounts>;

/** Gives `psps` what is stored. An account that cannot be used stays what it was `before`; `faults` say why. */
export async function readStoredPsps(
  reading: Reading,
  before: Accounts = new Map(),
): Promise<{ readonly known: Accounts; readonly faults: readonly Fault[] }> {
  const { source, psps } = reading;
  const [accounts, routing] = await Promise.all([
    source.getRepository(StoredPspAccount).find({ order: { name: 'ASC' } }),
    source.getRepository(MerchantRouting).find(),
  ]);
  const faults: Fault[] = [];
  const known = new Map<string, KnownAccounts>();
  for (const account of accounts) {
    const old = before.get(account.name);
    const now = old?.version === account.version ? old : usable(account, reading, faults);
    if (now ?? old) known.set(account.name, now ?? disabledToo(old!, account));
  }
  psps.useStored({
    psps: [...known.values()].map(({ psp }) => psp),
    routing: new Map(routing.flatMap(({ merchantId, rules }) => (rules ? [[merchantId, rules]] : []))),
  });
  return { known, faults };
}

function usable(
  stored: StoredPspAccount,
  { psps, encryption, config }: Reading,
  faults: Fault[],
): KnownAccounts | null {
  const { id, name, version, disabledAt } = stored;
  const problems: PspProblem[] = [];
  try {
    const entry = encryption.decrypt(stored.entry, entryContext(id)) as PspEntry;
    const psp = pspOf(entry, '', { env: {}, rules: config, problems });
    if (psps.ofFile.some((each) => each.name === name)) {
      problems.push({ pointer: '/name', message: 'is that of an account in the PSPs file too' });
    }
    problems.push(...faultsOfTimeout(config, psp));
    if (problems.length === 0) return { version, psp: { ...psp, isDisabled: disabledAt !== null } };
  } catch {
    problems.push({ pointer: '', message: 'cannot be decrypted with the seal key' });
  }
  const all = problems.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; ');
  faults.push({ message: `stored PSP ${name}: ${all}`, isDisabled: disabledAt !== null });
  return null;
}

/** An account that cannot be used can still be disabled. */
function disabledToo(old: KnownAccounts, { disabledAt }: StoredPspAccount): KnownAccounts {
  return disabledAt === null ? old : { ...old, psp: { ...old.psp, isDisabled: true } };
}
