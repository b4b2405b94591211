import { Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { type OverviewView, type WaitingList, type WaitingRow } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { money, Time } from '../format.js';
import { Heading, Loaded } from '../parts.js';

// Most of the script is of the charts.
const Activity = lazy(async () => ({ default: (await import('./activity.js')).Activity }));

interface List {
  readonly label: string;
  readonly hint: string;
  readonly to: string;
  readonly search?: { readonly list: 'open' | 'snoozed' } | { readonly status: 'open' };
  /** Nobody has to do anything about it now. */
  readonly isCalm?: boolean;
}

const lists: Readonly<Record<WaitingList, List>> = {
  stuck: { label: 'Stuck', hint: 'Find out what the PSP did', to: '/stuck' },
  orphans: { label: 'Orphan effects', hint: 'Done at a PSP beside the books', to: '/orphans' },
  breaks: { label: 'Breaks', hint: 'PSPs and books differ', to: '/reconciliation' },
  disputes: {
    label: 'Disputes',
    hint: "Answer in the PSP's dashboard",
    to: '/disputes',
    search: { status: 'open' },
  },
  approvals: { label: 'Approvals', hint: 'Asked for by others', to: '/approvals' },
  dead_letters: { label: 'Dead letters', hint: 'Jobs that were given up', to: '/dead-letters' },
  own_approvals: { label: 'Your requests', hint: 'Wait for a second person', to: '/approvals', isCalm: true },
  snoozed: {
    label: 'Snoozed',
    hint: 'Stuck; an operator looks after it',
    to: '/stuck',
    search: { list: 'snoozed' },
    isCalm: true,
  },
  open: {
    label: 'Open',
    hint: 'Tried again by themselves',
    to: '/stuck',
    search: { list: 'open' },
    isCalm: true,
  },
};

/** So many currencies of a sum are named. */
const NAMED = 2;

export function Overview() {
  const query = useQuery({ queryKey: ['overview'], queryFn: () => api<OverviewView>('GET', 'overview') });
  // What waits for a person is seen before the charts, whose drawing takes as long as all the rest.
  const [isSeen, setSeen] = useState(false);
  const isAnswered = !query.isPending;
  useEffect(() => {
    const timer = isAnswered ? setTimeout(() => setSeen(true), 30) : undefined;
    return () => clearTimeout(timer);
  }, [isAnswered]);
  return (
    <>
      <Heading title="Overview" hint="What waits for a person, the most urgent first, and how payments go" />
      <Loaded query={query}>
        {({ waiting, open_by_age: ages }) => (
          <>
            <SimpleGrid cols={{ base: 1, xs: 2, sm: 3, lg: 5 }} spacing="sm" mb="sm">
              {waiting
                .filter(({ count }) => count > 0)
                .map((row) => (
                  <Waiting key={row.name} {...row} />
                ))}
            </SimpleGrid>
            <Calm rows={waiting} />
            <Ages ages={ages} />
          </>
        )}
      </Loaded>
      <Suspense>{isSeen && <Activity />}</Suspense>
    </>
  );
}

function Waiting({ name, count, oldest_at: oldest, money: sums }: WaitingRow) {
  const { label, hint, to, search, isCalm = false } = lists[name];
  const more = sums.length - NAMED;
  return (
    <Card component={Link} to={to} search={search as never} withBorder padding="sm">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text fz={28} fw={700} lh={1.2} {...(isCalm ? {} : { className: 'needs-work' })}>
        {count}
      </Text>
      {sums.length > 0 && (
        <Text size="sm" fw={600}>
          {sums
            .slice(0, NAMED)
            .map(({ amount, currency }) => money(amount, currency))
            .join(', ')}
          {more > 0 && `, ${more} more`}
        </Text>
      )}
      <Text size="sm">
        {count > 1 && 'oldest '}
        <Time at={oldest} />
      </Text>
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    </Card>
  );
}

/** The lists that hold nothing, in a line: that they were looked at is worth knowing. */
function Calm({ rows }: { rows: readonly WaitingRow[] }) {
  const empty = rows.filter(({ name, count }) => count === 0 && lists[name].isCalm !== true);
  if (empty.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mb={4}>
      Nothing waits under{' '}
      {empty.map(({ name }, nth) => (
        <span key={name}>
          {nth > 0 && ', '}
          <Link to={lists[name].to}>{lists[name].label}</Link>
        </span>
      ))}
      .
    </Text>
  );
}

function Ages({ ages }: { ages: OverviewView['open_by_age'] }) {
  if (ages.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      Open operations by age:{' '}
      <Link to="/stuck" search={{ list: 'open' }}>
        {ages.map(({ age, count }) => `${count} ${age}`).join(', ')}
      </Link>
    </Text>
  );
}
