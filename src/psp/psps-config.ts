import { type Clock, SystemClock } from '../core/clock.js';
import { accountFingerprint, withPart } from './account.js';
import { type BankInstructions } from './bank-sepa/bank-instructions.js';
import { type NotificationReader } from './notification.js';
import { type Fingerprints, type PspAccount } from './psp-directory.js';
import { type PspConfig } from './psp-entry.js';
import { adapterNamed } from './registry.js';
import { type ReportSource } from './psp-reports.js';
import { type RoutingRule } from './routing-rule.js';

/** Stored accounts and routing, as this process last read them. */
interface StoredPsps {
  readonly psps: readonly PspConfig[];
  /** Merchants that have routing rules of their own. */
  readonly routing: ReadonlyMap<string, readonly RoutingRule[]>;
}

/**
 * The PSP accounts of this process, and the rules by which payments are routed among them: those of the PSPs file,
 * which stay, and those that are stored, which change while it runs. An account that changes is another object.
 */
export class PspsConfig {
  private byName: ReadonlyMap<string, PspConfig> = new Map();
  private rulesOf: StoredPsps['routing'] = new Map();
  private rulesOfAll: readonly RoutingRule[] = [];
  private readonly listeners: (() => void)[] = [];

  /** @param rules of the file; null: all accounts in their order */
  constructor(
    readonly ofFile: readonly PspConfig[] = [],
    private readonly rules: readonly RoutingRule[] | null = null,
  ) {
    this.useStored({ psps: [], routing: new Map() });
  }

  get psps(): readonly PspConfig[] {
    return [...this.byName.values()];
  }

  named(psp: string): PspConfig | undefined {
    return this.byName.get(psp);
  }

  /** For all merchants without rules of their own. */
  get routing(): readonly RoutingRule[] {
    return this.rulesOfAll;
  }

  routingOf(merchantId: string): readonly RoutingRule[] {
    return this.rulesOf.get(merchantId) ?? this.rulesOfAll;
  }

  /** Replaces the stored value. */
  useStored({ psps, routing }: StoredPsps): void {
    this.byName = new Map([...this.ofFile, ...psps].map((psp) => [psp.name, psp]));
    this.rulesOf = routing;
    this.rulesOfAll = this.rules ?? [{ order: [...this.byName.keys()] }];
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
}

/** The objects of an account are created once, and again when the account changes. */
export function oncePer<T>(make: (psp: PspConfig) => T): (psp: PspConfig) => T {
  const made = new WeakMap<PspConfig, { readonly value: T }>();
  return (psp) => {
    const known = made.get(psp) ?? { value: make(psp) };
    made.set(psp, known);
    return known.value;
  };
}

/**
 * Makes the adapter, which holds sockets until it is closed. `clock` must be the one that attempts
 * are stamped by: lookups by time compare it with the PSP's.
 */
export function accountOf(
  { name, adapter, merchants, test, isDisabled, ...settings }: PspConfig,
  clock: Clock = new SystemClock(),
  instructions?: BankInstructions,
): PspAccount {
  const entry = adapterNamed(adapter);
  if (!entry) throw new RangeError(`no adapter is named ${JSON.stringify(adapter)}`);
  return {
    name,
    adapter: entry.create({ name, ...settings, instructions, clock }),
    ...fingerprintsOf({ adapter, ...settings }),
    timeoutMs: settings.timeoutMs,
    merchants: merchants === undefined ? null : new Set(merchants),
    isTest: test === true,
    isDisabled: isDisabled === true,
    secrets: entry.credentials
      .filter(({ secret }) => secret)
      .map((credential) => settings.credentials[credential.name] ?? ''),
  };
}

/** Which account it is, for its operations and for its payouts; see `accountFingerprint()`. */
export function fingerprintsOf({
  adapter,
  baseUrl,
  credentials,
  account,
  bank,
}: Pick<PspConfig, 'adapter' | 'baseUrl' | 'credentials' | 'account' | 'bank'>): Fingerprints {
  const entry = adapterNamed(adapter)!;
  const url = baseUrl ?? entry.publicUrl;
  const fingerprint = accountFingerprint({
    adapter,
    url,
    account: entry.account(credentials, account, bank),
  });
  const part = entry.payoutsAt?.(credentials);
  return part ? { fingerprint, payoutsFingerprint: withPart(fingerprint, part) } : { fingerprint };
}

/** Reads the notifications of an account; null where it has no secret for them. */
export function noticeReaderOf({ adapter, ...settings }: PspConfig): NotificationReader | null {
  return adapterNamed(adapter)?.notices(settings) ?? null;
}

/** The PSP's name of the account in its reports; undefined where they are of nothing else. */
export function reportsAreOf({ adapter, ...settings }: PspConfig): string | undefined {
  return adapterNamed(adapter)?.reportsAreOf?.(settings);
}

/** The source of an account's reports; null if it has none. */
export function reportSourceOf(
  { adapter, ...settings }: PspConfig,
  clock: Pick<Clock, 'timer'>,
): ReportSource | null {
  return adapterNamed(adapter)?.reports?.({ ...settings, clock }) ?? null;
}
