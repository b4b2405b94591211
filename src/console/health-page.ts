import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { DatabaseClock } from '../core/database-clock.js';
import { VERSION } from '../core/version.js';
import { readInstallation } from '../database/installation-status.js';
import { PROCESS_NAME } from '../database/process-session.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type HealthView, type TaskRow } from './console-views.js';

/** A task runs again so long after its last run began. Those that fail come first. */
const TASKS = `
SELECT name, every_ms / 1000.0::float8 AS every_s, coalesce(leased_until > clock_timestamp(), false) AS is_running, ended_at,
       started_at + every_ms * interval '1 ms' AS next_at, failures
  FROM schedules ORDER BY failures > 0 DESC, name`;

const PROCESSES = `
SELECT substr(application_name, ${PROCESS_NAME.length + 1}) AS version, host(client_addr) AS address, backend_start AS since
  FROM pg_stat_activity
 WHERE datname = current_database() AND starts_with(application_name, '${PROCESS_NAME}') ORDER BY backend_start`;

const QUEUES = `
SELECT 'Jobs for the queue' AS name, count(*)::int AS waiting, min(staged_at) AS oldest_at FROM staged_jobs
UNION ALL SELECT 'Events to fan out', count(*)::int, min(at) FROM events WHERE fanned_out_at IS NULL
UNION ALL SELECT 'Deliveries of webhooks', count(*)::int, min(created_at) FROM webhook_deliveries WHERE status = 'pending'
UNION ALL SELECT 'Notifications to apply', count(*)::int, min(received_at) FROM webhook_inbox WHERE next_at IS NOT NULL
UNION ALL SELECT 'Requests to finish', count(*)::int, min(created_at) FROM idempotency_keys WHERE resumable_at IS NOT NULL`;

/** How the installation is: its processes, clocks, queues and periodic tasks. */
@Injectable()
export class HealthPage {
  constructor(
    private readonly pool: Pool,
    private readonly clock: DatabaseClock,
  ) {}

  async show(): Promise<HealthView> {
    const [{ schema, server, hold }, tasks, processes, queues] = await translateOutage(
      Promise.all([
        readInstallation(this.pool),
        this.pool.query<TaskRow>(TASKS),
        this.pool.query<HealthView['processes'][number]>(PROCESSES),
        this.pool.query<HealthView['queues'][number]>(QUEUES),
      ]),
    );
    return {
      version: VERSION,
      schema,
      postgres: server,
      clock_difference_ms: Math.round(this.clock.differenceMs() ?? 0),
      hold,
      processes: processes.rows,
      queues: queues.rows,
      tasks: tasks.rows,
    };
  }
}
