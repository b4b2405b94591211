import { type Effect } from '@payonce/simulator';
import { judgeOperations, judgeOrders, type PaymentRow, type RouteRow } from './verdict.js';

const id = '01a22128-585e-7414-8ca7-37ace4afd3a4';
const charge = `payment-${id}-charge`;

const routeFixture = (more: Partial<RouteRow> = {}): RouteRow => ({
  entity_key: charge,
  route: 1,
  operation: 'charge',
  subject: id,
  psp: 'stripe',
  key: 'key-1',
  amount: 900,
  verdict: 'effective',
  stuck_reason: null,
  ...more,
});

const effectFixture = (more: Partial<Effect> = {}): Effect => ({
  seq: 1,
  psp: 'stripe',
  operation: 'charge',
  psp_reference: 'pi_1',
  parent_reference: null,
  reference: charge,
  route: '1',
  amount: 900,
  currency: 'EUR',
  idempotency_key: null,
  at: '2026-11-28T00:00:00.000Z',
  ...more,
});

const rulesOf = (routes: readonly RouteRow[], effects: readonly Effect[]) =>
  judgeOperations(id, routes, effects).map(({ rule }) => rule);

describe('the judge of a campaign', () => {
  it('is content with one effect for one route that is held for done', () => {
    expect(rulesOf([routeFixture()], [effectFixture()])).toEqual([]);
  });

  it.each([
    ['twice at one PSP', { psp_reference: 'pi_2' }],
    ['at a second PSP', { psp: 'adyen', psp_reference: 'A2', route: '2' }],
  ])('finds a charge that was done %s', (_, second: Partial<Effect>) => {
    const effects = [effectFixture(), effectFixture(second)];
    expect(rulesOf([routeFixture()], effects)).toEqual(['one effect for each operation']);
  });

  it('lets stand what was ruled out, done after all, and given back', () => {
    const late = effectFixture({ psp: 'adyen', psp_reference: 'A1' });
    const back = effectFixture({
      psp: 'adyen',
      operation: 'refund',
      psp_reference: 'R1',
      parent_reference: 'A1',
    });
    const routes = [
      routeFixture({ psp: 'adyen', verdict: 'ruled_out' }),
      routeFixture({ route: 2 }),
      routeFixture({ entity_key: `payment-${id}-orphan-1`, operation: 'refund', psp: 'adyen' }),
    ];
    const effects = [late, back, effectFixture({ route: '2' })];
    expect(rulesOf(routes, effects)).toEqual([]);
    expect(rulesOf(routes, [late, effectFixture({ route: '2' })])).toEqual(['one effect for each operation']);
  });

  it('finds what no route knows, what no PSP did, and a route without a next step', () => {
    expect(rulesOf([], [effectFixture()])).toEqual(['nothing unknown to us']);
    expect(rulesOf([routeFixture()], [])).toEqual(['nothing claimed that no PSP did']);
    expect(rulesOf([routeFixture({ verdict: 'open' })], [])).toEqual(['everything has a next step']);
    expect(rulesOf([routeFixture({ verdict: 'open', stuck_reason: 'doubt' })], [])).toEqual([]);
  });

  it.each([
    ['two charges', [effectFixture()], [effectFixture()], 1],
    [
      'two reservations',
      [effectFixture({ operation: 'authorize' })],
      [effectFixture({ operation: 'authorize' })],
      1,
    ],
    [
      'a charge after a whole refund',
      [effectFixture(), effectFixture({ operation: 'refund' })],
      [effectFixture()],
      0,
    ],
    [
      'a charge after a reservation that was released',
      [effectFixture({ operation: 'authorize' }), effectFixture({ operation: 'void' })],
      [effectFixture()],
      0,
    ],
  ])('counts what an order took together: %s', (_, first: Effect[], second: Effect[], broken) => {
    const payments = ['p1', 'p2'].map((name) => ({ id: name, order: 'o1', due: 900 }) as PaymentRow);
    const effects = new Map([
      ['p1', first],
      ['p2', second],
    ]);
    expect(judgeOrders(payments, effects)).toHaveLength(broken);
  });
});
