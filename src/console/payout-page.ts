import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Equal } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { Payout, PayoutTransition } from '../payouts/payout.entity.js';
import { payoutLifecycle } from '../payouts/payout.lifecycle.js';
import { entityKey } from '../request-storage/entity-key.js';
import { readHistories } from '../request-storage/read-histories.js';
import { Approvals } from '../approvals/approvals.js';
import { ConsoleReader } from './console-reader.js';
import { explainPayout } from './explain.js';
import { type PayoutPageView } from './installation-views.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { operationRow, PageViews } from './payment-page.js';
import { Snoozes } from '../approvals/snoozes.js';
import { timelineOf, timesOf } from './timeline.js';

const VIEWED = 'payout.viewed';

/** All that the console shows of a payout; neither tokens nor metadata. */
@Injectable()
export class PayoutPages {
  private readonly views = new PageViews();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly reader: ConsoleReader,
    private readonly approvals: Approvals,
    private readonly acts: ActionLog,
    private readonly snoozes: Snoozes,
  ) {}

  /** Writes down who looked at it. @throws Problem `not_found` */
  async show(id: string, operator: SignedIn): Promise<PayoutPageView> {
    const { manager } = this.source;
    const payout = await translateOutage(manager.findOneBy(Payout, { id }));
    if (!payout) throw new Problem('not_found', 'No payout has this id.');
    const { merchantId } = payout;
    const subject = `payout:${payout.id}`;
    await this.views.once(operator, subject, () =>
      this.acts.record(operator, merchantId, VIEWED, subject, {}),
    );
    const key = entityKey.send(payout.id);
    const where = { merchantId, entityKey: Equal(key) };
    const [merchant, transitions, histories, acts, approvals, snoozes] = await translateOutage(
      Promise.all([
        manager.findOneByOrFail(Merchant, { id: merchantId }),
        manager.find(PayoutTransition, {
          where: { merchantId, payoutId: payout.id },
          order: { version: 'ASC' },
        }),
        readHistories(manager, where),
        this.reader.auditOf(subject),
        this.approvals.about(subject),
        this.snoozes.of(merchantId, [key]),
      ]),
    );
    const operations = [...histories.values()];
    const times = [...transitions.map(({ at }) => at), ...timesOf(operations)];
    const exchanges = await this.reader.exchangesOf(merchantId, [subject], times);
    const noted = acts.filter(({ action }) => action !== VIEWED && action !== 'route.resolved');
    return {
      payout: {
        id: payout.id,
        merchant_id: merchantId,
        merchant: merchant.name,
        recipient: payout.recipient,
        reference: payout.reference,
        status: payout.status,
        amount: payout.amount,
        currency: payout.currency,
        psp: payout.psp,
        psp_reference: payout.pspReference,
        failure: payout.failure,
        previous: payout.previous,
        created_at: payout.createdAt.toISOString(),
      },
      explained: explainPayout(payout, operations, this.clock.now()),
      timeline: timelineOf(transitions, operations, {
        ...exchanges,
        acts: noted,
        proofs: [],
        posted: [],
      }),
      operations: operations.map((each) => operationRow(each, snoozes.get(each.entityKey) ?? null)),
      approvals,
      lifecycle: {
        arrows: payoutLifecycle.arrows,
        visited: [...new Set([...transitions.map(({ toStatus }) => toStatus), payout.status])],
      },
    };
  }
}
