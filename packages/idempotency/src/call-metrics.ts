import { Counter, Histogram, type Registry } from 'prom-client';
import { type CallObserver, type CallResult, type RunEnd } from './call-options.js';

const RESULTS: readonly CallResult[] = ['hit', 'miss', 'mismatch', 'in_progress', 'unavailable'];
const ENDS: readonly RunEnd[] = ['recorded', 'threw', 'not_kept', 'not_recorded'];

/** What idempotent calls come to, by operation (never by key). One for each registry. */
export class CallMetrics implements CallObserver {
  private readonly calls: Counter<'operation' | 'result'>;
  private readonly runs: Counter<'operation' | 'end'>;
  private readonly takeOvers: Counter<'operation'>;
  private readonly held: Histogram<'operation'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'payonce_idempotent_calls_total',
      help: 'Idempotent calls by how they were met: a miss runs the handler, a hit gets a stored answer.',
      labelNames: ['operation', 'result'],
      registers,
    });
    this.runs = new Counter({
      name: 'payonce_idempotent_runs_total',
      help: 'Runs of handlers by how they ended; not_recorded: done, and nothing remembers it for certain.',
      labelNames: ['operation', 'end'],
      registers,
    });
    this.takeOvers = new Counter({
      name: 'payonce_idempotent_take_overs_total',
      help: 'Locks that lapsed under a run and were taken by another (README.md of @payonce/idempotency).',
      labelNames: ['operation'],
      registers,
    });
    this.held = new Histogram({
      name: 'payonce_idempotent_lock_held_seconds',
      help: 'From a lock asked for to the answer recorded or the lock given up.',
      labelNames: ['operation'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300],
      registers,
    });
  }

  /** Shows an operation with zeros before anything happens, so that a first one is seen as a rise. */
  declare(operation: string): void {
    for (const result of RESULTS) this.calls.inc({ operation, result }, 0);
    for (const end of ENDS) this.runs.inc({ operation, end }, 0);
    this.takeOvers.inc({ operation }, 0);
  }

  met(operation: string, result: CallResult): void {
    this.calls.inc({ operation, result });
  }

  ended(operation: string, end: RunEnd, heldMs: number): void {
    this.runs.inc({ operation, end });
    this.held.observe({ operation }, heldMs / 1_000);
  }

  tookOver(operation: string): void {
    this.takeOvers.inc({ operation });
  }
}
