import { Group, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type FeesRow,
  type OwedItemRow,
  type OwedRow,
  type TransferRow,
  type TransfersView,
} from '../../../src/console/month-end-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { type FetchView } from '../../../src/reconciliation/report-fetch.view.js';
import { type Break } from '../answers.js';
import { api, queryOf } from '../api.js';
import { type Search } from '../filters.js';
import { money, signedMoney, State, Time, words } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing, PageButtons, Part, PaymentLink } from '../parts.js';
import { BEGINNING, LedgerFields, ToEntries } from './ledger-filters.js';

export interface MonthEndSearch {
  /** `2026-11` */
  readonly month?: string;
  readonly psp?: string;
  readonly currency?: string;
  readonly merchant_id?: string;
  readonly cursor?: string;
}

/** The page shows the month before until this day of a month. */
const MIDDLE = 15;

export function MonthEnd() {
  const search = useSearch({ from: '/shell/month-end' });
  const navigate = useNavigate({ from: '/month-end' });
  const narrow = (change: Search) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change }, replace: true });
  };
  const month = search.month ?? monthToClose(new Date());
  const { month: _month, cursor, ...narrowed } = search;
  const of = { ...daysOf(month), ...narrowed };
  return (
    <>
      <Heading
        title="Month end"
        hint="What PSPs owe, what the bank has booked, what it cost. Nothing is locked: a month is closed when nothing of it is left to look at."
      />
      <Group mb="md" gap="sm" align="end">
        <TextInput
          label="Month (UTC)"
          type="month"
          value={month}
          onChange={({ currentTarget: { value } }) => {
            if (/^\d{4}-\d\d$/.test(value)) narrow({ month: value });
          }}
        />
        <LedgerFields search={search} narrow={narrow} />
      </Group>
      <Stack gap="md">
        <Before of={of} />
        <Owed of={of} />
        <Items of={of} cursor={cursor} go={(to) => void navigate({ search: { ...search, cursor: to } })} />
        <Transfers of={of} />
        <Fees of={of} />
      </Stack>
    </>
  );
}

/** The days of the month, and the filters of the page. */
type Of = Search & { readonly from: string; readonly to: string };

function monthToClose(now: Date): string {
  const of = new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (now.getUTCDate() < MIDDLE ? 1 : 0), 1),
  );
  return of.toISOString().slice(0, 7);
}

function daysOf(month: string): { readonly from: string; readonly to: string } {
  const [year = 0, of = 1] = month.split('-').map(Number);
  return { from: `${month}-01`, to: new Date(Date.UTC(year, of, 0)).toISOString().slice(0, 10) };
}

const useOwed = (of: Of) =>
  useQuery({
    queryKey: ['month-end', 'owed', of],
    queryFn: () => api<PageView<OwedRow>>('GET', `month-end/owed?${queryOf(of)}`),
    placeholderData: keepPreviousData,
  });
const useTransfers = (of: Of) =>
  useQuery({
    queryKey: ['month-end', 'transfers', of],
    queryFn: () => api<TransfersView>('GET', `month-end/transfers?${queryOf(of)}`),
    placeholderData: keepPreviousData,
  });

/** Everything that is still to be looked at; each leads to where it is. */
function Before({ of }: { readonly of: Of }) {
  const end = `${of.to}T23:59:59.999Z`;
  const owed = useOwed(of);
  const transfers = useTransfers(of);
  const breaks = useQuery({
    queryKey: ['breaks', 'reconciliation/breaks'],
    queryFn: () => api<PageView<Break>>('GET', 'reconciliation/breaks?limit=1000'),
  });
  const fetches = useQuery({
    queryKey: ['fetches'],
    queryFn: () => api<PageView<FetchView>>('GET', 'reconciliation/fetches?limit=1000'),
  });
  const isOf = ({ psp }: { readonly psp: string }) => of['psp'] === undefined || of['psp'] === psp;
  const late = fetches.data?.data.filter(
    (each) => isOf(each) && each.state !== 'done' && (each.period_from ?? each.due_at) <= end,
  );
  const open = breaks.data?.data.filter((each) => isOf(each) && each.occurred_at <= end);
  const unbooked = transfers.data?.data.filter(({ booked_at: at }) => at === null);
  const unreported = owed.data?.data.filter(({ not_reported: amount }) => amount !== 0);
  const unexplained = owed.data?.data.filter(({ rest }) => rest !== 0);
  const rows = [
    {
      of: 'Reports that were due and are not imported',
      count: late?.length,
      to: '/reconciliation',
      search: { list: 'due' },
    },
    { of: 'Balances of PSPs with money that no report has yet', count: unreported?.length, hash: 'owed' },
    { of: 'Open breaks until the end of the month', count: open?.length, to: '/reconciliation', search: {} },
    { of: 'Transfers of PSPs that no bank statement has', count: unbooked?.length, hash: 'transfers' },
    { of: 'Balances with a rest that nothing explains', count: unexplained?.length, hash: 'owed' },
  ] as const;
  return (
    <Part title="Left to look at" hint={`${of.from} to ${of.to}`}>
      <Listing
        rows={rows}
        keyOf={(row) => row.of}
        columns={[
          {
            label: 'To look at',
            isLong: true,
            cell: (row) =>
              'hash' in row ? (
                <a href={`#${row.hash}`} className="row-link">
                  {row.of}
                </a>
              ) : (
                <Link to={row.to} search={row.search} className="row-link">
                  {row.of}
                </Link>
              ),
          },
          { label: 'Count', isFigure: true, cell: ({ count }) => count ?? '…' },
          {
            label: 'State',
            cell: ({ count }) => (count === undefined ? '…' : <State is={count === 0 ? 'good' : 'open'} />),
          },
        ]}
      />
    </Part>
  );
}

function Owed({ of }: { readonly of: Of }) {
  const query = useOwed(of);
  return (
    <Part id="owed" title="What PSPs owe" hint={`at the end of ${of.to} (UTC)`}>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing>No PSP owes anything.</Nothing>
          ) : (
            <Listing
              rows={data}
              keyOf={({ psp, currency }) => `${psp} ${currency}`}
              columns={[
                {
                  label: 'PSP',
                  cell: ({ psp, currency }) => (
                    <Link
                      to="/month-end"
                      search={(kept) => ({ ...kept, psp, currency, cursor: undefined })}
                      hash="items"
                      className="row-link"
                    >
                      {psp}
                    </Link>
                  ),
                },
                {
                  label: 'Owes',
                  isFigure: true,
                  cell: ({ psp, currency, held }) => (
                    <ToEntries of={{ ...of, from: BEGINNING, psp, currency, account: 'psp_clearing' }}>
                      {money(held, currency)}
                    </ToEntries>
                  ),
                },
                {
                  label: 'Not reported',
                  isFigure: true,
                  cell: (row) => money(row.not_reported, row.currency),
                },
                {
                  label: 'Not transferred',
                  isFigure: true,
                  cell: (row) => money(row.not_transferred, row.currency),
                },
                {
                  label: 'Rest',
                  isFigure: true,
                  cell: ({ rest, currency }) =>
                    rest === 0 ? money(rest, currency) : <b>{signedMoney(rest, currency)}</b>,
                },
                { label: 'Items', isFigure: true, cell: ({ items }) => items },
                { label: 'Oldest', cell: ({ oldest_at: at }) => <Time at={at} /> },
              ]}
            />
          )
        }
      </Loaded>
      <Text size="sm" c="dimmed" mt="xs">
        The rest is what neither an effect here nor a line of a report explains: a correction, another
        currency, an amount that differs.
      </Text>
    </Part>
  );
}

function Items({
  of,
  cursor,
  go,
}: {
  readonly of: Of;
  readonly cursor: string | undefined;
  readonly go: (cursor: string | undefined) => void;
}) {
  const query = useQuery({
    queryKey: ['month-end', 'items', of, cursor],
    queryFn: () => api<PageView<OwedItemRow>>('GET', `month-end/owed/items?${queryOf({ ...of, cursor })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <Part id="items" title="What makes it up" hint="the oldest first">
      <Group justify="end" mb="xs">
        <Download path={`month-end/owed/items.csv?${queryOf(of)}`}>CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? <Nothing>Everything was paid out.</Nothing> : <ItemRows rows={data} />}
            <PageButtons
              isFirst={cursor === undefined}
              next={next}
              labels={['First', 'Next']}
              onFirst={() => go(undefined)}
              onNext={go}
            />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function ItemRows({ rows }: { readonly rows: readonly OwedItemRow[] }) {
  return (
    <Listing
      rows={rows}
      keyOf={({ psp, kind, psp_reference: id, occurred_at: at, amount }) =>
        [psp, kind, id, at, amount].join(' ')
      }
      columns={[
        {
          label: 'Payment',
          isLong: true,
          cell: ({ payment_id: id, reference, psp_reference: of }) =>
            id === null ? (
              <span className="mono">{of ?? '–'}</span>
            ) : (
              <PaymentLink id={id}>{reference ?? id}</PaymentLink>
            ),
        },
        { label: 'Order', isLong: true, isExtra: true, cell: ({ order }) => order ?? '–' },
        { label: 'Kind', cell: ({ kind }) => words(kind) },
        { label: 'PSP', cell: ({ psp }) => psp },
        { label: 'Amount', isFigure: true, cell: ({ amount, currency }) => signedMoney(amount, currency) },
        { label: 'State', cell: ({ state }) => <State is={state} /> },
        { label: 'Batch', isLong: true, isExtra: true, cell: ({ batch }) => batch ?? '–' },
        { label: 'Age', isFigure: true, cell: ({ age_days: age }) => `${age} d` },
      ]}
    />
  );
}

function Transfers({ of }: { readonly of: Of }) {
  const query = useTransfers(of);
  return (
    <Part id="transfers" title="Transfers to the bank" hint="each with its booking">
      <Group justify="end" mb="xs">
        <Download path={`month-end/transfers.csv?${queryOf(of)}`}>CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data, statements }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No report of these days has a transfer.</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ psp, batch, currency, at, amount }) => [psp, batch, currency, at, amount].join(' ')}
                columns={transferColumns}
              />
            )}
            <Text size="sm" c="dimmed" mt="xs">
              {statements.length === 0
                ? 'No statement of a bank was imported yet.'
                : `Statements reach ${statements.map(({ account, until }) => `${until.slice(0, 10)} at ${account}`).join(', ')}.`}
            </Text>
          </>
        )}
      </Loaded>
    </Part>
  );
}

const transferColumns = [
  { label: 'Day', cell: ({ at }: TransferRow) => at.slice(0, 10) },
  { label: 'PSP', cell: ({ psp }: TransferRow) => psp },
  {
    label: 'Batch',
    isLong: true,
    cell: ({ batch }: TransferRow) => <span className="mono">{batch ?? '–'}</span>,
  },
  {
    label: 'Amount',
    isFigure: true,
    cell: ({ amount, currency }: TransferRow) => money(amount, currency),
  },
  {
    label: 'State',
    cell: ({ booked_at: at }: TransferRow) => <State is={at === null ? 'not booked' : 'booked'} />,
  },
  { label: 'Booked', cell: ({ booked_at: at }: TransferRow) => at?.slice(0, 10) ?? '–' },
  {
    label: 'At the bank',
    isLong: true,
    cell: ({ booked_by: account, booked_as: reference }: TransferRow) =>
      account === null ? '–' : `${account} ${reference ?? ''}`,
  },
];

function Fees({ of }: { readonly of: Of }) {
  const query = useQuery({
    queryKey: ['month-end', 'fees', of],
    queryFn: () => api<PageView<FeesRow>>('GET', `month-end/fees?${queryOf(of)}`),
    placeholderData: keepPreviousData,
  });
  return (
    <Part title="Fees" hint="as far as reports have told">
      <Group justify="end" mb="xs">
        <Download path={`month-end/fees.csv?${queryOf(of)}`}>CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing>No fee and no payment in these days.</Nothing>
          ) : (
            <Listing
              rows={data}
              keyOf={({ month, psp, currency, merchant_id: id }) => [month, psp, currency, id].join(' ')}
              columns={[
                { label: 'PSP', cell: ({ psp }) => psp },
                { label: 'Merchant', isLong: true, cell: ({ merchant }) => merchant ?? 'of the account' },
                { label: 'Taken', isFigure: true, cell: ({ taken, currency }) => money(taken, currency) },
                {
                  label: 'Fees',
                  isFigure: true,
                  cell: ({ psp, currency, fees }) => (
                    <ToEntries of={{ ...of, psp, currency, account: 'fees' }}>
                      {money(fees, currency)}
                    </ToEntries>
                  ),
                },
                {
                  label: 'Of what was taken',
                  isFigure: true,
                  cell: ({ taken, fees }) => (taken > 0 ? `${((fees / taken) * 100).toFixed(2)} %` : '–'),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Part>
  );
}
