import { type Encryption } from '../core/encryption.js';
import { type DebitMandate } from '../psp/payment-method.js';
import { type Call, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { entityKey, isOfOrphan, pspIdempotencyKey } from '../request-storage/entity-key.js';
import { type Route } from '../request-storage/route.entity.js';
import { type Order } from './order.entity.js';
import { type Payment } from './payment.entity.js';

/** Data that only the customer's request contains; encrypted while it may still be needed. */
export interface Secrets {
  readonly tokens: Readonly<Record<string, string>>;
  readonly customer: { readonly reference: string | null; readonly email: string | null };
  /** The latest details of the customer's return: sent again if their answer was lost. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** PSP account name to that PSP's customer. Absent if none was given. */
  readonly customers?: Readonly<Record<string, string>>;
  readonly initiator?: 'merchant';
  /** bank debit: the payer's consent, where the request brought it. */
  readonly mandate?: DebitMandate;
}

/** The operation on the payment that the request asks for. */
export interface RequestedOperation {
  readonly operation: 'first' | 'complete' | 'capture' | 'void' | 'refund';
  /** capture, refund: minor units; null = all that is left. */
  readonly amount: number | null;
  /** refund: this request created it; it did not exist before. */
  readonly isNew: boolean;
  /** capture, refund: its name among several of the payment; null for the only one. */
  readonly reference: string | null;
  /** capture: the rest is released. */
  readonly isFinal?: boolean;
}

/** Only the operation that made the payment. */
export const firstRequested: RequestedOperation = {
  operation: 'first',
  amount: null,
  reference: null,
  isNew: true,
};

/** A payment with all known data: the input of decisions. */
export interface PaymentState {
  readonly wanted: RequestedOperation;
  /** The entity key of the requested operation. */
  readonly requestedKey: string;
  readonly payment: Payment;
  /** The order that it is for. */
  readonly order: Order | null;
  readonly histories: ReadonlyMap<string, OperationHistory>;
  readonly secrets: Secrets | null;
  /** The call to make now, already committed. */
  readonly call: Call | null;
  /** The requested operation was opened by this key. */
  readonly opened: boolean;
  /** By entity key, the rows that other modules keep for the requested and the undecided operation. */
  readonly records: ReadonlyMap<string, unknown>;
}

/** A payment as it is shown: nothing of it is decrypted. */
export type StoredPayment = Omit<PaymentState, 'secrets'>;

export function firstOperation(payment: Payment): 'charge' | 'authorize' {
  return payment.captureMode === 'automatic' ? 'charge' : 'authorize';
}

/** The entity key of the operation that made the payment. */
export function firstEntityKey(payment: Payment): string {
  return entityKey[firstOperation(payment)](payment.id);
}

/** The entity key of the requested operation. */
export function requestedKeyOf(payment: Payment, { operation, reference }: RequestedOperation): string {
  switch (operation) {
    case 'first':
    case 'complete':
      return firstEntityKey(payment);
    case 'void':
      return entityKey.void(payment.id);
    default:
      return entityKey[operation](payment.id, reference);
  }
}

/** The route that took the payment in; null while none has. */
export function recordedBy({
  payment,
  histories,
}: Pick<PaymentState, 'payment' | 'histories'>): Route | null {
  const routes = histories.get(firstEntityKey(payment))?.routes ?? [];
  return routes.findLast(({ request }) => request.verdict === 'effective')?.request ?? null;
}

/** The key that PSPs see for route 1 of another operation of the payment, by its entity key. */
export function keyAtPspOf(
  { payment, histories }: Pick<PaymentState, 'payment' | 'histories'>,
  name: string,
): string {
  const first = histories.get(firstEntityKey(payment))!.routes[0]!.request.pspIdempotencyKey;
  return pspIdempotencyKey.ofModification(first, payment.id, name);
}

export function withHistory(state: PaymentState, history: OperationHistory): PaymentState {
  return { ...state, histories: new Map(state.histories).set(history.entityKey, history) };
}

/** The operation that is not decided yet, if any. There is at most one. */
export function undecidedOperation(
  state: Pick<PaymentState, 'payment' | 'histories'>,
): OperationHistory | null {
  for (const history of state.histories.values()) {
    // Compensations of orphan effects do not belong to the payment's operations.
    if (isOfOrphan(state.payment.id, history.entityKey)) continue;
    if (history.routes.at(-1)?.request.verdict === 'open') return history;
  }
  return null;
}

/** The amount left to capture or void, in minor units; amounts in progress count as captured. */
export function leftToCapture({ amount, amountCaptured, captureReserved }: Payment): number {
  return amount - amountCaptured - captureReserved;
}

export function encryptSecrets(
  seal: Encryption,
  merchantId: string,
  paymentId: string,
  secrets: Secrets,
): Uint8Array {
  return seal.encrypt(secrets, `${merchantId}/${paymentId}`);
}

export function decryptSecrets(seal: Encryption, { merchantId, id, sealed }: Payment): Secrets | null {
  return sealed === null ? null : (seal.decrypt(sealed, `${merchantId}/${id}`) as Secrets);
}
