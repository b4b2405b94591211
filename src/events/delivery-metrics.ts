import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { DeliveryRecords } from './delivery-records.js';

/** The metrics of deliveries: by result, never by endpoint, of which there may be any number. */
@Injectable()
export class DeliveryMetrics {
  private readonly tries: Counter<'result'>;

  constructor(metrics: Registry, records: DeliveryRecords) {
    this.tries = new Counter({
      name: 'payonce_webhook_deliveries_total',
      help: 'Tries to deliver an event, by result: delivered, or the error code that the merchant reads.',
      labelNames: ['result'],
      registers: [metrics],
    });
    registerLookedUp(metrics, {
      name: 'payonce_webhook_deliveries_late_seconds',
      help: 'For how long the delivery that is most overdue should have been tried; 0: none is overdue.',
      look: async () => [{ value: await records.latenessS() }],
    });
  }

  /** @param errorCode one of the fixed list of post.ts and target.ts; null: delivered */
  tried(errorCode: string | null): void {
    this.tries.inc({ result: errorCode ?? 'delivered' });
  }
}
