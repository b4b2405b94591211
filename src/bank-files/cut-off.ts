import { type CutOffs } from '../psp/bank-sepa/bank-settings.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The last cut-off that has passed: what was collected until then is to be sent. */
export function lastCutOff({ times, timeZone, everyMinutes }: CutOffs, now: Date): Date {
  if (everyMinutes !== null) {
    const stepMs = everyMinutes * MINUTE_MS;
    return new Date(Math.floor(now.getTime() / stepMs) * stepMs);
  }
  // A time of day may not be on the clock on one day, when summer time begins; two days hold it surely.
  const days = [0, 1, 2].map((back) => dayIn(timeZone, new Date(now.getTime() - back * DAY_MS)));
  const passed = days
    .flatMap((day) => times.map((time) => instantOf(day, time, timeZone)))
    .filter((at) => at <= now.getTime());
  return new Date(Math.max(...passed));
}

/** `2026-11-22`: the day that the bank's customers have at this moment. */
export function dayIn(timeZone: string, at: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
}

export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function instantOf(day: string, time: string, timeZone: string): number {
  const asUtc = Date.parse(`${day}T${time}:00Z`);
  const guess = asUtc - offsetMs(timeZone, asUtc);
  // On a day with a change of the offset the first guess may have used the wrong one.
  return asUtc - offsetMs(timeZone, guess);
}

function offsetMs(timeZone: string, at: number): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(new Date(at)).replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;
}
