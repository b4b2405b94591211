import { Alert, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type BreakAnswer } from '../answers.js';
import { api } from '../api.js';
import { money, signedMoney, State, Time, words } from '../format.js';
import { BreakActions } from './break-actions.js';
import { Facts, Heading, Listing, Loaded, Nothing, Part } from '../parts.js';

export function BreakPage() {
  const { psp, id } = useParams({ from: '/shell/reconciliation/breaks/$psp/$id' });
  const query = useQuery({
    queryKey: ['break', psp, id],
    queryFn: () => api<BreakAnswer>('GET', `breaks/${encodeURIComponent(id)}?psp=${encodeURIComponent(psp)}`),
  });
  return <Loaded query={query}>{(view) => <Page view={view} />}</Loaded>;
}

function Page({ view }: { view: BreakAnswer }) {
  const { found, subject } = view;
  return (
    <>
      <Heading
        title={`${words(found.category)} at ${found.psp}`}
        hint={found.entity_key ?? found.psp_reference ?? 'Nothing here is known to be about it'}
      />
      <Alert
        variant="light"
        color={found.resolved_at === null ? 'orange' : 'gray'}
        mb="md"
        title={found.resolved_at === null ? 'Open' : 'Closed'}
      >
        {said(found)} {found.resolution}
      </Alert>
      <BreakActions found={found} notes={view.notes} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" mb="md">
        <Line view={view} />
        <Part title="In the ledger">
          {view.entries.length === 0 ? (
            <Nothing>The ledger has nothing of it.</Nothing>
          ) : (
            <Listing
              rows={view.entries}
              keyOf={({ source, amount }) => `${source} ${amount}`}
              columns={[
                {
                  label: 'Entry',
                  isLong: true,
                  cell: ({ source }) => <span className="mono">{source}</span>,
                },
                { label: 'Kind', cell: ({ kind }) => words(kind) },
                { label: 'Amount', isFigure: true, cell: (row) => signedMoney(row.amount, row.currency) },
                { label: 'Matched by', cell: ({ matched_by: by }) => (by === null ? '–' : words(by)) },
              ]}
            />
          )}
        </Part>
      </SimpleGrid>
      <Part title="Attempts" {...(subject === null ? {} : { hint: `${subject.kind} ${subject.id}` })}>
        {view.attempts.length === 0 ? (
          <Nothing>No attempt of this service is known to be about it.</Nothing>
        ) : (
          <Stack gap="xs">
            <Attempts view={view} />
            {subject?.kind === 'payment' && (
              <Link to="/payments/$id" params={{ id: subject.id }}>
                Open the payment
              </Link>
            )}
            {subject?.kind === 'payout' && <span className="mono">payout {subject.id}</span>}
          </Stack>
        )}
      </Part>
    </>
  );
}

function said({ expected, reported, currency, owner }: BreakAnswer['found']): string {
  const owned = owner === null ? 'It has no owner.' : `${owner} owns it.`;
  if (currency === null || reported === null) return `A notification says so. ${owned}`;
  if (expected === null) return `A notification says ${signedMoney(reported, currency)}. ${owned}`;
  const difference = signedMoney(reported - expected, currency);
  return `The ledger has ${signedMoney(expected, currency)}, the report says ${signedMoney(reported, currency)}: a difference of ${difference}. ${owned}`;
}

function Line({ view: { found, file_name: file, line } }: { view: BreakAnswer }) {
  return (
    <Part title="In the report">
      {line === null ? (
        <Nothing>{file === null ? 'A notification found it.' : `No line of ${file} is about it.`}</Nothing>
      ) : (
        <Facts
          facts={[
            [
              'Line',
              <Link key="line" to="/reconciliation/runs/$id" params={{ id: found.run_id ?? '' }}>
                {file}, line {line.line}
              </Link>,
            ],
            ['Type', `${line.type} (${words(line.kind)})`],
            ['Id at the PSP', line.psp_reference ?? '–'],
            ['Reference', line.reference ?? '–'],
            ['Gross', signedMoney(line.gross, line.currency)],
            ['Fee', money(line.fee, line.settled)],
            ['Net', signedMoney(line.net, line.settled)],
            ['Batch', line.batch ?? '–'],
            ['Happened', <Time key="happened" at={line.occurred_at} />],
          ]}
        />
      )}
    </Part>
  );
}

function Attempts({ view: { attempts } }: { view: BreakAnswer }) {
  return (
    <Listing
      rows={attempts}
      keyOf={({ route, attempt }) => `${route} ${attempt}`}
      columns={[
        { label: 'Route', cell: ({ route, psp }) => `${route}, ${psp}` },
        { label: 'Verdict', cell: ({ verdict }) => <State is={verdict} /> },
        { label: 'Attempt', cell: ({ attempt, kind }) => `${attempt}, ${kind}` },
        { label: 'Outcome', cell: ({ outcome }) => outcome ?? 'unanswered' },
        { label: 'HTTP', isFigure: true, cell: ({ http_status: status }) => status ?? '–' },
        {
          label: 'Id at the PSP',
          isLong: true,
          cell: ({ psp_reference: reference }) => <span className="mono">{reference ?? '–'}</span>,
        },
        { label: 'Started', cell: ({ started_at: at }) => <Time at={at} /> },
      ]}
    />
  );
}
