import { SegmentedControl, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type OpenRow, type PageView } from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { money, Time } from '../format.js';
import { Heading, Loaded, Nothing } from '../parts.js';

export function Stuck() {
  const { list = 'stuck' } = useSearch({ from: '/shell/stuck' });
  const navigate = useNavigate({ from: '/stuck' });
  const query = useQuery({
    queryKey: ['operations', list],
    queryFn: () => api<PageView<OpenRow>>('GET', `operations/${list}`),
  });
  return (
    <>
      <Heading
        title="Stuck and open"
        hint={
          list === 'snoozed'
            ? 'Stuck, and off the list for a while: each has an owner who looks after it.'
            : list === 'stuck'
              ? 'Nothing is tried any more: a person has to find out what the PSP did. The longest stuck first.'
              : 'Not decided yet, and tried again by the service. The oldest first.'
        }
      >
        <SegmentedControl
          aria-label="List"
          data={[
            { value: 'stuck', label: 'Stuck' },
            { value: 'snoozed', label: 'Snoozed' },
            { value: 'open', label: 'Open' },
          ]}
          value={list}
          onChange={(value) => void navigate({ search: value === 'stuck' ? {} : { list: value } })}
        />
      </Heading>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing>No operation is {list}.</Nothing>
          ) : (
            <Rows rows={data} isStuck={list !== 'open'} />
          )
        }
      </Loaded>
    </>
  );
}

function Rows({ rows, isStuck }: { readonly rows: readonly OpenRow[]; readonly isStuck: boolean }) {
  return (
    <Table className="stacked" highlightOnHover verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Operation</Table.Th>
          <Table.Th ta="end">Amount</Table.Th>
          <Table.Th>PSP</Table.Th>
          <Table.Th>{isStuck ? 'Stuck' : 'Opened'}</Table.Th>
          <Table.Th>Last outcome</Table.Th>
          <Table.Th>{isStuck ? 'Why' : 'Next try'}</Table.Th>
          <Table.Th>Merchant</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={`${row.merchant_id} ${row.entity_key}`}>
            <Table.Td data-label="Operation">
              {row.payment_id === null ? (
                <Link to="/payouts/$id" params={{ id: row.payout_id! }} className="row-link mono">
                  {row.entity_key}
                </Link>
              ) : (
                <Link to="/payments/$id" params={{ id: row.payment_id }} className="row-link mono">
                  {row.entity_key}
                </Link>
              )}
            </Table.Td>
            <Table.Td data-label="Amount" ta="end">
              {money(row.amount, row.currency)}
            </Table.Td>
            <Table.Td data-label="PSP">{row.psp}</Table.Td>
            <Table.Td data-label={isStuck ? 'Stuck' : 'Opened'}>
              <Time at={isStuck ? row.stuck_at : row.opened_at} />
            </Table.Td>
            <Table.Td data-label="Last outcome">{row.last_outcome ?? 'unanswered'}</Table.Td>
            <Table.Td data-label={isStuck ? 'Why' : 'Next try'}>
              {isStuck ? (row.reason ?? 'not known') : <Time at={row.next_step_at} />}
              {row.owner !== null && `; with ${row.owner}`}
            </Table.Td>
            <Table.Td data-label="Merchant">{row.merchant}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
