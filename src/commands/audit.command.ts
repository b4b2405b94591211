import { type Command } from 'commander';
import { Problem } from '../core/problem.js';
import { command, type RunCommand, withExamples } from './command.js';
import { detailLines } from './text.js';

export function addAudit(payonce: Command, perform: RunCommand): void {
  const audit = withExamples(
    payonce.command('audit').description('verify and export what people did (docs/console.md)'),
    'verify',
  );
  command(audit, 'verify', 'follow the chain of audit records, and name the first row that does not hold', '')
    .option(
      '--anchor <text>',
      'an anchor that was printed before: finds what was cut off or written anew since',
    )
    .action(({ anchor: text }: { anchor?: string }) =>
      perform(async ({ audit: open }) => {
        const [{ chain, seal }, { readAnchor }] = await Promise.all([
          open(),
          import('../audit/audit-chain.js'),
        ]);
        const anchor = text === undefined ? null : readAnchor(text, seal);
        if (text !== undefined && anchor === null) {
          throw new Problem(
            'validation_failed',
            '--anchor takes an anchor that this installation has signed.',
          );
        }
        const { fault, ...found } = await chain.verify(seal, anchor);
        if (fault !== null) {
          throw new Problem('invalid_state', `Row ${fault.number} of the audit chain: ${fault.what}.`);
        }
        return {
          json: found,
          text: [
            `All ${found.rows} rows hold.`,
            ...(found.anchor === null ? [] : ['Keep this outside the database:', `  ${found.anchor}`]),
            ...(found.guarded ? [] : [UNGUARDED]),
          ].join('\n'),
        };
      }),
    );
  command(audit, 'anchor', 'print the last row, signed, to be kept outside the database', '').action(() =>
    perform(async ({ audit: open }) => {
      const { chain, seal } = await open();
      const anchor = await chain.anchor(seal);
      return { json: { anchor }, text: anchor ?? 'There is no row yet.' };
    }),
  );
  command(audit, 'export', 'write the whole chain to a CSV file', '--file audit.csv')
    .requiredOption('--file <path>', 'the file, which must not exist yet')
    .action(({ file }: { file: string }) =>
      perform(async ({ audit: open }) => {
        const [{ chain, seal }, { exportedOf }, { writeCsv }] = await Promise.all([
          open(),
          import('../audit/audit-chain.js'),
          import('../ledger/csv-file.js'),
        ]);
        const anchor = await chain.anchor(seal);
        const rows = await writeCsv(file, chain.all(), exportedOf);
        return {
          json: { file, rows, anchor },
          text: [
            'Exported.',
            ...detailLines([
              ['rows', String(rows)],
              ['file', file],
              ['anchor', anchor ?? 'none'],
            ]),
          ].join('\n'),
        };
      }),
    );
}

const UNGUARDED =
  'The role of this connection owns the chain or may become its owner: it could overrule it. Give the service a role of its own.';
