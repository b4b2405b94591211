import { type Clock } from './clock.js';
import { type Form, list, text } from './form.js';
import {
  ENTITY_KEY,
  entityKeys,
  type PaymentIntent,
  type PaymentIntents,
  renderIntent,
} from './payment-intents.js';
import { badLimit, limitOf, listed, lookup } from './stripe-objects.js';
import { noSuch, stripeError } from './stripe-parameters.js';
import { search, type SearchClause } from './stripe-search.js';
import { json, type Reply, type Routed } from './wire.js';

const INTENTS = '/v1/payment_intents';

/** The three ways to ask Stripe what it knows: by id, by time, by metadata. */
export class StripeLookups {
  /** Search is eventually consistent: a payment is found only this long after it was made. */
  searchLagMs = 0;

  constructor(
    private readonly intents: PaymentIntents,
    private readonly clock: Clock,
    private readonly pages: () => string,
  ) {}

  retrieve(id: string, query: Form): Routed {
    const references = entityKeys(this.intents.get(id)?.metadata ?? {});
    return lookup(references, () => {
      const intent = this.intents.get(id);
      return intent === undefined
        ? noSuch('payment_intent', id, 'intent')
        : shown(intent, this.pages(), query);
    });
  }

  list(query: Form): Routed | Reply {
    const pages = this.pages();
    return listed(query, {
      objects: this.intents,
      thing: 'payment_intent',
      url: INTENTS,
      render: (intent) => renderIntent(intent, pages),
    });
  }

  search(query: Form): Routed | Reply {
    const limit = limitOf(query);
    if (limit === undefined) return badLimit();
    const clauses = search(text(query, 'query') ?? '');
    if (clauses === undefined) {
      return stripeError(400, {
        message:
          'We were unable to parse your search query. See https://stripe.com/docs/search for the syntax.',
        param: 'query',
      });
    }
    const keys = clauses.filter(({ field }) => field === `metadata.${ENTITY_KEY}`).map(({ value }) => value);
    return lookup(keys, () => {
      const horizon = this.clock.now() - this.searchLagMs;
      const [key] = keys;
      const candidates = key === undefined ? this.intents.newestFirst(0) : this.intents.withEntityKey(key);
      const found: PaymentIntent[] = [];
      for (const intent of candidates) {
        if (intent.createdMs <= horizon && matches(intent, clauses)) found.push(intent);
        if (found.length > limit) break;
      }
      return this.page(found.slice(0, limit), found.length > limit, {
        object: 'search_result',
        url: `${INTENTS}/search`,
        next_page: null,
      });
    });
  }

  private page(intents: readonly PaymentIntent[], more: boolean, about: object): Reply {
    const pages = this.pages();
    const data = intents.map((intent) => renderIntent(intent, pages));
    return json(200, { ...about, data, has_more: more });
  }
}

/** One payment as an answer. */
export function shown(intent: PaymentIntent, pages: string, form: Form): Reply {
  const expand = list(form, 'expand').includes('latest_charge');
  return { status: 200, body: () => JSON.stringify(renderIntent(intent, pages, expand)) };
}

function matches(intent: PaymentIntent, clauses: readonly SearchClause[]): boolean {
  return clauses.every(({ field, value }) => {
    if (field === 'status') return intent.status === value;
    if (field === 'currency') return intent.currency === value.toLowerCase();
    if (field === 'amount') return intent.amount === Number(value);
    return intent.metadata[field.slice('metadata.'.length)] === value;
  });
}
