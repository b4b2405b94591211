import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type Balances, type Entry } from '../answers.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, queryOf } from '../api.js';
import { money, optionsOf, signedMoney, Time, words } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing, PageButtons, Part, PaymentLink } from '../parts.js';
import { useMay } from '../session.js';
import { CorrectLedger } from './correct-ledger.js';
import { BEGINNING, ledgerAccounts, LedgerFields, ToEntries } from './ledger-filters.js';

export interface LedgerSearch {
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
  readonly psp?: string;
  readonly currency?: string;
  readonly merchant_id?: string;
  readonly cursor?: string;
}

export function LedgerPage() {
  const search = useSearch({ from: '/shell/ledger' });
  const mayCorrect = useMay('finance');
  const [isCorrecting, correct] = useState(false);
  const { account: _account, cursor: _cursor, ...narrowed } = search;
  const query = useQuery({
    queryKey: ['balances', narrowed],
    queryFn: () => api<Balances>('GET', `ledger/balances?${queryOf({ ...narrowed })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading title="Ledger" hint="Every movement of money, twice: what is debited here is credited there.">
        {mayCorrect && (
          <Button size="xs" variant="default" onClick={() => correct(true)}>
            Correct…
          </Button>
        )}
      </Heading>
      {isCorrecting && <CorrectLedger close={() => correct(false)} />}
      <Filters />
      <Loaded query={query}>
        {(balances) => (
          <Stack gap="md">
            <Psps balances={balances} search={narrowed} />
            <Trial balances={balances} search={narrowed} />
            <Statement />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function Filters() {
  const search = useSearch({ from: '/shell/ledger' });
  const navigate = useNavigate({ from: '/ledger' });
  const narrow = (change: LedgerSearch) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change }, replace: true });
  };
  return (
    <Group mb="md" gap="sm" align="end">
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          label={name === 'from' ? 'From (UTC)' : 'To (UTC)'}
          type="date"
          value={search[name] ?? new Date().toISOString().slice(0, 10)}
          onChange={({ currentTarget: { value } }) => narrow({ [name]: value })}
        />
      ))}
      <NativeSelect
        label="Account"
        data={optionsOf(ledgerAccounts, 'all')}
        value={search.account ?? ''}
        onChange={({ currentTarget: { value } }) => narrow({ account: value })}
      />
      <LedgerFields search={{ ...search }} narrow={narrow} />
    </Group>
  );
}

/** The totals of a PSP, with the account whose entries make up each. */
const columns = {
  taken: 'merchant_payable',
  refunded: 'refunds',
  disputed: 'disputes',
  paid_out: 'payouts',
  fees: 'fees',
  settled: 'bank',
  held: 'psp_clearing',
} as const satisfies Record<string, Entry['account']>;

function Psps({ balances: { psps, from, to }, search }: { balances: Balances; search: LedgerSearch }) {
  return (
    <Part title="By PSP" hint={from === to ? from : `${from} to ${to}`}>
      {psps.length === 0 ? (
        <Nothing>Nothing was posted until then.</Nothing>
      ) : (
        <Listing
          rows={psps}
          keyOf={({ psp, currency }) => `${psp} ${currency}`}
          columns={[
            { label: 'PSP', cell: ({ psp }) => psp },
            ...Object.entries(columns).map(([name, account]) => ({
              label: words(name),
              isFigure: true,
              cell: (row: Balances['psps'][number]) => (
                <ToEntries
                  of={{
                    ...search,
                    account,
                    psp: row.psp,
                    currency: row.currency,
                    ...(name === 'held' ? { from: BEGINNING, to } : {}),
                  }}
                >
                  {money(row[name as keyof typeof columns], row.currency)}
                </ToEntries>
              ),
            })),
          ]}
        />
      )}
    </Part>
  );
}

/** Debits and credits of a currency are equal, or something is very wrong. */
function Trial({
  balances: { trial, to, as_of: asOf },
  search,
}: {
  balances: Balances;
  search: LedgerSearch;
}) {
  const sums = new Map<string, { currency: string; debit: number; credit: number }>();
  for (const { currency, debit, credit } of trial) {
    const sum = sums.get(currency) ?? { currency, debit: 0, credit: 0 };
    sums.set(currency, { currency, debit: sum.debit + debit, credit: sum.credit + credit });
  }
  const rows = [...trial, ...[...sums.values()].map((sum) => ({ ...sum, account: 'total' as const }))];
  return (
    <Part
      title="Trial balance"
      hint={asOf === null ? 'nothing was posted yet' : `posted until ${asOf.slice(11, 19)} UTC`}
    >
      {trial.length === 0 ? (
        <Nothing>Nothing was posted until then.</Nothing>
      ) : (
        <Listing
          rows={rows.toSorted((a, b) => (a.currency < b.currency ? -1 : a.currency > b.currency ? 1 : 0))}
          keyOf={({ account, currency }) => `${account} ${currency}`}
          columns={[
            {
              label: 'Account',
              cell: ({ account, currency }) =>
                account === 'total' ? (
                  <b>Total {currency}</b>
                ) : (
                  <ToEntries of={{ ...search, account, currency, from: BEGINNING, to }}>
                    {words(account)}
                  </ToEntries>
                ),
            },
            { label: 'Debit', isFigure: true, cell: (row) => money(row.debit, row.currency) },
            { label: 'Credit', isFigure: true, cell: (row) => money(row.credit, row.currency) },
            {
              label: 'Balance',
              isFigure: true,
              cell: (row) => signedMoney(row.debit - row.credit, row.currency),
            },
          ]}
        />
      )}
    </Part>
  );
}

function Statement() {
  const search = useSearch({ from: '/shell/ledger' });
  const navigate = useNavigate({ from: '/ledger' });
  const { cursor, ...filter } = search;
  const narrowed = queryOf({ ...filter });
  const query = useQuery({
    queryKey: ['statement', search],
    queryFn: () => api<PageView<Entry>>('GET', `ledger/statement?${queryOf({ ...search, limit: '50' })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <Part id="statement" title="Statement" hint="the oldest first">
      <Group justify="end" mb="xs">
        <Download path={`ledger/statement.csv?${narrowed}`}>CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? <Nothing>No entry in these days.</Nothing> : <Entries rows={data} />}
            <PageButtons
              isFirst={cursor === undefined}
              next={next}
              labels={['First', 'Next']}
              onFirst={() => void navigate({ search: filter })}
              onNext={(cursor) => void navigate({ search: { ...filter, cursor } })}
            />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Entries({ rows }: { rows: readonly Entry[] }) {
  return (
    <Listing
      rows={rows}
      keyOf={({ source, line, merchant_id: merchant }) => `${merchant} ${source} ${line}`}
      columns={[
        { label: 'When', cell: ({ occurred_at: at }) => <Time at={at} /> },
        {
          label: 'Entry',
          isLong: true,
          cell: ({ source, payment_id: id }) =>
            id === null ? (
              <span className="mono">{source}</span>
            ) : (
              <PaymentLink id={id}>{source}</PaymentLink>
            ),
        },
        { label: 'Reference', isLong: true, isExtra: true, cell: ({ reference }) => reference ?? '–' },
        { label: 'Kind', cell: ({ kind }) => words(kind) },
        { label: 'Account', cell: ({ account }) => words(account) },
        { label: 'PSP', cell: ({ psp }) => psp },
        { label: 'Amount', isFigure: true, cell: (row) => signedMoney(row.amount, row.currency) },
      ]}
    />
  );
}
