import { invalidFields, Problem, type ProblemField } from '../core/problem.js';
import { type PspClient } from './account-access.js';
import { type Capabilities, type Operation, type Psps } from './contract.js';
import { type MethodName, methodRule } from './payment-method.js';
import { type RoutingConditions, type RoutingRule, type RoutingShare } from './routing-rule.js';

/** A payment as routing sees it. */
export interface RoutingFacts {
  readonly operation: Operation;
  readonly amount: number;
  readonly currency: string;
  readonly cardBrand?: string | undefined;
  readonly cardCountry?: string | undefined;
  /** The way to pay; absent for payouts. */
  readonly method?: MethodName;
  /** The authorization will be captured in parts. */
  readonly capturesInParts?: boolean;
  /** The accounts that a token was given for. */
  readonly tokens: readonly string[];
}

/**
 * The accounts to ask, first one first, by the first rule that matches; none where no rule matches
 * or no account of it can take the payment. Whether a later one may really be tried, request storage decides, by proof. `pick` in [0, 1) draws among weights: the same number
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
  const able = (psp: string) => reasonAgainst(psp, facts, offers) === null;
  if (rule.order) return [...new Set(rule.order)].filter(able);
  return drawn(
    (rule.split ?? []).filter(({ psp }) => able(psp)),
    pick,
  );
}

/** Why these are the candidates. */
interface RoutingExplanation {
  /** The rule that matches, from 1; null where none does. */
  readonly rule: number | null;
  /** The rules before it. */
  readonly passed: readonly { readonly rule: number; readonly because: string }[];
  /** The candidates, in the order of `candidates()`. */
  readonly order: readonly string[];
  /** The accounts of the rule. `because`: why it is left out; null: it is not. `weight`: null where none is drawn. */
  readonly accounts: readonly {
    readonly psp: string;
    readonly weight: number | null;
    readonly because: string | null;
  }[];
}

/** The same decision as `candidates()`, with its reasons. */
export function explainRouting(
  rules: readonly RoutingRule[],
  facts: RoutingFacts,
  pick: number,
  offers: (psp: string) => Capabilities | null,
): RoutingExplanation {
  const mismatches = rules.map(({ when = {} }) => mismatch(when, facts));
  const at = mismatches.indexOf(null);
  const { order, split = [] } = rules[at] ?? {};
  const listed = order?.map((psp) => ({ psp, weight: null })) ?? split;
  return {
    rule: at < 0 ? null : at + 1,
    passed: mismatches
      .slice(0, at < 0 ? rules.length : at)
      .map((because, index) => ({ rule: index + 1, because: because! })),
    order: candidates(rules, facts, pick, offers),
    accounts: listed.map(({ psp, weight }) => ({
      psp,
      weight,
      because: reasonAgainst(psp, facts, offers),
    })),
  };
}

/** The routing rules as they are now. */
interface RoutingRules {
  /** For merchants without rules of their own. */
  readonly routing: readonly RoutingRule[];
  routingOf(merchantId: string): readonly RoutingRule[];
}

/** The most accounts that are named to a client that misspelt one. */
const MAX_NAMES = 20;

/** The accounts that a request names, and what it names them with. */
export interface NamedAccounts {
  /** The object of the body that has `tokens` and `customers`, as a JSON pointer. */
  readonly at: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly customers?: Readonly<Record<string, string>> | undefined;
  /** The merchant's own name of the customer. */
  readonly customerReference?: string | null;
  readonly hasMandate?: boolean;
}

/** The routing rules of an installation over its accounts. */
export class PspRouter {
  constructor(
    private readonly rules: RoutingRules,
    private readonly psps: Pick<Psps, 'has' | 'capabilities'> & {
      names(): readonly string[];
      isDisabled(psp: string): boolean;
      reasonToRefuse(psp: string, client: PspClient): string | null;
    },
  ) {}

  /**
   * Weights are drawn from a digest in base64, the key that PSPs see: the same for the same request.
   * @throws Problem `psp_account_refused` where a token is for an account that this client may not use
   */
  candidates(facts: RoutingFacts, drawnFrom: string, client: PspClient): string[] {
    for (const psp of facts.tokens.filter((name) => this.takesNew(name))) {
      const reason = this.psps.reasonToRefuse(psp, client);
      if (reason !== null) throw new Problem('psp_account_refused', `The PSP account ${psp} ${reason}.`);
    }
    const pick = Buffer.from(drawnFrom, 'base64url').readUInt32BE() / 2 ** 32;
    return candidates(this.rules.routingOf(client.merchantId), facts, pick, (psp) => this.offersOf(psp));
  }

  /**
   * `candidates` for what a request says of accounts.
   * @throws Problem `validation_failed` where it names an account that there is not, which would leave its PSP out in
   *   silence, or leaves out the customer of a token that needs one
   */
  candidatesFor(
    named: NamedAccounts,
    about: Omit<RoutingFacts, 'tokens'>,
    drawnFrom: string,
    client: PspClient,
  ): string[] {
    const unknown = this.unknownNames(named, client);
    if (unknown.length > 0) throw invalidFields(unknown);
    const found = this.candidates({ ...about, tokens: Object.keys(named.tokens) }, drawnFrom, client);
    const missing = found.flatMap((psp) => this.missingFor(psp, about.method, named));
    if (missing.length > 0) throw invalidFields(missing);
    return found;
  }

  private unknownNames({ at, tokens, customers = {} }: NamedAccounts, client: PspClient): ProblemField[] {
    const unknown = (field: string, named: object) =>
      Object.keys(named)
        .filter((psp) => !this.psps.has(psp))
        .map((psp) => `${at}/${field}/${psp}`);
    const pointers = [...unknown('tokens', tokens), ...unknown('customers', customers)];
    if (pointers.length === 0) return [];
    const names = this.psps
      .names()
      .filter((psp) => this.takesNew(psp) && this.psps.reasonToRefuse(psp, client) === null);
    const message = `is no PSP account; there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, MAX_NAMES).join(', ') || 'none'}`;
    return pointers.map((pointer) => ({ pointer, message }));
  }

  /** Fields without which the account would refuse the payment. */
  private missingFor(psp: string, method: MethodName | undefined, named: NamedAccounts): ProblemField[] {
    if (method === undefined) return [];
    const { customer, needsMandate } = this.psps.capabilities(psp).methods[method] ?? {};
    const errors: ProblemField[] = [];
    const name = named.customers?.[psp] ?? (customer?.isPspsOwn ? '' : (named.customerReference ?? ''));
    const isOfCustomer = customer?.ofTokens?.test(named.tokens[psp] ?? '') ?? true;
    if (customer && isOfCustomer && name.length < customer.minLength) {
      const message = customer.isPspsOwn
        ? `is required: ${psp} takes this token only with its own id of the customer`
        : `is required: ${psp} takes a token only with its customer, here or as customer.reference, of ${customer.minLength} characters or more`;
      errors.push({ pointer: `${named.at}/customers/${psp}`, message });
    }
    if (needsMandate && named.hasMandate !== true) {
      const pointer = `${named.at}/${methodRule(method).type}/mandate`;
      errors.push({ pointer, message: `is required: ${psp} keeps no mandates` });
    }
    return errors;
  }

  /** `merchantId`: null for merchants without rules of their own. */
  explain(facts: RoutingFacts, pick: number, merchantId: string | null): RoutingExplanation {
    const rules = merchantId === null ? this.rules.routing : this.rules.routingOf(merchantId);
    return explainRouting(rules, facts, pick, (psp) => this.offersOf(psp));
  }

  mayCancelBeforeFailover(facts: RoutingFacts, merchantId: string): boolean {
    return mayCancelBeforeFailover(this.rules.routingOf(merchantId), facts);
  }

  private offersOf(psp: string): Capabilities | null {
    return this.takesNew(psp) ? this.psps.capabilities(psp) : null;
  }

  private takesNew(psp: string): boolean {
    return this.psps.has(psp) && !this.psps.isDisabled(psp);
  }
}

/** Whether the rule that routes it allows to cancel a charge in doubt and to fail over. */
function mayCancelBeforeFailover(rules: readonly RoutingRule[], facts: RoutingFacts): boolean {
  return ruleFor(rules, facts)?.fence === true;
}

function ruleFor(rules: readonly RoutingRule[], facts: RoutingFacts): RoutingRule | undefined {
  return rules.find(({ when = {} }) => mismatch(when, facts) === null);
}

/** Why a payment does not fit the conditions of a rule; null where it does. */
function mismatch(when: RoutingConditions, facts: RoutingFacts): string | null {
  const { currency, amountBelow, amountFrom, cardCountry, cardBrand, method } = when;
  if (!holds(currency, facts.currency)) return `the currency is none of ${currency!.join(', ')}`;
  if (!holds(cardCountry, facts.cardCountry))
    return `the country of the card is none of ${cardCountry!.join(', ')}`;
  if (!holds(cardBrand, facts.cardBrand)) return `the brand of the card is none of ${cardBrand!.join(', ')}`;
  if (method && !isOneOf(method, facts.method)) return `the payment method is none of ${method.join(', ')}`;
  if (amountBelow !== undefined && facts.amount >= amountBelow)
    return `the amount is not below ${amountBelow}`;
  if (amountFrom !== undefined && facts.amount < amountFrom) return `the amount is below ${amountFrom}`;
  return null;
}

/** Codes and brand names are compared without regard to case. */
function holds(wanted: readonly string[] | undefined, actual: string | undefined): boolean {
  if (!wanted) return true;
  return actual !== undefined && wanted.some((one) => one.toLowerCase() === actual.toLowerCase());
}

function isOneOf(wanted: NonNullable<RoutingConditions['method']>, method: MethodName | undefined): boolean {
  return method !== undefined && (wanted.includes(method) || wanted.includes(methodRule(method).type));
}

/** Why an account cannot take a payment; null where it can. */
function reasonAgainst(
  psp: string,
  { operation, currency, tokens, method, capturesInParts }: RoutingFacts,
  offers: (psp: string) => Capabilities | null,
): string | null {
  const hasToken = tokens.includes(psp);
  // A request with tokens names the accounts that may be asked.
  const needsToken = method === undefined || methodRule(method).needsToken || tokens.length > 0;
  if (needsToken && !hasToken) return 'there is no token for it';
  const can = offers(psp);
  if (can === null) return 'there is no such account, or it is disabled';
  if (!can.operations.includes(operation)) return `it does not offer the operation ${operation}`;
  if (can.currencies !== null && !can.currencies.includes(currency)) return `it does not take ${currency}`;
  if (capturesInParts && can.captures !== 'several') return 'it does not capture in parts';
  if (method === undefined) return null;
  const offer = can.methods[method];
  if (!offer) return `it does not take ${method}`;
  return hasToken || offer.withoutToken ? null : `it takes ${method} only with a token`;
}

/** Weights count among those that can take the payment, so that a share is a share of real traffic. */
function drawn(shares: readonly RoutingShare[], pick: number): string[] {
  const heaviestFirst = shares.toSorted((a, b) => b.weight - a.weight);
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  let left = pick * total;
  const first = heaviestFirst.find(({ weight }) => (left -= weight) < 0) ?? heaviestFirst[0];
  return [...new Set([...(first ? [first] : []), ...heaviestFirst].map(({ psp }) => psp))];
}
