import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, Registry } from 'prom-client';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { PostgresStore } from '../database/commit/postgres-store.js';
import { ApiLimits } from './limits.js';

/** How often the delay is looked at. A peak of one collection of garbage is not above the mean of so long. */
const LOOK_MS = 1_000;
/** The resolution of the timer by which Node measures, which counts as delay. */
const RESOLUTION_MS = 20;
const RETRY_S = 2;

/**
 * Turns requests away while the process is too slow to serve them: what it has begun comes to an end, and no PSP
 * is asked for a payment whose client has given up. Health, notifications and operators are never turned away here.
 */
@Injectable()
export class LoadShedding implements OnModuleInit, OnApplicationShutdown {
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly ended = new AbortController();
  private delayMs = 0;
  private lastMs = 0;

  constructor(
    private readonly limits: ApiLimits,
    private readonly store: PostgresStore,
    private readonly clock: Clock,
    private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    this.delays.enable();
    const delayMs = (): number => this.delayMs;
    this.metrics.registerMetric(
      new Gauge({
        name: 'payonce_event_loop_delay_seconds',
        help: 'Mean delay of the event loop in the last second; requests are refused while it is above PAYONCE_SHED_DELAY_MS.',
        registers: [],
        collect() {
          this.set(delayMs() / 1_000);
        },
      }),
    );
    void this.follow();
  }

  onApplicationShutdown(): void {
    this.delays.disable();
    this.ended.abort(new Error('closing'));
  }

  /** @throws Problem `overloaded` */
  check(): void {
    const { maxDelayMs, maxWaitingCommits } = this.limits;
    if (this.delayMs <= maxDelayMs && this.store.waiting <= maxWaitingCommits) return;
    throw new Problem('overloaded', 'This process is too slow for more requests at the moment.', {
      retryAfterS: RETRY_S,
    });
  }

  /**
   * Takes the mean delay since the last look, or that of the look before where it was less: a process that was
   * frozen once is late in one look alone, and serves at once when it wakes.
   */
  look(delays: Pick<IntervalHistogram, 'mean' | 'count' | 'reset'> = this.delays): void {
    const meanMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - RESOLUTION_MS);
    this.delayMs = Math.min(meanMs, this.lastMs);
    this.lastMs = meanMs;
    delays.reset();
  }

  private async follow(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      await this.clock.sleep(LOOK_MS, signal).catch(() => {});
      this.look();
    }
  }
}
