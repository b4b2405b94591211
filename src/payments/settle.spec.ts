import fc from 'fast-check';
import { type Capabilities } from '../psp/index.js';
import {
  type Answered,
  drive,
  type Driven,
  entityKey,
  open,
  type OperationStory,
} from '../request-storage/index.js';
import { type Payment } from './payment.entity.js';
import { firstWanted, type PaymentState } from './payment-state.js';
import { settle } from './settle.js';

const now = new Date('2026-01-01T00:00:00Z');
const driver = { token: 't', leaseMs: 20_000, traceId: 'trace' };
const can: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  currencies: null,
  idempotency: { windowMs: 86_400_000, replays: 'all' },
  lookup: null,
  cancel: null,
  captures: 'several',
};

const payment: Payment = {
  merchantId: 'm',
  id: 'p',
  version: 3,
  reference: 'order-1',
  status: 'authorized',
  captureMode: 'manual',
  amount: 1_000,
  amountCaptured: 0,
  amountRefunded: 0,
  captureReserved: 0,
  refundReserved: 0,
  currency: 'EUR',
  cardBrand: null,
  cardCountry: null,
  returnUrl: null,
  statementDescriptor: null,
  metadata: {},
  candidates: ['adyen'],
  fence: false,
  sealed: null,
  psp: 'adyen',
  pspReference: 'A1',
  failure: null,
  nextAction: null,
  createdAt: now,
  updatedAt: now,
};

type Part = { readonly operation: 'capture' | 'refund' | 'void'; readonly amount: number };

/** A payment on which a part has just been opened, with what is reserved for it. */
function opened(
  of: Payment,
  { operation, amount }: Part,
  name: string,
): { state: PaymentState; driven: Driven } {
  const key = operation === 'void' ? entityKey.void('p') : entityKey[operation]('p', name);
  const opening = {
    merchantId: 'm',
    paymentId: 'p',
    payoutId: null,
    entityKey: key,
    operation,
    amount,
    currency: 'EUR',
  };
  const driven = open(opening, 'adyen', driver, now);
  const reserved = {
    ...of,
    captureReserved: operation === 'capture' ? amount : 0,
    refundReserved: operation === 'refund' ? amount : 0,
  };
  const state = {
    wanted: firstWanted,
    payment: reserved,
    stories: new Map([[key, driven.story]]),
    secrets: null,
    call: driven.call,
    opened: true,
    refund: null,
    refundIsStored: false,
  };
  return { state, driven };
}

function answeredWith(
  state: PaymentState,
  story: OperationStory,
  outcome: Answered['answer']['outcome'],
): PaymentState {
  const answered = { call: state.call!, answer: { outcome }, endedAt: now, latencyMs: 1 };
  const facts = {
    now,
    deadline: now,
    capabilities: () => can,
    candidates: ['adyen'],
    asked: false,
    wish: 'finish' as const,
    fence: false,
    leaseMs: 20_000,
  };
  return settle(state, drive(story, facts, driver, answered), now, can).state;
}

/** What a part comes to when its PSP answers, and the same answer comes once more, late. */
function played(
  of: Payment,
  part: Part,
  name: string,
  outcome: 'succeeded' | 'rejected' | 'unknown',
): Payment {
  const { state, driven } = opened(of, part, name);
  const key = driven.story.entityKey;
  const once = answeredWith(state, state.stories.get(key)!, outcome);
  const twice = answeredWith({ ...once, call: state.call }, once.stories.get(key)!, outcome);
  expect(twice.payment).toEqual(once.payment);
  return once.payment;
}

describe('what an operation comes to', () => {
  it('is counted once, and what was reserved is released by proof alone', () => {
    const parts = fc.array(
      fc.record({
        operation: fc.constantFrom('capture' as const, 'refund' as const),
        share: fc.integer({ min: 1, max: 100 }),
        outcome: fc.constantFrom('succeeded' as const, 'rejected' as const, 'unknown' as const),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(parts, (drawn) => {
        let current = payment;
        let [captured, refunded] = [0, 0];
        for (const [i, { operation, share, outcome }] of drawn.entries()) {
          const left = operation === 'capture' ? 1_000 - captured : captured - refunded;
          const amount = Math.ceil((left * share) / 100);
          const isOver = !['authorized', 'captured', 'partially_refunded'].includes(current.status);
          if (amount === 0 || isOver || (operation === 'capture' && current.status !== 'authorized'))
            continue;
          current = played(current, { operation, amount }, `part-${i}`, outcome);
          if (outcome === 'unknown') {
            expect(operation === 'capture' ? current.captureReserved : current.refundReserved).toBe(amount);
            return;
          }
          if (outcome === 'succeeded' && operation === 'capture') captured += amount;
          if (outcome === 'succeeded' && operation === 'refund') refunded += amount;
          expect(current).toMatchObject({ amountCaptured: captured, amountRefunded: refunded });
          expect(current.captureReserved + current.refundReserved).toBe(0);
        }
        expect(current.status).toBe(statusOf(captured, refunded));
      }),
      { numRuns: 2_000 },
    );
  });

  it('ends what is left when it is canceled', () => {
    const some = { ...payment, amountCaptured: 600 };
    const rest = { operation: 'void', amount: 400 } as const;
    expect(played(payment, { ...rest, amount: 1_000 }, 'v', 'succeeded').status).toBe('canceled');
    expect(played(some, rest, 'v', 'succeeded').status).toBe('captured');
    expect(played({ ...some, amountRefunded: 100 }, rest, 'v', 'succeeded').status).toBe(
      'partially_refunded',
    );
    expect(played({ ...some, amountRefunded: 600 }, rest, 'v', 'succeeded').status).toBe('refunded');
  });
});

function statusOf(captured: number, refunded: number): string {
  if (captured < 1_000) return 'authorized';
  if (refunded === 0) return 'captured';
  return refunded < captured ? 'partially_refunded' : 'refunded';
}
