import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { type Span, spans } from '../../src/console/activity-views.js';
import { type LedgerSearch } from './pages/ledger.js';
import { type MonthEndSearch } from './pages/month-end.js';
import { type Search } from './filters.js';
import { type PayoutsSearch } from './pages/payouts.js';
import { type RouteSearch } from './pages/psps.js';
import { Nothing } from './parts.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <Nothing>There is no such page. Choose one in the menu.</Nothing>,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // Back from the provider, which did not let in.
  validateSearch: (search: Record<string, unknown>): { refused?: true } =>
    'refused' in search ? { refused: true } : {},
  component: lazyRouteComponent(() => import('./pages/sign-in.js'), 'SignIn'),
});

/** All pages for who is signed in. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search: Record<string, unknown>): { span?: Span } =>
    spans.some((span) => span === search['span']) ? { span: search['span'] as Span } : {},
  component: lazyRouteComponent(() => import('./pages/overview.js'), 'Overview'),
});

const payments = createRoute({
  getParentRoute: () => shell,
  path: '/payments',
  validateSearch: (search: Record<string, unknown>): Search =>
    textsOf(search, [
      'q',
      'status',
      'from',
      'to',
      'psp',
      'currency',
      'amount_from',
      'amount_to',
      'failure',
      'merchant',
      'order',
      'cursor',
    ]),
  component: lazyRouteComponent(() => import('./pages/payments.js'), 'Payments'),
});

const payment = createRoute({
  getParentRoute: () => shell,
  path: '/payments/$id',
  component: lazyRouteComponent(() => import('./pages/payment.js'), 'PaymentPage'),
});

const order = createRoute({
  getParentRoute: () => shell,
  path: '/orders/$id',
  component: lazyRouteComponent(() => import('./pages/order.js'), 'OrderPage'),
});

const stuck = createRoute({
  getParentRoute: () => shell,
  path: '/stuck',
  validateSearch: (search: Record<string, unknown>): Search =>
    textsOf(search, ['list', 'order', 'psp', 'currency', 'reason', 'merchant', 'cursor']),
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
  validateSearch: (search: Record<string, unknown>): Search => textsOf(search, ['kind', 'cause', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/dead-letters.js'), 'DeadLetters'),
});

const refunds = createRoute({
  getParentRoute: () => shell,
  path: '/refunds',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textsOf(search, ['cursor']),
  component: lazyRouteComponent(() => import('./pages/refunds.js'), 'Refunds'),
});

const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textsOf(search, ['cursor']),
  component: lazyRouteComponent(() => import('./pages/customers.js'), 'Customers'),
});

const bank = createRoute({
  getParentRoute: () => shell,
  path: '/bank',
  validateSearch: (search: Record<string, unknown>): { list?: string } => textsOf(search, ['list']),
  component: lazyRouteComponent(() => import('./pages/bank.js'), 'Bank'),
});

const operators = createRoute({
  getParentRoute: () => shell,
  path: '/operators',
  component: lazyRouteComponent(() => import('./pages/operators.js'), 'Operators'),
});

const you = createRoute({
  getParentRoute: () => shell,
  path: '/you',
  component: lazyRouteComponent(() => import('./pages/you.js'), 'You'),
});

const disputes = createRoute({
  getParentRoute: () => shell,
  path: '/disputes',
  validateSearch: (search: Record<string, unknown>): Search => textsOf(search, ['status', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/disputes.js'), 'Disputes'),
});

const health = createRoute({
  getParentRoute: () => shell,
  path: '/health',
  component: lazyRouteComponent(() => import('./pages/health.js'), 'Health'),
});

const reconciliation = createRoute({
  getParentRoute: () => shell,
  path: '/reconciliation',
  validateSearch: (search: Record<string, unknown>): { list?: string } => textsOf(search, ['list']),
  component: lazyRouteComponent(() => import('./pages/reconciliation.js'), 'Reconciliation'),
});

const reconciliationRun = createRoute({
  getParentRoute: () => shell,
  path: '/reconciliation/runs/$id',
  component: lazyRouteComponent(() => import('./pages/reconciliation-run.js'), 'ReconciliationRun'),
});

const reconciliationBreak = createRoute({
  getParentRoute: () => shell,
  path: '/reconciliation/breaks/$psp/$id',
  component: lazyRouteComponent(() => import('./pages/break.js'), 'BreakPage'),
});

const payouts = createRoute({
  getParentRoute: () => shell,
  path: '/payouts',
  validateSearch: (search: Record<string, unknown>): PayoutsSearch =>
    textsOf(search, ['q', 'status', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/payouts.js'), 'Payouts'),
});

const payout = createRoute({
  getParentRoute: () => shell,
  path: '/payouts/$id',
  component: lazyRouteComponent(() => import('./pages/payout.js'), 'PayoutPage'),
});

const psps = createRoute({
  getParentRoute: () => shell,
  path: '/psps',
  validateSearch: (search: Record<string, unknown>): RouteSearch =>
    textsOf(search, ['operation', 'amount', 'currency', 'method', 'brand', 'country', 'merchant']),
  component: lazyRouteComponent(() => import('./pages/psps.js'), 'Psps'),
});

const merchants = createRoute({
  getParentRoute: () => shell,
  path: '/merchants',
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => textsOf(search, ['cursor']),
  component: lazyRouteComponent(() => import('./pages/merchants.js'), 'Merchants'),
});

const merchant = createRoute({
  getParentRoute: () => shell,
  path: '/merchants/$id',
  component: lazyRouteComponent(() => import('./pages/merchants.js'), 'MerchantPage'),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  validateSearch: (search: Record<string, unknown>): { list?: string; cursor?: string } =>
    textsOf(search, ['list', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/webhooks.js'), 'Webhooks'),
});

const ledger = createRoute({
  getParentRoute: () => shell,
  path: '/ledger',
  validateSearch: (search: Record<string, unknown>): LedgerSearch =>
    textsOf(search, ['from', 'to', 'account', 'psp', 'currency', 'merchant_id', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/ledger.js'), 'LedgerPage'),
});

const monthEnd = createRoute({
  getParentRoute: () => shell,
  path: '/month-end',
  validateSearch: (search: Record<string, unknown>): MonthEndSearch =>
    textsOf(search, ['month', 'psp', 'currency', 'merchant_id', 'cursor']),
  component: lazyRouteComponent(() => import('./pages/month-end.js'), 'MonthEnd'),
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
    shell.addChildren([
      refunds,
      customers,
      operators,
      you,
      bank,
      disputes,
      health,
      overview,
      payments,
      payment,
      order,
      payouts,
      payout,
      stuck,
      approvals,
      orphans,
      deadLetters,
      reconciliation,
      reconciliationRun,
      reconciliationBreak,
      ledger,
      monthEnd,
      psps,
      merchants,
      merchant,
      webhooks,
      audit,
    ]),
  ]),
  basepath: '/ops',
  // A page's code is loaded when the pointer or the keyboard comes to its link.
  defaultPreload: 'intent',
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
