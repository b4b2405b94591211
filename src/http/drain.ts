import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { type Server } from 'node:http';
import { type Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { ApiLimits } from './limits.js';
import { RequestHooks } from './request-hooks.js';

/** A server beside that of HTTP, which is drained with it. */
export interface Drained {
  /** Takes nothing new. Resolves once what is in flight has ended. */
  drain(): Promise<void>;
  /** Ends the requests that outlasted the grace period. */
  cut(): void;
}

/**
 * Lets `app.close()` end requests: /health/ready says 503 at once and answers close their
 * connections; after the drain delay the listener closes; what is in flight then has the grace
 * period to finish. Connections that outlast it are cut: their payments are resumable.
 */
@Injectable()
export class Drain implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly finished = new AbortController();
  private readonly servers: Drained[] = [];
  private ends: readonly Promise<void>[] = [];

  constructor(
    private readonly hooks: RequestHooks,
    private readonly host: HttpAdapterHost,
    private readonly limits: ApiLimits,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  add(server: Drained): void {
    this.servers.push(server);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.hooks.drain();
    this.ends = this.servers.map((server) => server.drain());
    if (this.limits.drainDelayMs > 0) await this.clock.sleep(this.limits.drainDelayMs);
    void this.cutAfterGrace();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.ends);
    this.finished.abort();
  }

  private async cutAfterGrace(): Promise<void> {
    try {
      await this.clock.sleep(this.limits.graceMs, this.finished.signal);
    } catch {
      return;
    }
    this.logger.warn({ grace_ms: this.limits.graceMs }, 'requests outlasted the grace period and are cut');
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.closeAllConnections();
    for (const other of this.servers) other.cut();
  }
}
