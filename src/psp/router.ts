import { type Capabilities, type Operation, type Psps } from './contract.js';

/**
 * Which PSP accounts may be tried, and in which order: configuration, applied without side effects.
 * Whether a later one may really be tried is not decided here but in request storage, by proof.
 */
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
}

export interface RoutingShare {
  readonly psp: string;
  /** Relative to the others of the rule; 0 is tried only after the others. */
  readonly weight: number;
}

export interface RoutingFacts {
  readonly operation: Operation;
  readonly amount: number;
  readonly currency: string;
  readonly cardBrand?: string | undefined;
  readonly cardCountry?: string | undefined;
  /** The accounts that a token was given for. */
  readonly tokens: readonly string[];
}

/**
 * The accounts to ask, first one first, by the first rule that matches; none where no rule matches
 * or no account of it can take the payment. `pick` in [0, 1) draws among weights: the same number
 * gives the same order. `offers` says what an account declares; null for one that does not exist.
 */
export function candidates(
  rules: readonly RoutingRule[],
  facts: RoutingFacts,
  pick: number,
  offers: (psp: string) => Capabilities | null,
): string[] {
  const rule = ruleFor(rules, facts);
  if (!rule) return [];
  const able = (psp: string) => facts.tokens.includes(psp) && takes(offers(psp), facts);
  if (rule.order) return [...new Set(rule.order)].filter(able);
  return drawn(
    (rule.split ?? []).filter(({ psp }) => able(psp)),
    pick,
  );
}

/** The routing rules of an installation over its accounts. */
export class PspRouter {
  constructor(
    private readonly rules: readonly RoutingRule[],
    private readonly psps: Pick<Psps, 'has' | 'capabilities'>,
  ) {}

  /** Weights are drawn from a digest in base64, the key that PSPs see: the same for the same request. */
  candidates(facts: RoutingFacts, drawnFrom: string): string[] {
    const pick = Buffer.from(drawnFrom, 'base64url').readUInt32BE() / 2 ** 32;
    const offers = (psp: string) => (this.psps.has(psp) ? this.psps.capabilities(psp) : null);
    return candidates(this.rules, facts, pick, offers);
  }

  mayCancelBeforeFailover(facts: RoutingFacts): boolean {
    return mayCancelBeforeFailover(this.rules, facts);
  }
}

/** Whether the rule that routes it allows a fence. */
export function mayCancelBeforeFailover(rules: readonly RoutingRule[], facts: RoutingFacts): boolean {
  return ruleFor(rules, facts)?.fence === true;
}

function ruleFor(rules: readonly RoutingRule[], facts: RoutingFacts): RoutingRule | undefined {
  return rules.find(({ when = {} }) => matches(when, facts));
}

function matches(when: RoutingConditions, facts: RoutingFacts): boolean {
  const { currency, amountBelow, amountFrom, cardCountry, cardBrand } = when;
  return (
    holds(currency, facts.currency) &&
    holds(cardCountry, facts.cardCountry) &&
    holds(cardBrand, facts.cardBrand) &&
    (amountBelow === undefined || facts.amount < amountBelow) &&
    (amountFrom === undefined || facts.amount >= amountFrom)
  );
}

/** Codes and brand names are compared without regard to case. */
function holds(wanted: readonly string[] | undefined, actual: string | undefined): boolean {
  if (!wanted) return true;
  return actual !== undefined && wanted.some((one) => one.toLowerCase() === actual.toLowerCase());
}

function takes(can: Capabilities | null, { operation, currency }: RoutingFacts): boolean {
  return (
    can !== null &&
    can.operations.includes(operation) &&
    (can.currencies === null || can.currencies.includes(currency))
  );
}

/** Weights count among those that can take the payment, so that a share is a share of real traffic. */
function drawn(shares: readonly RoutingShare[], pick: number): string[] {
  const heaviestFirst = shares.toSorted((a, b) => b.weight - a.weight);
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let left = pick * total;
  const first = heaviestFirst.find(({ weight }) => (left -= weight) < 0) ?? heaviestFirst[0];
  return [...new Set([...(first ? [first] : []), ...heaviestFirst].map(({ psp }) => psp))];
}
