import { type Stripe } from 'stripe';
import { type Clock } from '../../kernel/index.js';
import { type Answer, type Instruction } from '../contract.js';
import { ENTITY_KEY, ROUTE } from './stripe.mapping.js';

const PAGE = 100;
const MOST_PAGES = 10;
/** How far Stripe's clock and ours may be apart before a list by time proves nothing, in s. */
const CLOCK_SKEW_S = 300;

/** What every object that a route makes is known by. */
export interface Marked {
  readonly id: string;
  readonly metadata: Stripe.Metadata | null;
}

export interface Page {
  readonly limit: number;
  readonly starting_after?: string;
  readonly created?: CreatedRange;
}

interface CreatedRange {
  readonly gte: number;
  readonly lte?: number;
}

/** One of Stripe's lists, newest first. */
export interface Listing<T extends Marked> {
  readonly list: (page: Page) => Promise<Stripe.Response<Stripe.ApiList<T>>>;
  /** What one found object says about the instruction. */
  readonly judge: (object: T) => Answer;
  /** The time in question; without it the list is bounded by something else than time, or by nothing. */
  readonly created: CreatedRange | undefined;
  readonly clock: Clock;
}

/**
 * Reads a list to its end for what carries our names. The only source of "not found": Stripe's lists
 * read what was written, its search may be late.
 */
export async function verdictByList<T extends Marked>(
  { list, judge, created, clock }: Listing<T>,
  instruction: Instruction,
  signal: AbortSignal,
): Promise<Answer> {
  const ours: T[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    signal.throwIfAborted();
    const { data, has_more, lastResponse } = await list({
      limit: PAGE,
      ...(created ? { created } : {}),
      ...(after ? { starting_after: after } : {}),
    });
    // Whoever else may answer here does not get to say that there is nothing more.
    if (typeof has_more !== 'boolean') return { outcome: 'unknown', pspCode: 'unreadable_answer' };
    ours.push(...data.filter((object) => isOurs(object, instruction)));
    after = data.at(-1)?.id;
    if (!has_more) {
      const nothing = ours.length === 0 && created && !clocksAgree(clock, lastResponse.headers['date']);
      return nothing ? { outcome: 'unknown', pspCode: 'clocks_differ' } : verdictOf(ours, judge);
    }
    if (!after) break;
  }
  return ours.length > 0 ? verdictOf(ours, judge) : { outcome: 'unknown', pspCode: 'too_many_to_list' };
}

export function isOurs({ metadata }: Marked, { entityKey, route }: Instruction): boolean {
  return metadata?.[ENTITY_KEY] === entityKey && metadata[ROUTE] === String(route);
}

/** When ours can have been created: from the first execute on, until the last one has settled. */
export function windowOf(
  { firstSentAt, lastSentAt }: Instruction,
  settlesAfterMs: number,
): CreatedRange | undefined {
  if (!firstSentAt) return undefined;
  const gte = Math.floor(firstSentAt.getTime() / 1_000) - CLOCK_SKEW_S;
  if (!lastSentAt) return { gte };
  return { gte, lte: Math.ceil((lastSentAt.getTime() + settlesAfterMs) / 1_000) + CLOCK_SKEW_S };
}

function verdictOf<T extends Marked>(ours: readonly T[], judge: (object: T) => Answer): Answer {
  const [only] = ours;
  if (!only) return { outcome: 'not_found' };
  if (ours.length === 1) return judge(only);
  const reference = { pspReference: only.id, pspCode: 'several_found' };
  return { ...reference, outcome: 'conflict', message: `${ours.length} objects for one route` };
}

/** Where the clocks are apart, the time that was listed is not the time that was meant. */
function clocksAgree(clock: Clock, date: string | undefined): boolean {
  const apartMs = Math.abs(clock.now().getTime() - Date.parse(date ?? ''));
  return apartMs < CLOCK_SKEW_S * 1_000;
}
