/** The ways to pay that a request may name, by their type. */
export const methodsOf = {
  card: ['card'],
  wallet: ['apple_pay', 'google_pay', 'paypal'],
  bank_redirect: ['ideal', 'bancontact'],
  bank_debit: ['sepa', 'bacs', 'ach'],
  pay_later: ['klarna'],
} as const;

export type MethodType = keyof typeof methodsOf;
export type MethodName = (typeof methodsOf)[MethodType][number];

export const methodTypes = Object.keys(methodsOf) as readonly MethodType[];
export const methodNames = Object.values(methodsOf).flat() as readonly MethodName[];

/** Rules of a payment method that hold at every PSP. */
interface MethodRule {
  readonly type: MethodType;
  /** The currency that it is paid in, ISO 4217; null for all. */
  readonly currency: string | null;
  /** An amount can be authorized, and captured later. */
  readonly authorizes: boolean;
  /** PSPs know who pays only by a token. */
  readonly needsToken: boolean;
  /** The customer is sent to a page of the bank or the wallet, and comes back. */
  readonly redirects: boolean;
}

/**
 * https://docs.stripe.com/payments/payment-methods/payment-method-support (currencies, manual capture, redirects) and
 * https://docs.adyen.com/payment-methods (read 2026-11) agree on these.
 */
const rules: Readonly<Record<MethodName, Omit<MethodRule, 'type'>>> = {
  card: { currency: null, authorizes: true, needsToken: true, redirects: false },
  apple_pay: { currency: null, authorizes: true, needsToken: true, redirects: false },
  google_pay: { currency: null, authorizes: true, needsToken: true, redirects: false },
  paypal: { currency: null, authorizes: true, needsToken: false, redirects: true },
  ideal: { currency: 'EUR', authorizes: false, needsToken: false, redirects: true },
  bancontact: { currency: 'EUR', authorizes: false, needsToken: false, redirects: true },
  sepa: { currency: 'EUR', authorizes: false, needsToken: true, redirects: false },
  bacs: { currency: 'GBP', authorizes: false, needsToken: true, redirects: false },
  ach: { currency: 'USD', authorizes: false, needsToken: true, redirects: false },
  klarna: { currency: null, authorizes: true, needsToken: false, redirects: true },
};

const typeOf = Object.fromEntries(
  methodTypes.flatMap((type) => methodsOf[type].map((name) => [name, type])),
) as Readonly<Record<MethodName, MethodType>>;

export function methodRule(name: MethodName): MethodRule {
  return { type: typeOf[name], ...rules[name] };
}

/** first: the first of several debits; one_off: the only one; final: the last of several. */
export const mandateSequences = ['first', 'recurring', 'one_off', 'final'] as const;

/** A payment as its method sees it. */
interface MethodFacts {
  readonly name: MethodName;
  readonly currency: string;
  readonly capture: 'automatic' | 'manual';
  readonly capturesInParts: boolean;
  readonly hasToken: boolean;
  readonly returnUrl: string | null;
  readonly initiator?: 'merchant' | undefined;
}

/** A field with what is wrong there. The console is compiled with this file, and not with the catalogue of problems. */
interface FieldFault {
  readonly pointer: string;
  readonly message: string;
}

/** Faults of a payment that no PSP could take by its payment method, whichever accounts there are. */
export function faultsOfMethod(facts: MethodFacts): FieldFault[] {
  const { name, currency, capture, capturesInParts, hasToken, returnUrl, initiator } = facts;
  const { type, currency: only, authorizes, needsToken, redirects } = methodRule(name);
  const errors: FieldFault[] = [];
  if (only !== null && currency !== only) {
    errors.push({ pointer: '/currency', message: `must be ${only}: ${name} is paid in no other` });
  }
  if (!authorizes && capture === 'manual') {
    errors.push({ pointer: '/capture', message: `must be automatic: ${name} takes the money at once` });
  }
  if (capturesInParts && capture === 'automatic') {
    errors.push({ pointer: '/capture_parts', message: 'needs capture to be manual' });
  }
  if (redirects && returnUrl === null && initiator !== 'merchant') {
    errors.push({ pointer: '/return_url', message: `is required: ${name} sends the customer to its page` });
  }
  if (needsToken && !hasToken) {
    errors.push({ pointer: '/payment_method/tokens', message: `is required for ${type} ${name}` });
  }
  return errors;
}

/** The name of a mandate, as SEPA takes it; no slash at the beginning or the end, and no two in a row. */
export const MANDATE_REFERENCE = String.raw`^(?!\/)(?!.*\/\/)[A-Za-z0-9\/\-?:().,'+]{1,35}(?<!\/)$`;

/** The payer's consent to direct debits. */
export interface DebitMandate {
  readonly reference: string;
  /** `2026-11-22`. */
  readonly signedOn: string;
  readonly sequence: (typeof mandateSequences)[number];
}

/** How an account takes a payment method. */
export interface MethodOffer {
  /** It is taken without a token as well. */
  readonly withoutToken?: true;
  /**
   * A token is taken only with the customer to whom it belongs, of whom the PSP's name has so many characters at least.
   * `customer.reference` is sent where the request gives no other, unless the PSP takes only names that it has given.
   * `ofTokens`: only these tokens belong to a customer.
   */
  readonly customer?: { readonly minLength: number; readonly isPspsOwn?: true; readonly ofTokens?: RegExp };
  /** The PSP keeps no mandate: each request must bring it. */
  readonly needsMandate?: true;
  /** How long the PSP may take to finish an accepted payment by it, in ms, if longer than for others. */
  readonly answersWithinMs?: number;
}
