import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Installation } from './installation.js';

/** What /health/ready answers; `checks` names each thing that was looked at and how it is. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'up' | 'down'>>;
  /** What a person has to see to, though the process works. */
  readonly warnings?: readonly Warning[];
}

export const WARNINGS = ['commits_may_be_lost'] as const;
export type Warning = (typeof WARNINGS)[number];

/** Whether the process can work: the database answers, and the clock agrees with it. */
@Injectable()
export class Readiness {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly installation: Installation,
  ) {}

  async check(): Promise<ReadinessReport> {
    const database = await this.pool.query('SELECT 1').then(
      () => 'up' as const,
      () => 'down' as const,
    );
    const checks = { database, clock: this.clock.isTrusted() ? 'up' : 'down' } as const;
    const ready = checks.database === 'up' && checks.clock === 'up';
    const isHeld = this.installation.session.hold() === 'operations';
    return { ready, checks, ...(isHeld ? { warnings: WARNINGS } : {}) };
  }
}
