import { type Config } from '../config/config.js';

/** Bounds on requests that anybody can send, which take nothing from those of merchants. */
export interface StrangersLimits {
  /** Worked on at once, of those whose body is there. */
  readonly maxInFlight: number;
  /** Bodies that arrive at once; one more cuts off the one that has been on its way for the longest. */
  readonly maxArriving: number;
  /** For a body to arrive. */
  readonly bodyMs: number;
}

/** Bounds on what one client, or all together, can take from the process. */
export abstract class ApiLimits {
  /** Requests of merchants, by REST and gRPC, that are worked on at once; one more is answered 503 before anything is done. */
  readonly maxInFlight: number;
  /** How many of them may be of one merchant, for each place that is left. */
  readonly merchantShare: number;
  /** How long a request beyond its merchant's limits waits for its refusal, and how many may; one more is refused at once. */
  readonly refusalMs: number;
  readonly maxHeldRefusals: number;
  /** While the event loop is later than this, or more commits wait, requests are answered 503. */
  readonly maxDelayMs: number;
  readonly maxWaitingCommits: number;
  /** Requests of operators who are signed in, or have their token, beside those of merchants. */
  readonly maxOfOperators: number;
  readonly notifications: StrangersLimits;
  readonly signIns: StrangersLimits;
  readonly bodyBytes: number;
  /** An evidence file; the table has the same limit. */
  readonly fileBytes: number;
  readonly headerBytes: number;
  /** For the whole request, headers and body, to arrive. */
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** A connection on which nothing moves; must outlast the longest `Prefer: wait` and a PSP's answer. */
  readonly connectionTimeoutMs: number;
  /** An idle connection between two requests; longer than the usual 60 s of a load balancer. */
  readonly keepAliveTimeoutMs: number;
  /** While shutting down: still serve, but say not ready, so that a load balancer turns away first. */
  readonly drainDelayMs: number;
  /** While shutting down: for requests in flight to finish before their connections are cut. */
  readonly graceMs: number;
}

export function limitsOf({
  shutdownGraceMs: graceMs,
  shedDelayMs: maxDelayMs,
}: Pick<Config, 'shutdownGraceMs' | 'shedDelayMs'>): ApiLimits {
  return {
    maxInFlight: 1_024,
    merchantShare: 1,
    refusalMs: 250,
    maxHeldRefusals: 1_024,
    maxDelayMs,
    maxWaitingCommits: 1_000,
    maxOfOperators: 256,
    notifications: { maxInFlight: 64, maxArriving: 512, bodyMs: 5_000 },
    signIns: { maxInFlight: 16, maxArriving: 64, bodyMs: 5_000 },
    bodyBytes: 256 * 1024,
    fileBytes: 2 * 1024 * 1024,
    headerBytes: 16 * 1024,
    requestTimeoutMs: 30_000,
    headersTimeoutMs: 10_000,
    connectionTimeoutMs: 120_000,
    keepAliveTimeoutMs: 72_000,
    drainDelayMs: 0,
    graceMs,
  };
}
