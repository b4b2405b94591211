import { type Command } from 'commander';
import { type Money } from '../core/money.js';
import { type PaymentReport } from '../console/payment-report.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type PspAttempt, type Route } from '../request-storage/route.entity.js';
import { command, type RunCommand, withExamples } from './command.js';
import { orphanJson } from './orphans.command.js';
import { ago, detailLines, exactly, folded } from './text.js';

type Format = (money: Money) => string;

export function addPayments(payonce: Command, perform: RunCommand): void {
  const payments = withExamples(
    payonce.command('payments').description('look a payment up'),
    'show order-1234',
  );
  command(
    payments,
    'show <id-or-reference>',
    'show a payment: amounts, routes, attempts, disputes',
    'order-1234',
    '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42 --json',
  )
    .option('--merchant <id>', 'the merchant, where several use the same reference')
    .action((name: string, { merchant }: { merchant?: string }) =>
      perform(async ({ database, clock }) => {
        const { PaymentReports } = await import('../console/payment-report.js');
        const { Payment } = await import('../payments/payment.entity.js');
        const { formatMoney } = await import('../core/money.js');
        const { subjectOf } = await import('../request-storage/entity-key.js');
        const reports = new PaymentReports(database.dataSource.getRepository(Payment));
        const report = await reports.find(subjectOf(name)?.id ?? name, merchant ?? null);
        return { json: reportJson(report), text: reportText(report, formatMoney, clock.now()) };
      }),
    );
}

/** The operation that is not decided yet; what gives an orphan effect back comes after the payment's own. */
function openRouteOf(operations: readonly OperationHistory[]): Route | null {
  const last = operations.map(({ routes }) => routes.at(-1)!.request);
  return last.find(({ verdict }) => verdict === 'open') ?? null;
}

function reportText(
  { payment, operations, refunds, orphans }: PaymentReport,
  money: Format,
  now: Date,
): string {
  const { currency } = payment;
  const of = (amount: number) => money({ amount, currency });
  const { disputes } = payment;
  const open = openRouteOf(operations);
  const failure = payment.failure;
  return [
    `Payment ${payment.id}`,
    ...detailLines([
      ['status', payment.status],
      ['reference', payment.reference],
      ['merchant', payment.merchantId],
      ['amount', `${of(payment.amount)}, ${payment.captureMode} capture`],
      ['captured', of(payment.amountCaptured)],
      ['refunded', of(payment.amountRefunded)],
      [
        'reserved',
        payment.captureReserved + payment.refundReserved > 0 &&
          `${of(payment.captureReserved)} to capture, ${of(payment.refundReserved)} to refund`,
      ],
      ['PSP', payment.psp ? `${payment.psp} ${payment.pspReference ?? ''}` : 'none has taken it'],
      ['failure', failure && `${failure.category}: ${failure.code} (${failure.message})`],
      ['created', exactly(payment.createdAt, now)],
      ['updated', exactly(payment.updatedAt, now)],
      ['open operation', open ? openText(open, now) : 'none'],
    ]),
    ...operations.flatMap(({ entityKey, routes }) => [
      '',
      folded('Operation ', entityKey),
      ...routes.flatMap(({ request, attempts }) => [
        ...routeLines(request, money, now),
        ...attempts.map((attempt) => folded(`    ${attempt.attempt}. `, attemptText(attempt, now))),
      ]),
    ]),
    ...section('Refunds', refunds, (refund) => [
      `${money(refund)} ${refund.status}, ${ago(refund.createdAt, now)}`,
      [
        ['reference', refund.reference ?? 'none'],
        ['id', refund.id],
      ],
    ]),
    ...section('Disputes', disputes ?? [], (dispute) => [
      `${of(dispute.amount)} ${dispute.status}, ${ago(new Date(dispute.openedAt), now)}`,
      [
        ['reason', dispute.reason ?? 'not given'],
        ['withheld', of(dispute.amountWithheld)],
        ['PSP reference', dispute.pspReference],
      ],
    ]),
    ...section('Orphan effects (docs/runbooks/orphan-effect.md)', orphans, (orphan) => [
      `${money(orphan)} ${orphan.status}, found ${ago(orphan.foundAt, now)}`,
      [
        ['PSP', `${orphan.psp} ${orphan.pspReference ?? ''}`],
        ['entity key', orphan.entityKey],
        ['route', String(orphan.route)],
      ],
    ]),
  ].join('\n');
}

type Line = readonly [name: string, value: string | false | null];

type SectionEntry = readonly [first: string, details: readonly Line[]];

function section<T>(title: string, all: readonly T[], shownOf: (one: T) => SectionEntry): string[] {
  if (all.length === 0) return [];
  return [
    '',
    title,
    ...all.flatMap((one) => {
      const [first, details] = shownOf(one);
      return [folded('  ', first), ...detailLines(details, 4)];
    }),
  ];
}

function openText({ entityKey, psp, nextStepAt, stuckAt, stuckReason }: Route, now: Date): string {
  if (stuckAt) {
    const reason = stuckReason ?? 'the reason is not known';
    return `${entityKey} at ${psp}, stuck since ${exactly(stuckAt, now)}: ${reason}. See docs/runbooks/stuck-payment.md`;
  }
  return `${entityKey} at ${psp}, tried next at ${nextStepAt ? exactly(nextStepAt, now) : 'no time'}`;
}

function routeLines(request: Route, money: Format, now: Date): string[] {
  const { route, psp, verdict, pspReference, openedAt, decidedAt } = request;
  return [
    folded(`  route ${route}  `, `${psp} ${money(request)} ${verdict}`),
    ...detailLines(
      [
        ['PSP reference', pspReference],
        ['opened', exactly(openedAt, now)],
        ['decided', decidedAt && exactly(decidedAt, now)],
      ],
      4,
    ),
  ];
}

function attemptText(
  { kind, outcome, pspCode, httpStatus, latencyMs, startedAt }: PspAttempt,
  now: Date,
): string {
  const facts = [
    outcome ?? 'no answer yet',
    pspCode,
    httpStatus === null ? null : `HTTP ${httpStatus}`,
    latencyMs === null ? null : `${latencyMs} ms`,
    ago(startedAt, now),
  ];
  return `${kind}: ${facts.filter((fact) => fact !== null).join(', ')}`;
}

function reportJson({ payment, operations, refunds, orphans }: PaymentReport): object {
  const open = openRouteOf(operations);
  return {
    id: payment.id,
    merchant_id: payment.merchantId,
    reference: payment.reference,
    status: payment.status,
    capture_mode: payment.captureMode,
    amount: payment.amount,
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    capture_reserved: payment.captureReserved,
    refund_reserved: payment.refundReserved,
    currency: payment.currency,
    psp: payment.psp,
    psp_reference: payment.pspReference,
    failure: payment.failure,
    created_at: payment.createdAt,
    updated_at: payment.updatedAt,
    open_operation: open && {
      entity_key: open.entityKey,
      route: open.route,
      psp: open.psp,
      next_step_at: open.nextStepAt,
      stuck_at: open.stuckAt,
      stuck_reason: open.stuckReason ?? null,
    },
    operations: operations.map(({ entityKey, routes }) => ({
      entity_key: entityKey,
      routes: routes.map(({ request, attempts }) => ({
        route: request.route,
        operation: request.operation,
        psp: request.psp,
        psp_reference: request.pspReference,
        amount: request.amount,
        currency: request.currency,
        verdict: request.verdict,
        opened_at: request.openedAt,
        decided_at: request.decidedAt,
        attempts: attempts.map((attempt) => ({
          attempt: attempt.attempt,
          kind: attempt.kind,
          outcome: attempt.outcome,
          decline: attempt.decline,
          psp_code: attempt.pspCode,
          http_status: attempt.httpStatus,
          latency_ms: attempt.latencyMs,
          trace_id: attempt.traceId,
          started_at: attempt.startedAt,
          ended_at: attempt.endedAt,
        })),
      })),
    })),
    refunds: refunds.map(
      ({ id, reference, status, amount, currency, entityKey, psp, pspReference, createdAt }) => ({
        id,
        reference,
        status,
        amount,
        currency,
        entity_key: entityKey,
        psp,
        psp_reference: pspReference,
        created_at: createdAt,
      }),
    ),
    disputes: (payment.disputes ?? []).map((dispute) => ({
      id: dispute.id,
      psp_reference: dispute.pspReference,
      status: dispute.status,
      reason: dispute.reason,
      amount: dispute.amount,
      amount_withheld: dispute.amountWithheld,
      opened_at: dispute.openedAt,
      closed_at: dispute.closedAt,
    })),
    orphan_effects: orphans.map(orphanJson),
  };
}
