import { Group } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CustomerRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, queryOf } from '../api.js';
import { Time } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';

export function Customers() {
  const { cursor } = useSearch({ from: '/shell/customers' });
  const navigate = useNavigate({ from: '/customers' });
  const query = useQuery({
    queryKey: ['customers', cursor],
    queryFn: () => api<PageView<CustomerRow>>('GET', `customers?${queryOf({ cursor })}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading
        title="Customers"
        hint="Those whom payments name by the merchant's reference, by their last payment, the newest first."
      >
        <Group gap="sm">
          <Download path="customers.csv">CSV</Download>
        </Group>
      </Heading>
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No payment names its customer.</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ last_payment_id: id }) => id}
                columns={[
                  {
                    label: 'Customer',
                    isLong: true,
                    cell: ({ customer }) => (
                      <Link to="/payments" search={{ q: customer }} className="row-link mono">
                        {customer}
                      </Link>
                    ),
                  },
                  { label: 'Merchant', isLong: true, cell: ({ merchant }) => merchant },
                  { label: 'Payments', isFigure: true, cell: ({ payments }) => payments },
                  { label: 'Captured', isFigure: true, cell: ({ captured }) => captured },
                  {
                    label: 'Last payment',
                    isLong: true,
                    cell: ({ last_payment_id: id, last_payment: reference }) => (
                      <PaymentLink id={id}>{reference}</PaymentLink>
                    ),
                  },
                  { label: 'Paid', cell: ({ last_at: at }) => <Time at={at} /> },
                ]}
              />
            )}
            <PageButtons
              isFirst={cursor === undefined}
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
