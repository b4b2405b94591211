import { type Answer } from '../contract.js';
import { type DisputeNews } from '../notification.js';
import { type Finding } from '../notification-check.js';
import { calledBack, declined, paymentOf, succeeded, text } from './adyen.mapping.js';

/** One item of a standard webhook, its signature checked. */
export interface AdyenItem {
  readonly eventCode: string;
  readonly success: 'true' | 'false' | boolean;
  readonly pspReference: string;
  /** The payment, in an item about a modification. */
  readonly originalReference?: string | null;
  readonly merchantAccountCode: string;
  readonly merchantReference?: string | null;
  readonly amount?: { readonly value?: number | string; readonly currency?: string };
  readonly reason?: string | null;
  readonly eventDate?: unknown;
  readonly additionalData?: Readonly<Record<string, unknown>>;
}

/**
 * The facts of an item about our operations; none for event codes that are not listed.
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
    case 'NOTIFICATION_OF_CHARGEBACK':
    case 'REQUEST_FOR_INFORMATION':
    case 'CHARGEBACK':
    case 'CHARGEBACK_REVERSED':
    case 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED':
    case 'PREARBITRATION_WON':
    case 'SECOND_CHARGEBACK':
    case 'PREARBITRATION_LOST':
      return dispute(item, success);
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
    // Handed back is the name of the modification where one was given, as ours all have, or that of the
    // payment. Which of them it is shows where it is held against the names of operations.
    entityKey: merchantReference,
    ofPayment: merchantReference,
    pspReference,
    parentReference: originalReference,
    answer: { pspReference, ...answer },
  };
}

/**
 * The course of a dispute. The notification of one takes no money yet; a chargeback does, and stands unless it
 * is reversed. https://docs.adyen.com/risk-management/disputes-api/dispute-notifications
 */
const courses: Readonly<Record<string, Omit<DisputeNews, 'reference' | 'respondBy'>>> = {
  REQUEST_FOR_INFORMATION: { stage: 0, status: 'open', withheld: false },
  NOTIFICATION_OF_CHARGEBACK: { stage: 1, status: 'open', withheld: false },
  CHARGEBACK: { stage: 2, status: 'lost', withheld: true },
  CHARGEBACK_REVERSED: { stage: 3, status: 'won', withheld: false },
  SECOND_CHARGEBACK: { stage: 4, status: 'lost', withheld: true },
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: { stage: 5, status: 'won', withheld: false },
  PREARBITRATION_WON: { stage: 5, status: 'won', withheld: false },
  PREARBITRATION_LOST: { stage: 6, status: 'lost', withheld: true },
};

function dispute(item: AdyenItem, success: boolean): Finding[] {
  const { eventCode, pspReference, originalReference, merchantReference, additionalData } = item;
  const course = courses[eventCode];
  const pspCode = text(additionalData?.['chargebackReasonCode']) ?? text(item.reason);
  const due = Date.parse(text(additionalData?.['defensePeriodEndsAt']) ?? '');
  const { money } = succeeded(item);
  if (!success || !course || !money) return [];
  return [
    {
      ofPayment: merchantReference,
      parentReference: originalReference,
      dispute: {
        reference: pspReference,
        ...course,
        ...(isNaN(due) ? {} : { respondBy: new Date(due).toISOString() }),
      },
      answer: { outcome: 'pending', money, ...(pspCode ? { pspCode } : {}) },
    },
  ];
}

/** Asked for by the payment's id: a merchant's void, if it is not a cancel of ours. */
function cancellation(item: AdyenItem, success: boolean): Finding[] {
  if (calledBack(item.merchantReference ?? '') !== null) return [cancel(item, success)];
  const answer: Answer = success ? { outcome: 'succeeded' } : refusal(item);
  return [modification('void', item, answer), cancel(item, success)];
}

/** The result of a cancel of the payment, ours or another one. */
function cancel(item: AdyenItem, success: boolean): Finding {
  const { pspReference: cancelReference, originalReference, merchantReference } = item;
  const payment = text(originalReference);
  const outcome: Answer = success ? { outcome: 'canceled', pspCode: item.eventCode } : refusal(item);
  return {
    entityKey: calledBack(merchantReference ?? '') ?? merchantReference,
    ofPayment: merchantReference,
    pspReference: payment,
    cancelReference,
    answer: { ...outcome, ...(payment === undefined ? {} : { pspReference: payment }) },
  };
}

function refusal(item: AdyenItem): Answer {
  return declined({ refusalReason: item.reason, resultCode: item.eventCode });
}
