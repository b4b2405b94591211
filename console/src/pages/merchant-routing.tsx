import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type RoutingRulesView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Time } from '../format.js';
import { Loaded, Part } from '../parts.js';
import { type RoutingRule, RulesList } from '../routing-rules.js';
import { useMay } from '../session.js';
import { SetRouting } from './set-routing.js';

/** The routing rules of a merchant, and who set them. null: those for all merchants without rules of their own. */
export function Routing({ merchantId }: { merchantId: string | null }) {
  const query = useRouting(merchantId);
  const mayKeep = useMay('admin');
  const [isSetting, set] = useState(false);
  return (
    <Part
      id="routing"
      title={merchantId === null ? 'Rules for all' : 'Routing'}
      hint="the first rule that matches is taken"
    >
      <Loaded query={query}>
        {(routing) => (
          <Stack gap="sm">
            {merchantId === null ? (
              <Text size="sm" c="dimmed">
                Those of the PSPs file, or all accounts in their order. A merchant may have its own: see its
                page.
              </Text>
            ) : (
              <Text size="sm" c="dimmed">
                {routing.is_own ? 'It has rules of its own.' : 'Those for all apply.'}
              </Text>
            )}
            <RulesList rules={routing.rules} />
            <History of={routing.history} />
            {merchantId !== null && (
              <Group justify="end" gap="sm">
                <Anchor
                  size="sm"
                  component={Link}
                  to="/psps"
                  search={{ merchant: merchantId } as never}
                  hash="route"
                >
                  Where would a payment go?
                </Anchor>
                {mayKeep && (
                  <Button size="compact-xs" variant="default" onClick={() => set(true)}>
                    Change the routing…
                  </Button>
                )}
              </Group>
            )}
            {isSetting && merchantId !== null && (
              <SetRouting merchantId={merchantId} routing={routing} close={() => set(false)} />
            )}
          </Stack>
        )}
      </Loaded>
    </Part>
  );
}

/** The rules that a merchant has now, and those that it is to have; null: those for all. */
export function RoutingChange(props: { merchantId: string; rules: readonly RoutingRule[] | null }) {
  const { merchantId, rules } = props;
  const now = useRouting(merchantId);
  return (
    <Stack gap={4} mt="xs">
      <Text size="sm" fw={600}>
        It becomes
      </Text>
      {rules === null ? <Text size="sm">The rules for all apply again.</Text> : <RulesList rules={rules} />}
      <Text size="sm" fw={600}>
        It is now{now.data?.is_own === false && ': the rules for all'}
      </Text>
      <Loaded query={now}>{({ rules: present }) => <RulesList rules={present} />}</Loaded>
    </Stack>
  );
}

function useRouting(merchantId: string | null) {
  return useQuery({
    queryKey: ['routing', merchantId],
    queryFn: () =>
      api<RoutingRulesView>(
        'GET',
        merchantId === null ? 'psps/routing' : `psps/routing?merchant_id=${encodeURIComponent(merchantId)}`,
      ),
  });
}

function History({ of }: { of: RoutingRulesView['history'] }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>Changed {of.length === 1 ? 'once' : `${of.length} times`}</summary>
      <Stack gap="xs" mt="xs">
        {of.map(({ at, actor, rules }) => (
          <div key={at}>
            <Text size="sm" c="dimmed">
              <Time at={at} /> by {actor}
            </Text>
            {rules === null ? (
              <Text size="sm">Those for all applied again.</Text>
            ) : (
              <RulesList rules={rules} />
            )}
          </div>
        ))}
      </Stack>
    </details>
  );
}
