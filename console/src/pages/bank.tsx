import { Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type BankBatchView, type BankFileView } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { money, State, Time, words } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing } from '../parts.js';

/** Files for banks and of banks: payouts and direct debits that go as files. */
export function Bank() {
  const { list = 'batches' } = useSearch({ from: '/shell/bank' });
  const navigate = useNavigate({ from: '/bank' });
  const isFiles = list === 'files';
  return (
    <>
      <Heading
        title="Bank files"
        hint={isFiles ? 'What banks left, the newest first.' : 'What was made for banks, the newest first.'}
      >
        <Group gap="sm">
          <Download path={`bank/${isFiles ? 'files' : 'batches'}.csv`}>CSV</Download>
          <SegmentedControl
            aria-label="List"
            data={[
              { value: 'batches', label: 'For banks' },
              { value: 'files', label: 'Of banks' },
            ]}
            value={isFiles ? 'files' : 'batches'}
            onChange={(value) => void navigate({ search: value === 'batches' ? {} : { list: value } })}
          />
        </Group>
      </Heading>
      {isFiles ? <Files /> : <Batches />}
    </>
  );
}

function Batches() {
  const query = useQuery({
    queryKey: ['bank', 'batches'],
    queryFn: () => api<PageView<BankBatchView>>('GET', 'bank/batches'),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>No file was made for a bank yet.</Nothing>
        ) : (
          <Listing
            rows={data}
            keyOf={({ psp, number }) => `${psp} ${number}`}
            columns={[
              {
                label: 'File',
                isLong: true,
                cell: ({ file_name: name }) => <span className="mono">{name}</span>,
              },
              { label: 'Bank', cell: ({ psp }) => psp },
              { label: 'Kind', isExtra: true, cell: ({ kind }) => words(kind) },
              { label: 'State', cell: ({ state }) => <State is={state} /> },
              { label: 'Total', isFigure: true, cell: (row) => money(row.amount, row.currency) },
              {
                label: 'Answered',
                isFigure: true,
                cell: ({ answered, transactions }) => `${answered} of ${transactions}`,
              },
              { label: 'Refused', isFigure: true, cell: ({ rejected }) => rejected },
              { label: 'Due', isExtra: true, cell: ({ due_on: day }) => day },
              { label: 'Made', cell: ({ formed_at: at }) => <Time at={at} /> },
              { label: 'Sent', cell: ({ sent_at: at }) => <Time at={at} /> },
              { label: 'Fault', isLong: true, cell: ({ fault }) => fault ?? '–' },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function Files() {
  const query = useQuery({
    queryKey: ['bank', 'files'],
    queryFn: () => api<PageView<BankFileView>>('GET', 'bank/files'),
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Nothing>No bank has left a file yet.</Nothing>
        ) : (
          <Listing
            rows={data}
            keyOf={({ psp, name, received_at: at }) => `${psp} ${name} ${at}`}
            columns={[
              { label: 'File', isLong: true, cell: ({ name }) => <span className="mono">{name}</span> },
              { label: 'Bank', cell: ({ psp }) => psp },
              { label: 'State', cell: ({ state }) => <State is={state} /> },
              { label: 'Ours', isFigure: true, cell: ({ ours }) => ours },
              { label: 'Unknown', isFigure: true, cell: ({ unknown }) => unknown },
              { label: 'Read', cell: ({ received_at: at }) => <Time at={at} /> },
              { label: 'Fault', isLong: true, cell: ({ fault }) => fault ?? '–' },
            ]}
          />
        )
      }
    </Loaded>
  );
}
