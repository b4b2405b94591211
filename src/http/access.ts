import { type FastifyRequest } from 'fastify';
import { type OperatorRole } from '../core/operator-role.js';
import { type OpenSpan } from '../core/tracing.js';
import { type Caller, type Scope } from '../core/caller.js';

/** The access rule of a route. Routes without it are open: health, metrics, docs. */
export interface Access {
  /** Any one of them will do. */
  readonly scopes: readonly Scope[];
  /** It moves money, so it takes an Idempotency-Key. */
  readonly movesMoney: boolean;
}

/** The access rule of a route that takes the operators' token, and no API key. */
export interface OperatorAccess {
  readonly operator: true;
}

/** The facts that the hooks learned of a request before its handler runs. */
export interface InFlightRequest {
  readonly startedMs: number;
  /** Gives back its place among what is in flight, once its answer is ready; null: it has none. */
  release: (() => void) | null;
  answered: boolean;
  caller: Caller | null;
  id: string;
  key: string;
  waitS: number;
  /** null: the service's own. */
  deadlineMs: number | null;
  /** The content type to send: Fastify adds a charset to every JSON type, which RFC 8259 does not know. */
  contentType: string | null;
  /** null: nothing is traced. */
  span: OpenSpan | null;
  /** The code of the problem that was answered, for the log. */
  problem: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    inFlight: InFlightRequest;
  }
  interface FastifyContextConfig {
    access?: Access | OperatorAccess;
    /** It is for the console, with `access` for programs too: who is signed in needs this role; null: it is open, to sign in. */
    operatorRole?: OperatorRole | null;
    /** It takes a PSP's notification: no API key, and the body is kept as it came, to the byte. */
    isNotification?: boolean;
    /** Its body is a file, of the type application/octet-stream. */
    takesFile?: boolean;
    /** The most bytes of it, where they are not as many as of other files. */
    fileBytes?: number;
  }
}

/**
 * The header of every request of the console's pages: `active`, or `idle` for what a page left open asks by itself. A
 * page of another origin cannot send it to us without being asked about first, and is then refused: what defends
 * against forged requests beside the cookie's SameSite and the Origin.
 */
export const CONSOLE_HEADER = 'payonce-console';

/**
 * The role that a session needs for this request; undefined where no session lets it in, but another credential. A
 * route that takes both goes by the session where a page of the console asks. A proxy may add Basic authentication to what
 * the page sends; only a bearer's token is a credential of ours.
 */
export function roleOfSession({ routeOptions, headers }: FastifyRequest): OperatorRole | null | undefined {
  const { access, operatorRole } = routeOptions.config;
  const hasToken = /^bearer /i.test(headers.authorization ?? '');
  const isOfConsole = headers[CONSOLE_HEADER] !== undefined && !hasToken;
  return access === undefined || isOfConsole ? operatorRole : undefined;
}
