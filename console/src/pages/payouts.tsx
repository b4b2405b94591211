import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type PayoutRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { money, optionsOf, State, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons } from '../parts.js';

export interface PayoutsSearch {
  readonly q?: string;
  readonly status?: string;
  readonly cursor?: string;
}

export function Payouts() {
  const search = useSearch({ from: '/shell/payouts' });
  const navigate = useNavigate({ from: '/payouts' });
  const [typed, setTyped] = useState(search.q ?? '');
  const query = useQuery({
    queryKey: ['payouts', search],
    queryFn: () =>
      api<PageView<PayoutRow>>('GET', `payouts?${new URLSearchParams({ ...search }).toString()}`),
    placeholderData: keepPreviousData,
  });
  const narrow = (change: PayoutsSearch) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change }, replace: true });
  };
  const find = useDebouncedCallback((q: string) => narrow({ q: q.trim() }), 250);
  return (
    <>
      <Heading title="Payouts" hint="To each recipient one after the other, the newest first." />
      <Group mb="md" gap="sm" align="end">
        <TextInput
          label="Search"
          type="search"
          placeholder="Id, reference, recipient or id at the PSP"
          flex="1 1 260px"
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            find(value);
          }}
        />
        <NativeSelect
          label="State"
          data={optionsOf(['processing', 'paid', 'failed', 'returned'], 'any')}
          value={search.status ?? ''}
          onChange={({ currentTarget: { value } }) => narrow({ status: value })}
          disabled={typed.trim() !== ''}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No payout fits. {next !== null && 'Older ones may: look on.'}</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Reference',
                    isLong: true,
                    cell: ({ id, reference }) => (
                      <Link to="/payouts/$id" params={{ id }} className="row-link mono">
                        {reference}
                      </Link>
                    ),
                  },
                  { label: 'State', cell: ({ status }) => <State is={status} /> },
                  { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
                  {
                    label: 'Recipient',
                    isLong: true,
                    cell: ({ recipient }) => <span className="mono">{recipient}</span>,
                  },
                  { label: 'PSP', cell: ({ psp }) => psp ?? '–' },
                  { label: 'Merchant', isLong: true, cell: ({ merchant }) => merchant },
                  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
                ]}
              />
            )}
            <PageButtons
              isFirst={!search.cursor}
              next={next}
              onFirst={() => narrow({})}
              onNext={(cursor) => void navigate({ search: { ...search, cursor } })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
