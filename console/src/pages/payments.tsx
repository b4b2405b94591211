import { Button, Group, Select, Table, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView, type PaymentRow } from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Heading, Loaded, Nothing, PageButtons } from '../parts.js';
import { type PaymentsSearch } from '../router.js';

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
          placeholder="Id, reference or id at the PSP"
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
        <Select
          label="State"
          placeholder="Any"
          clearable
          data={statuses.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          value={search.status ?? null}
          onChange={(status) => narrow({ status: status ?? '' })}
          disabled={typed.trim() !== ''}
          clearButtonProps={{ 'aria-label': 'Any state' }}
        />
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No payment fits. {next !== null && 'Older ones may: look on.'}</Nothing>
            ) : (
              <PaymentsTable rows={data} />
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

function PaymentsTable({ rows }: { readonly rows: readonly PaymentRow[] }) {
  return (
    <Table className="stacked" highlightOnHover verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Reference</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="end">Amount</Table.Th>
          <Table.Th>PSP</Table.Th>
          <Table.Th>Merchant</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td data-label="Reference">
              <Link to="/payments/$id" params={{ id: row.id }} className="row-link mono">
                {row.reference}
              </Link>
            </Table.Td>
            <Table.Td data-label="State">
              <State is={row.status} />
            </Table.Td>
            <Table.Td data-label="Amount" ta="end">
              {money(row.amount, row.currency)}
            </Table.Td>
            <Table.Td data-label="PSP">{row.psp ?? '–'}</Table.Td>
            <Table.Td data-label="Merchant">{row.merchant}</Table.Td>
            <Table.Td data-label="Created">
              <Time at={row.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
