import { type Form, text } from './form.js';
import { noSuch, stripeError } from './stripe-parameters.js';
import { Full, json, type Reply, type Routed } from './wire.js';

export const MAX_PAYMENTS = 500_000;

/** What every object of Stripe's has. */
export interface Created {
  readonly id: string;
  /** Place in the order of creation. */
  readonly index: number;
  readonly createdMs: number;
}

/** All objects of one kind of one Stripe account, in order of creation. */
export class StripeObjects<T extends Created> {
  private readonly inOrder: string[] = [];
  private readonly byId = new Map<string, T>();

  constructor(
    private readonly what: string,
    private readonly cap = MAX_PAYMENTS,
  ) {}

  /** The place of the next one; refuses loudly when there is none. */
  nextIndex(): number {
    if (this.inOrder.length >= this.cap) throw new Full(this.what, this.cap);
    return this.inOrder.length;
  }

  add(object: T): T {
    this.inOrder.push(object.id);
    this.byId.set(object.id, object);
    return object;
  }

  replace(object: T): T {
    this.byId.set(object.id, object);
    return object;
  }

  get(id: string): T | undefined {
    return this.byId.get(id);
  }

  /** Newest first, from before `startingAfter`, created from `since` on. */
  *newestFirst(sinceMs: number, startingAfter?: T): Generator<T> {
    for (let index = (startingAfter?.index ?? this.inOrder.length) - 1; index >= 0; index -= 1) {
      const object = this.byId.get(this.inOrder[index] ?? '');
      if (object === undefined || object.createdMs < sinceMs) return;
      yield object;
    }
  }

  reset(): void {
    this.inOrder.length = 0;
    this.byId.clear();
  }
}

interface Listing<T extends Created> {
  readonly objects: StripeObjects<T>;
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
