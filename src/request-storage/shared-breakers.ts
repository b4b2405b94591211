import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { repeat } from '../core/repeat.js';
import { PspDirectory } from '../psp/psp-directory.js';
import { PspReturns } from './psp-returns.js';

/** An operator's action reaches every process within this time plus one statement. */
const LOOK_MS = 1_000;

const HEARD = `
SELECT psp, coalesce(b.held_open, false) AS "isHeldOpen", coalesce(b.version, 0) AS version, r.back_at AS "backAt"
  FROM psp_breakers b FULL JOIN psp_returns r USING (psp)`;

const SAY = `
WITH seen AS (
  INSERT INTO psp_open_breakers (psp, process, opened_at, seen_at)
  SELECT psp, $2, now(), now() FROM unnest($1::text[]) AS o (psp)
  ON CONFLICT (psp, process) DO UPDATE SET seen_at = now())
DELETE FROM psp_open_breakers
 WHERE (process = $2 AND psp <> ALL ($1::text[])) OR seen_at < now() - interval '1 hour'`;

interface Heard {
  readonly psp: string;
  readonly isHeldOpen: boolean;
  /** 0: no operator has touched it. */
  readonly version: number;
  readonly backAt: Date | null;
}

/**
 * Processes read from Postgres which breakers operators opened and which accounts are back, and store which of their own
 * breakers are open. While Postgres is unreachable, breakers stay as they are.
 */
@Injectable()
export class SharedBreakers implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly process: string;
  private readonly applied = new Map<string, number>();
  private readonly closing = new AbortController();
  private looking: Promise<void> = Promise.resolve();
  private hasOpen = false;

  constructor(
    private readonly pool: Pool,
    private readonly psps: PspDirectory,
    private readonly returns: PspReturns,
    private readonly clock: Clock,
    ids: Ids,
  ) {
    this.process = ids.uuid();
  }

  /** When all accounts are known, and before the first call, so that none passes a breaker that an operator opened. */
  async onApplicationBootstrap(): Promise<void> {
    await this.hear(true);
    this.looking = repeat(
      this.clock,
      this.closing.signal,
      () => LOOK_MS,
      () =>
        this.hear()
          .then(() => this.say())
          .catch(() => {}),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.abort(new Error('closing'));
    await this.looking;
  }

  private async hear(isStart = false): Promise<void> {
    const { rows } = await this.pool.query<Heard>(HEARD);
    for (const { psp, isHeldOpen, version, backAt } of rows) {
      if (backAt !== null) this.returns.learn(psp, backAt);
      if (version === 0 || version === this.applied.get(psp) || !this.psps.has(psp)) continue;
      this.applied.set(psp, version);
      // This process ignores breakers that were closed before it started.
      if (isHeldOpen || !isStart) this.psps.setBreaker(psp, isHeldOpen);
    }
  }

  private async say(): Promise<void> {
    const open = this.psps.names().filter((psp) => this.psps.breakerState(psp) === 'open');
    if (open.length === 0 && !this.hasOpen) return;
    await this.pool.query(SAY, [open, this.process]);
    this.hasOpen = open.length > 0;
  }
}
