import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type PaymentRow } from '../../../src/console/console-views.js';
import { api, queryOf } from '../api.js';
import { type Filter, Filters, type Search } from '../filters.js';
import { money, State, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';

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

const filters: readonly Filter[] = [
  { name: 'status', label: 'State', kind: 'choice', choices: statuses },
  { name: 'from', label: 'From', kind: 'day' },
  { name: 'to', label: 'To', kind: 'day' },
  { name: 'psp', label: 'PSP account', kind: 'text' },
  { name: 'currency', label: 'Currency', kind: 'text' },
  { name: 'amount_from', label: 'At least', kind: 'amount' },
  { name: 'amount_to', label: 'At most', kind: 'amount' },
  { name: 'failure', label: 'Failure', kind: 'text' },
  { name: 'merchant', label: 'Merchant id', kind: 'text' },
];

export function Payments() {
  const search = useSearch({ from: '/shell/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const [typed, setTyped] = useState(search.q ?? '');
  const query = useQuery({
    queryKey: ['payments', search],
    queryFn: () => api<PageView<PaymentRow>>('GET', `payments?${queryOf(search)}`),
    placeholderData: keepPreviousData,
  });
  const narrow = (change: Search) => {
    const { cursor: _cursor, ...kept } = search;
    const { currency, order, ...others } = { ...kept, ...change };
    const isOrdered = order !== 'largest' || Boolean(currency);
    void navigate({ search: { ...others, currency, ...(isOrdered ? { order } : {}) }, replace: true });
  };
  const find = useDebouncedCallback((q: string) => narrow({ q: q.trim() }), 250);
  return (
    <>
      <Heading title="Payments" hint="Press / to search from any page">
        <NativeSelect
          aria-label="Order"
          data={[
            { value: 'newest', label: 'Newest first' },
            { value: 'oldest', label: 'Oldest first' },
            { value: 'largest', label: 'Largest of a currency first', disabled: !search.currency },
          ]}
          value={search.order ?? 'newest'}
          onChange={({ currentTarget: { value } }) => narrow({ order: value === 'newest' ? '' : value })}
        />
      </Heading>
      <TextInput
        id="search"
        aria-label="Search"
        type="search"
        placeholder="Id, reference or their beginning (3 characters or more), id at the PSP, entity key, customer"
        mb="xs"
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          find(value);
        }}
      />
      {typed.trim() === '' && <Filters list="payments" filters={filters} search={search} set={narrow} />}
      {search.order === 'largest' && (
        <Text size="sm" c="dimmed" mb="xs">
          At most 200, of the newest 20,000 payments of the period or the merchant; the file has all, the
          newest first.
        </Text>
      )}
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
                    cell: ({ id, reference }) => <PaymentLink id={id}>{reference}</PaymentLink>,
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
