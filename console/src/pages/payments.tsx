import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type PaymentRow } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { money, optionsOf, State, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons } from '../parts.js';

/** Filters stand in the URL, so that a list can be sent to a colleague. */
export interface PaymentsSearch {
  readonly q?: string;
  readonly status?: string;
  readonly psp?: string;
  readonly merchant?: string;
  readonly cursor?: string;
}

const statuses = [
  'processing',
  'requires_action',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'canceled',
  'failed',
];

export function Payments() {
  const search = useSearch({ from: '/shell/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const [typed, setTyped] = useState(search.q ?? '');
  const query = useQuery({
    queryKey: ['payments', search],
    queryFn: () =>
      api<PageView<PaymentRow>>('GET', `payments?${new URLSearchParams({ ...search }).toString()}`),
    placeholderData: keepPreviousData,
  });
  const narrow = (change: PaymentsSearch) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change }, replace: true });
  };
  const find = useDebouncedCallback((q: string) => narrow({ q: q.trim() }), 250);
  return (
    <>
      <Heading title="Payments" hint="Press / to search from any page" />
      <Group mb="md" gap="sm" align="end">
        <TextInput
          id="search"
          label="Search"
          type="search"
          placeholder="Id, reference, id at the PSP, customer"
          flex="1 1 260px"
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            find(value);
          }}
        />
        {search.merchant && (
          <Button variant="default" onClick={() => narrow({ merchant: '' })}>
            Of one merchant ✕
          </Button>
        )}
        <NativeSelect
          label="State"
          data={optionsOf(statuses, 'any')}
          value={search.status ?? ''}
          onChange={({ currentTarget: { value } }) => narrow({ status: value })}
          disabled={typed.trim() !== ''}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No payment fits. {next !== null && 'Older ones may: look on.'}</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Reference',
                    isLong: true,
                    cell: ({ id, reference }) => (
                      <Link to="/payments/$id" params={{ id }} className="row-link mono">
                        {reference}
                      </Link>
                    ),
                  },
                  { label: 'State', cell: ({ status }) => <State is={status} /> },
                  { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
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
