import { type Answered, type Asked, type ItemOf, type ListPath, type Page, type PathOf } from './api.js';
import { Call, type Outcome } from './call.js';
import { type Request } from './exchange.js';
import { List } from './list.js';
import {
  checkedKey,
  patienceOf,
  positive,
  type ReadOptions,
  type Settings,
  type WriteOptions,
} from './options.js';

/** What is known of every answer to a call that may move money. */
export interface Settlement {
  /** 200, 201 or 202. */
  readonly status: number;
  /** Asks for the same again. */
  readonly idempotencyKey: string;
  /** Quote it when you ask for help. */
  readonly requestId: string | null;
  /** Whether this is the stored answer of an earlier request with the key. */
  readonly replayed: boolean;
  /** How many requests it took. */
  readonly tries: number;
}

/** It has come to rest, one way or the other: a decline is at rest too. */
export interface Settled<Body> extends Settlement {
  readonly settled: true;
  readonly body: Body;
}

/** The outcome is not known yet. The service goes on by itself; ask again with the same key. */
export interface NotSettled<Body> extends Settlement {
  readonly settled: false;
  readonly body: Body;
}

/** What a POST answers; only paths that can answer 202 can be unsettled. */
export type Written<P extends PathOf<'post'>> =
  | Settled<Answered<'post', P, 200 | 201>>
  | ([Answered<'post', P, 202>] extends [never] ? never : NotSettled<Answered<'post', P, 202>>);

/** The parts of a request with any path. */
interface Parts {
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** Paths of the document in, their answers out. A method of the client is one line over this. */
export class Transport {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** @throws PayonceError */
  async get<P extends PathOf<'get'>>(
    path: P,
    asked: Asked<'get', P>,
    options: ReadOptions = {},
  ): Promise<Answered<'get', P, 200>> {
    const { body } = await this.#call(this.#request('GET', path, asked, null), null, 0, options);
    return body as Answered<'get', P, 200>;
  }

  /** With an Idempotency-Key that all tries share. @throws PayonceError */
  async post<P extends PathOf<'post'>>(
    path: P,
    asked: Asked<'post', P>,
    options: WriteOptions = {},
  ): Promise<Written<P>> {
    const idempotencyKey = checkedKey(options.idempotencyKey ?? this.#settings.newIdempotencyKey());
    const { waitUntilSettledMs } = options;
    if (waitUntilSettledMs !== undefined) positive('waitUntilSettledMs', waitUntilSettledMs);
    const request = this.#request('POST', path, asked, idempotencyKey);
    const outcome = await this.#call(request, idempotencyKey, waitUntilSettledMs ?? 0, options);
    const { status, body, requestId, replayed, tries } = outcome;
    const written = { settled: status !== 202, body, status, idempotencyKey, requestId, replayed, tries };
    // The document says which body comes with which status; that it is right is tested on its side.
    return written as Written<P>;
  }

  /** Moves no money and takes no key. @throws PayonceError */
  async act<P extends PathOf<'post'>>(
    path: P,
    asked: Asked<'post', P>,
    options: ReadOptions = {},
  ): Promise<Answered<'post', P, 200 | 201 | 202>> {
    const { body } = await this.#call(this.#request('POST', path, asked, null), null, 0, options);
    return body as Answered<'post', P, 200 | 201 | 202>;
  }

  list<P extends ListPath>(path: P, asked: Asked<'get', P>, options: ReadOptions = {}): List<ItemOf<P>> {
    return new List(async (cursor) => {
      const { query, ...rest }: Parts = asked;
      const next = cursor === null ? asked : { ...rest, query: { ...query, cursor } };
      const { body } = await this.#call(this.#request('GET', path, next, null), null, 0, options);
      return body as Page<ItemOf<P>>;
    });
  }

  #call(
    request: Request,
    idempotencyKey: string | null,
    waitUntilSettledMs: number,
    options: ReadOptions,
  ): Promise<Outcome> {
    const patience = patienceOf(options, this.#settings);
    const { signal } = options;
    return new Call(
      request,
      { ...patience, signal, idempotencyKey, waitUntilSettledMs },
      this.#settings,
    ).run();
  }

  /** The body is written once, so that no try can send another one. */
  #request(method: Request['method'], template: string, asked: Parts, key: string | null): Request {
    const { apiKey, baseUrl } = this.#settings;
    const query = queryOf(asked.query ?? {});
    const body = asked.body === undefined ? null : JSON.stringify(asked.body);
    return {
      method,
      url: `${baseUrl}${pathOf(template, asked.path ?? {})}${query === '' ? '' : `?${query}`}`,
      headers: {
        accept: 'application/json, application/problem+json',
        authorization: `Bearer ${apiKey}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
      body,
    };
  }
}

/** @throws TypeError for what would make it another path: nothing at all, or dots. */
function pathOf(template: string, parameters: object): string {
  const values = new Map<string, unknown>(Object.entries(parameters));
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) throw new TypeError(`${name}: must be an id`);
    return encodeURIComponent(value);
  });
}

function queryOf(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') {
      for (const [member, text] of Object.entries(value as object)) {
        parameters.append(`${name}[${member}]`, String(text));
      }
    } else if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.toString();
}
