import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import { DataSource, In } from 'typeorm';
import { Clock } from '../core/clock.js';
import { translateOutage } from '../database/store-unavailable.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { Payment, PaymentTransition } from '../payments/payment.entity.js';
import { dashboardUrl } from '../psp/dashboard.js';
import { PspsConfig } from '../psp/psps-config.js';
import { orderStatusOf } from '../payments/order-rules.js';
import { paymentLifecycle } from '../payments/payment.lifecycle.js';
import { NonExecutionProof, type OrphanEffect, type PspAttempt } from '../request-storage/route.entity.js';
import { type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { wordAgainst } from '../request-storage/decisions/person-statement-rules.js';
import { Approvals } from '../approvals/approvals.js';
import { ConsoleReader } from './console-reader.js';
import {
  type AttemptRow,
  type OperationRow,
  type OrphanRow,
  type PaymentPageView,
  type RouteRow,
} from './console-views.js';
import { type SnoozeView } from '../approvals/approval-views.js';
import { EvidenceFiles } from '../approvals/evidence-files.js';
import { explain } from './explain.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { Snoozes } from '../approvals/snoozes.js';
import { PaymentReports } from './payment-report.js';
import { stuckAdvice } from '../approvals/stuck-advice.js';
import { hasAgreed, pspWordOf } from '../approvals/psp-word.js';
import { timelineOf, timesOf } from './timeline.js';

/** A page that is looked at and refreshed is one view of it. */
const ONE_VIEW_MS = 10 * 60_000;

/** Views of pages, each of which is written down once. */
export class PageViews {
  private readonly seen = new LRUCache<string, true>({ max: 10_000, ttl: ONE_VIEW_MS });

  async once(operator: SignedIn, subject: string, record: () => Promise<void>): Promise<void> {
    const view = `${operator.id} ${subject}`;
    if (this.seen.has(view)) return;
    await record();
    this.seen.set(view, true);
  }
}

/** All that the console shows of a payment. */
@Injectable()
export class PaymentPages {
  private readonly views = new PageViews();
  private readonly reports: PaymentReports;

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly reader: ConsoleReader,
    private readonly approvals: Approvals,
    private readonly acts: ActionLog,
    private readonly files: EvidenceFiles,
    private readonly snoozes: Snoozes,
    private readonly psps: PspsConfig,
  ) {
    this.reports = new PaymentReports(source.getRepository(Payment));
  }

  /** Writes down who looked at it. @throws Problem `not_found` */
  async show(id: string, operator: SignedIn): Promise<PaymentPageView> {
    const report = await translateOutage(this.reports.find(id, null));
    const { payment, operations } = report;
    const subject = `payment:${payment.id}`;
    await this.views.once(operator, subject, () =>
      this.acts.record(operator, payment.merchantId, VIEWED, subject, {}),
    );
    const { merchantId } = payment;
    const { manager } = this.source;
    const entityKeys = operations.map(({ entityKey }) => entityKey);
    const [merchant, transitions, acts, approvals, files, snoozes, proofs, posted] = await Promise.all([
      manager.findOneByOrFail(Merchant, { id: merchantId }),
      manager.find(PaymentTransition, {
        where: { merchantId, paymentId: payment.id },
        order: { version: 'ASC' },
      }),
      this.reader.auditOf(subject),
      this.approvals.about(subject),
      this.files.list(merchantId, entityKeys),
      this.snoozes.of(merchantId, entityKeys),
      manager.findBy(NonExecutionProof, { merchantId, entityKey: In(entityKeys) }),
      this.reader.postedOf(merchantId, payment.id),
    ]);
    const times = [...transitions.map(({ at }) => at), ...timesOf(operations)];
    const subjects = [subject, ...report.refunds.map((refund) => `refund:${refund.id}`)];
    const account = payment.psp === null ? undefined : this.psps.named(payment.psp);
    const exchanges = await this.reader.exchangesOf(merchantId, subjects, times);
    const noted = acts.filter(({ action }) => action !== VIEWED && action !== 'route.resolved');
    return {
      payment: {
        id: payment.id,
        merchant_id: merchantId,
        merchant: merchant.name,
        reference: payment.reference,
        customer: payment.customerReference ?? null,
        status: payment.status,
        amount: payment.amount,
        amount_captured: payment.amountCaptured,
        amount_refunded: payment.amountRefunded,
        currency: payment.currency,
        capture_mode: payment.captureMode,
        method: payment.method ?? 'card',
        psp: payment.psp,
        psp_reference: payment.pspReference,
        psp_url: account ? dashboardUrl(account, payment.pspReference) : null,
        candidates: payment.candidates,
        failure: payment.failure,
        created_at: payment.createdAt.toISOString(),
        updated_at: payment.updatedAt.toISOString(),
      },
      order: report.order && {
        id: report.order.order.id,
        reference: report.order.order.reference,
        status: orderStatusOf(report.order.order),
        tries: report.order.payments.length,
      },
      explained: explain(report, this.clock.now()),
      timeline: timelineOf(transitions, operations, {
        ...exchanges,
        acts: noted,
        proofs,
        posted,
      }),
      operations: operations.map((each) =>
        operationRow(each, snoozes.get(each.entityKey) ?? null, this.psps),
      ),
      refunds: report.refunds.map(({ id, status, amount, currency, createdAt }) => ({
        id,
        status,
        amount,
        currency,
        created_at: createdAt.toISOString(),
      })),
      orphans: report.orphans.map(orphanRow),
      files,
      approvals,
      lifecycle: {
        arrows: paymentLifecycle.arrows,
        visited: [...new Set([...transitions.map(({ toStatus }) => toStatus), payment.status])],
      },
    };
  }

  /** @throws Problem `not_found` */
  async explained(
    id: string,
    operator: SignedIn,
  ): Promise<{ readonly id: string; readonly explained: string }> {
    const report = await translateOutage(this.reports.find(id, null));
    const { merchantId } = report.payment;
    const subject = `payment:${report.payment.id}`;
    await this.views.once(operator, subject, () =>
      this.acts.record(operator, merchantId, VIEWED, subject, {}),
    );
    return { id: report.payment.id, explained: explain(report, this.clock.now()) };
  }
}

const VIEWED = 'payment.viewed';

/** `psps`: whose dashboards the ids of payments lead to. */
export function operationRow(
  { entityKey, routes }: OperationHistory,
  snooze: SnoozeView | null,
  psps?: Pick<PspsConfig, 'named'>,
): OperationRow {
  return {
    snooze,
    entity_key: entityKey,
    operation: routes[0]!.request.operation,
    routes: routes.map((route) => routeRow(route, psps)),
  };
}

function routeRow(route: RouteHistory, psps?: Pick<PspsConfig, 'named'>): RouteRow {
  const { request, attempts } = route;
  const account = psps?.named(request.psp);
  const isPayment = request.operation === 'charge' || request.operation === 'authorize';
  return {
    route: request.route,
    psp: request.psp,
    psp_reference: request.pspReference,
    amount: request.amount,
    currency: request.currency,
    verdict: request.verdict,
    opened_at: request.openedAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
    next_step_at: request.nextStepAt?.toISOString() ?? null,
    stuck_at: request.stuckAt?.toISOString() ?? null,
    stuck_reason: request.stuckReason ?? null,
    stuck_advice: request.stuckAt
      ? stuckAdvice(request.stuckReason ?? null, request.psp, hasAgreed(route))
      : null,
    psp_word: pspWordOf(route, (id) => (account && isPayment ? dashboardUrl(account, id) : null)),
    against: { done: wordAgainst(route, true), 'not-done': wordAgainst(route, false) },
    attempts: attempts.map(attemptRow),
  };
}

function attemptRow(attempt: PspAttempt): AttemptRow {
  return {
    attempt: attempt.attempt,
    kind: attempt.kind,
    outcome: attempt.outcome,
    psp_code: attempt.pspCode,
    http_status: attempt.httpStatus,
    latency_ms: attempt.latencyMs,
    started_at: attempt.startedAt.toISOString(),
    request: attempt.request,
    response: attempt.response,
  };
}

export function orphanRow(orphan: OrphanEffect): OrphanRow {
  return {
    merchant_id: orphan.merchantId,
    entity_key: orphan.entityKey,
    route: orphan.route,
    psp: orphan.psp,
    psp_reference: orphan.pspReference,
    amount: orphan.amount,
    currency: orphan.currency,
    status: orphan.status,
    found_at: orphan.foundAt.toISOString(),
  };
}
