import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { redactDeep } from '../core/redact.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';

/** The actor of an operator's acts in audit records. */
export function actorOf({ name }: { readonly name: string }): string {
  return `operator:${name}`;
}

/** Who acts, and from where. */
interface Actor {
  readonly name: string;
  readonly sourceAddress: string;
}

/** Writes down what operators do and look at; a trigger chains it (migrations/0091). */
@Injectable()
export class ActionLog {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async record(
    operator: Actor,
    merchantId: string,
    action: string,
    subject: string,
    detail: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const [id, at, actor] = [this.ids.uuid(), this.clock.now(), actorOf(operator)];
    const whole = { ...detail, source_address: operator.sourceAddress };
    const kept = redactDeep(whole) as Record<string, unknown>;
    await translateOutage(
      recordAct(this.source.manager, { merchantId, id, at, actor, action, subject, detail: kept }),
    );
  }
}
