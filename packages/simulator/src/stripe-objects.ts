import { type Form, text } from './form.js';
import { noSuch, stripeError } from './stripe-parameters.js';
import { type Created, type Objects } from './objects.js';
import { json, type Reply, type Routed } from './wire.js';

interface Listing<T extends Created> {
  readonly objects: Objects<T>;
  /** What Stripe calls one of them in a message. */
  readonly thing: string;
  readonly url: string;
  readonly fits?: (object: T) => boolean;
  readonly render: (object: T) => object;
}

/** A list as every kind of object has one: newest first, `limit`, `starting_after`, `created`. */
export function listed<T extends Created>(query: Form, listing: Listing<T>): Routed | Reply {
  const { objects, thing, url, render, fits = () => true } = listing;
  const limit = limitOf(query);
  if (limit === undefined) return badLimit();
  const created = query['created'];
  const range = typeof created === 'object' ? created : {};
  const since = Number(text(range, 'gte') ?? 0) * 1000;
  const until = (Number(text(range, 'lte') ?? 9_999_999_999) + 1) * 1000;
  return lookup([], () => {
    const after = text(query, 'starting_after');
    const start = after === undefined ? undefined : objects.get(after);
    if (after !== undefined && start === undefined) return noSuch(thing, after, 'starting_after', 400);
    const found: T[] = [];
    for (const object of objects.newestFirst(since, start)) {
      if (object.createdMs < until && fits(object)) found.push(object);
      if (found.length > limit) break;
    }
    const data = found.slice(0, limit).map(render);
    return json(200, { object: 'list', url, data, has_more: found.length > limit });
  });
}

export function lookup(references: readonly string[], run: () => Reply): Routed {
  return { kind: 'lookup', references, key: null, run };
}

export function limitOf(query: Form): number | undefined {
  const limit = Number(text(query, 'limit') ?? 10);
  return Number.isInteger(limit) && limit >= 1 && limit <= 100 ? limit : undefined;
}

export function badLimit(): Reply {
  return stripeError(400, {
    code: 'parameter_invalid_integer',
    message: 'Limit must be an integer from 1 to 100.',
    param: 'limit',
  });
}

export function seconds(ms: number): number;
export function seconds(ms: number | null): number | null;
export function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.floor(ms / 1000);
}
