import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Break, type RunResult } from '../answers.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Download, Heading, Loaded, Part } from '../parts.js';
import { Breaks } from './reconciliation.js';
import { RunFigures } from './run-figures.js';

export function ReconciliationRun() {
  const { id } = useParams({ from: '/shell/reconciliation/runs/$id' });
  const query = useQuery({
    queryKey: ['run', id],
    queryFn: () => api<RunResult>('GET', `reconciliation/runs/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(view) => <Run view={view} />}</Loaded>;
}

function Run({ view }: { view: RunResult }) {
  const { run, breaks } = view;
  return (
    <>
      <Heading title={run.file_name} hint={`Report of ${run.psp}, ${run.format}`}>
        <Group gap="xs">
          <Download path={`reconciliation/runs/${run.id}/breaks.csv`}>Breaks as CSV</Download>
          <Download path={`reconciliation/runs/${run.id}/lines.csv`}>Lines as CSV</Download>
        </Group>
      </Heading>
      <RunFigures view={view} />
      {breaks.length > 0 && <BreaksOfRun id={run.id} />}
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
