import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Nothing } from './parts.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <Nothing>There is no such page. Choose one in the menu.</Nothing>,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in.js'), 'SignIn'),
});

/** All pages for who is signed in. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview.js'), 'Overview'),
});

/** Filters stand in the URL, so that a list can be sent to a colleague. */
export interface PaymentsSearch {
  readonly q?: string;
  readonly status?: string;
  readonly psp?: string;
  readonly cursor?: string;
}

const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: (search: Record<string, unknown>): PaymentsSearch =>
    textsOf(search, ['q', 'status', 'psp', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/payments.js'), 'Payments'),
});

const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$id',
  component: lazyRouteComponent(() => import('./pages/payment.js'), 'PaymentPage'),
});

const stuck = createRoute({
  getParentRoute: () => shell,
  path: '/stuck',
  validateSearch: (search: Record<string, unknown>): { list?: 'open' } =>
    search['list'] === 'open' ? { list: 'open' } : {},
  component: lazyRouteComponent(() => import('./pages/stuck.js'), 'Stuck'),
});

const approvals = createRoute({
  getParentRoute: () => shell,
  path: '/approvals',
  component: lazyRouteComponent(() => import('./pages/approvals.js'), 'Approvals'),
});

const orphans = createRoute({
  getParentRoute: () => shell,
  path: '/orphans',
  component: lazyRouteComponent(() => import('./pages/orphans.js'), 'Orphans'),
});

const deadLetters = createRoute({
  getParentRoute: () => shell,
  path: '/dead-letters',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textsOf(search, ['cursor']),
  component: lazyRouteComponent(() => import('./pages/dead-letters.js'), 'DeadLetters'),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textsOf(search, ['cursor']),
  component: lazyRouteComponent(() => import('./pages/audit.js'), 'Audit'),
});

function textsOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { readonly [name in Name]?: string } {
  const given = names.flatMap((name) => {
    const value = search[name];
    return typeof value !== 'string' || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given) as { readonly [name in Name]?: string };
}

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([overview, payments, payment, stuck, approvals, orphans, deadLetters, audit]),
  ]),
  basepath: '/ops',
  // An id of digits stays a text.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
