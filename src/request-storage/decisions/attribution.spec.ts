import { HOUR, START } from '../../../test/support/arbitrary-history.js';
import { callOf, factOf, routeOf, historiesOfRoutes } from '../../../test/support/notified-routes.js';
import { type Outcome } from '../../psp/contract.js';
import { type NotificationItem } from '../../psp/notification.js';
import { type RouteHistory } from './assess-route.js';
import { attribute } from './record-notification.js';
import { type Route } from '../route.entity.js';

const now = new Date(START + HOUR);
/** The name at a PSP that keeps the last 8 characters. */
const shortened = (name: string) => name.slice(-8);
const can = {
  isOwnName: (entityKey: string, handedBack: string) =>
    [entityKey, shortened(entityKey)].includes(handedBack),
};

describe('which route a fact speaks of', () => {
  const charge = routeOf([callOf(1, 'unknown')], { pspReference: 'pi_1' });
  const second = routeOf([callOf(1, null)], { route: 2, psp: 'second' });
  const again = routeOf([callOf(1, null)], { route: 3, pspReference: 'pi_3' });
  const captureOf = (name: string, more: Partial<Route> = {}) =>
    routeOf([callOf(1, null)], { entityKey: `payment-1-capture${name}`, operation: 'capture', ...more });
  const attributed = (routes: readonly RouteHistory[], fact: NotificationItem) =>
    attribute(historiesOfRoutes(...routes), 'first', fact, can);
  const found = (routes: readonly RouteHistory[], fact: NotificationItem) => {
    const attribution = attributed(routes, fact);
    return attribution === null || attribution === 'contradiction' ? undefined : attribution.route.request;
  };

  it('is the one that is named, at the PSP that told it', () => {
    expect(found([charge, second, again], factOf('succeeded', { route: 3, pspReference: null }))).toBe(
      again.request,
    );
    expect(found([charge, second], factOf('succeeded', { route: 2 }))).toBe(charge.request);
    expect(found([second], factOf('succeeded'))).toBeUndefined();
  });

  it('is found by the PSP’s own id where no number is handed back', () => {
    const unnumbered = { route: null, pspReference: 'pi_1' };
    expect(found([charge, again], factOf('succeeded', unnumbered))).toBe(charge.request);
    expect(found([charge], factOf('succeeded', { route: null, pspReference: null }))).toBe(charge.request);
  });

  it('is none where a number is handed back that no route has: it is that of a route nobody knows', () => {
    expect(found([charge, again], factOf('succeeded', { route: 2, pspReference: 'pi_2' }))).toBeUndefined();
  });

  it('is found by a name that the PSP took shortened, and by no other that begins so', () => {
    const refundOf = (name: string) => routeOf([callOf(1, null)], { entityKey: name, operation: 'refund' });
    const [one, other] = [refundOf('payment-1-refund-of-one'), refundOf('payment-1-refund-of-two')];
    const entityKey = shortened(other.request.entityKey);
    const fact = factOf('succeeded', { entityKey, pspReference: 'r', operation: 'refund' });
    expect(found([charge, one, other], fact)).toBe(other.request);
  });

  it('is the one open operation of its kind where the payment alone is named; of several none', () => {
    const money = { amount: 100, currency: 'EUR' };
    const fact = factOf('succeeded', {
      operation: 'capture',
      route: null,
      pspReference: 'pi_9',
      answer: { outcome: 'succeeded', money },
    });
    const done = captureOf('-a', { verdict: 'effective', decidedAt: now, nextStepAt: null });
    expect(found([charge, captureOf('')], fact)).toMatchObject({ entityKey: 'payment-1-capture' });
    expect(found([charge, done, captureOf('-b')], fact)).toMatchObject({ entityKey: 'payment-1-capture-b' });
    expect(found([charge, captureOf('-a'), captureOf('-b')], fact)).toBeUndefined();
    expect(found([charge], fact)).toBeUndefined();
    // Decided already: it is something else that was done to the payment.
    expect(found([charge, done], fact)).toBeUndefined();
  });

  describe('that was not made by us', () => {
    const name = 'payment-1-refund-a';
    const refund = routeOf([callOf(1, 'unknown')], { entityKey: name, operation: 'refund' });
    const byHand = (outcome: Outcome, more: Partial<NotificationItem> = {}) =>
      factOf(outcome, {
        operation: 'refund',
        route: null,
        pspReference: 'by-hand',
        answer: { outcome, money: { amount: 100, currency: 'EUR' } },
        ...more,
      });

    it('never says no, nor that anything is under way', () => {
      for (const outcome of ['declined', 'canceled', 'pending', 'requires_action', 'conflict'] as const) {
        expect(found([charge, refund], byHand(outcome))).toBeUndefined();
        // Its own name, or an id that the route has heard of, is another matter.
        expect(found([charge, refund], byHand(outcome, { entityKey: name }))).toBe(refund.request);
      }
      const known = routeOf([callOf(1, 'unknown', { response: { psp_reference: 'r1' } })], {
        entityKey: name,
        operation: 'refund',
      });
      expect(found([charge, known], byHand('declined', { pspReference: 'r1' }))).toBe(known.request);
    });

    it('says yes only where the money is the same and nothing else fits', () => {
      const yes = byHand('succeeded');
      expect(found([charge, refund], yes)).toBe(refund.request);
      const other = { outcome: 'succeeded', money: { amount: 99, currency: 'EUR' } } as const;
      expect(found([charge, refund], { ...yes, answer: other })).toBeUndefined();
      expect(found([charge, refund], { ...yes, answer: { outcome: 'succeeded' } })).toBeUndefined();
      const second = routeOf([callOf(1, null)], { entityKey: 'payment-1-refund-b', operation: 'refund' });
      expect(found([charge, refund, second], yes)).toBeUndefined();
      // The name of another operation of ours, which is not on record.
      expect(found([charge, refund], { ...yes, entityKey: 'payment-1-refund-c' })).toBeUndefined();
      // The PSP has taken ours on, under an id of its own.
      const own = callOf(1, 'pending', { response: { psp_reference: 'r1' } });
      const taken = routeOf([own], { entityKey: name, operation: 'refund', pspReference: 'r1' });
      expect(found([charge, taken], yes)).toBeUndefined();
    });

    it('is not taken for the payment by the end of its name', () => {
      const odd = 'payment-1-refund-x-charge';
      const ours = routeOf([callOf(1, 'unknown')], { entityKey: odd, operation: 'refund' });
      expect(found([charge, ours], byHand('declined', { entityKey: odd }))).toBe(ours.request);
      expect(found([charge, refund], byHand('succeeded', { entityKey: odd }))).toBeUndefined();
    });
  });

  it('is none where another object of the same name was refused or canceled', () => {
    const waiting = routeOf([callOf(1, 'requires_action', { response: { psp_reference: 'pi_1' } })], {
      pspReference: 'pi_1',
    });
    const more = { pspReference: 'pi_2', route: null };
    for (const outcome of ['declined', 'canceled', 'pending'] as const) {
      expect(found([waiting], factOf(outcome, more))).toBeUndefined();
    }
    const about = { about: 'cancel', cancelReference: 'c' } as const;
    expect(found([waiting], factOf('canceled', { ...more, ...about }))).toBeUndefined();
    // A yes is believed: it makes a conflict, or an orphan effect.
    expect(found([waiting], factOf('succeeded', more))).toBe(waiting.request);
  });

  it('is a contradiction where the name is that of one operation and the id that of another', () => {
    const one = routeOf([callOf(1, 'unknown')], { entityKey: 'payment-1-refund-a', operation: 'refund' });
    const other = routeOf([callOf(1, 'succeeded')], {
      entityKey: 'payment-1-refund-b',
      operation: 'refund',
      pspReference: 'r2',
    });
    const fact = factOf('declined', {
      entityKey: 'payment-1-refund-a',
      operation: 'refund',
      route: null,
      pspReference: 'r2',
    });
    expect(attributed([charge, one, other], fact)).toBe('contradiction');
  });
});
