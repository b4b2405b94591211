import { Alert, Group, Paper, Stack, Text, Timeline, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type OrderPageView } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Bullet, Facts, Heading, Loaded, Part } from '../parts.js';

export function OrderPage() {
  const { id } = useParams({ from: '/shell/orders/$id' });
  const query = useQuery({
    queryKey: ['order', id],
    queryFn: () => api<OrderPageView>('GET', `orders/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(page) => <Page page={page} />}</Loaded>;
}

const colors: Readonly<Record<string, string>> = { paid: 'green', overpaid: 'red', pending: 'yellow' };
const bullets: Readonly<Record<string, string>> = {
  failed: 'red',
  canceled: 'gray',
  refunded: 'gray',
  processing: 'yellow',
  requires_action: 'yellow',
};

function Page({ page }: { readonly page: OrderPageView }) {
  const { order, explained, tries, orphans } = page;
  return (
    <>
      <Heading title={order.reference} hint={`${order.merchant}, order`}>
        <Group gap="sm">
          <Text fw={700} fz="xl">
            {money(order.amount_due, order.currency)}
          </Text>
          <State is={order.status} />
        </Group>
      </Heading>
      <Alert variant="light" color={colors[order.status] ?? 'gray'} mb="md" title="What happened">
        {explained}
      </Alert>
      <Stack gap="md">
        <Paper withBorder p="sm">
          <Title order={2} size="h5" mb="sm">
            Tries
          </Title>
          <Timeline bulletSize={16} lineWidth={2}>
            {tries.map((one, index) => (
              <Try key={one.id} number={index + 1} one={one} />
            ))}
          </Timeline>
        </Paper>
        <Part title="Facts">
          <Facts
            facts={[
              ['Due', money(order.amount_due, order.currency)],
              ['Live', money(order.amount_live, order.currency)],
              ['Paid', money(order.amount_paid, order.currency)],
              ...(order.amount_overpaid > 0
                ? [['Overpaid', money(order.amount_overpaid, order.currency)] as const]
                : []),
              ['In parts', order.parts ? 'yes' : 'no'],
              ['Created', <Time key="created" at={order.created_at} />],
              ...orphans.map(
                (orphan) =>
                  [
                    `Orphan effect at ${orphan.psp}`,
                    `${money(orphan.amount, orphan.currency)} ${orphan.status}`,
                  ] as const,
              ),
            ]}
          />
        </Part>
      </Stack>
    </>
  );
}

function Try({ number, one }: { readonly number: number; readonly one: OrderPageView['tries'][number] }) {
  const { id, amount, currency, status, psp, amount_live: live, said } = one;
  return (
    <Timeline.Item
      color={bullets[status] ?? 'green'}
      bullet={<Bullet color={bullets[status] ?? 'green'} />}
      title={
        <Group gap="xs">
          <Link to="/payments/$id" params={{ id }} className="row-link">
            Try {number}
          </Link>
          <Text size="sm">{money(amount, currency)}</Text>
          <State is={status} />
        </Group>
      }
    >
      <Text size="sm">{said}</Text>
      <Text size="xs" c="dimmed">
        {[psp, live > 0 ? `${money(live, currency)} live` : 'nothing live'].filter(Boolean).join(', ')},{' '}
        <Time at={one.created_at} />
      </Text>
    </Timeline.Item>
  );
}
