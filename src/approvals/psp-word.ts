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
  const said = attempts.findLast((a) => a.outcome !== null && !SAYS_NOTHING.has(a.outcome) && isOfPsp(a));
  if (!said) return null;
  const message = said.response?.['message'];
  const [money, ids] = [moneyIn(said), referencesIn(said)];
  const isOtherMoney = money !== null && (money.amount !== amount || money.currency !== currency);
  return {
    attempt: said.attempt,
    kind: said.kind,
    outcome: said.outcome!,
    code: said.pspCode === said.outcome ? null : said.pspCode,
    message: typeof message === 'string' ? message : null,
    money,
    objects: ids.map((id) => ({ id, url: urlOf(id) })),
    differs: isOtherMoney ? 'money' : ids.length > 1 ? 'objects' : null,
    at: (said.endedAt ?? said.startedAt).toISOString(),
  };
}

/** The difference between what was asked for and the PSP's last word, in a sentence; null: there is none. Pure. */
export function differenceOf(route: RouteHistory): string | null {
  const { request } = route;
  const { differs = null, money, objects = [] } = pspWordOf(route) ?? {};
  const ids = objects.map(({ id }) => id).join(', ');
  switch (differs) {
    case 'money':
      return `${formatMoney(request)} was asked for; ${request.psp} says ${formatMoney(money!)}${ids && ` (${ids})`}.`;
    case 'objects':
      return `One was asked for; ${request.psp} says that there are ${objects.length}: ${ids}.`;
    case null:
      return null;
  }
}
