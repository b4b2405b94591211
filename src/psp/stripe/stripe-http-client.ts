import http from 'node:http';
import https from 'node:https';
import StripeSdk from 'stripe';
import { type CallContext } from '../contract.js';
import { MAX_ANSWER_BYTES, whenStanding, type Wire } from '../wire.js';

type ClientFace = NonNullable<NonNullable<ConstructorParameters<typeof StripeSdk>[1]>['httpClient']>;
type ResponseFace = Awaited<ReturnType<ClientFace['makeRequest']>>;

/**
 * The SDK's way onto the wire, with one promise that its own client does not keep: one call is one
 * request. stripe-node sends a POST again after ECONNRESET or EPIPE even with maxNetworkRetries 0
 * (`RequestSender._shouldRetry`, github.com/stripe/stripe-node/issues/1040), although the first may
 * have been executed. Those two are reported under a name of ours that the SDK does not know.
 */
export class OneRequestHttpClient implements ClientFace {
  private readonly contexts = new Map<string, CallContext>();
  private calls = 0;

  constructor(private readonly wire: Wire) {}

  getClientName(): string {
    return 'payonce';
  }

  /**
   * Runs `send` so that the context's deadline ends the requests it makes, and its lock is looked at before
   * each is written. The SDK has no way to pass either; the headers handed to `send` name the call, and are
   * taken off again before anything is sent.
   */
  async during<T>(context: CallContext, send: (headers: Record<string, string>) => Promise<T>): Promise<T> {
    const call = String(++this.calls);
    this.contexts.set(call, context);
    try {
      return await withoutStack(() => send({ [CALL_HEADER]: call }));
    } finally {
      this.contexts.delete(call);
    }
  }

  makeRequest(
    host: string,
    port: string,
    path: string,
    method: string,
    headers: object,
    requestData: string,
    protocol: string,
  ): Promise<ResponseFace> {
    const { [CALL_HEADER]: call, ...sent } = headers as Record<string, string>;
    const context = this.contexts.get(call ?? '');
    if (!context) return Promise.reject(new TypeError('a request that belongs to no call'));
    const plain = protocol === 'http';
    return new Promise((resolve, reject) => {
      const request = (plain ? http : https).request({
        host,
        port,
        path,
        method,
        headers: sent,
        agent: plain ? this.wire.http : this.wire.https,
      });
      const stopListening = context.onGivenUp((reason) => request.destroy(reason));
      request.once('close', stopListening);
      request.once('response', (response) => resolve(new WholeResponse(response)));
      request.on('error', (error) => reject(notSentAgain(error)));
      whenStanding(request, context.leaseStillValid, () => request.end(requestData));
    });
  }
}

/** Spelt as the SDK spells header names after it has normalised them. */
const CALL_HEADER = 'X-Payonce-Call';

/** Marks an answer that is not Stripe's: no status of it proves anything. */
export const UNREADABLE_ANSWER = 'unreadable_answer';

/** The SDK notes the stack of every call, for errors whose stack is not read here. It costs a tenth of the call. */
function withoutStack<T>(begin: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return begin();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** An error that the SDK passes on instead of sending the request again. */
function notSentAgain(error: Error & { code?: string }): Error {
  if (!StripeSdk.HttpClient.CONNECTION_CLOSED_ERROR_CODES.includes(error.code ?? '')) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'CONNECTION_CLOSED' });
}

/** An object; and with any status but success an error, since the SDK does not look at the status. */
function isWordOfStripe(body: unknown, status: number): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  return (status >= 200 && status < 300) || 'error' in body;
}

/** A response that is read whole, up to a limit. */
class WholeResponse implements ResponseFace {
  constructor(private readonly response: http.IncomingMessage) {}

  getStatusCode(): number {
    return this.response.statusCode ?? 0;
  }

  getHeaders(): Record<string, string> {
    return this.response.headers as Record<string, string>;
  }

  getRawResponse(): http.IncomingMessage {
    return this.response;
  }

  toStream(): never {
    throw new Error('answers are not streamed');
  }

  dispose(): void {
    this.response.destroy();
  }

  async toJSON(): Promise<unknown> {
    const text = await this.text();
    try {
      const body: unknown = JSON.parse(text);
      if (isWordOfStripe(body, this.getStatusCode())) return body;
    } catch {
      // falls through: a page of a proxy, half a body
    }
    // Reported as an error of the API, because the SDK's own "invalid JSON" loses the HTTP status.
    return { error: { type: 'api_error', code: UNREADABLE_ANSWER, message: 'The answer is none of Stripe' } };
  }

  /** By events: an async iterator costs as much as all the rest of reading. */
  private text(): Promise<string> {
    const { response } = this;
    const chunks: Buffer[] = [];
    let bytes = 0;
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(StripeSdk.HttpClient.makeResponseBodyError(notSentAgain(error)));
      if (response.destroyed) fail(new Error('the connection was closed'));
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) response.destroy(new RangeError('the answer is too large'));
        else chunks.push(chunk);
      });
      response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.once('error', fail);
      response.once('close', () => {
        if (!response.readableEnded) fail(new Error('the connection was closed'));
      });
    });
  }
}
