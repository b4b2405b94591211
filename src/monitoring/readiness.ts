import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';

/** What /health/ready answers; `checks` names each thing that was looked at and how it is. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'up' | 'down'>>;
}

/** Whether the process can work: the database answers, and the clock agrees with it. */
@Injectable()
export class Readiness {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  async check(): Promise<ReadinessReport> {
    const database = await this.pool.query('SELECT 1').then(
      () => 'up' as const,
      () => 'down' as const,
    );
    const checks = { database, clock: this.clock.isTrusted() ? 'up' : 'down' } as const;
    return { ready: checks.database === 'up' && checks.clock === 'up', checks };
  }
}
