import { CronExpressionParser } from 'cron-parser';
import { isCurrency } from '../core/money.js';
import { matching, type Schema, strictObject, text } from './shape.js';

/** How reports of an account are fetched and held against the ledger: `reconciliation` in the PSPs file. */
export interface ReconciliationSettings {
  /** When a report is due: five fields of cron, in `timeZone` (UTC unless given). */
  readonly schedule?: string;
  readonly timeZone?: string;
  /** How long the PSP may take to report an effect. */
  readonly slaHours?: number;
  /** How far a line and a transaction without a common id may differ and still be matched. */
  readonly toleranceHours?: number;
  /** Minor units by currency. */
  readonly toleranceAmounts?: Readonly<Record<string, number>>;
}

const hours = (maximum: number): Schema => ({ type: 'number', minimum: 0, maximum });

export const reconciliationSettings: Schema = strictObject(
  {},
  {
    schedule: matching(String.raw`^(?:\S+ ){4}\S+$`),
    timeZone: text,
    slaHours: hours(24 * 90),
    toleranceHours: hours(24 * 14),
    toleranceAmounts: {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    },
  },
);

interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/** The faults of the settings, each with its place below them. */
export function faultsOfReconciliation(settings: ReconciliationSettings): Fault[] {
  const { schedule, timeZone, toleranceAmounts = {} } = settings;
  const faults: Fault[] = [];
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    faults.push({ pointer: '/timeZone', message: 'is no time zone such as Europe/Berlin' });
  } else if (schedule !== undefined && !isCron(schedule)) {
    faults.push({ pointer: '/schedule', message: 'is no cron expression such as 0 6 * * *' });
  }
  for (const currency of Object.keys(toleranceAmounts).filter((each) => !isCurrency(each))) {
    faults.push({ pointer: `/toleranceAmounts/${currency}`, message: 'is no ISO 4217 currency' });
  }
  return faults;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function isCron(schedule: string): boolean {
  try {
    CronExpressionParser.parse(schedule, { tz: 'UTC' }).next();
    return true;
  } catch {
    return false;
  }
}

export type Schedule = Required<Pick<ReconciliationSettings, 'schedule' | 'timeZone'>>;

/** The due times after the one and until the other, oldest first; of more than `most` the newest. */
export function dueTimes({ schedule, timeZone }: Schedule, after: Date, until: Date, most: number): Date[] {
  const cron = CronExpressionParser.parse(schedule, {
    tz: timeZone,
    // The time itself counts too.
    currentDate: new Date(until.getTime() + 1),
  });
  const due: Date[] = [];
  while (due.length < most) {
    const time = cron.prev().toDate();
    if (time.getTime() <= after.getTime()) break;
    due.unshift(time);
  }
  return due;
}

/** The first due time after this one. */
export function nextDue({ schedule, timeZone }: Schedule, after: Date): Date {
  return CronExpressionParser.parse(schedule, { tz: timeZone, currentDate: after }).next().toDate();
}
