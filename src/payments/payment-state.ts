import { type Seal } from '../kernel/index.js';
import { type Instruction } from '../psp/index.js';
import { type Refund } from '../refunds/index.js';
import {
  type Call,
  entityKey,
  isOfOrphan,
  type OperationStory,
  type PspRequest,
  saysDone,
} from '../request-storage/index.js';
import { type Payment } from './payment.entity.js';

/** What only the customer's own request held; sealed while it may still be needed. */
export interface Secrets {
  readonly tokens: Readonly<Record<string, string>>;
  readonly customer: { readonly reference: string | null; readonly email: string | null };
}

/** What the request wants done to the payment. */
export interface Wanted {
  readonly operation: 'first' | 'capture' | 'void' | 'refund';
  /** capture, refund: minor units; null = all that is left. */
  readonly amount: number | null;
  /** refund: this request made it, rather than found it. */
  readonly isNew: boolean;
  /** capture, refund: its name among several of the payment; null for the only one. */
  readonly reference: string | null;
}

/** The operation that made the payment, and nothing beside it. */
export const firstWanted: Wanted = { operation: 'first', amount: null, reference: null, isNew: true };

/** A payment with all that is known of it: what decisions are made from. */
export interface PaymentState {
  readonly wanted: Wanted;
  readonly payment: Payment;
  readonly stories: ReadonlyMap<string, OperationStory>;
  readonly secrets: Secrets | null;
  /** The call to make now, already written down. */
  readonly call: Call | null;
  /** The entity key of the operation that was asked for has been opened by this very key. */
  readonly opened: boolean;
  /** The refund that was asked for. */
  readonly refund: Refund | null;
  /** False until the commit that writes the refund's row. */
  readonly refundIsStored: boolean;
  /** The refund that is to be resolved first, where it is another than the one that was asked for. */
  readonly otherRefund: Refund | null;
}

export function firstOperation(payment: Payment): 'charge' | 'authorize' {
  return payment.captureMode === 'automatic' ? 'charge' : 'authorize';
}

/** The entity key of the operation that made the payment. */
export function firstEntityKey(payment: Payment): string {
  return entityKey[firstOperation(payment)](payment.id);
}

/** The entity key of what the request wants done. */
export function wantedKey({ payment, wanted }: PaymentState): string {
  switch (wanted.operation) {
    case 'first':
      return firstEntityKey(payment);
    case 'void':
      return entityKey.void(payment.id);
    default:
      return entityKey[wanted.operation](payment.id, wanted.reference);
  }
}

export function withStory(state: PaymentState, story: OperationStory): PaymentState {
  return { ...state, stories: new Map(state.stories).set(story.entityKey, story) };
}

/** The operation that is not decided yet, if any. There is at most one. */
export function openStory(state: Pick<PaymentState, 'payment' | 'stories'>): OperationStory | null {
  for (const story of state.stories.values()) {
    // What another PSP did beside the payment is given back beside it.
    if (isOfOrphan(state.payment.id, story.entityKey)) continue;
    if (story.routes.at(-1)?.request.verdict === 'open') return story;
  }
  return null;
}

/**
 * What is sent for a call. Made of stored facts alone, so that a resend of a route is the same to
 * the byte, whoever sends it.
 */
export function instructionFor(
  { payment, secrets, stories }: PaymentState,
  { request, firstSentAt, lastSentAt, undo }: Call,
): Instruction {
  const isFirst = request.operation === 'charge' || request.operation === 'authorize';
  const token = secrets?.tokens[request.psp];
  return {
    operation: request.operation,
    entityKey: request.entityKey,
    route: request.route,
    idempotencyKey: request.pspIdempotencyKey,
    money: { amount: request.amount, currency: request.currency },
    reference: payment.reference,
    firstSentAt,
    lastSentAt,
    ...(request.pspReference === null ? {} : { pspReference: request.pspReference }),
    ...(undo ? { undo } : {}),
    ...(isFirst
      ? firstCallOnly(payment, secrets, token)
      : { parentReference: orphanReference(payment, stories, request) ?? payment.pspReference ?? '' }),
  };
}

/** What an orphan's compensation acts upon: the id that its PSP told with its late yes. */
function orphanReference(
  payment: Payment,
  stories: PaymentState['stories'],
  { entityKey: name }: PspRequest,
): string | null {
  if (!isOfOrphan(payment.id, name)) return null;
  const routes = stories.get(firstEntityKey(payment))?.routes ?? [];
  const orphan = routes.find(({ request }) => entityKey.orphan(payment.id, request.route) === name);
  const told = orphan?.attempts.find(saysDone)?.response?.['psp_reference'];
  return typeof told === 'string' ? told : (orphan?.request.pspReference ?? null);
}

function firstCallOnly(
  payment: Payment,
  secrets: Secrets | null,
  token: string | undefined,
): Partial<Instruction> {
  const { reference, email } = secrets?.customer ?? { reference: null, email: null };
  return {
    ...(token === undefined ? {} : { token }),
    ...(payment.statementDescriptor === null ? {} : { statementDescriptor: payment.statementDescriptor }),
    ...(payment.returnUrl === null ? {} : { returnUrl: payment.returnUrl }),
    customer: { ...(reference === null ? {} : { reference }), ...(email === null ? {} : { email }) },
  };
}

export function sealSecrets(seal: Seal, merchantId: string, paymentId: string, secrets: Secrets): Uint8Array {
  return seal.close(secrets, `${merchantId}/${paymentId}`);
}

export function openSecrets(seal: Seal, { merchantId, id, sealed }: Payment): Secrets | null {
  return sealed === null ? null : (seal.open(sealed, `${merchantId}/${id}`) as Secrets);
}
