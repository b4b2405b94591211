import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type PageView } from '../../../src/core/page.view.js';
import { type DeliveryRow, type NotificationRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { State, Time } from '../format.js';
import { Failure, Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';
import { useMay } from '../session.js';

const lists = [
  { value: 'deliveries', label: 'Sent' },
  { value: 'undelivered', label: 'Not delivered' },
  { value: 'inbox', label: 'Received' },
  { value: 'undecided', label: 'Undecided' },
];

const hints: Readonly<Record<string, string>> = {
  deliveries: 'Events to merchants, the newest first.',
  undelivered: 'Events that no endpoint has taken yet, or ever will by itself.',
  inbox: 'What PSPs notified, the newest first.',
  undecided: 'Notifications that are tried again, the longest due first.',
};

export function Webhooks() {
  const { list = 'deliveries' } = useSearch({ from: '/shell/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  return (
    <>
      <Heading title="Webhooks" {...(hints[list] ? { hint: hints[list] } : {})}>
        <SegmentedControl
          aria-label="List"
          data={lists}
          value={list}
          onChange={(value) => void navigate({ search: value === 'deliveries' ? {} : { list: value } })}
        />
      </Heading>
      {list === 'inbox' || list === 'undecided' ? <Inbox list={list} /> : <Deliveries list={list} />}
    </>
  );
}

/** A page of one of the lists, by the cursor in the URL. */
function usePageOf<Row>(path: string, list: string | null) {
  const { cursor } = useSearch({ from: '/shell/webhooks' });
  const asked = new URLSearchParams({ ...(list && { list }), ...(cursor && { cursor }) }).toString();
  return useQuery({
    queryKey: [path, asked],
    queryFn: () => api<PageView<Row>>('GET', `${path}?${asked}`),
    placeholderData: keepPreviousData,
  });
}

function Pages({ next }: { next: string | null }) {
  const { list, cursor } = useSearch({ from: '/shell/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const kept = list === undefined ? {} : { list };
  return (
    <PageButtons
      isFirst={cursor === undefined}
      next={next}
      onFirst={() => void navigate({ search: kept })}
      onNext={(cursor) => void navigate({ search: { ...kept, cursor } })}
    />
  );
}

function Deliveries({ list }: { list: string }) {
  const mayAct = useMay('operator');
  const queries = useQueryClient();
  const query = usePageOf<DeliveryRow>('webhooks/deliveries', list === 'undelivered' ? list : null);
  const replay = useMutation({
    mutationFn: ({ merchant_id, event_id, endpoint_id }: DeliveryRow) =>
      api<{ deliveries: number }>('POST', 'webhooks/replay', { merchant_id, event_id, endpoint_id }),
    onSettled: () => queries.invalidateQueries(),
  });
  const columns = [
    {
      label: 'Event',
      isLong: true,
      cell: ({ type, payment_id: id }: DeliveryRow) =>
        id === null ? <span className="mono">{type}</span> : <PaymentLink id={id}>{type}</PaymentLink>,
    },
    { label: 'State', cell: ({ status }: DeliveryRow) => <State is={status} /> },
    { label: 'To', isLong: true, cell: ({ url }: DeliveryRow) => <span className="mono">{url}</span> },
    { label: 'Tries', isFigure: true, cell: ({ attempts }: DeliveryRow) => attempts },
    {
      label: 'Last answer',
      isLong: true,
      cell: ({ http_status: status, error_code: error }: DeliveryRow) =>
        [status === null ? null : `HTTP ${status}`, error].filter((part) => part !== null).join(', ') || '–',
    },
    { label: 'Tried', cell: ({ tried_at: at }: DeliveryRow) => <Time at={at} /> },
    { label: 'Next try', isExtra: true, cell: ({ next_at: at }: DeliveryRow) => <Time at={at} /> },
    { label: 'Merchant', isLong: true, cell: ({ merchant }: DeliveryRow) => merchant },
  ];
  const act = {
    label: 'Act',
    cell: (row: DeliveryRow) => (
      <Button
        size="compact-xs"
        variant="default"
        loading={replay.isPending && replay.variables.event_id === row.event_id}
        onClick={() => replay.mutate(row)}
      >
        Replay
      </Button>
    ),
  };
  return (
    <>
      {replay.error && <Failure error={replay.error} />}
      {replay.data && (
        <Text role="status" size="sm" mb="sm">
          {replay.data.deliveries === 0
            ? 'Nothing was sent: the endpoint is disabled, or is being tried right now.'
            : 'The event is sent again.'}
        </Text>
      )}
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>
                {list === 'undelivered'
                  ? 'Every event is delivered.'
                  : 'No event was sent to an endpoint yet.'}
              </Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ event_id: event, endpoint_id: endpoint }) => `${event} ${endpoint}`}
                columns={mayAct ? [...columns, act] : columns}
              />
            )}
            <Pages next={next} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Inbox({ list }: { list: string }) {
  const query = usePageOf<NotificationRow>('webhooks/inbox', list === 'undecided' ? list : null);
  return (
    <Loaded query={query}>
      {({ data, next_cursor: next }) => (
        <>
          {data.length === 0 ? (
            <Nothing>
              {list === 'undecided' ? 'Every notification is decided.' : 'No PSP has notified anything yet.'}
            </Nothing>
          ) : (
            <Listing
              rows={data}
              keyOf={({ psp, event_id: id }) => `${psp} ${id}`}
              columns={[
                {
                  label: 'Notification',
                  isLong: true,
                  cell: ({ type }) => <span className="mono">{type}</span>,
                },
                { label: 'PSP', cell: ({ psp }) => psp },
                {
                  label: 'State',
                  cell: ({ state, reason }) => (
                    <Group gap={6} justify="inherit" wrap="nowrap">
                      <State is={state} />
                      {reason?.replaceAll('_', ' ')}
                    </Group>
                  ),
                },
                { label: 'Tries', isFigure: true, cell: ({ tries }) => tries },
                { label: 'About', isLong: true, cell: (row) => <About row={row} /> },
                { label: 'Received', cell: ({ received_at: at }) => <Time at={at} /> },
                { label: 'Next try', isExtra: true, cell: ({ next_at: at }) => <Time at={at} /> },
              ]}
            />
          )}
          <Pages next={next} />
        </>
      )}
    </Loaded>
  );
}

function About({
  row: { entity_key: key, payment_id: payment, payout_id: payout },
}: {
  row: NotificationRow;
}) {
  if (payment !== null) return <PaymentLink id={payment}>{key}</PaymentLink>;
  if (payout !== null)
    return (
      <Link to="/payouts/$id" params={{ id: payout }} className="row-link mono">
        {key}
      </Link>
    );
  return <span className="mono">{key ?? 'not known'}</span>;
}
