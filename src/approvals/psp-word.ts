import { formatMoney } from '../core/money.js';
import { isOfStatement, type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { statedBy } from '../request-storage/decisions/person-statement.js';
import { moneyIn, referencesIn } from '../request-storage/decisions/reference.js';
import { type PspWord } from './approval-views.js';

/** Answers that say nothing of what became of it. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['unknown', 'not_sent', 'throttled']);

/**
 * The last that the PSP has said of a route, by an answer or a notification; null: nothing. `urlOf`: the page of an object
 * in its own dashboard. Pure.
 */
export function pspWordOf(
  { attempts }: Pick<RouteHistory, 'attempts'>,
  urlOf: (pspReference: string) => string | null = () => null,
): PspWord | null {
  const said = attempts.findLast(
    (a) => a.outcome !== null && !SAYS_NOTHING.has(a.outcome) && statedBy(a) === null && !isOfStatement(a),
  );
  if (!said) return null;
  const message = said.response?.['message'];
  return {
    attempt: said.attempt,
    kind: said.kind,
    outcome: said.outcome!,
    code: said.pspCode === said.outcome ? null : said.pspCode,
    message: typeof message === 'string' ? message : null,
    money: moneyIn(said),
    objects: referencesIn(said).map((id) => ({ id, url: urlOf(id) })),
    at: (said.endedAt ?? said.startedAt).toISOString(),
  };
}

/** The difference between what was asked for and the PSP's last word, in a sentence; null: there is none. Pure. */
export function differenceOf({ request, attempts }: RouteHistory): string | null {
  const word = pspWordOf({ attempts });
  if (!word) return null;
  const { psp, amount, currency } = request;
  const ids = word.objects.map(({ id }) => id).join(', ');
  const { money } = word;
  if (money && (money.amount !== amount || money.currency !== currency)) {
    return `${formatMoney(request)} was asked for; ${psp} says ${formatMoney(money)}${ids && ` (${ids})`}.`;
  }
  return word.objects.length > 1
    ? `One was asked for; ${psp} says that there are ${word.objects.length}: ${ids}.`
    : null;
}
