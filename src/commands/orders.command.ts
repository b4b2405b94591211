import { type Command } from 'commander';
import { type OrderReport } from '../orders/order-report.js';
import { command, type RunCommand, withExamples } from './command.js';
import { ago, detailLines, exactly, folded, list } from './text.js';

export function addOrders(payonce: Command, perform: RunCommand): void {
  const orders = withExamples(
    payonce.command('orders').description('look up what customers owe once, and how it was tried'),
    'show order-77',
  );
  const example = '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';
  command(orders, 'list', 'list orders of a merchant, the newest first', example, `${example} --overpaid`)
    .requiredOption('--merchant <id>', 'the merchant')
    .option('--overpaid', 'only orders of which more is live than is due')
    .action((which: { merchant: string; overpaid?: true }) =>
      perform(async ({ database, clock }) => {
        const [{ listOrders }, { orderViewOf }, { formatMoney }] = await Promise.all([
          import('../orders/order-report.js'),
          import('../payments/order.view.js'),
          import('../core/money.js'),
        ]);
        const found = await listOrders(database.dataSource.manager, which);
        const now = clock.now();
        const views = found.map(orderViewOf);
        return {
          json: views,
          text: list(views, {
            CREATED: ({ created_at }) => ago(new Date(created_at), now),
            STATUS: ({ status }) => status,
            DUE: ({ amount_due: amount, currency }) => formatMoney({ amount, currency }),
            PAID: ({ amount_paid: amount, currency }) => formatMoney({ amount, currency }),
            REFERENCE: ({ reference }) => reference,
          }),
        };
      }),
    );
  command(orders, 'show <reference>', 'show an order with its payments', 'order-77', 'order-77 --json')
    .option('--merchant <id>', 'the merchant, where several use the same reference')
    .action((reference: string, { merchant }: { merchant?: string }) =>
      perform(async ({ database, clock }) => {
        const [{ detailsOf, findOrder }, { explainOrder, explainTry }, { formatMoney }] = await Promise.all([
          import('../orders/order-report.js'),
          import('../console/explain.js'),
          import('../core/money.js'),
        ]);
        const report = await findOrder(database.dataSource.manager, reference, merchant ?? null);
        const now = clock.now();
        const details = detailsOf(report);
        const explained = explainOrder(report);
        const said = report.payments.map((one) => explainTry(one, now));
        const money = (amount: number) => formatMoney({ amount, currency: details.currency });
        return {
          json: { merchant_id: report.order.merchantId, ...details, explained },
          text: [...linesOf(report, details, said, money, now), '', folded('', explained)].join('\n'),
        };
      }),
    );
}

type Details = ReturnType<typeof import('../orders/order-report.js').detailsOf>;

function linesOf(
  { order, payments }: OrderReport,
  details: Details,
  said: readonly string[],
  money: (amount: number) => string,
  now: Date,
): string[] {
  const overpaid = details.amount_overpaid;
  return [
    folded('Order ', order.reference),
    ...detailLines([
      ['status', details.status],
      ['merchant', order.merchantId],
      ['due', `${money(details.amount_due)}${details.parts ? ', in parts' : ''}`],
      ['live', money(details.amount_live)],
      ['paid', money(details.amount_paid)],
      ['refunded', money(details.amount_refunded)],
      ['overpaid', overpaid > 0 && money(overpaid)],
      ['created', exactly(order.createdAt, now)],
      ['updated', exactly(order.updatedAt, now)],
    ]),
    ...payments.flatMap(({ payment }, n) => [
      '',
      folded('  ', `${money(payment.amount)} ${payment.status}, ${ago(payment.createdAt, now)}`),
      ...detailLines(
        [
          ['payment', payment.id],
          ['live', money(details.payments[n]!.amount_live)],
        ],
        4,
      ),
      folded('    ', said[n]!),
    ]),
  ];
}
