import { PayonceClient, type ClientOptions, type FetchInit, type FetchResponse } from '@payonce/client';
import { captured, processing } from '../../src/payments/payment.examples.js';
import { VirtualClock } from './virtual-clock.js';

/** What the API does with one request. */
export type Turn = (request: Sent) => FetchResponse | Promise<FetchResponse>;

export interface Sent extends FetchInit {
  readonly url: string;
  /** On the client's clock. */
  readonly atMs: number;
}

type Headers = Readonly<Record<string, string>>;

export function answer(status: number, body: unknown, headers: Headers = {}): FetchResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: { get: (name) => headers[name.toLowerCase()] ?? null },
    text: () => Promise.resolve(text),
  };
}

export const created: Turn = () => answer(201, captured, { 'request-id': 'r-created' });
export const undecided: Turn = () => answer(202, processing, { 'request-id': 'r-undecided' });

/** Node's fetch says this of everything that is wrong with a connection. */
export const cut: Turn = () => Promise.reject(new TypeError('fetch failed'));

/** Neither answers nor listens to the signal. */
export const hang: Turn = () => new Promise(() => undefined);

export function problem(status: number, code: string, headers: Headers = {}): Turn {
  const document = { type: 't', title: 'Fixed', status, detail: 'Of this one.', code, request_id: 'r-body' };
  return () => answer(status, document, headers);
}

/** A client of an API that does one thing after the other, and the last one for ever. */
export class ScriptedApi {
  readonly sent: Sent[] = [];
  readonly client: PayonceClient;

  constructor(
    private readonly turns: readonly Turn[],
    readonly clock = new VirtualClock(),
    options: Partial<ClientOptions> = {},
  ) {
    let keys = 0;
    this.client = new PayonceClient({
      apiKey: 'po_live_secretsecretsecret',
      baseUrl: 'https://payonce.test/',
      clock: this.clock,
      random: () => 0,
      newIdempotencyKey: () => `made-${(keys += 1)}`,
      fetch: (url, init) => this.fetch(url, init),
      ...options,
    });
  }

  get keys(): (string | undefined)[] {
    return this.sent.map(({ headers }) => headers['idempotency-key']);
  }

  /** When each request was sent. */
  get times(): number[] {
    return this.sent.map(({ atMs }) => atMs);
  }

  private async fetch(url: string, init: FetchInit): Promise<FetchResponse> {
    const sent = { ...init, url, atMs: this.clock.monotonicMs() };
    this.sent.push(sent);
    const turn = this.turns[this.sent.length - 1] ?? this.turns.at(-1);
    if (turn === undefined) throw new Error('nothing is scripted');
    return turn(sent);
  }
}

/** What a call that must fail failed with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const came = await call.then(
    () => ({ failed: false, error: null }),
    (error: unknown) => ({ failed: true, error }),
  );
  if (!came.failed) throw new Error('the call did not fail');
  return came.error;
}
