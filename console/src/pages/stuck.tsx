import { Button, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type OpenRow } from '../../../src/console/console-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, queryOf } from '../api.js';
import { type Filter, Filters, type Search } from '../filters.js';
import { money, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink, ShortKey } from '../parts.js';
import { useMay } from '../session.js';
import { Bulk, type BulkAct } from './bulk.js';

const hints: Readonly<Record<string, string>> = {
  stuck: 'Nothing is tried any more: a person has to find out what the PSP did.',
  snoozed: 'Stuck, and off the list for a while: each has an owner who looks after it.',
  open: 'Not decided yet, and tried again by the service.',
};

const filters: readonly Filter[] = [
  { name: 'psp', label: 'PSP account', kind: 'text' },
  { name: 'currency', label: 'Currency', kind: 'text' },
  { name: 'merchant', label: 'Merchant id', kind: 'text' },
];

export function Stuck() {
  const search = useSearch({ from: '/shell/stuck' });
  const { list = 'stuck', ...narrowed } = search;
  const navigate = useNavigate({ from: '/stuck' });
  const query = useQuery({
    queryKey: ['operations', search],
    queryFn: () => api<PageView<OpenRow>>('GET', `operations/${list}?${queryOf(narrowed)}`),
    placeholderData: keepPreviousData,
  });
  // Those that are met, and the one that is asked for.
  const met = (query.data?.data ?? []).map(({ reason }) => reason ?? '');
  const reasons = new Set([...met, search['reason'] ?? ''].filter((each) => each !== ''));
  const narrow = (change: Search) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change } });
  };
  return (
    <>
      <Heading title="Stuck and open" hint={hints[list] ?? ''}>
        <Group gap="xs">
          <NativeSelect
            aria-label="Order"
            data={[
              { value: 'oldest', label: 'Oldest first' },
              { value: 'newest', label: 'Newest first' },
              { value: 'largest', label: 'Largest amount first' },
            ]}
            value={search['order'] ?? 'oldest'}
            onChange={({ currentTarget: { value } }) => narrow({ order: value })}
          />
          <SegmentedControl
            aria-label="List"
            data={[
              { value: 'stuck', label: 'Stuck' },
              { value: 'snoozed', label: 'Snoozed' },
              { value: 'open', label: 'Open' },
            ]}
            value={list}
            onChange={(value) => narrow({ list: value === 'stuck' ? '' : value })}
          />
        </Group>
      </Heading>
      <Filters
        list={`operations/${list}`}
        filters={[...filters, { name: 'reason', label: 'Why', kind: 'choice', choices: [...reasons] }]}
        search={narrowed}
        set={narrow}
      />
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>
                {list === 'stuck'
                  ? 'No operation is stuck that nobody looks after. Those that are looked after are snoozed.'
                  : `No operation is ${list}.`}
              </Nothing>
            ) : (
              <Rows rows={data} isStuck={list !== 'open'} />
            )}
            <PageButtons
              isFirst={!search['cursor']}
              next={next}
              labels={['First', 'Next']}
              onFirst={() => narrow({})}
              onNext={(cursor) => narrow({ cursor })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

function Rows({ rows, isStuck }: { readonly rows: readonly OpenRow[]; readonly isStuck: boolean }) {
  const mayAct = useMay('operator');
  const [chosen, choose] = useState<readonly string[]>([]);
  const [act, begin] = useState<BulkAct | null>(null);
  const those = rows.filter((row) => chosen.includes(row.entity_key));
  return (
    <>
      {mayAct && (
        <Group gap="xs" mb="xs" role="group" aria-label="Act on the chosen operations">
          <Button size="xs" disabled={those.length === 0} onClick={() => begin('retry')}>
            Retry {those.length || ''}…
          </Button>
          <Button size="xs" variant="default" disabled={those.length === 0} onClick={() => begin('look-up')}>
            Look up {those.length || ''}…
          </Button>
        </Group>
      )}
      <Listing
        rows={rows}
        keyOf={(row) => row.entity_key}
        choice={mayAct ? { chosen, choose } : undefined}
        columns={[
          {
            label: 'Reference',
            isLong: true,
            cell: (row) =>
              row.payment_id === null ? (
                <Link to="/payouts/$id" params={{ id: row.payout_id! }} className="row-link mono">
                  {row.reference}
                </Link>
              ) : (
                <PaymentLink id={row.payment_id}>{row.reference}</PaymentLink>
              ),
          },
          { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
          { label: 'PSP', cell: ({ psp }) => psp },
          { label: 'Opened', cell: (row) => <Time at={row.opened_at} /> },
          ...(isStuck
            ? [{ label: 'Stuck', isExtra: true, cell: (row: OpenRow) => <Time at={row.stuck_at} /> }]
            : []),
          { label: 'Last outcome', isExtra: true, cell: (row) => row.last_outcome ?? 'unanswered' },
          {
            label: isStuck ? 'Why' : 'Next try',
            isLong: isStuck,
            cell: (row) => (
              <>
                {isStuck ? (row.reason ?? 'not known') : <Time at={row.next_step_at} />}
                {row.owner !== null && `; with ${row.owner}`}
                {row.waits_for_approval && '; waits for an approval'}
              </>
            ),
          },
          { label: 'Merchant', isLong: true, cell: ({ merchant }) => merchant },
          { label: 'Operation', isExtra: true, cell: ({ entity_key: key }) => <ShortKey of={key} /> },
        ]}
      />
      {act !== null && (
        <Bulk
          act={act}
          rows={those}
          close={() => {
            begin(null);
            choose([]);
          }}
        />
      )}
    </>
  );
}
