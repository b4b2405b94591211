import { request } from 'node:http';
import { type PspName, type Simulator } from '@payonce/simulator';

/** Requests as the vendors' clients make them, and answers as they came. */

export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** As much of both vendors' answers as the specs look at. */
export interface Body {
  readonly id: string;
  readonly status: string | number;
  readonly amount: number | { value: number };
  readonly amount_received: number;
  readonly amount_capturable: number;
  readonly has_more: boolean;
  readonly metadata: Record<string, string>;
  readonly latest_charge: string | null;
  readonly last_payment_error: { code: string; decline_code?: string } | null;
  readonly next_action: { redirect_to_url: { url: string } } | null;
  readonly data: readonly Body[];
  readonly error: {
    type: string;
    code?: string;
    decline_code?: string;
    param?: string;
    message: string;
    payment_intent?: Body;
  };
  readonly pspReference: string;
  readonly paymentPspReference: string;
  readonly resultCode: string;
  readonly refusalReason: string;
  readonly refusalReasonCode: string;
  readonly errorCode: string;
  readonly errorType: string;
  readonly action: { url: string; type: string };
}

export interface Charge {
  readonly key?: string;
  readonly entityKey?: string;
  readonly token?: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly manual?: boolean;
  readonly extra?: Record<string, string>;
  readonly signal?: AbortSignal;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export class StripeClient {
  constructor(private readonly url: string) {}

  charge({ entityKey = 'payment-1-charge', token = 'pm_card_visa', ...rest }: Charge = {}): Promise<Seen> {
    const { key, amount = 1000, currency = 'eur', manual = false, extra = {}, signal } = rest;
    const form = {
      amount: String(amount),
      currency,
      confirm: 'true',
      payment_method: token,
      'payment_method_types[0]': 'card',
      capture_method: manual ? 'manual' : 'automatic',
      'metadata[payonce_entity_key]': entityKey,
      'metadata[payonce_route]': '1',
      ...extra,
    };
    return this.post('/v1/payment_intents', form, key, signal);
  }

  post(path: string, form: Record<string, string> = {}, key?: string, signal?: AbortSignal): Promise<Seen> {
    return seen(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_x', ...keyed(key) },
      body: new URLSearchParams(form),
      signal: signal ?? AbortSignal.timeout(10_000),
    });
  }

  get(path: string): Promise<Seen> {
    return seen(`${this.url}${path}`, { headers: { authorization: 'Bearer sk_test_x' } });
  }

  search(entityKey: string): Promise<Seen> {
    const query = encodeURIComponent(`metadata['payonce_entity_key']:'${entityKey}'`);
    return this.get(`/v1/payment_intents/search?query=${query}`);
  }
}

export class AdyenClient {
  constructor(private readonly url: string) {}

  pay({ entityKey = 'payment-1-charge', token = 'stored-card', ...rest }: Charge = {}): Promise<Seen> {
    const { key, amount = 1000, currency = 'EUR', manual = false } = rest;
    const body = {
      amount: { value: amount, currency },
      reference: entityKey,
      merchantAccount: 'PayonceECOM',
      paymentMethod: { type: 'scheme', storedPaymentMethodId: token },
      shopperReference: 'shopper-1',
      shopperInteraction: 'ContAuth',
      recurringProcessingModel: 'UnscheduledCardOnFile',
      returnUrl: 'https://shop.example/return',
      ...(manual ? { additionalData: { manualCapture: 'true' } } : {}),
    };
    return this.post('/v71/payments', body, key);
  }

  post(path: string, body: object, key?: string): Promise<Seen> {
    return seen(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': 'key', ...JSON_TYPE, ...keyed(key) },
      body: JSON.stringify(body),
    });
  }
}

/** The effects at one PSP as `operation reference amount` lines. */
export function effects(simulator: Simulator, psp: PspName): string[] {
  return simulator
    .ledger(psp)
    .effects.map(
      ({ operation, reference, amount, currency }) => `${operation} ${reference} ${amount} ${currency}`,
    );
}

/** Why a request got no answer: ECONNREFUSED, ECONNRESET, UND_ERR_SOCKET (FIN), or AbortError. */
export async function failure(answer: Promise<unknown>): Promise<string> {
  try {
    await answer;
    return 'answered';
  } catch (error) {
    // Errors of fetch come from another realm than the specs: no instanceof.
    const { name, cause } = error as { name: string; cause?: { code?: string } };
    return cause?.code ?? name;
  }
}

/** Looks again until it holds; some tens of milliseconds at most. */
export async function eventually(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 2_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('it did not come to hold');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** One request over a connection of its own: what an HTTP client makes of a broken answer. */
export function rawError(url: string, body: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent: false, headers }, (response) => {
      response.on('error', (error: NodeJS.ErrnoException) => resolve(`body: ${error.code}`));
      response.on('end', () => resolve('answered'));
      response.resume();
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    outgoing.end(body);
  });
}

async function seen(url: string, init: RequestInit): Promise<Seen> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body = (isJson ? JSON.parse(text) : { error: { message: text } }) as Body;
  return { status: response.status, headers: response.headers, body };
}

function keyed(key?: string): Record<string, string> {
  return key === undefined ? {} : { 'idempotency-key': key };
}
