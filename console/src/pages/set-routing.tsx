import {
  Button,
  Card,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { useState } from 'react';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import { type RoutingRulesView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { type Method, methods } from '../methods.js';
import { type RoutingRule } from '../routing-rules.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';

/** A rule while it is written. */
interface Draft {
  readonly key: number;
  readonly currency: string[];
  readonly amountFrom: number | null;
  readonly amountBelow: number | null;
  readonly cardCountry: string[];
  readonly cardBrand: string[];
  readonly method: Method[];
  readonly psps: string[];
  /** null: they are asked in their order. */
  readonly weights: Readonly<Record<string, number>> | null;
  readonly fence: boolean;
}

const effects = [
  'Within ten seconds all processes route new payments by it; those that have begun stay where they are.',
  'Another person approves it, who sees the rules as they are written here.',
];

let keys = 0;

/** Rules of a merchant, which take the place of those for all. */
export function SetRouting(props: { merchantId: string; routing: RoutingRulesView; close: () => void }) {
  const { merchantId, close } = props;
  // The rules that are read again meanwhile are not those that are changed here.
  const [routing] = useState(props.routing);
  const [isOwn, setOwn] = useState(true);
  const [drafts, setDrafts] = useState(() => routing.rules.map(draftOf));
  const [code, setCode] = useState('');
  const write = (key: number, change: Partial<Draft>) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, ...change } : draft)));
  const move = (index: number, to: number) => {
    const moved = drafts.toSpliced(index, 1);
    setDrafts(moved.toSpliced(to, 0, drafts[index]!));
  };
  const request = {
    merchant_id: merchantId,
    routing: isOwn ? { rules: drafts.map(ruleOf) } : {},
    replaces: routing.version,
    ...codeOf(code),
  };
  return (
    <Dialog
      title="Change the routing"
      label="Set it"
      size="lg"
      isReady={!isOwn || (drafts.length > 0 && drafts.every(({ psps }) => psps.length > 0))}
      act={() => api<ChangedView>('POST', 'psps/routing', request)}
      shown={asked}
      close={close}
    >
      <Effects of={effects} isGrave={false} />
      {routing.is_own && (
        <SegmentedControl
          data={[
            { value: 'own', label: 'Rules of its own' },
            { value: 'all', label: 'Those for all' },
          ]}
          value={isOwn ? 'own' : 'all'}
          onChange={(value) => setOwn(value === 'own')}
        />
      )}
      {isOwn && (
        <Stack gap="sm">
          {drafts.map((draft, index) => (
            <Card key={draft.key} withBorder padding="sm" role="group" aria-label={`Rule ${index + 1}`}>
              <Group justify="space-between" mb="xs">
                <Text fw={600}>Rule {index + 1}</Text>
                <Group gap="xs">
                  <Step label="Up" isOff={index === 0} act={() => move(index, index - 1)} />
                  <Step label="Down" isOff={index === drafts.length - 1} act={() => move(index, index + 1)} />
                  <Step label="Remove" act={() => setDrafts(drafts.toSpliced(index, 1))} />
                </Group>
              </Group>
              <RuleFields of={draft} accounts={routing.accounts} set={(change) => write(draft.key, change)} />
            </Card>
          ))}
          <Group justify="end">
            <Button
              size="xs"
              variant="default"
              onClick={() => setDrafts([...drafts, draftOf({ order: [] })])}
            >
              Add a rule
            </Button>
          </Group>
        </Stack>
      )}
      <CodeField value={code} set={setCode} hint={LIFTS} />
    </Dialog>
  );
}

function Step({ label, isOff = false, act }: { label: string; isOff?: boolean; act: () => void }) {
  return (
    <Button size="compact-xs" variant="default" disabled={isOff} onClick={act}>
      {label}
    </Button>
  );
}

function RuleFields(props: {
  of: Draft;
  accounts: readonly string[];
  set: (change: Partial<Draft>) => void;
}) {
  const { of, accounts, set } = props;
  const { currency, amountFrom, amountBelow, cardCountry, cardBrand, method, psps, weights, fence } = of;
  const codes = (typed: readonly string[]) => typed.map((code) => code.trim().toUpperCase());
  const minor = (value: number | string) => (value === '' ? null : Number(value));
  const amount = { min: 0, allowDecimal: false, placeholder: 'Any', description: 'minor units' };
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs">
        <TagsInput
          label="Currencies"
          description="such as EUR"
          placeholder={currency.length === 0 ? 'Any' : ''}
          value={currency}
          onChange={(typed) => set({ currency: codes(typed) })}
        />
        <NumberInput
          {...amount}
          label="Amount from"
          value={amountFrom ?? ''}
          onChange={(value) => set({ amountFrom: minor(value) })}
        />
        <NumberInput
          {...amount}
          label="Amount below"
          value={amountBelow ?? ''}
          onChange={(value) => set({ amountBelow: minor(value) })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xs">
        <MultiSelect
          label="Payment methods"
          description="such as Card"
          placeholder={method.length === 0 ? 'Any' : ''}
          data={methods}
          value={method}
          onChange={(chosen) => set({ method: chosen })}
        />
        <TagsInput
          label="Countries of the card"
          description="such as DE"
          placeholder={cardCountry.length === 0 ? 'Any' : ''}
          value={cardCountry}
          onChange={(typed) => set({ cardCountry: codes(typed) })}
        />
        <TagsInput
          label="Brands of the card"
          description="such as visa"
          placeholder={cardBrand.length === 0 ? 'Any' : ''}
          value={cardBrand}
          onChange={(typed) => set({ cardBrand: typed })}
        />
      </SimpleGrid>
      <Group gap="sm" align="end">
        <MultiSelect
          flex={1}
          miw={220}
          label="PSP accounts"
          description={
            weights === null ? 'asked in the order in which they are chosen' : 'the first is drawn by weight'
          }
          data={[...accounts]}
          value={psps}
          onChange={(chosen) => set({ psps: chosen })}
        />
        <SegmentedControl
          data={[
            { value: 'order', label: 'In order' },
            { value: 'split', label: 'By weight' },
          ]}
          value={weights === null ? 'order' : 'split'}
          onChange={(value) => set({ weights: value === 'order' ? null : {} })}
        />
      </Group>
      {weights !== null && (
        <Group gap="xs">
          {psps.map((psp) => (
            <NumberInput
              key={psp}
              label={`Weight of ${psp}`}
              w={170}
              min={0}
              max={1_000_000}
              value={weights[psp] ?? 1}
              onChange={(value) => set({ weights: { ...weights, [psp]: Number(value) } })}
            />
          ))}
        </Group>
      )}
      <Checkbox
        label="A charge in doubt is canceled there, and goes to the next account once the PSP has taken the order to cancel"
        checked={fence}
        onChange={({ currentTarget }) => set({ fence: currentTarget.checked })}
      />
    </Stack>
  );
}

function draftOf({ when = {}, order, split = [], fence = false }: RoutingRule): Draft {
  return {
    key: keys++,
    currency: [...(when.currency ?? [])],
    amountFrom: when.amountFrom ?? null,
    amountBelow: when.amountBelow ?? null,
    cardCountry: [...(when.cardCountry ?? [])],
    cardBrand: [...(when.cardBrand ?? [])],
    method: [...(when.method ?? [])],
    psps: [...(order ?? split.map(({ psp }) => psp))],
    weights: order ? null : Object.fromEntries(split.map(({ psp, weight }) => [psp, weight])),
    fence,
  };
}

function ruleOf(draft: Draft): RoutingRule {
  const { currency, amountFrom, amountBelow, cardCountry, cardBrand, method, psps, weights, fence } = draft;
  const when = {
    ...(currency.length > 0 ? { currency } : {}),
    ...(amountFrom === null ? {} : { amountFrom }),
    ...(amountBelow === null ? {} : { amountBelow }),
    ...(cardCountry.length > 0 ? { cardCountry } : {}),
    ...(cardBrand.length > 0 ? { cardBrand } : {}),
    ...(method.length > 0 ? { method } : {}),
  };
  return {
    ...(Object.keys(when).length > 0 ? { when } : {}),
    ...(weights === null
      ? { order: psps }
      : { split: psps.map((psp) => ({ psp, weight: weights[psp] ?? 1 })) }),
    ...(fence ? { fence } : {}),
  };
}
