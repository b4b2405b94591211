import { Alert, Button, Group, List, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type PspAccountRow, type RoutingView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Breaker } from '../breaker.js';
import { Dialog, Effects, Words } from '../dialog.js';
import { Time, words } from '../format.js';
import { namedMethods } from '../methods.js';
import { Heading, Listing, Loaded, Nothing, Part } from '../parts.js';
import { useMay } from '../session.js';
import { Routing } from './merchant-routing.js';
import { StoredAccount, type StoredAct } from './stored-account.js';

/** The example whose routing is shown. */
export interface RouteSearch {
  readonly operation?: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly method?: string;
  readonly brand?: string;
  readonly country?: string;
  readonly merchant?: string;
}

export function Psps() {
  const query = useQuery({
    queryKey: ['psps'],
    queryFn: () => api<PageView<PspAccountRow>>('GET', 'psps'),
  });
  return (
    <>
      <Heading title="PSP accounts" hint="How they are, and which of them a payment would go to." />
      <Stack gap="md">
        <Loaded query={query}>{({ data }) => <Accounts rows={data} />}</Loaded>
        <Routing merchantId={null} />
        <RouteExample />
      </Stack>
    </>
  );
}

function Accounts({ rows }: { rows: readonly PspAccountRow[] }) {
  const mayAct = useMay('operator');
  const mayKeep = useMay('admin');
  const [changing, change] = useState<PspAccountRow | null>(null);
  const [keeping, keep] = useState<StoredAct | null>(null);
  const share = ({ calls: { succeeded, declined, unanswered } }: PspAccountRow) => {
    const all = succeeded + declined + unanswered;
    return all === 0 ? '–' : `${((succeeded / all) * 100).toFixed(1)} %`;
  };
  const ms = (latency: number | null) => (latency === null ? '–' : `${latency} ms`);
  return (
    <Part title="Accounts" hint="calls of the last five minutes">
      {mayKeep && (
        <Group justify="end" mb="xs">
          <Button size="xs" variant="default" onClick={() => keep({ act: 'add' })}>
            Add an account…
          </Button>
        </Group>
      )}
      <Listing
        rows={rows}
        keyOf={({ psp }) => psp}
        columns={[
          { label: 'Account', cell: ({ psp }) => <b>{psp}</b> },
          {
            label: 'For',
            isLong: true,
            cell: ({ merchants, kept_in: keptIn, disabled }) => (
              <Text size="sm" title={keptIn === 'file' ? 'in the PSPs file' : 'stored: npx payonce psps'}>
                {disabled ? 'disabled' : merchants === null ? 'all merchants' : `${merchants} merchants`}
              </Text>
            ),
          },
          {
            label: 'Breaker',
            cell: ({ breaker }) => (
              <Group gap="xs" justify="inherit">
                <Breaker is={breaker.state} />
                {breaker.since && breaker.state !== 'closed' && <Time at={breaker.since} />}
              </Group>
            ),
          },
          {
            label: 'By hand',
            isExtra: true,
            cell: ({ breaker: { changed_by: by, note } }) => (by === null ? '–' : `${by}: ${note}`),
          },
          { label: 'Calls', isFigure: true, cell: ({ calls }) => calls.made },
          { label: 'Unanswered', isExtra: true, isFigure: true, cell: ({ calls }) => calls.unanswered },
          { label: 'Success', isFigure: true, cell: share },
          { label: 'Median', isExtra: true, isFigure: true, cell: ({ calls }) => ms(calls.p50_ms) },
          { label: '95 %', isFigure: true, cell: ({ calls }) => ms(calls.p95_ms) },
          {
            label: 'Offers',
            isLong: true,
            cell: ({ operations, currencies }) => (
              <Text size="sm" title={currencies?.join(', ') ?? 'every currency'}>
                {operations.join(', ')};{' '}
                {currencies === null ? 'every currency' : `${currencies.length} currencies`}
              </Text>
            ),
          },
          ...(mayAct
            ? [
                {
                  label: 'Act',
                  cell: (row: PspAccountRow) => (
                    <Group gap="xs" justify="inherit" wrap="nowrap">
                      <Button size="compact-xs" variant="default" onClick={() => change(row)}>
                        {row.breaker.state === 'closed' ? 'Open breaker…' : 'Close breaker…'}
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => keep({ act: 'test', psp: row.psp })}
                      >
                        Test…
                      </Button>
                      {mayKeep && row.kept_in === 'database' && (
                        <>
                          <Button
                            size="compact-xs"
                            variant="default"
                            onClick={() => keep({ act: 'change', psp: row.psp })}
                          >
                            Change…
                          </Button>
                          <Button
                            size="compact-xs"
                            variant="default"
                            onClick={() => keep({ act: 'disable', psp: row.psp, isDisabled: row.disabled })}
                          >
                            {row.disabled ? 'Enable…' : 'Disable…'}
                          </Button>
                        </>
                      )}
                    </Group>
                  ),
                },
              ]
            : []),
        ]}
      />
      {keeping !== null && <StoredAccount of={keeping} close={() => keep(null)} />}
      {changing !== null && <ChangeBreaker of={changing} close={() => change(null)} />}
    </Part>
  );
}

function ChangeBreaker({ of: { psp, breaker }, close }: { of: PspAccountRow; close: () => void }) {
  const [note, setNote] = useState('');
  const open = breaker.state === 'closed';
  return (
    <Dialog
      title={open ? `Open the breaker of ${psp}` : `Close the breaker of ${psp}`}
      label={open ? 'Open it' : 'Close it'}
      size="lg"
      isDangerous={open}
      isReady={note.trim() !== ''}
      act={() => api('POST', 'psps/breaker', { psp, open, note })}
      close={close}
    >
      <Effects of={open ? opening : closing} isGrave={open} />
      <Words label="Why" value={note} set={setNote} />
    </Dialog>
  );
}

const opening = [
  'Within two seconds no process sends an order to it any more.',
  'New payments go to the next PSP of their rule; where there is none, they fail at once.',
  'Captures, voids, refunds and payouts of this PSP fail at once: nothing was sent, so they can be asked for again.',
  'What is in doubt there is still looked up, and goes to no other PSP.',
  'It stays open until an operator closes it.',
];
const closing = [
  'Within two seconds all processes send orders to it again, and forget the failures until now.',
  'If it goes on failing, it opens by itself after ten failures in a row.',
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const operations = ['charge', 'authorize', 'payout'];

/** An example payment stands in the URL. */
function RouteExample() {
  const search = useSearch({ from: '/shell/psps' });
  const navigate = useNavigate({ from: '/psps' });
  const {
    operation = 'charge',
    amount = '1000',
    currency = 'EUR',
    method = 'card',
    brand,
    country,
    merchant,
  } = search;
  const narrow = (change: RouteSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  const isWhole = /^\d+$/.test(amount) && /^[A-Z]{3}$/.test(currency);
  const example = {
    operation,
    amount: Number(amount),
    currency,
    method,
    ...(brand ? { card_brand: brand } : {}),
    ...(merchant && UUID.test(merchant) ? { merchant_id: merchant } : {}),
    ...(country && /^[A-Z]{2}$/.test(country) ? { card_country: country } : {}),
  };
  const query = useQuery({
    queryKey: ['route', example],
    queryFn: () => api<RoutingView>('POST', 'psps/route', example),
    enabled: isWhole,
    retry: false,
  });
  return (
    <Part
      id="route"
      title="Where would it go?"
      hint="an example with a token for each account; nothing is made"
    >
      <Group gap="sm" align="end" mb="sm">
        <NativeSelect
          label="Operation"
          data={operations}
          value={operation}
          w={130}
          onChange={({ currentTarget: { value } }) => narrow({ operation: value })}
        />
        <NumberInput
          label="Amount (minor units)"
          min={1}
          allowDecimal={false}
          w={170}
          value={Number(amount)}
          onChange={(value) => narrow({ amount: String(value) })}
        />
        <TextInput
          label="Currency"
          maxLength={3}
          w={100}
          value={currency}
          onChange={({ currentTarget: { value } }) => narrow({ currency: value.toUpperCase() })}
        />
        <NativeSelect
          label="Payment method"
          data={namedMethods}
          value={method}
          w={150}
          disabled={operation === 'payout'}
          onChange={({ currentTarget: { value } }) => narrow({ method: value })}
        />
        <TextInput
          label="Brand of the card"
          placeholder="Not known"
          w={150}
          value={brand ?? ''}
          onChange={({ currentTarget: { value } }) => narrow({ brand: value })}
        />
        <TextInput
          label="Its country"
          placeholder="Not known"
          maxLength={2}
          w={110}
          value={country ?? ''}
          onChange={({ currentTarget: { value } }) => narrow({ country: value.toUpperCase() })}
        />
        <TextInput
          label="Merchant id"
          placeholder="Rules for all"
          maxLength={36}
          w={310}
          value={merchant ?? ''}
          onChange={({ currentTarget: { value } }) => narrow({ merchant: value.trim().toLowerCase() })}
        />
      </Group>
      {isWhole ? (
        <Loaded query={query}>{(routing) => <Routed routing={routing} />}</Loaded>
      ) : (
        <Nothing>Give an amount and a currency.</Nothing>
      )}
    </Part>
  );
}

function Routed({ routing: { rule, passed, order, accounts } }: { routing: RoutingView }) {
  const [first, ...others] = order;
  const held = accounts.find(({ psp, breaker }) => psp === first && breaker !== 'closed');
  return (
    <Stack gap="sm">
      <Alert
        variant="light"
        color={first === undefined ? 'orange' : 'green'}
        title={first === undefined ? 'No PSP would get it' : `${first} would get it`}
      >
        <Text size="sm">
          {rule === null ? 'No rule matches: it is refused.' : `Rule ${rule} is the first that matches.`}{' '}
          {first !== undefined &&
            (others.length === 0
              ? 'There is no other account for it.'
              : `On proof that nothing was done there: ${others.join(', then ')}.`)}
          {held && ` The breaker of ${first} is open, so it is passed over at once.`}
        </Text>
        {passed.length > 0 && (
          <List size="sm" mt={4}>
            {passed.map(({ rule: number, because }) => (
              <List.Item key={number}>
                Not rule {number}: {because}.
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      {accounts.length > 0 && (
        <Listing
          rows={accounts}
          keyOf={({ psp }) => psp}
          columns={[
            { label: 'Account of the rule', cell: ({ psp }) => psp },
            {
              label: 'Place',
              cell: ({ psp, because }) => because ?? `${order.indexOf(psp) + 1} of ${order.length}`,
            },
            { label: 'Weight', isFigure: true, cell: ({ weight }) => weight ?? '–' },
            { label: 'Breaker', cell: ({ breaker }) => <Breaker is={breaker} /> },
          ]}
        />
      )}
      {accounts.some(({ weight }) => weight !== null) && (
        <Text size="sm" c="dimmed">
          {words('the first is drawn by weight for each payment; shown is the heaviest.')}
        </Text>
      )}
    </Stack>
  );
}
