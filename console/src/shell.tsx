import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  Modal,
  NavLink,
  Progress,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { type OverviewView, type WaitingList } from '../../src/console/console-views.js';
import { type OperatorView } from '../../src/operators/session.view.js';
import { api, ApiProblem, onEndedSession } from './api.js';
import { Hint, Time, type TimeStyle, timeStyles, useTimeStyle, zone } from './format.js';
import { Facts } from './parts.js';
import { SignInForm } from './pages/sign-in.js';
import { useSession } from './session.js';

/** Its code draws QR codes, which few ever need. */
const Enrol = lazy(async () => ({ default: (await import('./pages/enrol.js')).Enrol }));

const pages: readonly { to: string; label: string; count?: WaitingList }[] = [
  { to: '/', label: 'Overview' },
  { to: '/payments', label: 'Payments' },
  { to: '/refunds', label: 'Refunds' },
  { to: '/disputes', label: 'Disputes', count: 'disputes' },
  { to: '/customers', label: 'Customers' },
  { to: '/payouts', label: 'Payouts' },
  { to: '/bank', label: 'Bank files' },
  { to: '/stuck', label: 'Stuck and open', count: 'stuck' },
  { to: '/approvals', label: 'Approvals', count: 'approvals' },
  { to: '/orphans', label: 'Orphan effects', count: 'orphans' },
  { to: '/dead-letters', label: 'Dead letters', count: 'dead_letters' },
  { to: '/reconciliation', label: 'Reconciliation', count: 'breaks' },
  { to: '/ledger', label: 'Ledger' },
  { to: '/month-end', label: 'Month end' },
  { to: '/psps', label: 'PSP accounts' },
  { to: '/merchants', label: 'Merchants' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/operators', label: 'Operators' },
  { to: '/audit', label: 'Audit' },
  { to: '/health', label: 'Health' },
];

export function Shell() {
  const session = useSession();
  const navigate = useNavigate();
  const router = useRouter();
  const queries = useQueryClient();
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const isOut = session.error instanceof ApiProblem && session.error.status === 401;
  const wasIn = session.data !== undefined;

  useEffect(() => {
    if (!isOut || wasIn) return;
    sessionStorage.setItem(RETURNS_TO, location.href);
    void navigate({ to: '/sign-in' });
  }, [isOut, wasIn, navigate]);
  // The page of the link that brought a person who was not signed in.
  useEffect(() => {
    const href = wasIn ? sessionStorage.getItem(RETURNS_TO) : null;
    if (href === null) return;
    sessionStorage.removeItem(RETURNS_TO);
    const { origin, pathname: path, search } = new URL(href);
    if (origin === location.origin && path.startsWith('/ops/')) {
      router.history.push(path + search);
    }
  }, [wasIn, navigate]);
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
    enabled: session.data?.needs_credentials === false,
  });
  if (session.data === undefined) return null;
  const isAway = overview.error !== null && !(overview.error instanceof ApiProblem);
  const { name, role, needs_credentials: isNew } = session.data;
  const signOut = async () => {
    await api('DELETE', 'session');
    queries.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 200, breakpoint: 'menu', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <Pending />
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="menu" size="sm" aria-label="Menu" />
            <Text fw={700}>Payonce</Text>
          </Group>
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Text
              size="sm"
              truncate
              maw={160}
              title={`${name}, ${role}: your sessions and password`}
              component={Link}
              to="/you"
              className="row-link"
            >
              {name}{' '}
              <Text span size="sm" c="dimmed">
                {role}
              </Text>
            </Text>
            <TimesMenu />
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
            rightSection={
              <Count of={overview.data?.waiting?.find(({ name }) => name === count)?.count ?? 0} />
            }
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        {overview.data?.failover_held_until && (
          <Alert color="orange" variant="light" mb="md" title="Failover is held">
            The database may have lost its last commits. No payment goes to another PSP on a doubt{' '}
            {overview.data.failover_held_until === 'infinity' ? (
              'until a person ends it: npx payonce failover resume'
            ) : (
              <>
                until <Time at={overview.data.failover_held_until} />
              </>
            )}
            .
          </Alert>
        )}
        {isAway && (
          <Alert color="red" variant="light" mb="md" title="The service does not answer" role="alert">
            What is shown is of <Time at={new Date(overview.dataUpdatedAt).toISOString()} />, and no verdict
            holds. It is asked again every five seconds.
          </Alert>
        )}
        <div {...(isAway ? { className: 'away' } : {})}>
          <Suspense>{isNew ? <Enrol /> : <Outlet />}</Suspense>
        </div>
        <SignInOver name={name} isOut={isOut} />
        <Keys opened={showsKeys} close={keys.close} />
        <Hint />
      </AppShell.Main>
    </AppShell>
  );
}

const timeLabels: Readonly<Record<TimeStyle, string>> = {
  ago: 'How long ago',
  utc: 'Exact, in UTC',
  local: `Exact, in ${zone}`,
};

/** How all times of the console are written. */
function TimesMenu() {
  const [style, set] = useTimeStyle();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label="How times are written" flex="none">
          <svg
            width="16"
            height="16"
            viewBox="0 0 16 16"
            fill="none"
            stroke="currentColor"
            aria-hidden="true"
          >
            <circle cx="8" cy="8" r="6" />
            <path d="M8 4.5V8l2.5 1.5" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {timeStyles.map((each) => (
          <Menu.Item key={each} onClick={() => set(each)} rightSection={each === style ? '✓' : null}>
            {timeLabels[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A page is on its way: its code, or what it is made from. Shown where that takes longer than a blink. */
function Pending() {
  const isPending = useRouterState({ select: ({ status }) => status === 'pending' });
  return isPending ? (
    <Progress className="pending" value={100} size={3} radius={0} animated aria-label="Loading" />
  ) : null;
}

const RETURNS_TO = 'payonce-returns-to';

/**
 * A session that ended while a page is open is begun anew over it: what was written there stays, and what was asked meanwhile is
 * asked once more. Another person gets pages of their own.
 */
function SignInOver({ name, isOut }: { readonly name: string; readonly isOut: boolean }) {
  const [waiting, setWaiting] = useState<readonly (() => void)[]>([]);
  useEffect(
    () => onEndedSession(() => new Promise((resolve) => setWaiting((others) => [...others, resolve]))),
    [],
  );
  const queries = useQueryClient();
  const done = (operator: OperatorView) => {
    if (operator.name !== name) return location.reload();
    for (const resolve of waiting) resolve();
    setWaiting([]);
    void queries.invalidateQueries();
  };
  return (
    <Modal
      opened={isOut || waiting.length > 0}
      onClose={() => {}}
      withCloseButton={false}
      zIndex={400}
      title="Your session has ended"
    >
      <Text size="sm" mb="sm">
        Sign in again as {name}: the page stays as it is.
      </Text>
      <SignInForm done={done} />
    </Modal>
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
