import { type Stripe } from 'stripe';
import { type Clock } from '../../core/clock.js';
import { type Answer, type CallContext, type Instruction } from '../contract.js';
import { ENTITY_KEY, KEY, ROUTE } from './stripe.mapping.js';

const PAGE = 100;
/** The part of a call's time for the list; the rest is for the calls before it and for the answer. */
const READING_SHARE = 0.8;
/** How long before and after an execute its object can have been created, by Stripe's clock, in ms. */
const MARGIN_MS = 60_000;
/** How far Stripe's clock and ours may be apart within that margin. Beyond it the times are moved. */
const UNNOTICED_SKEW_MS = 15_000;
/** Beyond it our clock is wrong, and it is not known what it said when the requests were sent. */
const MAX_SKEW_MS = 300_000;

/** An object of Stripe with the names of the route that made it. */
export interface MarkedObject {
  readonly id: string;
  readonly metadata: Stripe.Metadata | null;
}

export interface Page {
  readonly limit: number;
  readonly starting_after?: string;
  readonly created?: CreatedRange;
}

interface CreatedRange {
  /** In s, both included. */
  readonly gte: number;
  readonly lte: number;
}

/** A stretch of time by our clock, in ms since the epoch. */
interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One of Stripe's lists, newest first. */
interface Listing<T extends MarkedObject> {
  readonly list: (page: Page) => Promise<Stripe.Response<Stripe.ApiList<T>>>;
  /** The answer that one found object gives about the instruction. */
  readonly judge: (object: T) => Answer;
  /** When ours can have been created; without it the list is bounded by something else than time. */
  readonly times: readonly TimeRange[] | undefined;
  readonly clock: Clock;
}

/**
 * Reads a list to its end for what carries our names. The only source of "not found": Stripe's lists
 * read what was written, its search may be late. However much others have made meanwhile, it pages on
 * for as long as the call may take.
 */
export async function verdictByList<T extends MarkedObject>(
  listing: Listing<T>,
  instruction: Instruction,
  call: CallContext,
): Promise<Answer> {
  const reading = new Reading(listing, instruction, call);
  const { times } = listing;
  if (times === undefined) return (await reading.read(undefined)) ?? reading.verdict();
  for (const range of times) {
    // Stripe's clock is known from its first answer on; what was listed by another is listed again.
    let skewMs: number;
    do {
      skewMs = reading.skewMs;
      const failure = await reading.read(createdIn(range, skewMs));
      if (failure) return failure;
    } while (Math.abs(reading.skewMs - skewMs) > UNNOTICED_SKEW_MS);
  }
  return reading.verdict();
}

/** The part of a list that was read so far. */
class Reading<T extends MarkedObject> {
  /** How far Stripe's clock is ahead of ours. */
  skewMs = 0;
  private hasDates = true;
  private readonly ours = new Map<string, T>();
  private readonly giveUpMs: number;

  constructor(
    private readonly listing: Listing<T>,
    private readonly instruction: Instruction,
    private readonly call: CallContext,
  ) {
    this.giveUpMs = listing.clock.monotonicMs() + call.timeoutMs * READING_SHARE;
  }

  /** Reads to the end of this time; an answer where it does not get there. */
  async read(created: CreatedRange | undefined): Promise<Answer | null> {
    const { listing, instruction, call, ours } = this;
    let after: string | undefined;
    for (;;) {
      call.signal.throwIfAborted();
      if (listing.clock.monotonicMs() >= this.giveUpMs) break;
      const { data, has_more, lastResponse } = await listing.list({
        limit: PAGE,
        ...(created ? { created } : {}),
        ...(after ? { starting_after: after } : {}),
      });
      // An answer of another kind does not prove that there is nothing more.
      if (typeof has_more !== 'boolean') return { outcome: 'unknown', pspCode: 'unreadable_answer' };
      for (const object of data) if (isOurs(object, instruction)) ours.set(object.id, object);
      this.compareClocks(lastResponse.headers['date']);
      const last = data.at(-1)?.id;
      if (!has_more) return null;
      if (last === undefined || last === after) break;
      after = last;
    }
    return ours.size > 0 ? this.verdict() : { outcome: 'unknown', pspCode: 'too_many_to_list' };
  }

  verdict(): Answer {
    const [only, ...others] = this.ours.values();
    if (!only) {
      const knowsWhen = this.hasDates && Math.abs(this.skewMs) < MAX_SKEW_MS;
      return this.listing.times && !knowsWhen
        ? { outcome: 'unknown', pspCode: 'clocks_differ' }
        : { outcome: 'not_found' };
    }
    if (others.length === 0) return this.listing.judge(only);
    const pspReferences = [only, ...others].map(({ id }) => id);
    const references = { pspReference: only.id, pspReferences, pspCode: 'several_found' };
    return { ...references, outcome: 'conflict', message: `${this.ours.size} objects for one route` };
  }

  /** The header has whole seconds, and its way took some of the call's time: the margin has room for both. */
  private compareClocks(date: string | undefined): void {
    const theirs = Date.parse(date ?? '');
    if (Number.isNaN(theirs)) this.hasDates = false;
    else this.skewMs = theirs - this.listing.clock.now().getTime();
  }
}

export function isOurs({ metadata }: MarkedObject, instruction: Instruction): boolean {
  const { entityKey, route, carriesKey, idempotencyKey } = instruction;
  if (carriesKey && metadata?.[KEY] === idempotencyKey) return true;
  return metadata?.[ENTITY_KEY] === entityKey && metadata[ROUTE] === String(route);
}

/** When ours can have been created: around each execute, until it has settled. */
export function timesOf({ sentAt }: Instruction, settlesAfterMs: number): readonly TimeRange[] | undefined {
  if (!sentAt || sentAt.length === 0) return undefined;
  const ranges: TimeRange[] = [];
  for (const sent of sentAt.toSorted((a, b) => a.getTime() - b.getTime())) {
    const fromMs = sent.getTime() - MARGIN_MS;
    const toMs = sent.getTime() + settlesAfterMs + MARGIN_MS;
    const last = ranges.at(-1);
    if (last && fromMs <= last.toMs) ranges[ranges.length - 1] = { fromMs: last.fromMs, toMs };
    else ranges.push({ fromMs, toMs });
  }
  return ranges;
}

function createdIn({ fromMs, toMs }: TimeRange, skewMs: number): CreatedRange {
  return { gte: Math.floor((fromMs + skewMs) / 1_000), lte: Math.ceil((toMs + skewMs) / 1_000) };
}
