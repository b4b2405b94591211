import { SimpleGrid, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type PageView } from '../../../src/ops/console-views.js';
import { type MerchantPageView, type MerchantRow } from '../../../src/ops/installation-views.js';
import { api } from '../api.js';
import { State, Time } from '../format.js';
import { Facts, Heading, Listing, Loaded, Nothing, PageButtons, Part } from '../parts.js';

function window(seconds: number): string {
  return seconds === 0 ? 'never' : `within ${seconds} s`;
}

export function Merchants() {
  const { cursor } = useSearch({ from: '/shell/merchants' });
  const navigate = useNavigate({ from: '/merchants' });
  const query = useQuery({
    queryKey: ['merchants', cursor],
    queryFn: () =>
      api<PageView<MerchantRow>>('GET', cursor === undefined ? 'merchants' : `merchants?cursor=${cursor}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading title="Merchants" hint="Tenants of this installation, the newest first." />
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>There is no merchant yet: npx payonce merchants create --name …</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Merchant',
                    cell: ({ id, name }) => (
                      <Link to="/merchants/$id" params={{ id }} className="row-link">
                        {name}
                      </Link>
                    ),
                  },
                  { label: 'Keys', isFigure: true, cell: ({ keys }) => keys },
                  { label: 'Endpoints', isFigure: true, cell: ({ endpoints }) => endpoints },
                  { label: 'Same payment refused', cell: (row) => window(row.duplicate_window) },
                  { label: 'Last payment', cell: ({ last_payment_at: at }) => <Time at={at} /> },
                  { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
                ]}
              />
            )}
            <PageButtons
              isFirst={cursor === undefined}
              next={next}
              onFirst={() => void navigate({ search: {} })}
              onNext={(cursor) => void navigate({ search: { cursor } })}
            />
          </>
        )}
      </Loaded>
    </>
  );
}

export function MerchantPage() {
  const { id } = useParams({ from: '/shell/merchants/$id' });
  const query = useQuery({
    queryKey: ['merchant', id],
    queryFn: () => api<MerchantPageView>('GET', `merchants/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(view) => <Page view={view} />}</Loaded>;
}

type Key = MerchantPageView['keys'][number];

function keyState({ revoked_at: revoked, expires_at: expires }: Key) {
  if (revoked !== null) return <State is="revoked" />;
  if (expires !== null && Date.parse(expires) <= Date.now()) return <State is="expired" />;
  return <State is="good" />;
}

function Page({ view: { merchant, keys, endpoints } }: { view: MerchantPageView }) {
  return (
    <>
      <Heading title={merchant.name} hint={`Merchant ${merchant.id}`}>
        <Link to="/payments" search={{ merchant: merchant.id }}>
          Its payments
        </Link>
      </Heading>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <Part title="Limits">
            <Facts
              facts={[
                ['Same payment refused', window(merchant.duplicate_window)],
                ['Enabled endpoints', `${merchant.endpoints} of 16`],
                ['Last payment', <Time key="last" at={merchant.last_payment_at} />],
                ['Created', <Time key="created" at={merchant.created_at} />],
              ]}
            />
          </Part>
          <Part title="Webhook endpoints">
            {endpoints.length === 0 ? (
              <Nothing>It has none.</Nothing>
            ) : (
              <Listing
                rows={endpoints}
                keyOf={({ id }) => id}
                columns={[
                  { label: 'Address', cell: ({ url }) => <span className="mono">{url}</span> },
                  { label: 'Events', cell: ({ events }) => events?.join(', ') ?? 'all' },
                  {
                    label: 'State',
                    cell: ({ disabled_reason: reason, failing_since: since }) =>
                      reason !== null ? (
                        `disabled: ${reason}`
                      ) : since !== null ? (
                        <>
                          failing, <Time at={since} />
                        </>
                      ) : (
                        'well'
                      ),
                  },
                ]}
              />
            )}
          </Part>
        </SimpleGrid>
        <Part title="API keys" hint="the keys themselves are not stored">
          {keys.length === 0 ? (
            <Nothing>It has none.</Nothing>
          ) : (
            <Listing
              rows={keys}
              keyOf={({ id }) => id}
              columns={[
                { label: 'Key', cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
                { label: 'State', cell: keyState },
                { label: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
                { label: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
                { label: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
                { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
              ]}
            />
          )}
        </Part>
      </Stack>
    </>
  );
}
