import { Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Break, type Run } from '../answers.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { signedMoney, Time, words } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing } from '../parts.js';

export function Reconciliation() {
  const { list } = useSearch({ from: '/shell/reconciliation' });
  const navigate = useNavigate({ from: '/reconciliation' });
  return (
    <>
      <Heading
        title="Reconciliation"
        hint={
          list === 'reports'
            ? 'What PSPs reported, held against the ledger, the newest first.'
            : 'Where what a PSP says differs from our books, the oldest first.'
        }
      >
        <Group gap="sm">
          {list !== 'reports' && <Download path="reconciliation/breaks.csv">CSV</Download>}
          <SegmentedControl
            aria-label="List"
            data={[
              { value: 'breaks', label: 'Open breaks' },
              { value: 'reports', label: 'Reports' },
            ]}
            value={list ?? 'breaks'}
            onChange={(value) => void navigate({ search: value === 'reports' ? { list: 'reports' } : {} })}
          />
        </Group>
      </Heading>
      {list === 'reports' ? <Runs /> : <OpenBreaks />}
    </>
  );
}

function OpenBreaks() {
  const query = useQuery({
    queryKey: ['breaks'],
    queryFn: () => api<PageView<Break>>('GET', 'reconciliation/breaks?limit=200'),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>Every report agrees with the ledger.</Nothing>
        ) : (
          <Breaks rows={data} isOpen />
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
