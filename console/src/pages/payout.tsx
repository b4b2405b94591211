import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type PayoutPageView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Facts, Heading, Loaded, Part } from '../parts.js';
import { ApprovalCard } from './approvals.js';
import { Lifecycle } from './lifecycle.js';
import { OperationActions } from './operation-actions.js';
import { Entries } from './payment.js';

export function PayoutPage() {
  const { id } = useParams({ from: '/shell/payouts/$id' });
  const query = useQuery({
    queryKey: ['payout', id],
    queryFn: () => api<PayoutPageView>('GET', `payouts/${encodeURIComponent(id)}`),
  });
  return <Loaded query={query}>{(page) => <Page page={page} />}</Loaded>;
}

function Page({ page }: { page: PayoutPageView }) {
  const { payout, explained, timeline, operations, approvals, lifecycle } = page;
  const open = operations.filter(({ routes }) => routes.at(-1)!.verdict === 'open');
  const isStuck = open.some(({ routes }) => routes.at(-1)!.stuck_at !== null);
  return (
    <>
      <Heading title={payout.reference} hint={`${payout.merchant}, payout ${payout.id}`}>
        <Group gap="sm">
          <Text fw={700} fz="xl">
            {money(payout.amount, payout.currency)}
          </Text>
          <State is={payout.status} />
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
      </Alert>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <Part title="Timeline">
          <Entries entries={timeline} />
        </Part>
        <Stack gap="md">
          {open.map((operation) => (
            <OperationActions
              key={operation.entity_key}
              operation={operation}
              merchantId={payout.merchant_id}
            />
          ))}
          {approvals
            .filter(({ decision }) => decision === null)
            .map((approval) => (
              <ApprovalCard key={approval.id} approval={approval} />
            ))}
          <PayoutFacts page={page} />
          <Part title="Lifecycle">
            <Lifecycle {...lifecycle} />
          </Part>
        </Stack>
      </SimpleGrid>
    </>
  );
}

function PayoutFacts({ page: { payout, operations } }: { page: PayoutPageView }) {
  return (
    <Part title="Facts">
      <Facts
        facts={[
          ['Recipient', payout.recipient],
          ['PSP', payout.psp === null ? 'none has taken it' : `${payout.psp} ${payout.psp_reference ?? ''}`],
          ...(payout.failure
            ? [['Failure', `${payout.failure.code}: ${payout.failure.message}`] as const]
            : []),
          ['Created', <Time key="created" at={payout.created_at} />],
          [
            'Before it',
            payout.previous === null ? (
              'the first to this recipient'
            ) : (
              <Link key="previous" to="/payouts/$id" params={{ id: payout.previous }}>
                the payout before
              </Link>
            ),
          ],
          ...operations.flatMap(({ operation, routes }) =>
            routes.map(
              ({ route, psp, verdict }) =>
                [
                  `${operation}, route ${route}`,
                  <Group key={route} gap="xs" justify="end">
                    {psp} <State is={verdict} />
                  </Group>,
                ] as const,
            ),
          ),
        ]}
      />
    </Part>
  );
}
