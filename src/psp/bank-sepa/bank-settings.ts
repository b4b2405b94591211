import { list, matching, type Schema, strictObject } from '../shape.js';
import { BIC, isIban } from './bank-account.js';
import {
  creditTransferFormats,
  type CreditTransferFormat,
  directDebitFormats,
  type DirectDebitFormat,
  type OwnAccount,
} from './pain-writer.js';

/** The server on which a bank takes files and leaves its own. */
export interface SftpSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The fingerprint of the server's host key, as `ssh-keygen -lf` prints it: `SHA256:…`. A server with another key is refused. */
  readonly hostKey: string;
  /** The folder that the bank takes our files from. */
  readonly upload: string;
  /** The folder where the bank leaves its files. */
  readonly download: string;
  /** The folder to which files of the bank are moved once they are read; absent: they are left where they are. */
  readonly archive?: string;
}

/** When files are made: at times of day, or every so many minutes. */
export interface CutOffs {
  readonly times: readonly string[];
  readonly timeZone: string;
  readonly everyMinutes: number | null;
}

/** How a bank is spoken to. */
export interface BankSettings {
  readonly account: OwnAccount;
  readonly sftp: SftpSettings;
  readonly cutOffs: CutOffs;
  readonly creditTransferFormat: CreditTransferFormat;
  readonly directDebitFormat: DirectDebitFormat;
  /** Whether ACSC and ACCC in a status report are enough, or the booking on a statement is waited for. */
  readonly settledBy: 'statement' | 'status';
  /** After so long without a booking an operation is stuck, and a person asks the bank. */
  readonly answersWithinDays: number;
  /** How long ahead of its collection a direct debit is announced. */
  readonly collectAfterDays: number;
  readonly maxTransactions: number;
  readonly fetchEveryMinutes: number;
}

/** The entry `bank` of an account in PAYONCE_PSPS_FILE, as written. */
export interface WrittenBank {
  readonly account: OwnAccount;
  readonly sftp: Omit<SftpSettings, 'port'> & { readonly port?: number };
  readonly cutOffs: {
    readonly times?: readonly string[];
    readonly timeZone?: string;
    readonly everyMinutes?: number;
  };
  readonly creditTransferFormat?: CreditTransferFormat;
  readonly directDebitFormat?: DirectDebitFormat;
  readonly settledBy?: 'statement' | 'status';
  readonly answersWithinDays?: number;
  readonly collectAfterDays?: number;
  readonly maxTransactions?: number;
  readonly fetchEveryMinutes?: number;
}

const MAX_TRANSACTIONS = 10_000;
const folder = matching('^(?!.*(?:^|/)\\.\\.(?:/|$))[\\w./-]{1,200}$');
const count = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum });
const oneOf = (...values: readonly string[]): Schema => ({ enum: values });

export const bankShape = strictObject(
  {
    account: strictObject(
      { name: { type: 'string', minLength: 1, maxLength: 70 }, iban: { type: 'string' } },
      { bic: matching(BIC.source), creditorId: matching('^[A-Z]{2}\\d{2}[A-Za-z0-9]{1,31}$') },
    ),
    sftp: strictObject(
      {
        host: matching('^[A-Za-z0-9.:-]{1,253}$'),
        user: matching('^[\\w.@-]{1,64}$'),
        hostKey: matching('^SHA256:[A-Za-z0-9+/]{43}$'),
        upload: folder,
        download: folder,
      },
      { port: count(1, 65_535), archive: folder },
    ),
    cutOffs: strictObject(
      {},
      {
        times: list(matching('^([01]\\d|2[0-3]):[0-5]\\d$'), { minItems: 1, maxItems: 24 }),
        timeZone: { type: 'string', maxLength: 64 },
        everyMinutes: count(1, 1_440),
      },
    ),
  },
  {
    creditTransferFormat: oneOf(...creditTransferFormats),
    directDebitFormat: oneOf(...directDebitFormats),
    settledBy: oneOf('statement', 'status'),
    answersWithinDays: count(1, 90),
    collectAfterDays: count(0, 30),
    maxTransactions: count(1, MAX_TRANSACTIONS),
    fetchEveryMinutes: count(1, 1_440),
  },
);

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** The faults that a shape cannot find, with their place below the account. */
export function faultsOfBank(
  { adapter, speaksInFiles }: { readonly adapter: string; readonly speaksInFiles?: true },
  { bank, baseUrl }: { readonly bank?: WrittenBank; readonly baseUrl?: string },
): readonly Fault[] {
  const faults: Fault[] = [];
  const fault = (pointer: string, message: string) => void faults.push({ pointer, message });
  const inFiles = speaksInFiles === true;
  if (inFiles && baseUrl !== undefined) {
    fault('/baseUrl', `is not taken by ${adapter}: bank/sftp says where it is`);
  }
  if (inFiles !== (bank !== undefined)) fault('/bank', inFiles ? 'is missing' : `is not taken by ${adapter}`);
  if (bank === undefined) return faults;
  const { times, timeZone, everyMinutes } = bank.cutOffs;
  if (!isIban(bank.account.iban)) fault('/bank/account/iban', 'is no IBAN');
  if ((times === undefined) === (everyMinutes === undefined)) {
    fault('/bank/cutOffs', 'must have either times or everyMinutes');
  }
  if (times !== undefined && timeZone === undefined) {
    fault('/bank/cutOffs', 'must have a timeZone beside times');
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) fault('/bank/cutOffs/timeZone', 'is no time zone');
  return faults;
}

export function bankSettingsOf(written: WrittenBank): BankSettings {
  const { account, sftp, cutOffs } = written;
  return {
    account,
    sftp: { ...sftp, port: sftp.port ?? 22 },
    cutOffs: {
      times: cutOffs.times ?? [],
      timeZone: cutOffs.timeZone ?? 'UTC',
      everyMinutes: cutOffs.everyMinutes ?? null,
    },
    creditTransferFormat: written.creditTransferFormat ?? 'pain.001.001.09',
    directDebitFormat: written.directDebitFormat ?? 'pain.008.001.08',
    settledBy: written.settledBy ?? 'statement',
    answersWithinDays: written.answersWithinDays ?? 5,
    collectAfterDays: written.collectAfterDays ?? 2,
    maxTransactions: written.maxTransactions ?? 1_000,
    fetchEveryMinutes: written.fetchEveryMinutes ?? 10,
  };
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
