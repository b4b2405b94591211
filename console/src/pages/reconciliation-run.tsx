import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Break, type RunResult } from '../answers.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { money, signedMoney, Time, words } from '../format.js';
import { Download, Facts, Heading, Listing, Loaded, Nothing, Part } from '../parts.js';
import { Breaks } from './reconciliation.js';

export function ReconciliationRun() {
  const { id } = useParams({ from: '/shell/reconciliation/runs/$id' });
  const query = useQuery({
    queryKey: ['run', id],
    queryFn: () => api<RunResult>('GET', `reconciliation/runs/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(view) => <Run view={view} />}</Loaded>;
}

function Run({ view: { run, matched, unmatched, totals, breaks } }: { view: RunResult }) {
  return (
    <>
      <Heading title={run.file_name} hint={`Report of ${run.psp}, ${run.format}`}>
        <Group gap="xs">
          <Download path={`reconciliation/runs/${run.id}/breaks.csv`}>Breaks as CSV</Download>
          <Download path={`reconciliation/runs/${run.id}/lines.csv`}>Lines as CSV</Download>
        </Group>
      </Heading>
      <Stack gap="md">
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
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
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
                ['Imported by', run.imported_by],
                ['Imported', <Time key="imported" at={run.imported_at} />],
              ]}
            />
          </Part>
        </SimpleGrid>
        {breaks.length > 0 && <BreaksOfRun id={run.id} />}
      </Stack>
    </>
  );
}

const SHOWN = 500;

function BreaksOfRun({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['run-breaks', id],
    queryFn: () => api<PageView<Break>>('GET', `reconciliation/runs/${id}/breaks?limit=${SHOWN}`),
  });
  return (
    <Part title="Breaks" hint="in the order of the lines">
      <Loaded query={query}>{({ data }) => <Breaks rows={data} />}</Loaded>
    </Part>
  );
}
