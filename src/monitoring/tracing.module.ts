import { type DynamicModule, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { tracer, traceWith } from '../core/tracing.js';
import { PostgresStore } from '../database/commit/postgres-store.js';
import { DatabaseModule } from '../database/database.module.js';
import { type OpenTelemetry } from './open-telemetry.js';
import { OperationTraces } from './operation-traces.js';

/** Keeps the trace of each operation, where tracing is on. */
@Module({ imports: [DatabaseModule] })
export class TracingModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly store: PostgresStore,
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  static whereTraced(): (typeof TracingModule | DynamicModule)[] {
    return tracer() === null ? [] : [TracingModule];
  }

  onModuleInit(): void {
    const tracing = tracer() as OpenTelemetry;
    const traces = new OperationTraces(this.pool, tracing, this.clock);
    tracing.keepIn(traces);
    this.store.onCommitted((changes) => traces.committed(changes));
  }

  async onApplicationShutdown(): Promise<void> {
    const tracing = tracer() as OpenTelemetry;
    traceWith(null);
    await tracing.close();
  }
}
