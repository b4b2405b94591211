import { SimpleGrid, Stack } from '@mantine/core';
import { type RunResult } from '../answers.js';
import { money, signedMoney, Time, words } from '../format.js';
import { Facts, Listing, Nothing, Part } from '../parts.js';

/** The result of an imported report, or of one that is tried. */
export function RunFigures({ view, isTrial = false }: { view: RunResult; isTrial?: boolean }) {
  const { run, matched, unmatched, totals, breaks } = view;
  return (
    <Stack gap="md" mb="md">
      <Part title="Totals" hint="opening + in - out - fees - settled = closing">
        {totals.length === 0 ? (
          <Nothing>The report moves no money.</Nothing>
        ) : (
          <Listing
            rows={totals}
            keyOf={({ currency }) => currency}
            columns={[
              { label: 'Currency', cell: ({ currency }) => currency },
              ...(['opening', 'in', 'out', 'fees', 'settled', 'closing'] as const).map((name) => ({
                label: words(name),
                isFigure: true,
                cell: (row: RunResult['totals'][number]) => money(row[name], row.currency),
              })),
            ]}
          />
        )}
      </Part>
      <SimpleGrid cols={isTrial ? 1 : { base: 1, lg: 2 }} spacing="md">
        <Part title="Breaks by category">
          {breaks.length === 0 ? (
            <Nothing>The report agrees with the ledger.</Nothing>
          ) : (
            <Listing
              rows={breaks}
              keyOf={({ category, currency }) => `${category} ${currency}`}
              columns={[
                { label: 'Category', cell: ({ category }) => words(category) },
                { label: 'Open', isFigure: true, cell: ({ open }) => open },
                { label: 'Closed', isFigure: true, cell: ({ closed }) => closed },
                {
                  label: 'Difference of the open ones',
                  isLong: true,
                  isFigure: true,
                  cell: ({ difference, currency }) => signedMoney(difference, currency),
                },
              ]}
            />
          )}
        </Part>
        <Part title="Report">
          <Facts
            facts={[
              ['Lines', `${run.lines}, of them ${run.new_lines} new`],
              ['Matched', matched],
              ['Unmatched', unmatched],
              ['Covers', `${run.period_from.slice(0, 16)} to ${run.period_to.slice(0, 16)} UTC`],
              ...(isTrial
                ? [['Imported', 'not yet: this is a try'] as const]
                : [
                    ['Imported by', run.imported_by] as const,
                    ['Imported', <Time key="imported" at={run.imported_at} />] as const,
                  ]),
            ]}
          />
        </Part>
      </SimpleGrid>
    </Stack>
  );
}
