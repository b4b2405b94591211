import { Button, Group, SegmentedControl } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Break, type Run } from '../answers.js';
import { type FetchView } from '../../../src/reconciliation/report-fetch.view.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { signedMoney, State, Time, words } from '../format.js';
import { Download, Failure, Heading, Listing, Loaded, Nothing } from '../parts.js';
import { useMay } from '../session.js';
import { ImportReport } from './import-report.js';

const lists: Readonly<Record<string, { readonly label: string; readonly hint: string }>> = {
  breaks: { label: 'Open breaks', hint: 'Where what a PSP says differs from our books, the oldest first.' },
  closed: {
    label: 'Closed',
    hint: 'Breaks that are closed, the latest first. One that was closed too early is opened again.',
  },
  reports: { label: 'Reports', hint: 'What PSPs reported, held against the ledger, the newest first.' },
  due: { label: 'Due', hint: 'Reports that were to be fetched, and what became of them, the newest first.' },
};

export function Reconciliation() {
  const { list = 'breaks' } = useSearch({ from: '/shell/reconciliation' });
  const navigate = useNavigate({ from: '/reconciliation' });
  const mayImport = useMay('finance');
  const [isImporting, begin] = useState(false);
  return (
    <>
      <Heading title="Reconciliation" hint={lists[list]?.hint ?? ''}>
        <Group gap="sm">
          {mayImport && (
            <Button size="xs" onClick={() => begin(true)}>
              Import a report…
            </Button>
          )}
          {list === 'breaks' && <Download path="reconciliation/breaks.csv">CSV</Download>}
          <SegmentedControl
            aria-label="List"
            data={Object.entries(lists).map(([value, { label }]) => ({ value, label }))}
            value={list}
            onChange={(value) => void navigate({ search: value === 'breaks' ? {} : { list: value } })}
          />
        </Group>
      </Heading>
      {list === 'reports' ? (
        <Runs />
      ) : list === 'due' ? (
        <Due />
      ) : (
        <ListOfBreaks key={list} isOpen={list === 'breaks'} />
      )}
      {isImporting && <ImportReport close={() => begin(false)} />}
    </>
  );
}

function ListOfBreaks({ isOpen }: { readonly isOpen: boolean }) {
  const path = `reconciliation/${isOpen ? 'breaks' : 'closed-breaks'}`;
  const query = useQuery({
    queryKey: ['breaks', path],
    queryFn: () => api<PageView<Break>>('GET', `${path}?limit=1000`),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>{isOpen ? 'Every report agrees with the ledger.' : 'No break was closed yet.'}</Nothing>
        ) : (
          <Breaks rows={data} isOpen={isOpen} />
        )
      }
    </Loaded>
  );
}

/** Reports that are fetched by themselves. */
function Due() {
  const mayFetch = useMay('finance');
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['fetches'],
    queryFn: () => api<PageView<FetchView>>('GET', 'reconciliation/fetches?limit=200'),
  });
  const act = useMutation({
    mutationFn: ([way, { psp, id }]: readonly ['now' | 'done', FetchView]) =>
      api('POST', `reconciliation/fetches/${way}`, { psp, id }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['fetches'] }),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>No report was due yet. The guide Reconciliation says how they are fetched.</Nothing>
        ) : (
          <>
            {act.error && <Failure error={act.error} />}
            <Listing
              rows={data}
              keyOf={({ psp, id }) => `${psp} ${id}`}
              columns={[
                { label: 'Report', isLong: true, cell: ({ id }) => <span className="mono">{id}</span> },
                { label: 'PSP', cell: ({ psp }) => psp },
                { label: 'Due', cell: ({ due_at: at }) => <Time at={at} /> },
                { label: 'State', cell: ({ state }) => <State is={state} /> },
                { label: 'Tries', isFigure: true, cell: ({ tries }) => tries },
                { label: 'Next try', cell: ({ next_at: at }) => <Time at={at} /> },
                { label: 'Fault', isLong: true, cell: ({ fault }) => fault ?? '–' },
                {
                  label: 'Report or act',
                  cell: (row) =>
                    row.run_id !== null ? (
                      <Link to="/reconciliation/runs/$id" params={{ id: row.run_id }}>
                        imported
                      </Link>
                    ) : mayFetch ? (
                      <Group gap={4} wrap="nowrap">
                        {(['now', 'done'] as const).map((way) => (
                          <Button
                            key={way}
                            size="compact-xs"
                            variant="default"
                            disabled={act.isPending}
                            onClick={() => act.mutate([way, row])}
                          >
                            {way === 'now' ? 'Fetch now' : 'Imported by hand'}
                          </Button>
                        ))}
                      </Group>
                    ) : (
                      '–'
                    ),
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}

/** What each category means, for people who have not read the guide. */
const meanings: Readonly<Record<string, string>> = {
  timing: 'The ledger has it, and no report yet',
  missing_at_psp: 'The ledger has it, and no report does',
  missing_here: 'The PSP reports what nothing here names',
  amount_mismatch: 'The amounts differ',
  currency_mismatch: 'The currencies differ',
  fee_mismatch: 'Gross less fee is not net',
  status_mismatch: 'The PSP took it back, and the ledger did not',
  duplicate_effect: 'One operation, several effects',
  possible_duplicate: 'Two captured payments look like one',
  late_success: 'The PSP did what was ruled out here',
  wrong_psp: 'It was never asked for at this PSP',
  contradiction: 'A notification contradicts what is decided here',
  operation_unknown: 'A notification names nothing that is known here',
};

/** Notifications may name no money. */
function amount(value: number | null, currency: string | null): string {
  return value === null || currency === null ? '–' : signedMoney(value, currency);
}

export function Breaks({ rows, isOpen = false }: { rows: readonly Break[]; isOpen?: boolean }) {
  return (
    <Listing
      rows={rows}
      keyOf={({ psp, id }) => `${psp} ${id}`}
      columns={[
        {
          label: 'Break',
          isLong: true,
          cell: ({ psp, id, category }) => (
            <Link
              to="/reconciliation/breaks/$psp/$id"
              params={{ psp, id }}
              className="row-link"
              title={meanings[category]}
            >
              {words(category)}
            </Link>
          ),
        },
        { label: 'PSP', cell: ({ psp }) => psp },
        {
          label: 'Ledger',
          isFigure: true,
          cell: ({ expected, currency }) => amount(expected, currency),
        },
        {
          label: 'PSP says',
          isFigure: true,
          cell: ({ reported, currency }) => amount(reported, currency),
        },
        { label: 'Line', isFigure: true, cell: ({ line }) => line ?? '–' },
        {
          label: 'About',
          isLong: true,
          cell: ({ entity_key: key, psp_reference: reference }) => (
            <span className="mono">{key ?? reference ?? 'not known'}</span>
          ),
        },
        isOpen
          ? { label: 'Owner', cell: ({ owner }) => owner ?? 'none' }
          : {
              label: 'State',
              cell: ({ resolved_at: at }) =>
                at === null ? (
                  'open'
                ) : (
                  <>
                    closed <Time at={at} />
                  </>
                ),
            },
        { label: 'Since', cell: ({ since }) => <Time at={since} /> },
      ]}
    />
  );
}

function Runs() {
  const query = useQuery({
    queryKey: ['runs'],
    queryFn: () => api<PageView<Run>>('GET', 'reconciliation/runs?limit=200'),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>No report was imported yet.</Nothing>
        ) : (
          <Listing
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                label: 'Report',
                isLong: true,
                cell: ({ id, file_name: name }) => (
                  <Link to="/reconciliation/runs/$id" params={{ id }} className="row-link mono">
                    {name}
                  </Link>
                ),
              },
              { label: 'PSP', cell: ({ psp }) => psp },
              { label: 'Format', cell: ({ format }) => format },
              { label: 'Lines', isFigure: true, cell: ({ lines }) => lines },
              { label: 'New', isFigure: true, cell: ({ new_lines: lines }) => lines },
              {
                label: 'Covers',
                isLong: true,
                cell: ({ period_from: from, period_to: to }) => `${from.slice(0, 10)} to ${to.slice(0, 10)}`,
              },
              { label: 'Imported by', isLong: true, cell: ({ imported_by: by }) => by },
              { label: 'Imported', cell: ({ imported_at: at }) => <Time at={at} /> },
            ]}
          />
        )
      }
    </Loaded>
  );
}
