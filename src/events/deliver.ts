import { Injectable } from '@nestjs/common';
import { checkpoint } from '../core/checkpoint.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Lease } from '../core/lease.js';
import { Encryption } from '../core/encryption.js';
import { inSpan, traceparent } from '../core/tracing.js';
import { type BegunTry, DeliveryRecords, type HeldEndpoint, type Hold } from './delivery-records.js';
import { delayAfter, retryAfterMsOf } from './delivery-schedule.js';
import { decryptSecret, signedHeaders } from './endpoint-secret.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { eventViewOf } from './event.view.js';
import { post, type PostOutcome } from './post.js';
import { TargetGuard } from './target-guard.js';

export abstract class DeliverLimits {
  /** One request, from the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** After this long a run begins no further try. */
  readonly runMs: number;
  readonly mostTries: number;
  /** Requests to one endpoint at once. */
  readonly atOnce: number;
  /** An endpoint that takes longer goes to the slow lane, with any answer. */
  readonly slowMs: number;
}

export const defaultDeliverLimits: DeliverLimits = {
  timeoutMs: 10_000,
  runMs: 5_000,
  mostTries: 200,
  atOnce: 4,
  slowMs: 2_000,
};

/**
 * Reserve for the statements around a run and its last request. If they take longer, another process may have
 * leased the endpoint, and this one starts no further try.
 */
const HOLD_MARGIN_MS = 5_000;
/** An endpoint without a successful answer for this long is disabled. */
const GIVE_UP_AFTER_MS = 5 * 24 * 3_600_000;

/** Sends the due deliveries of one endpoint. May run twice at the same time: one run leases the endpoint. */
@Injectable()
export class Deliver {
  constructor(
    readonly records: DeliveryRecords,
    readonly clock: Clock,
    readonly ids: Ids,
    readonly seal: Encryption,
    readonly guard: TargetGuard,
    readonly metrics: DeliveryMetrics,
    private readonly limits: DeliverLimits,
  ) {}

  async run(merchantId: string, endpointId: string, signal: AbortSignal): Promise<void> {
    const { records, clock, ids } = this;
    const holdMs = this.limits.runMs + this.limits.timeoutMs + HOLD_MARGIN_MS;
    const hold = { merchantId, endpointId, token: ids.uuid() };
    const lease = new Lease(clock, holdMs);
    const endpoint = await records.hold(hold, holdMs);
    // The holder checks for due deliveries once more after it has released the endpoint.
    if (!endpoint) return;
    try {
      await new Run(this, this.limits, hold, endpoint, lease, signal).toEnd();
    } finally {
      await records.release(hold);
    }
  }
}

/** One run: several lanes that each make one try after the other. */
class Run {
  private begun = 0;
  private stopped = false;
  private readonly endsMs: number;

  constructor(
    private readonly deps: Deliver,
    private readonly limits: DeliverLimits,
    private readonly hold: Hold,
    private readonly endpoint: HeldEndpoint,
    private readonly lease: Lease,
    private readonly signal: AbortSignal,
  ) {
    this.endsMs = deps.clock.monotonicMs() + limits.runMs;
  }

  async toEnd(): Promise<void> {
    // An endpoint that only failed lately gets one request at a time, not four, when it recovers.
    const lanes = this.endpoint.failingSince === null ? this.limits.atOnce : 1;
    const ended = await Promise.allSettled(Array.from({ length: lanes }, () => this.lane()));
    for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
  }

  private async lane(): Promise<void> {
    try {
      while (this.mayBegin()) {
        this.begun += 1;
        const next = await this.deps.records.begin(this.hold);
        if (!next) return;
        await this.attempt(next);
      }
    } catch (error) {
      this.stopped = true;
      throw error;
    }
  }

  private mayBegin(): boolean {
    return (
      !this.stopped &&
      !this.signal.aborted &&
      this.begun < this.limits.mostTries &&
      this.deps.clock.monotonicMs() < this.endsMs &&
      this.lease.outlives(this.limits.timeoutMs)
    );
  }

  private attempt(next: BegunTry): Promise<void> {
    const { id, payment_id: paymentId } = next.data;
    const subject = [paymentId, id].find((each) => typeof each === 'string') ?? null;
    const attributes = { 'payonce.event': next.type };
    return inSpan(
      {
        name: 'webhook delivery',
        kind: 'client',
        subject,
        rejoins: true,
        attributes,
      },
      () => this.deliver(next),
    );
  }

  private async deliver(next: BegunTry): Promise<void> {
    const { clock, guard } = this.deps;
    const from = traceparent();
    const body = JSON.stringify(eventViewOf(next, this.endpoint.isTest));
    const headers = {
      ...signedHeaders(next.id, body, this.secrets(), clock.now()),
      ...(from === null ? {} : { traceparent: from }),
    };
    const startedMs = clock.monotonicMs();
    const outcome = await post(guard, {
      url: this.endpoint.url,
      headers,
      body,
      timeoutMs: this.limits.timeoutMs,
    });
    await checkpoint('delivery:after:post');
    await this.record(next, outcome, Math.round(clock.monotonicMs() - startedMs));
  }

  private secrets(): string[] {
    const { clock, seal } = this.deps;
    const { merchantId, endpointId } = this.hold;
    const { secret, previousSecret, previousSecretUntil } = this.endpoint;
    const stillValid = previousSecret && previousSecretUntil && previousSecretUntil > clock.now();
    const sealed = stillValid ? [secret, previousSecret] : [secret];
    return sealed.map((one) => decryptSecret(seal, { merchantId, id: endpointId }, one));
  }

  private async record(next: BegunTry, outcome: PostOutcome, latencyMs: number): Promise<void> {
    const { records, clock, ids, metrics } = this.deps;
    const { status, errorCode, retryAfter } = outcome;
    metrics.tried(errorCode);
    const now = clock.now();
    const failed = errorCode !== null;
    const asksPause = status === 429 || status === 503;
    const pauseMs = asksPause ? retryAfterMsOf(retryAfter, now) : null;
    const delay = failed ? delayAfter(next.tries, pauseMs, ids.random()) : null;
    const after = (ms: number | null) => (ms === null ? null : new Date(now.getTime() + ms));
    const apart = failed || latencyMs > this.limits.slowMs;
    const failingSince = await records.end(this.hold, {
      eventId: next.id,
      attempt: next.attempt,
      httpStatus: status,
      errorCode,
      latencyMs,
      nextAt: after(delay),
      apart,
      pausedUntil: after(pauseMs),
    });
    const reason = status === 410 ? 'gone' : gaveUp(failingSince, now) ? 'failing' : null;
    if (reason) await records.disable(this.hold.merchantId, this.hold.endpointId, reason);
    // The rest is delivered by a new job in the fast or the slow lane.
    if (reason || pauseMs !== null || apart !== this.endpoint.apart) this.stopped = true;
  }
}

function gaveUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= GIVE_UP_AFTER_MS;
}
