import { List, Text } from '@mantine/core';
import { type RoutingRulesView } from '../../src/console/installation-views.js';
import { money } from './format.js';
import { methodLabel } from './methods.js';

export type RoutingRule = RoutingRulesView['rules'][number];

/** Rules as people read them, in their order: the first that matches is taken. */
export function RulesList({ rules }: { rules: readonly RoutingRule[] }) {
  if (rules.length === 0) return <Text size="sm">No rule: every payment is refused.</Text>;
  return (
    <List size="sm" type="ordered">
      {rules.map((rule, index) => (
        <List.Item key={index}>
          {conditionWords(rule)}: <b>{accountWords(rule)}</b>
          {rule.fence === true && '; a charge in doubt is canceled there and goes on'}
        </List.Item>
      ))}
    </List>
  );
}

function conditionWords({ when = {} }: RoutingRule): string {
  const { currency = [], amountFrom, amountBelow, cardCountry = [], cardBrand = [], method = [] } = when;
  const [only, ...others] = currency;
  const amount = (minor: number) =>
    only !== undefined && others.length === 0 ? money(minor, only) : `${minor} minor units`;
  const parts = [
    ...(method.length > 0 ? [method.map(methodLabel).join(' or ')] : []),
    ...(currency.length > 0 ? [currency.join(', ')] : []),
    ...(amountFrom === undefined ? [] : [`from ${amount(amountFrom)}`]),
    ...(amountBelow === undefined ? [] : [`below ${amount(amountBelow)}`]),
    ...(cardCountry.length > 0 ? [`cards of ${cardCountry.join(', ')}`] : []),
    ...(cardBrand.length > 0 ? [cardBrand.join(', ')] : []),
  ];
  return parts.length === 0 ? 'Every payment' : parts.join(', ');
}

function accountWords({ order, split = [] }: RoutingRule): string {
  if (order) return order.join(', then ');
  const total = split.reduce((sum, { weight }) => sum + weight, 0);
  const share = (weight: number) => (total === 0 ? 0 : Math.round((weight / total) * 1_000) / 10);
  return split.map(({ psp, weight }) => `${share(weight)} % ${psp}`).join(', ');
}
