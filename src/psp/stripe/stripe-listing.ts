import { type Stripe } from 'stripe';
import { type Answer, type Instruction } from '../contract.js';
import { type ListPage, type PageRequest } from '../listing.js';
import { ENTITY_KEY, KEY, ROUTE } from './stripe.mapping.js';

const PAGE = 100;

/** An object of Stripe with the names of the route that made it. */
export interface MarkedObject {
  readonly id: string;
  readonly metadata: Stripe.Metadata | null;
}

/** The parameters of one page. */
export interface Page {
  readonly limit: number;
  readonly starting_after?: string;
  /** In s, both included. */
  readonly created?: { readonly gte: number; readonly lte: number };
}

/** A page of one of Stripe's lists, which read what was written; its search may be late. */
export async function pageOf<T extends MarkedObject>(
  { created, after }: PageRequest,
  list: (page: Page) => Promise<Stripe.Response<Stripe.ApiList<T>>>,
): Promise<ListPage<T> | Answer> {
  const { data, has_more, lastResponse } = await list({
    limit: PAGE,
    ...(created
      ? { created: { gte: Math.floor(created.fromMs / 1_000), lte: Math.ceil(created.toMs / 1_000) } }
      : {}),
    ...(after ? { starting_after: after } : {}),
  });
  // An answer of another kind does not prove that there is nothing more.
  if (typeof has_more !== 'boolean') return { outcome: 'unknown', pspCode: 'unreadable_answer' };
  const last = data.at(-1)?.id;
  if (has_more && last === undefined) return { outcome: 'unknown', pspCode: 'too_many_to_list' };
  return { data, next: has_more ? last! : null, date: lastResponse.headers['date'] };
}

export function isOurs({ metadata }: MarkedObject, instruction: Instruction): boolean {
  const { entityKey, route, carriesKey, idempotencyKey } = instruction;
  if (carriesKey && metadata?.[KEY] === idempotencyKey) return true;
  return metadata?.[ENTITY_KEY] === entityKey && metadata[ROUTE] === String(route);
}
