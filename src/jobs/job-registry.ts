import { type JobKind } from './job-kind.js';
import { type OutboxSource } from './outbox-relay.js';
import { type PeriodicTask } from './periodic-task-leases.js';
import { type RetryPolicy } from './retry-policy.js';

/** The background work of one module. */
interface BackgroundWork {
  readonly kinds?: readonly JobKind[];
  /** Retry policies that its kinds name, beside the default one. */
  readonly retryPolicies?: readonly RetryPolicy[];
  readonly outboxSources?: readonly OutboxSource[];
  /** Made when a worker or a command asks for them, and again when PSP accounts change. */
  readonly periodicTasks?: () => readonly PeriodicTask[];
}

/** The work of workers. Each module registers its own when the application starts. */
export class JobRegistry {
  private readonly all: BackgroundWork[] = [];
  private tasks: readonly PeriodicTask[] | null = null;

  register(work: BackgroundWork): void {
    this.all.push(work);
  }

  get kinds(): readonly JobKind[] {
    return this.all.flatMap(({ kinds = [] }) => kinds);
  }

  get retryPolicies(): readonly RetryPolicy[] {
    return this.all.flatMap(({ retryPolicies = [] }) => retryPolicies);
  }

  get outboxSources(): readonly OutboxSource[] {
    return this.all.flatMap(({ outboxSources = [] }) => outboxSources);
  }

  /** Tasks are made for accounts, and accounts have changed. */
  makeTasksAgain(): void {
    this.tasks = null;
  }

  /** By name. */
  get periodicTasks(): readonly PeriodicTask[] {
    this.tasks ??= this.all
      .flatMap(({ periodicTasks }) => periodicTasks?.() ?? [])
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.tasks;
  }
}
