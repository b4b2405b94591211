import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type DisputeRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, queryOf } from '../api.js';
import { type Filter, Filters, type Search } from '../filters.js';
import { money, State, Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';

const filters: readonly Filter[] = [
  { name: 'status', label: 'State', kind: 'choice', choices: ['open', 'won', 'lost'] },
];

export function Disputes() {
  const search = useSearch({ from: '/shell/disputes' });
  const navigate = useNavigate({ from: '/disputes' });
  const query = useQuery({
    queryKey: ['disputes', search],
    queryFn: () => api<PageView<DisputeRow>>('GET', `disputes?${queryOf(search)}`),
    placeholderData: keepPreviousData,
  });
  const narrow = (change: Search) => {
    const { cursor: _cursor, ...kept } = search;
    void navigate({ search: { ...kept, ...change } });
  };
  return (
    <>
      <Heading
        title="Disputes"
        hint="What customers dispute at their banks, the newest first. The answer is given in the PSP's own dashboard."
      />
      <Filters list="disputes" filters={filters} search={search} set={narrow} />
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>No dispute fits.</Nothing>
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
                  { label: 'Disputed', isFigure: true, cell: (row) => money(row.amount, row.currency) },
                  {
                    label: 'Held back',
                    isFigure: true,
                    cell: (row) => money(row.amount_withheld, row.currency),
                  },
                  {
                    label: 'At the PSP',
                    isLong: true,
                    cell: ({ psp, psp_reference: reference }) => (
                      <span className="mono">
                        {psp} {reference}
                      </span>
                    ),
                  },
                  { label: 'Why', isLong: true, cell: ({ reason }) => reason ?? '–' },
                  { label: 'Merchant', isExtra: true, cell: ({ merchant }) => merchant },
                  {
                    label: 'Answer by',
                    cell: ({ status, respond_by: by }) => (status === 'open' ? <Time at={by} /> : '–'),
                  },
                  { label: 'Opened', cell: ({ opened_at: at }) => <Time at={at} /> },
                ]}
              />
            )}
            <PageButtons
              isFirst={!search['cursor']}
              next={next}
              onFirst={() => narrow({})}
              onNext={(cursor) => narrow({ cursor })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
