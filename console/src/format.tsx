import { Badge, Tooltip } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';

const locale = navigator.language;
const formats = new Map<string, Intl.NumberFormat>();

/** An amount as the service writes it, in the person's figures: `1,399.00 EUR`. */
export function money(amount: number, currency: string): string {
  return `${formatOf(currency).format(amount / 10 ** digitsOf(currency))} ${currency}`;
}

/** How many decimals the currency has: its minor units. */
export function digitsOf(currency: string): number {
  return formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;
}

function formatOf(currency: string): Intl.NumberFormat {
  let format = formats.get(currency);
  if (format === undefined) {
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
    }).resolvedOptions();
    format = new Intl.NumberFormat(locale, {
      minimumFractionDigits: maximumFractionDigits,
      maximumFractionDigits,
    });
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

/** What a list may be narrowed to: everything, or what has one of these stored words. */
export function optionsOf(
  values: readonly string[],
  everything: string,
): { readonly value: string; readonly label: string }[] {
  return [
    { value: '', label: words(everything) },
    ...values.map((value) => ({ value, label: words(value) })),
  ];
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

function ago(time: string, now: number): string {
  const ms = new Date(time).getTime() - now;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? (['second', 1_000] as const);
  return relative.format(Math.round(ms / size), unit);
}

/** One timer for all times of a page. */
const shown = new Set<() => void>();
let ticks = 0;
setInterval(() => {
  ticks++;
  for (const draw of shown) draw();
}, 5_000);
function onTick(draw: () => void): () => void {
  shown.add(draw);
  return () => shown.delete(draw);
}

/** How long ago, or how soon; `Hint` shows the exact time. */
export function Time({ at }: { readonly at: string | null }) {
  useSyncExternalStore(onTick, () => ticks);
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} tabIndex={0}>
      {ago(at, Date.now())}
    </time>
  );
}

/**
 * The exact time, or the whole of a text that is cut, where the pointer or the keyboard is: one for the page, since a tooltip for
 * each is slow.
 */
export function Hint() {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const look = ({ target: on }: Event) =>
      setTarget(on instanceof Element ? (on.closest('time') ?? cutAround(on)) : null);
    const events = ['pointerover', 'focusin'] as const;
    for (const event of events) document.addEventListener(event, look);
    return () => {
      for (const event of events) document.removeEventListener(event, look);
    };
  }, []);
  if (target === null) return null;
  const label =
    target instanceof HTMLTimeElement
      ? `${target.dateTime.slice(0, 19).replace('T', ' ')} UTC`
      : (target.textContent ?? '').slice(0, 500);
  return <Tooltip key={label} target={target} label={label} opened multiline maw={480} />;
}

function cutAround(on: Element): HTMLElement | null {
  const cell = on.closest<HTMLElement>('td.long');
  return cell && cell.scrollWidth > cell.clientWidth ? cell : null;
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
  overpaid: 'red',
  delivered: 'green',
  applied: 'green',
  exhausted: 'red',
  break: 'red',
  booked: 'green',
  'not booked': 'orange',
  received: 'yellow',
  pending: 'yellow',
  waiting: 'yellow',
  'waits for you': 'orange',
  waiting_for_approval: 'yellow',
  active: 'green',
};

export function State({ is }: { readonly is: string }) {
  return (
    <Badge color={colors[is] ?? 'gray'} variant="light" tt="none" fw={600} miw="max-content">
      {is.replaceAll('_', ' ')}
    </Badge>
  );
}
