import { type Answer, type DeclineCategory, type Instruction } from '../contract.js';
import {
  type AdyenBody,
  type AdyenRequest,
  type AdyenResponse,
  amountOf,
  answerOf,
  named,
  referenceFor,
  request,
  succeeded,
  text,
  unknownWord,
} from './adyen.mapping.js';

/**
 * Payouts go through Adyen's Transfers API v4: from a balance account of the merchant's to a bank
 * account that Adyen knows as a transfer instrument.
 * https://docs.adyen.com/api-explorer/transfers/4/post/transfers
 */

const MAX_DESCRIPTION_LENGTH = 140;

/** The one request of a payout; null where Adyen cannot represent this amount exactly. */
export function transferRequest(instruction: Instruction, balanceAccountId: string): AdyenRequest | null {
  const { entityKey, idempotencyKey, token, statementDescriptor, reference } = instruction;
  const amount = amountOf(instruction.money);
  if (!amount) return null;
  const body = {
    amount,
    balanceAccountId,
    category: 'bank',
    counterparty: { transferInstrumentId: token },
    priority: 'regular',
    reference: referenceFor(entityKey),
    // The recipient reads this on the statement.
    description: description(statementDescriptor ?? reference),
  };
  return request('/transfers', body, idempotencyKey);
}

/** "Supported characters: [a-z] [A-Z] [0-9] / - ? : ( ) . , ' + Space", at most 140 of them. */
function description(written: string): string {
  return written.replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, ' ').slice(0, MAX_DESCRIPTION_LENGTH);
}

/** A transfer that Adyen has taken on counts as done, as `received` does elsewhere (docs/adr/0008). */
export function answerOfTransfer(response: AdyenResponse, instruction: Instruction): Answer {
  return answerOf(response, (body) => ({ ...named(body, instruction), ...transferOf(body) }));
}

/** https://docs.adyen.com/api-explorer/transfer-webhooks/4/post/balancePlatform.transfer.updated (status) */
export function transferOf(body: AdyenBody): Answer {
  return { ...judged(body), ...idOf(body) };
}

function judged(body: AdyenBody): Answer {
  switch (body.status) {
    case 'received':
    case 'authorised':
    case 'booked':
    case 'pendingExecution':
      return { ...succeeded(body), pspCode: body.status };
    case 'approvalPending':
    case 'pendingApproval':
      // A person at the merchant has to approve it, and may refuse.
      return { outcome: 'pending', pspCode: body.status };
    case 'refused':
    case 'rejected':
    case 'failed':
    case 'cancelled':
    case 'returned':
      // The recipient's bank sent it back: days later, and reported by webhook alone.
      return declined(body, body.status);
    default:
      // `error` too: it does not say how far the transfer went.
      return unknownWord(body.status);
  }
}

function declined(body: AdyenBody, status: string): Answer {
  const reason = text(body.reason);
  const categories: Readonly<Record<string, DeclineCategory>> = adyenTransferReasons.categories;
  const known = reason !== undefined && Object.hasOwn(categories, reason);
  return {
    outcome: 'declined',
    decline: known ? categories[reason]! : 'declined',
    pspCode: reason ?? status,
  };
}

function idOf(body: AdyenBody): Pick<Answer, 'pspReference'> {
  const pspReference = text(body.id);
  return pspReference ? { pspReference } : {};
}

/**
 * A transfer's `reason` in our words; what is not listed is `declined`, after which no PSP is tried again
 * about. counterpartyBankTimedOut is left out for that: the bank may have heard it all the same.
 */
const adyenTransferReasons = {
  source: 'https://docs.adyen.com/api-explorer/transfers/4/post/transfers (reason)',
  version: '2026-11',
  categories: {
    accountHierarchyNotActive: 'blocked',
    amountLimitExceeded: 'limit_exceeded',
    balanceAccountTemporarilyBlockedByTransactionRule: 'blocked',
    counterpartyAccountBlocked: 'blocked',
    counterpartyAccountClosed: 'account_invalid',
    counterpartyAccountNotFound: 'account_invalid',
    counterpartyAddressRequired: 'account_invalid',
    counterpartyBankUnavailable: 'issuer_unavailable',
    declinedByTransactionRule: 'blocked',
    notEnoughBalance: 'insufficient_funds',
    refusedByCounterpartyBank: 'do_not_honor',
    routeNotFound: 'not_supported',
    transferInstrumentDoesNotExist: 'account_invalid',
  } satisfies Record<string, DeclineCategory>,
};
