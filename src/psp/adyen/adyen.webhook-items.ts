import { type Answer } from '../contract.js';
import { type Finding } from '../notice-check.js';
import { calledBack, declined, paymentOf, succeeded, text } from './adyen.mapping.js';
import { adyenRefusalCode } from './refusal-reasons.js';

/** One item of a standard webhook, its signature checked. */
export interface AdyenItem {
  readonly eventCode: string;
  readonly success: 'true' | 'false' | boolean;
  readonly pspReference: string;
  /** Of an item about a modification: the payment. */
  readonly originalReference?: string | null;
  readonly merchantAccountCode: string;
  readonly merchantReference?: string | null;
  readonly amount?: { readonly value?: number; readonly currency?: string };
  readonly reason?: string | null;
  readonly eventDate?: unknown;
  readonly additionalData?: Readonly<Record<string, unknown>>;
}

/**
 * What an item says of operations of ours; nothing for the event codes that are not listed.
 * https://docs.adyen.com/development-resources/webhooks/webhook-types
 */
export function findingsOfItem(item: AdyenItem): readonly Finding[] {
  const success = String(item.success) === 'true';
  switch (item.eventCode) {
    case 'AUTHORISATION':
      return [authorisation(item, success)];
    case 'CAPTURE':
      return [modification('capture', item, success ? succeeded(item) : refusal(item))];
    case 'REFUND':
      return [modification('refund', item, success ? succeeded(item) : refusal(item))];
    // These come days after a yes, and their `success` says that it is so.
    case 'CAPTURE_FAILED':
      return success ? [modification('capture', item, refusal(item))] : [];
    case 'REFUND_FAILED':
    case 'REFUNDED_REVERSED':
      return success ? [modification('refund', item, refusal(item))] : [];
    case 'CANCELLATION':
      return cancellation(item, success);
    case 'TECHNICAL_CANCEL':
    case 'CANCEL_OR_REFUND':
      return [cancel(item, success)];
    default:
      return [];
  }
}

/** Read as the answer with that result would be: the words of a refusal are the same, its code is missing. */
function authorisation(item: AdyenItem, success: boolean): Finding {
  const { pspReference, amount, additionalData } = item;
  const reason = text(item.reason);
  return {
    entityKey: item.merchantReference,
    route: text(additionalData?.['metadata.payonce_route']),
    pspReference,
    answer: {
      pspReference,
      // With a yes, `reason` is the authorization code with the card's last digits and expiry: not read.
      ...paymentOf(
        success
          ? { resultCode: 'Authorised', amount }
          : {
              resultCode: 'Refused',
              refusalReason: reason,
              refusalReasonCode: adyenRefusalCode(reason, text(additionalData?.['refusalReasonRaw'])),
              additionalData,
            },
      ),
    },
  };
}

function modification(
  operation: 'capture' | 'refund' | 'void',
  { pspReference, originalReference, merchantReference }: AdyenItem,
  answer: Answer,
): Finding {
  return {
    operation,
    entityKey: isOfPayment(merchantReference) ? null : merchantReference,
    ofPayment: merchantReference,
    pspReference,
    parentReference: originalReference,
    answer: { pspReference, ...answer },
  };
}

/** Asked for by the payment's id: a merchant's void, if it is not a cancel of ours. */
function cancellation(item: AdyenItem, success: boolean): Finding[] {
  if (calledBack(item.merchantReference ?? '') !== null) return [cancel(item, success)];
  const answer: Answer = success ? { outcome: 'succeeded' } : refusal(item);
  return [modification('void', item, answer), cancel(item, success)];
}

/** What became of a cancel of the payment, whoever asked for it. */
function cancel(item: AdyenItem, success: boolean): Finding {
  const { pspReference: cancelReference, originalReference, merchantReference } = item;
  const payment = text(originalReference);
  const named = isOfPayment(merchantReference) ? merchantReference : null;
  const outcome: Answer = success ? { outcome: 'canceled', pspCode: item.eventCode } : refusal(item);
  return {
    entityKey: calledBack(merchantReference ?? '') ?? named,
    ofPayment: merchantReference,
    pspReference: payment,
    cancelReference,
    answer: { ...outcome, ...(payment === undefined ? {} : { pspReference: payment }) },
  };
}

/**
 * Whether a modification came back under the name of its payment. Adyen hands back the reference of the
 * modification where one was given, as ours all have; its reference pages say the payment's. What was
 * captured is not the outcome of what was authorized, so a name that is plainly that one's is not used.
 */
function isOfPayment(reference: string | null | undefined): boolean {
  return /-(charge|authorize)$/.test(reference ?? '');
}

function refusal(item: AdyenItem): Answer {
  return declined({ refusalReason: item.reason, resultCode: item.eventCode });
}
