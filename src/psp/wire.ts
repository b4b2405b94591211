import http from 'node:http';
import https from 'node:https';
import { type Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { traceparent } from '../core/tracing.js';
import { LOCK_TOO_OLD, markUnsent } from './network-error.js';

/** No valid answer to a payment call is larger; a larger one is not read. */
export const MAX_ANSWER_BYTES = 1_048_576;

/**
 * How long an idle connection is kept. Shorter than the 5 s after which common servers hang up, so
 * that a request is seldom written into a connection that the other side is just closing: such a
 * reset is "maybe reached" and costs a lookup.
 */
const IDLE_MS = 4_000;

const MAX_CONNECT_MS = 5_000;

/**
 * The connections of one PSP account: kept alive, and able to say of a failure that it happened
 * before the connection stood. Connecting has a deadline of its own, well inside that of the call,
 * so that a silent network can be distinguished from a silent PSP.
 */
export class Wire {
  readonly http: http.Agent;
  readonly https: https.Agent;

  constructor(timeoutMs: number) {
    const connectMs = Math.max(1, Math.min(MAX_CONNECT_MS, Math.floor(timeoutMs / 2)));
    const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 256 };
    this.http = new WatchedAgent(options, connectMs);
    this.https = new WatchedTlsAgent(options, connectMs);
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

type Created = (error: Error | null, stream: Duplex) => void;

class WatchedAgent extends http.Agent {
  constructor(
    options: http.AgentOptions,
    private readonly connectMs: number,
  ) {
    super(options);
  }

  override createConnection(options: http.ClientRequestArgs, created?: Created) {
    return watched(super.createConnection(options, created), 'connect', this.connectMs);
  }
}

class WatchedTlsAgent extends https.Agent {
  constructor(
    options: https.AgentOptions,
    private readonly connectMs: number,
  ) {
    super(options);
  }

  override createConnection(options: https.RequestOptions, created?: Created) {
    return watched(super.createConnection(options, created), 'secureConnect', this.connectMs);
  }
}

/** Open connections: bytes written to them are sent at once. */
const standing = new WeakSet<object>();

/**
 * Writes a request once its connection stands, and only where its lock is still valid then: connecting may take
 * seconds, and a lock lapses meanwhile.
 */
export function whenStanding(
  request: http.ClientRequest,
  leaseStillValid: () => boolean,
  write: () => void,
): void {
  // The client's context is that of the call; the connection's events have none.
  const from = traceparent();
  const stands = () => {
    if (request.destroyed) return;
    if (from !== null) request.setHeader('traceparent', from);
    if (leaseStillValid()) write();
    else request.destroy(markUnsent(new LockTooOld()));
  };
  const connected = (socket: Duplex) => {
    if (standing.has(socket)) stands();
    else socket.once(readyEventOf(socket), stands);
  };
  if (request.socket) connected(request.socket);
  else request.once('socket', connected);
}

/** The same request for a client that writes by itself: what it writes is held back, see `whenStanding`. */
function heldBack(request: http.ClientRequest, leaseStillValid: () => boolean): http.ClientRequest {
  const end = request.end.bind(request) as (body: Buffer) => void;
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  return Object.assign(request, {
    write: (chunk: unknown) => {
      keep(chunk);
      return true;
    },
    end: (chunk?: unknown) => {
      keep(chunk);
      whenStanding(request, leaseStillValid, () => end(Buffer.concat(chunks)));
      return request;
    },
  });
}

/** node:http or node:https, as axios takes it, with requests that are held back. */
export function heldBackTransport(secure: boolean, leaseStillValid: () => boolean): object {
  const request = (options: https.RequestOptions, answered: (response: http.IncomingMessage) => void) =>
    heldBack((secure ? https : http).request(options, answered), leaseStillValid);
  return { ...(secure ? https : http), request };
}

function readyEventOf(socket: Duplex): string {
  return socket instanceof TLSSocket ? 'secureConnect' : 'connect';
}

class LockTooOld extends Error {
  readonly code = LOCK_TOO_OLD;

  constructor() {
    super('The lock would not have outlived the call');
  }
}

/**
 * Marks every error before `ready` as not sent, and gives up after `connectMs`. A process that was late looks first
 * whether the connection has come to stand meanwhile: timers ring before sockets are read.
 */
function watched<S extends Duplex | null | undefined>(socket: S, ready: string, connectMs: number): S {
  if (!socket) return socket;
  const deadline = AbortSignal.timeout(connectMs);
  const failed = (error: Error) => markUnsent(error);
  const tooLate = () =>
    setImmediate(() => {
      if (standing.has(socket)) return;
      socket.destroy(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' }));
    });
  deadline.addEventListener('abort', tooLate);
  socket.prependListener('error', failed);
  socket.once('close', () => deadline.removeEventListener('abort', tooLate));
  socket.once(ready, () => {
    deadline.removeEventListener('abort', tooLate);
    socket.off('error', failed);
    standing.add(socket);
  });
  return socket;
}
