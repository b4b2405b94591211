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

/** The zone of this browser. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** How times are written: how long ago, or exactly, in UTC or in that zone. */
export type TimeStyle = 'ago' | 'utc' | 'local';
export const timeStyles: readonly TimeStyle[] = zone === 'UTC' ? ['ago', 'utc'] : ['ago', 'utc', 'local'];

const STYLE = 'payonce-times';
const kept = timeStyles.find((style) => style === localStorage.getItem(STYLE));
let timeStyle: TimeStyle = kept ?? 'ago';

/** One timer for all times of a page. */
const shown = new Set<() => void>();
let ticks = 0;
function draw(): void {
  ticks++;
  for (const each of shown) each();
}
setInterval(draw, 5_000);
function onTick(each: () => void): () => void {
  shown.add(each);
  return () => shown.delete(each);
}

/** The style of all times, and what changes it in this browser. */
export function useTimeStyle(): readonly [TimeStyle, (style: TimeStyle) => void] {
  useSyncExternalStore(onTick, () => ticks);
  const set = (style: TimeStyle) => {
    timeStyle = style;
    localStorage.setItem(STYLE, style);
    draw();
  };
  return [timeStyle, set];
}

/** `2026-11-22 09:41:07`, as SQL and logs have it: in this order texts sort as times do. */
function exactly(time: string, style: 'utc' | 'local'): string {
  if (style === 'utc') return time.slice(0, 19).replace('T', ' ');
  return new Date(time).toLocaleString('sv-SE');
}

/** How long ago, or how soon, or the exact time; `Hint` shows it in UTC and in the zone of this browser. */
export function Time({ at }: { readonly at: string | null }) {
  const [style] = useTimeStyle();
  if (at === null) return <>–</>;
  return (
    <time dateTime={at} tabIndex={0}>
      {style === 'ago' ? ago(at, Date.now()) : exactly(at, style)}
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
      ? [`${exactly(target.dateTime, 'utc')} UTC`, ...inZone(target.dateTime)].join(', ')
      : (target.textContent ?? '').slice(0, 500);
  return <Tooltip key={label} target={target} label={label} opened multiline maw={480} />;
}

/** None where the zone is UTC. */
function inZone(time: string): string[] {
  return zone === 'UTC' ? [] : [`${exactly(time, 'local')} ${zone}`];
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
  sent: 'green',
  read: 'green',
  refused: 'red',
  formed: 'yellow',
  placing: 'yellow',
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
