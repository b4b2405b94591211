import { setTimeout as sleep } from 'node:timers/promises';

/** A payment and its attempts as far as a shop reads them; the API has more. */
export interface Payment {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly entity_key: string;
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface Attempt {
  readonly entity_key: string;
  readonly route: number;
  readonly attempt: number;
  readonly psp: string;
  readonly kind: string;
  /** null: its end was never seen. */
  readonly outcome: string | null;
  readonly psp_code: string | null;
  readonly latency_ms: number | null;
  readonly verdict: string;
  readonly started_at: string;
}

/** A refund as far as a shop reads it. */
export interface Refund {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}

export interface Order {
  readonly reference: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly capture?: 'automatic' | 'manual';
  /** What the card does, as each PSP's own test token. */
  readonly tokens?: Readonly<Record<string, string>>;
}

const GOOD_CARD = { stripe: 'pm_card_visa', adyen: '8415000000000001' };
const TIMEOUT_MS = 15_000;
/** How long a shop goes on asking until its payment has come to rest. */
const PATIENCE_MS = 20_000;
const MAX_PAGES = 100;

/** A merchant's checkout: it knows the REST API, its API key, and nothing else. */
export class Shop {
  constructor(
    private readonly url: () => string,
    private readonly apiKey: string,
  ) {}

  /** One request, answered or not. */
  post(path: string, key: string, body: object, waitS = 0): Promise<Answer> {
    const headers = {
      'idempotency-key': key,
      'content-type': 'application/json',
      ...(waitS > 0 ? { prefer: `wait=${waitS}` } : {}),
    };
    return this.ask(path, headers, { method: 'POST', body: JSON.stringify(body) });
  }

  /** Pays as a shop should: the same request under the same key until there is a last word. */
  async settle(path: string, key: string, body: object): Promise<Answer> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.post(path, key, body, 10);
      const again = answer.status === 202 || answer.status === 409 || answer.status >= 500;
      if (!again || performance.now() > giveUpAt) return answer;
      await sleep(100);
    }
  }

  async pay(order: Order): Promise<{ readonly payment: Payment; readonly answer: Answer }> {
    const answer = await this.settle('/v1/payments', keyFor(order), requestFor(order));
    return { payment: paymentIn(answer), answer };
  }

  /** Has events sent to an address; the secret that they are signed with. */
  async listenAt(url: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', body: JSON.stringify({ url }) };
    const { status, text } = await this.ask('/v1/webhook_endpoints', headers, init);
    if (status !== 201) throw new Error(`The endpoint was answered ${status} ${text}`);
    return (JSON.parse(text) as { secret: string }).secret;
  }

  /** Every call to a PSP about a payment, oldest first. */
  async attempts(paymentId: string): Promise<Attempt[]> {
    const { data } = (await this.read(`/v1/payments/${paymentId}/attempts`)) as { data: Attempt[] };
    // Newest first as they come; two of one millisecond stand in the order of their routes.
    return data.toSorted(
      (a, b) => a.started_at.localeCompare(b.started_at) || a.route - b.route || a.attempt - b.attempt,
    );
  }

  /** Everything this merchant ever asked for, oldest first. */
  async payments(): Promise<Payment[]> {
    const found: Payment[] = [];
    let cursor = '';
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page = (await this.read(`/v1/payments?limit=100${cursor}`)) as {
        data: Payment[];
        has_more: boolean;
        next_cursor: string | null;
      };
      found.push(...page.data);
      if (!page.has_more) return found.toReversed();
      cursor = `&cursor=${page.next_cursor}`;
    }
    throw new Error(`The merchant has more than ${MAX_PAGES} pages of payments.`);
  }

  private async read(path: string): Promise<unknown> {
    const { status, text } = await this.ask(path, {}, {});
    if (status !== 200) throw new Error(`GET ${path} was answered ${status} ${text}`);
    return JSON.parse(text);
  }

  private async ask(
    path: string,
    headers: Readonly<Record<string, string>>,
    init: { readonly method?: string; readonly body?: string },
  ): Promise<Answer> {
    const answer = await fetch(`${this.url()}${path}`, {
      ...init,
      headers: { ...headers, authorization: `Bearer ${this.apiKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    return { status: answer.status, text: await answer.text(), replayed };
  }
}

export function keyFor({ reference }: Order): string {
  return `checkout-${reference}`;
}

export function requestFor({ tokens = GOOD_CARD, capture = 'automatic', ...order }: Order): object {
  return {
    ...order,
    capture,
    payment_method: {
      type: 'card',
      tokens,
      customers: { adyen: 'shopper-of-the-demo' },
      card: { brand: 'visa', country: 'DE' },
    },
  };
}

export function refundIn({ status, text }: Answer): Refund {
  if (status >= 300) throw new Error(`A refund was expected and the answer is ${status} ${text}`);
  return JSON.parse(text) as Refund;
}

export function paymentIn({ status, text }: Answer): Payment {
  if (status >= 300) throw new Error(`A payment was expected and the answer is ${status} ${text}`);
  return JSON.parse(text) as Payment;
}
