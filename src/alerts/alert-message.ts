import { formatMoney } from '../core/money.js';
import { type AlertEvent, type AlertKind, type Waiting } from './alert-rules.js';

/** An alert in words, for people and for the systems that wake them. It names no payment, customer or merchant. */
export interface AlertMessage {
  readonly event: AlertEvent;
  readonly kind: AlertKind;
  readonly count: number;
  /** One line. */
  readonly summary: string;
  /** The host of the console, which tells installations apart; `payonce` where it is not configured. */
  readonly source: string;
  /** The address of the list; null where the console's is not configured. */
  readonly link: string | null;
}

interface Words {
  readonly one: string;
  readonly many: string;
  readonly do: string;
  /** Below the console's address. */
  readonly path: string;
}

const words: Readonly<Record<AlertKind, Words>> = {
  stuck: {
    one: 'operation is stuck',
    many: 'operations are stuck',
    do: 'find out what the PSP did',
    path: 'stuck',
  },
  orphans: {
    one: 'orphan effect waits',
    many: 'orphan effects wait',
    do: 'a PSP did something beside the books',
    path: 'orphans',
  },
  breaks: {
    one: 'break is open',
    many: 'breaks are open',
    do: 'a PSP and the books differ',
    path: 'reconciliation',
  },
  disputes: {
    one: 'dispute is open',
    many: 'disputes are open',
    do: "answer in the PSP's dashboard",
    path: 'disputes?status=open',
  },
  disputes_due: {
    one: 'dispute is open whose answer is due within three days',
    many: 'disputes are open whose answers are due within three days',
    do: "answer in the PSP's dashboard, or the money is lost",
    path: 'disputes?status=open',
  },
  approvals: {
    one: 'request waits for approval',
    many: 'requests wait for approval',
    do: 'a second person decides',
    path: 'approvals',
  },
  late_reports: {
    one: 'report of a PSP is late or was refused',
    many: 'reports of PSPs are late or were refused',
    do: 'find out why',
    path: 'reconciliation?list=due',
  },
};

/** So many currencies are named. */
const NAMED = 3;

export function messageOf(event: AlertEvent, waiting: Waiting, consoleUrl: string | null): AlertMessage {
  const { list: kind, count } = waiting;
  const { path } = words[kind];
  const link =
    consoleUrl === null ? null : `${consoleUrl.endsWith('/') ? consoleUrl : `${consoleUrl}/`}${path}`;
  const source = consoleUrl === null ? 'payonce' : new URL(consoleUrl).host;
  return { event, kind, count, source, summary: summaryOf(event, waiting), link };
}

function summaryOf(event: AlertEvent, { list: kind, count, oldestAt, money }: Waiting): string {
  const { one, many, do: task } = words[kind];
  if (event === 'over') return `Payonce: no ${many} any more`;
  const sums = money.slice(0, NAMED).map(formatMoney);
  const more = money.length > NAMED ? [`${money.length - NAMED} more currencies`] : [];
  const of = sums.length === 0 ? '' : ` (${[...sums, ...more].join(', ')})`;
  const since = oldestAt === null ? '' : `, the oldest since ${oldestAt.toISOString().slice(0, 16)}Z`;
  const still = event === 'reminder' ? 'still: ' : '';
  return `Payonce: ${still}${count} ${count === 1 ? one : many}${of}${since}: ${task}`;
}
