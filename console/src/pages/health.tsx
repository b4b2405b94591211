import { Group, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type HealthView } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { State, Time } from '../format.js';
import { Facts, Heading, Listing, Loaded, Nothing, Part } from '../parts.js';

const holds: Readonly<Record<string, string>> = {
  none: 'nothing',
  failover: 'failover to another PSP',
  operations: 'failover, and operations that several PSPs could do',
  unknown: 'not known: the database does not answer',
};

export function Health() {
  const query = useQuery({ queryKey: ['health'], queryFn: () => api<HealthView>('GET', 'health') });
  return (
    <>
      <Heading
        title="Health"
        hint="The processes of this installation, what they have to do, and their tasks."
      />
      <Loaded query={query}>
        {(health) => (
          <Stack gap="sm">
            <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="sm">
              <Part title="Installation">
                <Facts
                  facts={[
                    ['Version', health.version],
                    ['Schema', health.schema],
                    ['Postgres', health.postgres],
                    ['Clock, against the database', `${health.clock_difference_ms} ms`],
                    ['Held', holds[health.hold] ?? health.hold],
                  ]}
                />
              </Part>
              <Part title="Processes" hint="that show a sign of life">
                {health.processes.length === 0 ? (
                  <Nothing>None is seen. Behind a pooler they show none.</Nothing>
                ) : (
                  <Listing
                    rows={health.processes}
                    keyOf={({ address, since }) => `${address} ${since}`}
                    columns={[
                      { label: 'Version', cell: ({ version }) => version },
                      { label: 'Address', cell: ({ address }) => address ?? 'a socket' },
                      { label: 'Since', cell: ({ since }) => <Time at={since} /> },
                    ]}
                  />
                )}
              </Part>
              <Part title="Queues" hint="worked off by themselves">
                <Listing
                  rows={health.queues}
                  keyOf={({ name }) => name}
                  columns={[
                    { label: 'Work', cell: ({ name }) => name },
                    { label: 'Waiting', isFigure: true, cell: ({ waiting }) => waiting },
                    { label: 'Oldest', cell: ({ oldest_at: at }) => <Time at={at} /> },
                  ]}
                />
              </Part>
            </SimpleGrid>
            <Part title="Tasks" hint="one run of each at a time over all processes">
              {health.tasks.length === 0 && <Nothing>No worker has run yet.</Nothing>}
              <Listing
                rows={health.tasks}
                keyOf={({ name }) => name}
                columns={[
                  { label: 'Task', cell: ({ name }) => <span className="mono">{name}</span> },
                  { label: 'Every', isFigure: true, cell: ({ every_s: seconds }) => every(seconds) },
                  { label: 'Last run ended', cell: ({ ended_at: at }) => <Time at={at} /> },
                  {
                    label: 'Next run',
                    cell: ({ is_running: isRunning, next_at: at }) =>
                      isRunning ? <State is="running" /> : <Time at={at} />,
                  },
                  {
                    label: 'Failed in a row',
                    isFigure: true,
                    cell: ({ failures }) =>
                      failures === 0 ? (
                        0
                      ) : (
                        <Group gap="xs" justify="end">
                          {failures} <State is="failed" />
                        </Group>
                      ),
                  },
                ]}
              />
            </Part>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

function every(seconds: number): string {
  if (seconds >= 3_600) return `${seconds / 3_600} h`;
  return seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;
}
