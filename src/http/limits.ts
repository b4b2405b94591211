import { type Config } from '../config/config.js';

/** Bounds on what one client, or all together, can take from the process. */
export abstract class ApiLimits {
  /** Requests for /v1 and /ops/api that are worked on at once; one more is answered 503 before anything is done. */
  readonly maxInFlight: number;
  /**
   * Notifications of PSPs that are worked on at once, beside those requests. The sender of one is known by
   * its body alone, so that anybody can hold a place until the body is there: of these, and of no others.
   */
  readonly maxNotifications: number;
  readonly bodyBytes: number;
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

export function limitsOf({ shutdownGraceMs: graceMs }: Pick<Config, 'shutdownGraceMs'>): ApiLimits {
  return {
    maxInFlight: 512,
    maxNotifications: 64,
    bodyBytes: 256 * 1024,
    headerBytes: 16 * 1024,
    requestTimeoutMs: 30_000,
    headersTimeoutMs: 10_000,
    connectionTimeoutMs: 120_000,
    keepAliveTimeoutMs: 72_000,
    drainDelayMs: 0,
    graceMs,
  };
}
