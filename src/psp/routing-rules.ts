import { isCurrency, MAX_AMOUNT } from '../core/money.js';
import { methodNames, methodTypes } from './payment-method.js';
import { pspName, type PspProblem } from './psp-entry.js';
import { type RoutingRule } from './routing-rule.js';
import { flag, list, matching, strictObject } from './shape.js';

const amount = { type: 'integer', minimum: 0, maximum: MAX_AMOUNT };
export const some = { minItems: 1, maxItems: 100 };

const rule = strictObject(
  {},
  {
    when: strictObject(
      {},
      {
        currency: list(matching('^[A-Z]{3}$'), { minItems: 1 }),
        amountBelow: amount,
        amountFrom: amount,
        cardCountry: list(matching('^[A-Z]{2}$'), { minItems: 1 }),
        cardBrand: list({ type: 'string', minLength: 1, maxLength: 40 }, { minItems: 1 }),
        method: list({ enum: [...new Set([...methodTypes, ...methodNames])] }, { minItems: 1 }),
      },
    ),
    order: list(pspName, some),
    split: list(
      strictObject({ psp: pspName, weight: { type: 'number', minimum: 0, maximum: 1_000_000 } }),
      some,
    ),
    fence: flag,
  },
);

/** Routing rules as an administrator writes them. */
export const routingRules = list(rule, { maxItems: 1_000 });

/** The faults of rules over the accounts of these names. */
export function faultsOfRouting(
  rules: readonly RoutingRule[],
  names: readonly string[],
  at: string,
): PspProblem[] {
  const problems: PspProblem[] = [];
  for (const [index, each] of rules.entries()) checkRule(each, `${at}/${index}`, names, problems);
  return problems;
}

function checkRule(rule: RoutingRule, at: string, names: readonly string[], problems: PspProblem[]) {
  if ((rule.order === undefined) === (rule.split === undefined)) {
    problems.push({ pointer: at, message: 'must have either order or split' });
  }
  const named = [
    ...(rule.order ?? []).map((psp, index) => ({ psp, pointer: `${at}/order/${index}` })),
    ...(rule.split ?? []).map(({ psp }, index) => ({ psp, pointer: `${at}/split/${index}/psp` })),
  ];
  for (const [index, { psp, pointer }] of named.entries()) {
    if (!names.includes(psp)) problems.push({ pointer, message: 'names no PSP account' });
    if (named.findIndex((each) => each.psp === psp) < index) {
      problems.push({ pointer, message: 'is named twice' });
    }
  }
  for (const [index, currency] of (rule.when?.currency ?? []).entries()) {
    if (!isCurrency(currency)) {
      problems.push({ pointer: `${at}/when/currency/${index}`, message: 'is no ISO 4217 currency' });
    }
  }
}
