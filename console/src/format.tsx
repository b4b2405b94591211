import { Badge, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

const locale = navigator.language;
const formats = new Map<string, Intl.NumberFormat>();

/** An amount in the form of its currency: minor units are as many decimals as the currency has. */
export function money(amount: number, currency: string): string {
  return formatOf(currency).format(amount / 10 ** digitsOf(currency));
}

/** How many decimals the currency has. */
export function digitsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

function formatOf(currency: string): Intl.NumberFormat {
  let format = formats.get(currency);
  if (format === undefined) {
    format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code' });
    formats.set(currency, format);
  }
  return format;
}

/** Of a side of the books, where the sign says which way it went. */
export function signedMoney(amount: number, currency: string): string {
  return amount > 0 ? `+${money(amount, currency)}` : money(amount, currency);
}

/** A stored word as people write it. */
export function words(stored: string): string {
  const text = stored.replaceAll('_', ' ').replace(/\bpsp\b/, 'PSP');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

export function ago(time: string, now: number): string {
  const ms = new Date(time).getTime() - now;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? (['second', 1_000] as const);
  return relative.format(Math.round(ms / size), unit);
}

/** How long ago, or how soon; the exact time is behind it. */
export function Time({ at }: { readonly at: string | null }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <>–</>;
  const exact = `${at.slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <Tooltip label={exact} openDelay={200} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at} tabIndex={0}>
        {ago(at, now)}
      </time>
    </Tooltip>
  );
}

const colors: Readonly<Record<string, string>> = {
  captured: 'green',
  authorized: 'teal',
  refunded: 'gray',
  partially_refunded: 'gray',
  canceled: 'gray',
  failed: 'red',
  processing: 'yellow',
  requires_action: 'yellow',
  effective: 'green',
  ruled_out: 'gray',
  open: 'yellow',
  stuck: 'orange',
  succeeded: 'green',
  declined: 'red',
  rejected: 'red',
  conflict: 'red',
  approved: 'green',
  good: 'green',
  paid: 'green',
  delivered: 'green',
  applied: 'green',
  exhausted: 'red',
  break: 'red',
  received: 'yellow',
  pending: 'yellow',
  waiting: 'yellow',
};

export function State({ is }: { readonly is: string }) {
  return (
    <Badge color={colors[is] ?? 'gray'} variant="light" tt="none" fw={600}>
      {is.replaceAll('_', ' ')}
    </Badge>
  );
}
