import { Button, Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type OpenRow } from '../../../src/console/console-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { money, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, ShortKey } from '../parts.js';
import { useMay } from '../session.js';
import { Bulk, type BulkAct } from './bulk.js';

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
                <Link to="/payments/$id" params={{ id: row.payment_id }} className="row-link mono">
                  {row.reference}
                </Link>
              ),
          },
          { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
          { label: 'PSP', cell: ({ psp }) => psp },
          {
            label: isStuck ? 'Stuck' : 'Opened',
            cell: (row) => <Time at={isStuck ? row.stuck_at : row.opened_at} />,
          },
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
