import { type Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { type Clock } from '../core/clock.js';
import { type Readiness } from '../database/readiness.js';

/** How old an answer may be. */
const CHECK_EVERY_MS = 2_000;

/** grpc.health.v1, of the whole server (the empty name) and of each service: as /health/ready. */
export class Health {
  private readonly health = new HealthImplementation();
  private readonly ended = new AbortController();

  constructor(
    private readonly services: readonly string[],
    private readonly readiness: Readiness,
    private readonly clock: Clock,
  ) {}

  addTo(server: Server): void {
    this.health.addToServer(server);
  }

  /** Returns after the first check. */
  async start(): Promise<void> {
    await this.check();
    void this.follow();
  }

  /** From now on: not serving. */
  end(): void {
    this.ended.abort();
    this.set(false);
  }

  private async follow(): Promise<void> {
    while (!this.ended.signal.aborted) {
      await this.clock.sleep(CHECK_EVERY_MS, this.ended.signal).catch(() => undefined);
      await this.check();
    }
  }

  private async check(): Promise<void> {
    const { ready } = await this.readiness.check();
    this.set(ready && !this.ended.signal.aborted);
  }

  private set(isServing: boolean): void {
    for (const service of ['', ...this.services]) {
      this.health.setStatus(service, isServing ? 'SERVING' : 'NOT_SERVING');
    }
  }
}
