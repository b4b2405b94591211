import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Installation } from './installation.js';

/** The report of /health/ready; `checks` names each part that was checked and its state. */
export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, 'up' | 'down'>>;
  /** The conditions that need a person, though the process works. */
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
