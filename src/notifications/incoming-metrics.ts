import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { type PspNotification, type NotificationRefusal } from '../psp/notification.js';
import { type Decision } from './inbox.js';

/** The most names of types that become labels. A reader knows some thirty. */
const MAX_TYPES = 64;
const SHAPE = /^[A-Za-z0-9._:-]{1,60}$/;

/**
 * Counts notifications. A label is a configured account, a reason of a fixed list, or a type that its reader
 * translates (one with facts): all other types are `other`.
 */
@Injectable()
export class IncomingMetrics {
  private readonly types = new Set<string>();
  private readonly items: Counter<'psp' | 'type' | 'result'>;
  private readonly decisions: Counter<'psp' | 'state' | 'reason'>;

  constructor(metrics: Registry) {
    this.items = new Counter({
      name: 'payonce_webhook_items_total',
      help: 'Items of notifications, by account, type and result: stored, duplicate, or why it was refused.',
      labelNames: ['psp', 'type', 'result'],
      registers: [metrics],
    });
    this.decisions = new Counter({
      name: 'payonce_webhook_decisions_total',
      help: 'Notifications that were decided, by account and what they came to.',
      labelNames: ['psp', 'state', 'reason'],
      registers: [metrics],
    });
  }

  accepted(psp: string, notice: PspNotification, isNew: boolean): void {
    this.items.inc({ psp, type: this.typeOf(notice), result: isNew ? 'stored' : 'duplicate' });
  }

  refused(psp: string, reason: NotificationRefusal): void {
    this.items.inc({ psp, type: 'none', result: reason });
  }

  decided(psp: string, decision: Decision): void {
    const reason = decision.state === 'break' ? decision.reason : 'none';
    this.decisions.inc({ psp, state: decision.state, reason });
  }

  private typeOf({ type, facts }: PspNotification): string {
    if (this.types.has(type)) return type;
    if (facts.length === 0 || this.types.size >= MAX_TYPES || !SHAPE.test(type)) return 'other';
    this.types.add(type);
    return type;
  }
}
