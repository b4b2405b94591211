import { callOf, routeOf } from '../../../test/support/notified-routes.js';
import { wouldFindLaterRoute } from './delayed-lookup.js';
import { type Route } from '../route.entity.js';

const routeWith = (more: Partial<Route>) => routeOf([callOf(1, 'unknown')], more);

describe('a late look at a route that was ruled out', () => {
  const [ruledOut, effective, open] = [
    { verdict: 'ruled_out' },
    { verdict: 'effective' },
    { verdict: 'open' },
  ] as const;

  it.each([
    ['capture', effective, true],
    ['capture', open, true],
    ['void', effective, true],
    ['capture', ruledOut, false],
    ['capture', { ...effective, psp: 'another' }, false],
    ['charge', effective, false],
    ['authorize', effective, false],
    ['refund', effective, false],
    ['payout', effective, false],
  ] as const)('of a %s, where a later one is %j, would find that one: %s', (operation, more, expected) => {
    const first = routeWith({ operation, route: 1, ...ruledOut });
    const later = routeWith({ operation, route: 2, ...more });
    expect(wouldFindLaterRoute({ routes: [first, later] }, first)).toBe(expected);
  });

  it('finds no earlier one', () => {
    const [first, second] = [
      routeWith({ operation: 'capture', route: 1, ...effective }),
      routeWith({ operation: 'capture', route: 2, ...ruledOut }),
    ];
    expect(wouldFindLaterRoute({ routes: [first, second] }, second)).toBe(false);
  });
});
