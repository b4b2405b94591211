import { type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { type LookupFunction } from 'node:net';
import { type TargetGuard, TargetRefused } from './target-guard.js';

/** The result of one request. The answer's body is read, up to a bound, and dropped. */
export interface PostOutcome {
  /** null where no answer came. */
  readonly status: number | null;
  /** null if the endpoint accepted it (2xx). */
  readonly errorCode: string | null;
  /** Its Retry-After header, as it came. */
  readonly retryAfter: string | null;
}

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: name, connection, headers, body. */
  readonly timeoutMs: number;
}

/** The most bytes of an answer; the rest is not read. */
const MAX_ANSWER_BYTES = 65_536;
const MAX_HEADER_BYTES = 16_384;

/**
 * One POST to an address that a merchant gave. Never throws. Uses Node's own client without a library: it follows
 * no redirects, uses no proxies from the environment and keeps no connections, and it gets the checked addresses,
 * so that a name that resolves to another address a moment later does not matter. Host and SNI stay those of the
 * URL.
 */
export async function post(
  guard: TargetGuard,
  { url: text, headers, body, timeoutMs }: Post,
): Promise<PostOutcome> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { url, addresses } = await guard.check(text, signal);
    const options: https.RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: false,
      lookup: pinnedTo(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    };
    return await sent(url, options, body, signal);
  } catch (error) {
    return { status: null, errorCode: deliveryErrorCode(error, signal), retryAfter: null };
  }
}

function sent(
  url: URL,
  options: https.RequestOptions,
  body: string,
  signal: AbortSignal,
): Promise<PostOutcome> {
  return new Promise((settle) => {
    let [status, retryAfter]: [number | null, string | null] = [null, null];
    // The first result counts: a connection that is cut later changes nothing.
    const ended = (errorCode: string | null) => settle({ status, errorCode, retryAfter });
    const failed = (error: Error) => ended(deliveryErrorCode(error, signal));
    const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
      status = response.statusCode ?? null;
      retryAfter = response.headers['retry-after'] ?? null;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MAX_ANSWER_BYTES) return;
        // The status is enough: the rest of a long answer is not read.
        ended(faultOf(status));
        response.destroy();
      });
      response.on('end', () => ended(faultOf(status)));
      response.on('error', failed);
    });
    request.on('error', failed);
    request.end(body);
  });
}

function faultOf(status: number | null): string | null {
  if (status === null) return 'failed';
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'http_error';
}

function pinnedTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, done) => {
    if (all) return done(null, [...addresses]);
    const [{ address, family }] = addresses as [LookupAddress];
    return done(null, address, family);
  };
}

const codes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
};

/** A short code of ours: messages of errors may quote addresses and what was sent. */
function deliveryErrorCode(error: unknown, signal: AbortSignal): string {
  if (error instanceof TargetRefused) return error.fault;
  if (signal.aborted) return 'timeout';
  const code = systemCodeOf(error);
  if (code in codes) return codes[code]!;
  if (code.startsWith('HPE_')) return 'answer_unreadable';
  return /CERT|TLS|SSL|SELF_SIGNED|SIGNATURE|EPROTO/.test(code) ? 'tls_failed' : 'failed';
}

function systemCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // A name with several addresses fails with one error for each; the last one is reported.
  return 'errors' in error && Array.isArray(error.errors) ? systemCodeOf(error.errors.at(-1)) : '';
}
