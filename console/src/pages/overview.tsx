import { BarChart } from '@mantine/charts';
import { Card, Group, Paper, SimpleGrid, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type OverviewView } from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { money } from '../format.js';
import { Heading, Loaded, Nothing } from '../parts.js';

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
  { name: 'dead_letters', label: 'Dead letters', hint: 'Jobs that were given up', to: '/dead-letters' },
];

export function Overview() {
  const query = useQuery({ queryKey: ['overview'], queryFn: () => api<OverviewView>('GET', 'overview') });
  return (
    <>
      <Heading title="Overview" hint="Now, and the last hour" />
      <Loaded query={query}>
        {(overview) => (
          <>
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="md">
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
            <Minutes {...overview} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm" mt="md">
              <Taken psps={overview.psps} />
              <Ages ages={overview.open_by_age} breaks={overview.counts.breaks} />
            </SimpleGrid>
          </>
        )}
      </Loaded>
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

function Minutes({ minutes, complete }: Pick<OverviewView, 'minutes' | 'complete'>) {
  const total = (name: 'succeeded' | 'failed' | 'undecided') =>
    minutes.reduce((sum, minute) => sum + minute[name], 0);
  const [succeeded, failed, undecided] = [total('succeeded'), total('failed'), total('undecided')];
  const decided = succeeded + failed;
  const data = minutes.map(({ at, ...counts }) => ({ at: at.slice(11, 16), ...counts }));
  const summary = `${succeeded} succeeded, ${failed} failed, ${undecided} undecided`;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Payments a minute
        </Title>
        <Text size="sm" c="dimmed">
          {summary}
          {decided > 0 && `: ${((succeeded / decided) * 100).toFixed(1)} % success`}
          {!complete && ' (of the newest 50,000)'}
        </Text>
      </Group>
      <div role="img" aria-label={`Payments of the last hour by the minute: ${summary}`}>
        <BarChart
          h={180}
          data={data}
          dataKey="at"
          type="stacked"
          withLegend
          yAxisProps={{ allowDecimals: false }}
          series={[
            { name: 'succeeded', color: 'teal.6' },
            { name: 'failed', color: 'red.6' },
            { name: 'undecided', color: 'yellow.5' },
          ]}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
    </Paper>
  );
}

function Taken({ psps }: Pick<OverviewView, 'psps'>) {
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        Captured in the last hour
      </Title>
      {psps.length === 0 ? (
        <Nothing>No payment in the last hour.</Nothing>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>PSP</Table.Th>
              <Table.Th ta="end">Payments</Table.Th>
              <Table.Th ta="end">Captured</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {psps.map(({ psp, currency, payments, captured }) => (
              <Table.Tr key={`${psp} ${currency}`}>
                <Table.Td>{psp}</Table.Td>
                <Table.Td ta="end">{payments}</Table.Td>
                <Table.Td ta="end">{money(captured, currency)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Paper>
  );
}

function Ages({ ages, breaks }: { ages: OverviewView['open_by_age']; breaks: number }) {
  return (
    <Paper withBorder p="sm">
      <Title order={2} size="h5" mb="xs">
        Open operations by age
      </Title>
      {ages.length === 0 ? (
        <Nothing>Every operation is decided.</Nothing>
      ) : (
        <Table>
          <Table.Tbody>
            {ages.map(({ age, count }) => (
              <Table.Tr key={age}>
                <Table.Td>{age}</Table.Td>
                <Table.Td ta="end">{count}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {breaks > 0 && (
        <Text size="sm" mt="xs">
          {breaks} notifications contradict the books: <span className="mono">npx payonce breaks list</span>.
        </Text>
      )}
    </Paper>
  );
}
