import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { HttpModule } from '../http/http.module.js';
import { HealthController, MetricsController } from './health.controller.js';
import { MonitoringListener } from './monitoring-listener.js';

/** Whether the process is well, and its figures. */
@Module({
  imports: [DatabaseModule],
  providers: [MonitoringListener],
  exports: [MonitoringListener],
})
export class MonitoringModule {
  /** Beside an API: its health, and /metrics unless strangers could read them there. */
  static besideApi(servesMetrics: boolean): DynamicModule {
    return {
      module: MonitoringModule,
      imports: [HttpModule],
      controllers: servesMetrics ? [HealthController, MetricsController] : [HealthController],
    };
  }
}
