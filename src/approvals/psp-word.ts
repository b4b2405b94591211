import { formatMoney } from '../core/money.js';
import { type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { isOfPsp } from '../request-storage/decisions/person-statement-rules.js';
import { moneyIn, referencesIn } from '../request-storage/decisions/reference.js';
import { type PspWord } from './approval-views.js';

/** Answers that say nothing of what became of it. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['unknown', 'not_sent', 'throttled']);

/**
 * The last that the PSP has said of a route, by an answer or a notification; null: nothing. `urlOf`: the page of an object
 * in its own dashboard. Pure.
 */
export function pspWordOf(
  { request: { amount, currency }, attempts }: RouteHistory,
  urlOf: (pspReference: string) => string | null = () => null,
): PspWord | null {
  const words = attempts
    .filter((a) => a.outcome !== null && !SAYS_NOTHING.has(a.outcome) && isOfPsp(a))
    .map((said) => {
      const [money, ids] = [moneyIn(said), referencesIn(said)];
      const isOtherMoney = money !== null && (money.amount !== amount || money.currency !== currency);
      const differs = isOtherMoney ? ('money' as const) : ids.length > 1 ? ('objects' as const) : null;
      return { said, money, ids, differs, at: (said.endedAt ?? said.startedAt).toISOString() };
    });
  const last = words.at(-1);
  if (!last) return null;
  const { said, money, ids, differs, at } = last;
  const other = differs === null ? words.findLast((word) => word.differs !== null) : undefined;
  const message = said.response?.['message'];
  return {
    attempt: said.attempt,
    kind: said.kind,
    outcome: said.outcome!,
    code: said.pspCode === said.outcome ? null : said.pspCode,
    message: typeof message === 'string' ? message : null,
    money,
    objects: ids.map((id) => ({ id, url: urlOf(id) })),
    differs,
    before: other
      ? { money: other.differs === 'money' ? other.money : null, objects: other.ids.length, at: other.at }
      : null,
    at,
  };
}

/** Whether the PSP says that it did what was asked for, and said something else before. Pure. */
export function hasAgreed(route: RouteHistory): boolean {
  const word = pspWordOf(route);
  return word?.outcome === 'succeeded' && word.before !== null;
}

/**
 * The difference between what was asked for and what the PSP says, or has said before its last word agreed, in a sentence; null:
 * there is none. Pure.
 */
export function differenceOf(route: RouteHistory): string | null {
  const { request } = route;
  const { differs = null, money, objects = [], before = null, outcome = '' } = pspWordOf(route) ?? {};
  const ids = objects.map(({ id }) => id).join(', ');
  switch (differs) {
    case 'money':
      return `${formatMoney(request)} was asked for; ${request.psp} says ${formatMoney(money!)}${ids && ` (${ids})`}.`;
    case 'objects':
      return `One was asked for; ${request.psp} says that there are ${objects.length}: ${ids}.`;
    case null:
      return (
        before &&
        `${request.psp} said ${saidBefore(before)} before, and last ${outcome === 'succeeded' ? 'that it did what was asked for' : outcome.replaceAll('_', ' ')}: only a person can tell what is there.`
      );
  }
}

function saidBefore({ money, objects }: NonNullable<PspWord['before']>): string {
  return money === null ? `that there are ${objects}` : formatMoney(money);
}
