import { type MethodName, type MethodType } from './payment-method.js';

/** One rule of a list: of the rules in their order, the first that matches a payment is taken. */
export interface RoutingRule {
  /** All conditions must hold; a condition on something that is not known does not. */
  readonly when?: RoutingConditions;
  /** The accounts in the order of preference… */
  readonly order?: readonly string[];
  /** …or the first one drawn by weight, the others behind it, the heaviest first. */
  readonly split?: readonly RoutingShare[];
  /**
   * A charge in doubt may be canceled by our reference and failed over on the PSP's acknowledgement,
   * within the caller's deadline. Off by default: a PSP that acknowledges and charges all the same
   * leaves an orphan effect, which is found and given back only later.
   */
  readonly fence?: boolean;
}

export interface RoutingConditions {
  readonly currency?: readonly string[];
  /** In minor units of the payment's currency, exclusive. */
  readonly amountBelow?: number;
  /** In minor units of the payment's currency, inclusive. */
  readonly amountFrom?: number;
  readonly cardCountry?: readonly string[];
  readonly cardBrand?: readonly string[];
  /** Types of payment methods, or names of one each: `wallet`, `ideal`. */
  readonly method?: readonly (MethodType | MethodName)[];
}

export interface RoutingShare {
  readonly psp: string;
  /** Relative to the others of the rule; 0 is tried only after the others. */
  readonly weight: number;
}
