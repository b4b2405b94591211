import { type Command } from 'commander';
import { command, type RunCommand } from './command.js';
import { folded } from './text.js';

export function addExplain(payonce: Command, perform: RunCommand): void {
  command(
    payonce,
    'explain <id-or-reference>',
    'say what happened to a payment and what happens next',
    'order-1234',
  )
    .option('--merchant <id>', 'the merchant, where several use the same reference')
    .action((name: string, { merchant }: { merchant?: string }) =>
      perform(async ({ database, clock }) => {
        const [{ PaymentReports }, { Payment }, { explain }] = await Promise.all([
          import('../console/payment-report.js'),
          import('../payments/payment.entity.js'),
          import('../console/explain.js'),
        ]);
        const reports = new PaymentReports(database.dataSource.getRepository(Payment));
        const report = await reports.find(name, merchant ?? null);
        const explained = explain(report, clock.now());
        return { json: { id: report.payment.id, explained }, text: folded('', explained) };
      }),
    );
}
