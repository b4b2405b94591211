import { type DeclineCategory } from '../contract.js';

/**
 * Checkout.com's response codes in our words. Data, not logic: what is not listed is `declined`, which no PSP is tried
 * again for.
 */
export const checkoutResponseCodes = {
  source: 'https://www.checkout.com/docs/developer-resources/codes/api-response-codes',
  version: '2026-11',
  categories: {
    '20001': 'do_not_honor', // Refer to card issuer
    '20002': 'do_not_honor', // Refer to card issuer, special conditions
    '20003': 'not_supported', // Invalid merchant or service provider
    '20004': 'card_lost_or_stolen', // Card should be captured
    '20005': 'do_not_honor', // Do not honour
    '20012': 'not_supported', // Invalid transaction
    '20014': 'card_invalid', // Invalid account number
    '20019': 'try_again_later', // Re-enter transaction
    '20022': 'processing_error', // Suspected malfunction
    '20038': 'pin_invalid', // Allowable PIN tries exceeded
    '20039': 'card_invalid', // No credit account
    '20040': 'not_supported', // Requested function not supported
    '20046': 'do_not_honor', // Bank decline
    '20051': 'insufficient_funds',
    '20052': 'card_invalid', // No current account
    '20053': 'card_invalid', // No savings account
    '20054': 'card_expired',
    '20055': 'pin_invalid', // Incorrect PIN
    '20056': 'card_invalid', // No card record
    '20057': 'not_supported', // Transaction not permitted to cardholder
    '20058': 'not_supported', // Transaction not permitted to terminal
    '20059': 'fraud_suspected',
    '2005C': 'blocked', // Not supported or blocked by the issuer
    '20061': 'limit_exceeded', // Activity amount limit exceeded
    '20062': 'card_restricted',
    '20063': 'card_restricted', // Security violation
    '20065': 'limit_exceeded', // Exceeds withdrawal frequency limit
    '20067': 'card_lost_or_stolen', // Pick up card
    '20068': 'issuer_unavailable', // Response received too late
    '20070': 'pin_invalid', // PIN required
    '20075': 'pin_invalid', // PIN tries exceeded
    '20078': 'blocked', // Blocked at first use
    '20087': 'cvc_invalid', // Invalid CVV or expiry date
    '20091': 'issuer_unavailable',
    '20092': 'issuer_unavailable', // Destination cannot be found for routing
    '20093': 'card_restricted', // Violation of law
    '20096': 'processing_error', // System malfunction
    '20099': 'processing_error', // Unidentified responses
    '2009G': 'blocked', // Blocked by cardholder
    '200E3': 'try_again_later', // System busy
    '200N7': 'cvc_invalid', // Decline for CVV2 failure
    '200P1': 'limit_exceeded', // Over daily limit
    '200P9': 'limit_exceeded', // Limit exceeded
    '200R1': 'revoked', // Stop payment for this authorization
    '200R3': 'revoked', // Stop payment for all authorizations
    '200T3': 'not_supported', // Card not supported
    '20103': 'not_supported', // Card type not supported
    '20106': 'not_supported', // Unsupported currency
    '20150': 'authentication_required', // Card not 3D Secure enabled
    '20151': 'authentication_required', // Cardholder failed authentication
    '20152': 'authentication_required', // Authentication not completed within 15 minutes
    '20153': 'authentication_required', // 3D Secure system malfunction
    '20154': 'authentication_required', // 3D Secure authentication required
    '30004': 'card_lost_or_stolen', // Pick up card
    '30007': 'card_lost_or_stolen', // Pick up card, special conditions
    '30015': 'card_invalid', // No such issuer
    '30033': 'card_expired', // Expired card, pick up
    '30034': 'fraud_suspected', // Suspected fraud, pick up
    '30036': 'card_restricted', // Restricted card, pick up
    '30041': 'card_lost_or_stolen', // Lost card
    '30043': 'card_lost_or_stolen', // Stolen card
    '30044': 'card_invalid', // No such account
    '30045': 'account_invalid', // Account closed
    '30046': 'card_invalid', // Closed account
  } satisfies Record<string, DeclineCategory>,
};

/** Codes of the risk engine begin with 4. */
export function checkoutDeclineCategory(code: string | undefined): DeclineCategory {
  const { categories } = checkoutResponseCodes;
  if (code !== undefined && Object.hasOwn(categories, code))
    return categories[code as keyof typeof categories];
  return code?.startsWith('4') ? 'fraud_suspected' : 'declined';
}
