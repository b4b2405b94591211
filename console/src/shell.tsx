import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Kbd,
  Modal,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type OverviewView } from '../../src/console/console-views.js';
import { api, ApiProblem } from './api.js';
import { ExactTime, Time } from './format.js';
import { Facts } from './parts.js';
import { useSession } from './session.js';

type CountName = keyof OverviewView['counts'];

const pages: readonly { to: string; label: string; count?: CountName }[] = [
  { to: '/', label: 'Overview' },
  { to: '/payments', label: 'Payments' },
  { to: '/payouts', label: 'Payouts' },
  { to: '/stuck', label: 'Stuck and open', count: 'stuck' },
  { to: '/approvals', label: 'Approvals', count: 'approvals' },
  { to: '/orphans', label: 'Orphan effects', count: 'orphans' },
  { to: '/dead-letters', label: 'Dead letters', count: 'dead_letters' },
  { to: '/reconciliation', label: 'Reconciliation', count: 'breaks' },
  { to: '/ledger', label: 'Ledger' },
  { to: '/psps', label: 'PSP accounts' },
  { to: '/merchants', label: 'Merchants' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/audit', label: 'Audit' },
];

export function Shell() {
  const session = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const isOut = session.error instanceof ApiProblem && session.error.status === 401;

  useEffect(() => {
    if (isOut) void navigate({ to: '/sign-in' });
  }, [isOut, navigate]);
  useEffect(close, [pathname, close]);
  const [showsKeys, keys] = useDisclosure(false);
  useHotkeys([
    ['/', () => void navigate({ to: '/payments' }).then(focusSearch)],
    ['shift+?', keys.toggle],
    ['?', keys.toggle],
  ]);

  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: () => api<OverviewView>('GET', 'overview'),
    enabled: session.data !== undefined,
  });
  if (session.data === undefined) return null;
  const { name, role } = session.data;
  const signOut = async () => {
    await api('DELETE', 'session');
    queries.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <Text fw={700}>Payonce</Text>
          </Group>
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Text size="sm" truncate maw={160} title={`${name}, ${role}`}>
              {name}{' '}
              <Text span size="sm" c="dimmed">
                {role}
              </Text>
            </Text>
            <SchemeToggle />
            <Button flex="none" size="compact-sm" variant="default" onClick={() => void signOut()}>
              Sign out
            </Button>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {pages.map(({ to, label, count }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            active={to === '/' ? pathname === '/' || pathname === '/ops' : pathname.startsWith(to)}
            rightSection={<Count of={count === undefined ? 0 : (overview.data?.counts[count] ?? 0)} />}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        {overview.data?.failover_held_until && (
          <Alert color="orange" variant="light" mb="md" title="Failover is held">
            The database may have lost its last commits. Until <Time at={overview.data.failover_held_until} />{' '}
            no payment goes to another PSP on a doubt.
          </Alert>
        )}
        <Outlet />
        <Keys opened={showsKeys} close={keys.close} />
        <ExactTime />
      </AppShell.Main>
    </AppShell>
  );
}

const hotkeys: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search payments'],
  ['j', 'the next row'],
  ['k', 'the row before'],
  ['Enter', 'open the row'],
  ['x', 'choose the row, where rows can be chosen'],
  ['?', 'show or hide these keys'],
];

function Keys({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Keys">
      <Facts facts={hotkeys.map(([key, does]) => [does, <Kbd key={key}>{key}</Kbd>])} />
    </Modal>
  );
}

function Count({ of }: { readonly of: number }) {
  if (of === 0) return null;
  return (
    <Badge size="sm" color="orange" variant="light" circle={of < 10}>
      {of > 99 ? '99+' : of}
    </Badge>
  );
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const is = useComputedColorScheme('light');
  const next = is === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon variant="default" aria-label={`Use ${next} colors`} onClick={() => setColorScheme(next)}>
      {is === 'dark' ? '☀' : '☾'}
    </ActionIcon>
  );
}

function focusSearch(): void {
  // After the page of the search has been drawn.
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.focus());
}
