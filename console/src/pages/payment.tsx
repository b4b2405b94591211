import { Alert, Anchor, Code, Grid, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type PaymentPageView, type TimelineEntry } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { methodLabel } from '../methods.js';
import { Bullet, Facts, Heading, Loaded, Part } from '../parts.js';
import { ApprovalCard } from './approvals.js';
import { Lifecycle } from './lifecycle.js';
import { OperationActions } from './operation-actions.js';
import { PaymentActions } from './payment-actions.js';

export function PaymentPage() {
  const { id } = useParams({ from: '/shell/payments/$id' });
  const query = useQuery({
    queryKey: ['payment', id],
    queryFn: () => api<PaymentPageView>('GET', `payments/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(page) => <Page page={page} />}</Loaded>;
}

function Page({ page }: { readonly page: PaymentPageView }) {
  const { payment, operations, timeline, approvals, lifecycle, explained } = page;
  const open = operations.filter(({ routes }) => routes.at(-1)!.verdict === 'open');
  const isStuck = open.some(({ routes }) => routes.at(-1)!.stuck_at !== null);
  return (
    <>
      <Heading title={payment.reference} hint={`${payment.merchant}, payment ${payment.id}`}>
        <Group gap="sm">
          <Text fw={700} fz="xl">
            {money(payment.amount, payment.currency)}
          </Text>
          <State is={payment.status} />
          {isStuck && <State is="stuck" />}
        </Group>
      </Heading>
      <Alert
        variant="light"
        color={isStuck ? 'orange' : open.length > 0 ? 'yellow' : 'gray'}
        mb="md"
        title="What happened"
      >
        {explained}
        {approvals.some(({ waits }) => waits) && ' What was asked for waits for an approval.'}
      </Alert>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }} order={{ base: 2, lg: 1 }}>
          <Paper withBorder p="sm">
            <Title order={2} size="h5" mb="sm">
              Timeline
            </Title>
            <Entries entries={timeline} />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }} order={{ base: 1, lg: 2 }}>
          <Stack gap="md">
            {approvals
              .filter(({ decision }) => decision === null)
              .map((approval) => (
                <ApprovalCard key={approval.id} approval={approval} />
              ))}
            {open.map((operation) => (
              <OperationActions
                key={operation.entity_key}
                operation={operation}
                merchantId={payment.merchant_id}
              />
            ))}
            <PaymentActions page={page} />
            {page.files.length > 0 && <Files files={page.files} />}
            <PaymentFacts page={page} />
            <Paper withBorder p="sm">
              <Title order={2} size="h5" mb="xs">
                Lifecycle
              </Title>
              <Lifecycle {...lifecycle} />
            </Paper>
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

/** What people attached to what they found out, to be downloaded. */
function Files({ files }: { readonly files: PaymentPageView['files'] }) {
  return (
    <Part title="Files">
      {files.map(({ id, name, added_by: by, at }) => (
        <Text key={id} size="sm">
          <Anchor inherit href={`/ops/api/evidence/${id}`} download={name}>
            {name}
          </Anchor>{' '}
          by {by}, <Time at={at} />
        </Text>
      ))}
    </Part>
  );
}

function PaymentFacts({
  page: { payment, order, operations, refunds, orphans },
}: {
  readonly page: PaymentPageView;
}) {
  const { currency } = payment;
  const facts: readonly (readonly [name: string, value: React.ReactNode])[] = [
    ...(order ? [['Order', <OfOrder key="order" {...order} />] as const] : []),
    ...(payment.customer
      ? [['Customer', <OfCustomer key="customer" name={payment.customer} />] as const]
      : []),
    ['Payment method', methodLabel(payment.method)],
    ['Captured', money(payment.amount_captured, currency)],
    ['Refunded', money(payment.amount_refunded, currency)],
    ['Capture', payment.capture_mode],
    ['PSP', payment.psp === null ? 'none has taken it' : <PspReference key="psp" {...payment} />],
    ['Routed to', <Routed key="routed" {...payment} />],
    ...(payment.failure ? [['Failure', `${payment.failure.code}: ${payment.failure.message}`] as const] : []),
    ['Created', <Time key="created" at={payment.created_at} />],
    ...operations.flatMap(({ operation, routes }) =>
      routes.map(
        ({ route, psp, verdict }) =>
          [
            `${operation}, route ${route}`,
            <Group key={`${operation} ${route}`} gap="xs" justify="end">
              {psp} <State is={verdict} />
            </Group>,
          ] as const,
      ),
    ),
    ...refunds.map(
      (refund) => ['Refund', `${money(refund.amount, refund.currency)} ${refund.status}`] as const,
    ),
    ...orphans.map(
      (orphan) => ['Orphan effect', `${money(orphan.amount, orphan.currency)} ${orphan.status}`] as const,
    ),
  ];
  return (
    <Part title="Facts">
      <Facts facts={facts} />
    </Part>
  );
}

/** The order of the accounts when the payment was made, and the rules of today for one like it. */
function Routed({ candidates, amount, currency, method }: PaymentPageView['payment']) {
  return (
    <Group gap="xs" justify="end">
      {candidates.length === 0 ? 'no account' : candidates.join(', then ')}
      <Link
        to="/psps"
        search={{ amount: String(amount), currency, method }}
        hash="route"
        className="row-link"
      >
        why?
      </Link>
    </Group>
  );
}

function OfCustomer({ name }: { readonly name: string }) {
  return (
    <Link to="/payments" search={{ q: name }} className="row-link">
      {name}
    </Link>
  );
}

function OfOrder({ id, reference, status, tries }: NonNullable<PaymentPageView['order']>) {
  return (
    <Group gap="xs" justify="end">
      <Link to="/orders/$id" params={{ id }} className="row-link">
        {reference}, {tries} {tries === 1 ? 'try' : 'tries'}
      </Link>
      <State is={status} />
    </Group>
  );
}

function PspReference({
  psp,
  psp_reference: reference,
  psp_url: url,
}: Pick<PaymentPageView['payment'], 'psp' | 'psp_reference' | 'psp_url'>) {
  const name = `${psp} ${reference ?? ''}`;
  return url === null ? (
    <span className="mono">{name}</span>
  ) : (
    <Anchor className="mono" size="sm" href={url} target="_blank" rel="noopener noreferrer">
      {name}
    </Anchor>
  );
}

const colors = { good: 'green', bad: 'red', doubt: 'yellow', plain: 'gray' } as const;

/** One line for each entry, with the time since the first; what repeats itself is one line until it is opened. */
export function Entries({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  const start = entries[0]?.at ?? '';
  const runs: TimelineEntry[][] = [];
  for (const entry of entries) {
    const before = runs.at(-1);
    const isAgain = before?.[0]!.title === entry.title && before[0].detail === entry.detail;
    if (isAgain) before.push(entry);
    else runs.push([entry]);
  }
  return (
    <ol className="entries">
      {runs.map((run, index) => (
        <Run key={`${run[0]!.at} ${index}`} run={run} start={start} />
      ))}
    </ol>
  );
}

function Run({ run, start }: { readonly run: readonly TimelineEntry[]; readonly start: string }) {
  const [showsAll, showAll] = useState(run.length < 3);
  const shown = showsAll ? run : [run[0]!];
  return (
    <>
      {shown.map((entry, index) => (
        <Entry key={`${entry.at} ${index}`} entry={entry} start={start} />
      ))}
      {!showsAll && (
        <li>
          <span />
          <span />
          <Anchor component="button" type="button" size="sm" ta="start" onClick={() => showAll(true)}>
            and {run.length - 1} times more, until <Since at={run.at(-1)!.at} start={start} />
          </Anchor>
        </li>
      )}
    </>
  );
}

function Entry({ entry, start }: { readonly entry: TimelineEntry; readonly start: string }) {
  const { at, what, title, detail, tone, actor, duration_ms: ms, raw } = entry;
  const more = [detail, actor, ms === null ? null : `${ms} ms`].filter(Boolean).join('; ');
  return (
    <li>
      <Since at={at} start={start} />
      <Bullet color={colors[tone]} />
      <div>
        <Text span size="sm" fw={what === 'state' ? 700 : 500}>
          {title}
        </Text>{' '}
        <Text span size="sm" c="dimmed">
          {more}
        </Text>{' '}
        {raw && <Raw of={raw} />}
      </div>
    </li>
  );
}

/** The time since the first entry; the exact time where the pointer or the keyboard is. */
function Since({ at, start }: { readonly at: string; readonly start: string }) {
  const ms = Date.parse(at) - Date.parse(start);
  const [unit, size, digits] = sizes.find(([, each]) => ms >= each) ?? sizes.at(-1)!;
  return (
    <time dateTime={at} tabIndex={0} className="since">
      +{(ms / size).toFixed(digits)} {unit}
    </time>
  );
}

const sizes = [
  ['d', 86_400_000, 1],
  ['h', 3_600_000, 1],
  ['min', 60_000, 1],
  ['s', 1_000, 3],
] as const;

/** Redacted already, where it was stored. */
function Raw({ of }: { readonly of: object }) {
  const [isShown, show] = useState(false);
  return (
    <>
      <Anchor
        component="button"
        type="button"
        size="xs"
        aria-expanded={isShown}
        onClick={() => show(!isShown)}
      >
        {isShown ? 'Hide' : 'Show'} what is stored
      </Anchor>
      {isShown && <Code block>{JSON.stringify(of, null, 2)}</Code>}
    </>
  );
}
