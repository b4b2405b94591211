import { Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type RefundRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, queryOf } from '../api.js';
import { money, State, Time } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';

export function Refunds() {
  const { cursor } = useSearch({ from: '/shell/refunds' });
  const navigate = useNavigate({ from: '/refunds' });
  const query = useQuery({
    queryKey: ['refunds', cursor],
    queryFn: () => api<PageView<RefundRow>>('GET', `refunds?${queryOf({ cursor })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading
        title="Refunds"
        hint="Of all payments, the newest first. One that is stuck stands under Stuck and open."
      />
      <Group mb="md">
        <Download path="refunds.csv">CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>Nothing was refunded yet.</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Payment',
                    isLong: true,
                    cell: ({ payment_id: id, payment }) => <PaymentLink id={id}>{payment}</PaymentLink>,
                  },
                  { label: 'State', cell: ({ status }) => <State is={status} /> },
                  { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
                  { label: 'PSP', cell: ({ psp }) => psp ?? '–' },
                  { label: 'Why', isLong: true, cell: ({ failure, reason }) => failure ?? reason ?? '–' },
                  { label: 'Merchant', isLong: true, cell: ({ merchant }) => merchant },
                  { label: 'Asked for', cell: ({ created_at: at }) => <Time at={at} /> },
                ]}
              />
            )}
            <PageButtons
              isFirst={!cursor}
              next={next}
              onFirst={() => void navigate({ search: {} })}
              onNext={(to) => void navigate({ search: { cursor: to } })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
