import { Card, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type OverviewView } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { Heading, Loaded } from '../parts.js';
import { Activity } from './activity.js';

const figures: readonly {
  name: keyof OverviewView['counts'];
  label: string;
  hint: string;
  to: string;
  search?: { list: 'open' };
}[] = [
  { name: 'stuck', label: 'Stuck', hint: 'A person has to find out', to: '/stuck' },
  { name: 'open', label: 'Open', hint: 'Tried again by themselves', to: '/stuck', search: { list: 'open' } },
  { name: 'approvals', label: 'Approvals', hint: 'Wait for a second person', to: '/approvals' },
  { name: 'orphans', label: 'Orphan effects', hint: 'Done at a PSP beside the books', to: '/orphans' },
  { name: 'breaks', label: 'Breaks', hint: 'PSPs and books differ', to: '/reconciliation' },
  { name: 'dead_letters', label: 'Dead letters', hint: 'Jobs that were given up', to: '/dead-letters' },
];

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
      <Heading title="Overview" hint="What waits for a person, and how payments go" />
      <Loaded query={query}>
        {(overview) => (
          <>
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm" mb="md">
              {figures.map(({ name, label, hint, to, search }) => (
                <Figure
                  key={name}
                  label={label}
                  hint={hint}
                  count={overview.counts[name]}
                  to={to}
                  search={search}
                />
              ))}
            </SimpleGrid>
            <Ages ages={overview.open_by_age} />
          </>
        )}
      </Loaded>
      {isSeen && <Activity />}
    </>
  );
}

function Figure(props: {
  label: string;
  hint: string;
  count: number;
  to: string;
  search?: { list: 'open' } | undefined;
}) {
  const { label, hint, count, to, search } = props;
  const needsWork = count > 0 && label !== 'Open';
  return (
    <Card component={Link} to={to} search={search as never} withBorder padding="sm">
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <Text fz={28} fw={700} lh={1.2} {...(needsWork ? { className: 'needs-work' } : {})}>
        {count}
      </Text>
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    </Card>
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
