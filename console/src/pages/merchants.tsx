import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type MerchantPageView, type MerchantRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Facts, Heading, Listing, Loaded, Nothing, PageButtons, Part } from '../parts.js';
import { useMay } from '../session.js';
import { ActOnMerchant, NewMerchant } from './merchant-acts.js';
import { type MerchantAct } from './merchant-act.js';
import { Routing } from './merchant-routing.js';
import { Recipients } from './recipients.js';

function window(seconds: number): string {
  return seconds === 0 ? 'never' : `within ${seconds} s`;
}

export function Merchants() {
  const { cursor } = useSearch({ from: '/shell/merchants' });
  const navigate = useNavigate({ from: '/merchants' });
  const mayKeep = useMay('admin');
  const [isCreating, create] = useState(false);
  const query = useQuery({
    queryKey: ['merchants', cursor],
    queryFn: () =>
      api<PageView<MerchantRow>>('GET', cursor === undefined ? 'merchants' : `merchants?cursor=${cursor}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading title="Merchants" hint="Tenants of this installation, the newest first.">
        {mayKeep && (
          <Button size="xs" variant="default" onClick={() => create(true)}>
            New merchant…
          </Button>
        )}
      </Heading>
      {isCreating && <NewMerchant close={() => create(false)} />}
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
                    isLong: true,
                    cell: ({ id, name }) => (
                      <Link to="/merchants/$id" params={{ id }} className="row-link">
                        {name}
                      </Link>
                    ),
                  },
                  { label: 'Keys', isFigure: true, cell: ({ keys }) => keys },
                  { label: 'Endpoints', isFigure: true, cell: ({ endpoints }) => endpoints },
                  { label: 'Same payment refused', cell: (row) => window(row.settings.duplicate_window) },
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

type Endpoint = MerchantPageView['endpoints'][number];

const endpointActs = {
  enabled: [
    ['ping', 'Ping…'],
    ['rotate', 'Rotate secret…'],
    ['disable', 'Disable…'],
  ],
  disabled: [['enable', 'Enable…']],
} as const;

type Key = MerchantPageView['keys'][number];

const isExpired = ({ expires_at: at }: Key) => at !== null && Date.parse(at) <= Date.now();
const isLive = (key: Key) => key.revoked_at === null && !isExpired(key);

const keyOf = ({ id, prefix, scopes }: Key) => ({ id, prefix, paysOut: scopes.includes('payouts:write') });

function keyState(key: Key) {
  return <State is={isLive(key) ? 'good' : key.revoked_at === null ? 'expired' : 'revoked'} />;
}

function allowed({ currency, amount, count }: MerchantPageView['payout_limits'][number]): string {
  const parts = [
    ...(amount === null ? [] : [money(amount, currency)]),
    ...(count === null ? [] : [`${count} payouts`]),
  ];
  return parts.join(' and ');
}

function Page({ view }: { view: MerchantPageView }) {
  const { merchant, settings, keys, endpoints, payout_limits: limits } = view;
  const mayKeep = useMay('admin');
  const [asked, ask] = useState<MerchantAct | null>(null);
  const button = (label: string, act: MerchantAct, named = label): ReactNode => (
    <Button size="compact-xs" variant="default" aria-label={named} onClick={() => ask(act)}>
      {label}
    </Button>
  );
  return (
    <>
      {asked && <ActOnMerchant merchantId={merchant.id} of={asked} close={() => ask(null)} />}
      <Heading title={merchant.name} hint={`Merchant ${merchant.id}`}>
        <Group gap="sm">
          {mayKeep && button('Rename…', { act: 'rename', name: merchant.name })}
          <Link to="/payments" search={{ merchant: merchant.id }}>
            Its payments
          </Link>
        </Group>
      </Heading>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <Part title="Limits">
            <Facts
              facts={[
                ...settings.map(
                  (setting) =>
                    [
                      setting.label,
                      <Group key={setting.name} gap="xs" justify="end">
                        {setting.words}
                        {mayKeep && button('Change…', { act: 'set', setting }, `Change: ${setting.label}`)}
                      </Group>,
                    ] as const,
                ),
                ['Enabled endpoints', `${merchant.endpoints} of 16`],
                ['Last payment', <Time key="last" at={merchant.last_payment_at} />],
                ['Created', <Time key="created" at={merchant.created_at} />],
                ...limits.map(
                  (limit) =>
                    [
                      `Payouts of ${limit.currency} a day${limit.per === 'merchant' ? '' : ', to each recipient'}`,
                      <Group key={`${limit.currency} ${limit.per}`} gap="xs" justify="end">
                        {allowed(limit)}
                        {mayKeep && button('Remove…', { act: 'unlimit', limit })}
                      </Group>,
                    ] as const,
                ),
              ]}
            />
            {limits.length === 0 && <Nothing>Its payouts have no limit.</Nothing>}
            {mayKeep && (
              <Group justify="end" mt="xs" gap="xs">
                {button('Limit payouts…', { act: 'limit' })}
              </Group>
            )}
          </Part>
          <Routing merchantId={merchant.id} />
        </SimpleGrid>
        <Part title="Webhook endpoints">
          {endpoints.length === 0 ? (
            <Nothing>It has none.</Nothing>
          ) : (
            <Listing
              rows={endpoints}
              keyOf={({ id }) => id}
              columns={[
                {
                  label: 'Address',
                  isLong: true,
                  cell: ({ url, description }) => (
                    <span className="mono" title={description ?? url}>
                      {url}
                    </span>
                  ),
                },
                { label: 'Events', isLong: true, cell: ({ events }) => events?.join(', ') ?? 'all' },
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
                ...(mayKeep
                  ? [
                      {
                        label: 'Act',
                        cell: ({ id, url, disabled_reason: reason }: Endpoint) => (
                          <Group gap="xs" justify="inherit" wrap="nowrap">
                            {endpointActs[reason === null ? 'enabled' : 'disabled'].map(([way, label]) => (
                              <Fragment key={way}>
                                {button(label, { act: 'endpoint-act', way, id, url }, `${label} ${url}`)}
                              </Fragment>
                            ))}
                          </Group>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          )}
          {mayKeep && (
            <Group justify="end" mt="xs">
              {button('New endpoint…', { act: 'endpoint' })}
            </Group>
          )}
        </Part>
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
                {
                  label: 'Scopes',
                  isLong: true,
                  cell: ({ scopes, needs_certificate: isBound }) =>
                    `${scopes.join(', ')}${isBound ? '; with a certificate alone' : ''}`,
                },
                { label: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
                { label: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
                { label: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
                ...(mayKeep
                  ? [
                      {
                        label: 'Act',
                        cell: (key: Key) =>
                          isLive(key) && (
                            <Group gap="xs" justify="inherit" wrap="nowrap">
                              {button('Rotate…', { act: 'rotate', ...keyOf(key) })}
                              {button('Revoke…', { act: 'revoke', ...keyOf(key) })}
                            </Group>
                          ),
                      },
                    ]
                  : []),
              ]}
            />
          )}
          {mayKeep && (
            <Group justify="end" mt="xs">
              {button('New key…', { act: 'key' })}
            </Group>
          )}
        </Part>
        <Recipients merchantId={merchant.id} />
      </Stack>
    </>
  );
}
