import { type Clock } from '../core/clock.js';
import { isLoopback } from '../config/config.js';
import { type AccountIdentity } from './account.js';
import { type BankInstructions } from './bank-sepa/bank-instructions.js';
import { type BankSettings } from './bank-sepa/bank-settings.js';
import { type CallContext, type PspAdapter } from './contract.js';
import { type NotificationReader } from './notification.js';
import { type ReportSource } from './psp-reports.js';
import { type ReportHeading } from './report-format.js';

/** The settings of an account, with its references to the environment resolved. */
export interface AccountSettings {
  readonly name: string;
  readonly baseUrl?: string;
  readonly timeoutMs: number;
  readonly credentials: Readonly<Record<string, string>>;
  /** The PSP's name of the account, where the file says it. */
  readonly account?: string;
  /** The settings of a bank that speaks in files, with the store of its instructions. */
  readonly bank?: BankSettings;
  readonly instructions?: BankInstructions | undefined;
  readonly clock: Clock;
}

/** The settings of an account whose reports are fetched. */
export interface ReportSettings extends Omit<AccountSettings, 'clock'> {
  readonly clock: Pick<Clock, 'timer'>;
}

export interface Credential {
  readonly name: string;
  readonly required: boolean;
  /** The name of an account is no secret and may appear in a message. */
  readonly secret: boolean;
  /** It is an address, and checked as baseUrl is; `takes`: the secrets that are sent there. */
  readonly url?: { readonly takes: readonly string[] };
  /** The form of the credential, and a description that does not show it. */
  readonly form?: { readonly pattern: RegExp; readonly message: string };
}

export interface AdapterEntry {
  /** The value of `adapter` in the configuration. */
  readonly adapter: string;
  readonly credentials: readonly Credential[];
  /** Whether baseUrl may have a path. */
  readonly basePath: boolean;
  /** The address of the PSP unless baseUrl names another. */
  readonly publicUrl: string;
  /** The hosts of the PSP itself; null: it is none that there is. */
  readonly hosts: RegExp | null;
  /** The page of a payment, by the PSP's id, for people. Absent: there is none. */
  dashboard?(pspReference: string, isTest: boolean): string;
  /**
   * The account part of the credentials, for its fingerprint: it stays what it is when a key is replaced.
   * `configured`: what the file says that the account is called.
   */
  account(credentials: Readonly<Record<string, string>>, configured?: string, bank?: BankSettings): string;
  /** The address and the account of payouts where they are not those of payments. null: there are none. */
  payoutsAt?(credentials: Readonly<Record<string, string>>): Pick<AccountIdentity, 'url' | 'account'> | null;
  /**
   * Whether the file may say that nothing at this account is real money. False unless its key or each of its addresses
   * shows that it is not live.
   */
  mayBeTest(settings: Pick<AccountSettings, 'baseUrl' | 'credentials'>): boolean;
  /** It is spoken to in files: `bank` says how. */
  readonly speaksInFiles?: true;
  /** Whether the file may say what the account is called, and this is not contradicted by the credentials. */
  takesAccount(credentials: Readonly<Record<string, string>>, configured: string): boolean;
  /** Credentials that an entry needs because of its other fields, beyond those that every entry needs. */
  missing?(written: { readonly baseUrl?: string; readonly credentials: object }): readonly string[];
  create(settings: AccountSettings): PspAdapter;
  /**
   * Asks for something that changes nothing, by the credentials of payments. Returns what it shows, for people.
   * @throws what the PSP refuses
   */
  check(settings: AccountSettings, call: CallContext): Promise<string>;
  /** Null where the account has no secret to check notifications by: then none is taken. */
  notices(settings: Pick<AccountSettings, 'credentials' | 'baseUrl'>): NotificationReader | null;
  /** The PSP's name of the account in its reports, where a report may be about others too. */
  reportsAreOf?(settings: Pick<AccountSettings, 'credentials' | 'bank'>): string | undefined;
  /** The formats of reports that this PSP writes. */
  readonly reportFormats?: readonly ReportHeading[];
  /** Null where the account has no credentials for it. */
  reports?(settings: ReportSettings): ReportSource | null;
}

export const required = (name: string): Credential => ({ name, required: true, secret: true });
export const optional = (name: string): Credential => ({ name, required: false, secret: true });

/** Blanks come of copying, and no signature would ever fit. */
export const signingSecret = (name: string): Credential => ({
  ...optional(name),
  form: { pattern: /^\S+$/, message: 'must have no blanks' },
});

/** A key that is no hexadecimal would be read as a shorter one, and in the end as an empty one. */
export const hmacKey = (name: string): Credential => ({
  ...optional(name),
  form: {
    pattern: /^(?:[0-9A-Fa-f]{2}){16,128}$/,
    message: 'must be hexadecimal, 32 to 256 characters and an even number of them',
  },
});

/** The secret before the last one is of no use alone: an operator who rotates has both. */
export const previous = (name: string, written: object): string[] =>
  `${name}Previous` in written && !(name in written) ? [name] : [];

type Checked = Pick<PspAdapter, 'close'> & { check(call: CallContext): Promise<string> };

/** Asks by an adapter of its own, whose sockets nobody else uses. */
export async function asked(adapter: Checked, call: CallContext): Promise<string> {
  try {
    return await adapter.check(call);
  } finally {
    await adapter.close();
  }
}

export function given(...values: readonly (string | undefined)[]): string[] {
  return values.filter((value) => value !== undefined);
}

/** A simulator: on this machine, or in a container with a name without a dot. */
export function isLocal(host: string): boolean {
  return isLoopback(host) || /^[a-z0-9_-]+$/.test(host);
}
