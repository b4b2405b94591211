import { type Effect, type Operation } from '@payonce/simulator';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import { type RefundView } from '../../src/refunds/refund.view.js';
import {
  atRest,
  currencyFor,
  orderOf,
  paymentOf,
  type Reply,
  type ApiClient,
  type TestEnvironment,
  type PspName,
  type paysOut,
} from '../support/test-environment.js';
import { type Ask, type AskedRun } from './plan.js';

export const AMOUNT = 2_500;
export const PART = 1_000;

/** Where money is paid out to, at each PSP that does. */
export const accounts: Readonly<Record<(typeof paysOut)[number], string>> = {
  stripe: 'ba_1Qcrash',
  adyen: 'SE322JV223222F5GNXSR89TMX',
  keyless: 'ba_1Qkeyless',
};

export type View = PaymentView | RefundView | PayoutView;

/** What is asked for, and what it has to come to in a ledger, once. */
export interface CrashScenario {
  readonly path: string;
  readonly body: object;
  readonly operation: Operation;
  readonly amount: number;
  /** The payment that it is done to; null: it makes one, or a payout. */
  readonly paymentId: string | null;
  /** What the ledgers held before. */
  readonly before: readonly Effect[];
  /** The entity key of the operation, given the answer. */
  readonly entityKey: (told: View) => string;
  readonly isDone: (told: View) => boolean;
}

const operations: Readonly<Record<Ask, Operation>> = {
  charge: 'charge',
  authorize: 'authorize',
  capture: 'capture',
  'capture a part': 'capture',
  'capture another part': 'capture',
  cancel: 'void',
  refund: 'refund',
  'refund a part': 'refund',
  'refund again': 'refund',
  payout: 'payout',
};

/** Where the answer can be read again. */
export function placeOf(told: View): string {
  return `/v1/${told.object}s/${told.id}`;
}

/** The payment or the payout that everything about it is named by. */
export function subjectOf(told: View): string {
  return told.object === 'refund' ? told.payment_id : told.id;
}

export function viewOf({ status, text }: Reply): View {
  if (status >= 300) throw new Error(`neither done nor on its way: ${status} ${text}`);
  return JSON.parse(text) as View;
}

/** Makes what the run acts upon, and says what is to be asked. */
export async function prepare(
  { ask, first }: AskedRun,
  client: ApiClient,
  environment: TestEnvironment,
): Promise<CrashScenario> {
  const operation = operations[ask];
  const fresh = { operation, amount: AMOUNT, paymentId: null, before: [] };
  if (ask === 'payout') {
    const body = {
      reference: 'salary',
      recipient: { reference: 'recipient', tokens: accounts },
      amount: AMOUNT,
      currency: currencyFor[first],
      previous: null,
    };
    const entityKey = ({ id }: View) => `payout-${id}-send`;
    return { ...fresh, path: '/v1/payouts', body, entityKey, isDone: ({ status }) => status === 'paid' };
  }
  if (ask === 'charge' || ask === 'authorize') {
    const body = orderOf({ first, capture: ask === 'charge' ? 'automatic' : 'manual', amount: AMOUNT });
    const done = ask === 'charge' ? 'captured' : 'authorized';
    const entityKey = ({ id }: View) => `payment-${id}-${operation}`;
    return { ...fresh, path: '/v1/payments', body, entityKey, isDone: ({ status }) => status === done };
  }

  const id = await made(first, ask.startsWith('refund') ? 'charge' : 'authorize', client);
  if (ask === 'capture another part') {
    const captureOne = () =>
      client.post(`/v1/payments/${id}/capture`, { amount: PART, reference: 'one' }, 'capture-first');
    await client.until(captureOne, atRest);
  }
  const acts = { capture: 'capture', void: 'cancel', refund: 'refunds' } as const;
  const path = `/v1/payments/${id}/${acts[operation as keyof typeof acts]}`;
  const { body, amount, name, isDone } = actOn(ask);
  const entityKey = () => `payment-${id}-${operation}${name}`;
  return { path, body, operation, amount, paymentId: id, before: environment.effects(), entityKey, isDone };
}

type Act = Pick<CrashScenario, 'body' | 'amount' | 'isDone'> & { readonly name: string };

/** What is done to a payment. A name makes it one of several. */
function actOn(ask: Exclude<Ask, 'charge' | 'authorize' | 'payout'>): Act {
  const isNow = (done: string) => (told: View) => told.status === done;
  switch (ask) {
    case 'capture':
      return { body: {}, amount: AMOUNT, name: '', isDone: isNow('captured') };
    case 'capture a part':
      return { body: { amount: PART }, amount: PART, name: '', isDone: isNow('captured') };
    case 'capture another part': {
      const isDone = (told: View) => told.object === 'payment' && told.amount_captured === 2 * PART;
      return { body: { amount: PART, reference: 'two' }, amount: PART, name: '-two', isDone };
    }
    case 'cancel':
      return { body: {}, amount: AMOUNT, name: '', isDone: isNow('canceled') };
    case 'refund a part': {
      const body = { amount: PART, reference: 'parcel' };
      return { body, amount: PART, name: '-parcel', isDone: isNow('succeeded') };
    }
    case 'refund':
    case 'refund again':
      return { body: {}, amount: AMOUNT, name: '', isDone: isNow('succeeded') };
  }
}

async function made(first: PspName, operation: 'charge' | 'authorize', client: ApiClient): Promise<string> {
  const order = orderOf({ first, capture: operation === 'charge' ? 'automatic' : 'manual', amount: AMOUNT });
  const reply = await client.until(() => client.post('/v1/payments', order, 'payment-first'), atRest);
  const { id, status } = paymentOf(reply);
  if (status !== (operation === 'charge' ? 'captured' : 'authorized')) {
    throw new Error(`it could not be made: ${reply.text}`);
  }
  return id;
}
