import fc from 'fast-check';
import {
  type DuplicateRefusal,
  duplicateRefusal,
  type LikePayment,
  type LikeRequest,
} from './duplicate-rules.js';
import { paymentStatuses } from './payment.lifecycle.js';

const like: fc.Arbitrary<LikePayment> = fc.record({
  status: fc.constantFrom(undefined, ...paymentStatuses),
  isLapsed: fc.boolean(),
});
const request: fc.Arbitrary<LikeRequest> = fc.record({ isGuest: fc.boolean(), allowDuplicate: fc.boolean() });

describe('a payment beside one like it', () => {
  it.each<[string, LikePayment, LikeRequest, DuplicateRefusal | null]>([
    ['a moment after it', { status: 'captured', isLapsed: false }, named(), 'duplicate'],
    ['a moment after it, meant', { status: 'captured', isLapsed: false }, named(true), null],
    ['after the window', { status: 'captured', isLapsed: true }, named(), null],
    ['of a guest, a moment after it', { status: 'authorized', isLapsed: false }, guest(), 'duplicate'],
    ['that cannot be read', { status: undefined, isLapsed: false }, named(), 'duplicate'],
    ['that cannot be read, after the window', { status: undefined, isLapsed: true }, named(), null],
    ['in doubt', { status: 'processing', isLapsed: false }, named(), 'undecided'],
    ['in doubt, after the window', { status: 'processing', isLapsed: true }, named(), 'undecided'],
    ['in doubt, of a guest', { status: 'processing', isLapsed: false }, guest(), 'undecided'],
    ['in doubt, of a guest, after the window', { status: 'processing', isLapsed: true }, guest(), null],
    ['unfinished', { status: 'requires_action', isLapsed: false }, named(), 'undecided'],
    ['unfinished, after the window', { status: 'requires_action', isLapsed: true }, named(), null],
  ])('%s', (_, payment, asked, refusal) => {
    expect(duplicateRefusal(payment, asked)).toBe(refusal);
  });

  it('is taken once it is proved that the other one took nothing', () => {
    fc.assert(
      fc.property(like, request, fc.constantFrom('failed', 'canceled'), (payment, asked, status) => {
        expect(duplicateRefusal({ ...payment, status }, asked)).toBeNull();
      }),
    );
  });

  it('is never taken because it is meant, where the other one is undecided', () => {
    fc.assert(
      fc.property(
        like,
        request,
        fc.constantFrom('processing', 'requires_action'),
        (payment, asked, status) => {
          const refusals = [true, false].map((allowDuplicate) =>
            duplicateRefusal({ ...payment, status }, { ...asked, allowDuplicate }),
          );
          expect(refusals[0]).toBe(refusals[1]);
        },
      ),
    );
  });
});

function named(allowDuplicate = false): LikeRequest {
  return { isGuest: false, allowDuplicate };
}

function guest(allowDuplicate = false): LikeRequest {
  return { isGuest: true, allowDuplicate };
}
