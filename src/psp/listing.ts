import { type Clock } from '../core/clock.js';
import { type Answer, type CallContext, type Instruction } from './contract.js';

/** The part of a call's time for the list; the rest is for the calls before it and for the answer. */
const READING_SHARE = 0.8;
/** How long before and after an execute its object can have been created, by the PSP's clock, in ms. */
const MARGIN_MS = 60_000;
/** How far the PSP's clock and ours may be apart within that margin. Beyond it the times are moved. */
const UNNOTICED_SKEW_MS = 15_000;
/** Beyond it our clock is wrong, and it is not known what it said when the requests were sent. */
const MAX_SKEW_MS = 300_000;

/** A stretch of time, in ms since the epoch, both ends included. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Which page of a list. */
export interface PageRequest {
  /** By the PSP's clock. */
  readonly created: TimeRange | undefined;
  /** The `next` of the page before it. */
  readonly after: string | undefined;
}

export interface ListPage<T> {
  readonly data: readonly T[];
  /** The place where the next page begins; null behind the last. */
  readonly next: string | null;
  /** The `Date` of the answer. */
  readonly date: string | undefined;
}

/** One list of a PSP, newest first. */
interface Listing<T> {
  /** A page; an answer where it is none: only what was listed to its end proves that there is nothing more. */
  readonly list: (page: PageRequest) => Promise<ListPage<T> | Answer>;
  readonly idOf: (object: T) => string;
  /** Whether the object carries our names of this route. */
  readonly isOurs: (object: T) => boolean;
  /** The answer that one found object gives about the instruction. */
  readonly judge: (object: T) => Answer;
  /** When ours can have been created; without it the list is bounded by something else than time. */
  readonly times: readonly TimeRange[] | undefined;
  readonly clock: Clock;
}

/**
 * Reads a list to its end for what carries our names; a search may be late. However much others have made meanwhile, it
 * pages on for as long as the call may take.
 */
export async function verdictByList<T>(listing: Listing<T>, call: CallContext): Promise<Answer> {
  const reading = new Reading(listing, call);
  const { times } = listing;
  if (times === undefined) return (await reading.read(undefined)) ?? reading.verdict();
  for (const range of times) {
    // The PSP's clock is known from its first answer on; what was listed by another is listed again.
    let skewMs: number;
    do {
      skewMs = reading.skewMs;
      const failure = await reading.read({ fromMs: range.fromMs + skewMs, toMs: range.toMs + skewMs });
      if (failure) return failure;
    } while (Math.abs(reading.skewMs - skewMs) > UNNOTICED_SKEW_MS);
  }
  return reading.verdict();
}

/** The part of a list that was read so far. */
class Reading<T> {
  /** How far the PSP's clock is ahead of ours. */
  skewMs = 0;
  private hasDates = true;
  private readonly ours = new Map<string, T>();
  private readonly giveUpMs: number;

  constructor(
    private readonly listing: Listing<T>,
    private readonly call: CallContext,
  ) {
    this.giveUpMs = listing.clock.monotonicMs() + call.timeoutMs * READING_SHARE;
  }

  /** Reads to the end of this time; an answer where it does not get there. */
  async read(created: TimeRange | undefined): Promise<Answer | null> {
    const { listing, call, ours } = this;
    let after: string | undefined;
    for (;;) {
      call.signal.throwIfAborted();
      if (listing.clock.monotonicMs() >= this.giveUpMs) break;
      const page = await listing.list({ created, after });
      if (!('data' in page)) return page;
      for (const object of page.data) if (listing.isOurs(object)) ours.set(listing.idOf(object), object);
      this.compareClocks(page.date);
      if (page.next === null) return null;
      if (page.next === after) break;
      after = page.next;
    }
    return ours.size > 0 ? this.verdict() : { outcome: 'unknown', pspCode: 'too_many_to_list' };
  }

  verdict(): Answer {
    const { idOf, judge, times } = this.listing;
    const [only, ...others] = this.ours.values();
    if (only === undefined) {
      const knowsWhen = this.hasDates && Math.abs(this.skewMs) < MAX_SKEW_MS;
      return times && !knowsWhen
        ? { outcome: 'unknown', pspCode: 'clocks_differ' }
        : { outcome: 'not_found' };
    }
    if (others.length === 0) return judge(only);
    const pspReferences = [only, ...others].map(idOf);
    const references = { pspReference: idOf(only), pspReferences, pspCode: 'several_found' };
    return { ...references, outcome: 'conflict', message: `${this.ours.size} objects for one route` };
  }

  /** The header has whole seconds, and its way took some of the call's time: the margin has room for both. */
  private compareClocks(date: string | undefined): void {
    const theirs = Date.parse(date ?? '');
    if (Number.isNaN(theirs)) this.hasDates = false;
    else this.skewMs = theirs - this.listing.clock.now().getTime();
  }
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
