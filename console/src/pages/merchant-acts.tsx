import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ChangedView } from '../../../src/ops/console-views.js';
import { type MerchantPageView } from '../../../src/ops/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';
import { NewKey, ReplaceKey } from './key-acts.js';
import { type MerchantAct, type OrphanPolicy, pathOf, type RecipientRule, type To } from './merchant-act.js';

export function ActOnMerchant(props: { merchantId: string; of: MerchantAct; close: () => void }) {
  const { of, ...rest } = props;
  switch (of.act) {
    case 'window':
      return <DuplicateWindow of={of} {...rest} />;
    case 'key':
      return <NewKey of={of} {...rest} />;
    case 'rotate':
    case 'revoke':
      return <ReplaceKey of={of} {...rest} />;
    case 'limit':
      return <NewLimit of={of} {...rest} />;
    case 'unlimit':
      return <RemoveLimit of={of} {...rest} />;
    case 'recipients':
      return <PayoutRecipients of={of} {...rest} />;
    case 'orphans':
      return <Orphans of={of} {...rest} />;
    case 'rate':
      return <RequestRate of={of} {...rest} />;
  }
}

function DuplicateWindow({ merchantId, of, close }: To<'window'>) {
  const [seconds, setSeconds] = useState(of.seconds);
  return (
    <Dialog
      title="Refuse the same payment"
      label="Set it"
      act={() => api('POST', pathOf(merchantId, 'duplicate-window'), { seconds })}
      close={close}
    >
      <Text size="sm">
        For so long a payment of the same amount, currency and reference under another key is refused. 0:
        never.
      </Text>
      <NumberInput
        label="Seconds"
        min={0}
        max={86_400}
        allowDecimal={false}
        value={seconds}
        onChange={(value) => setSeconds(Number(value))}
      />
    </Dialog>
  );
}

function NewLimit({ merchantId, close }: To<'limit'>) {
  const [currency, setCurrency] = useState('');
  const [per, setPer] = useState('merchant');
  const [amount, setAmount] = useState<number | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const [code, setCode] = useState('');
  const limit = {
    ...codeOf(code),
    currency,
    per,
    ...(amount === null ? {} : { amount }),
    ...(count === null ? {} : { count }),
  };
  const figure = (label: string, value: number | null, set: (value: number | null) => void) => (
    <NumberInput
      label={label}
      placeholder="Any"
      min={0}
      allowDecimal={false}
      value={value ?? ''}
      onChange={(given) => set(given === '' ? null : Number(given))}
    />
  );
  return (
    <Dialog
      title="Limit payouts"
      label="Set it"
      isReady={/^[A-Z]{3}$/.test(currency) && (amount !== null || count !== null)}
      act={() => api<ChangedView>('POST', pathOf(merchantId, 'payout-limits'), limit)}
      shown={asked}
      close={close}
    >
      <Effects
        of={[
          'Holds for payouts from now on; what was paid out today counts.',
          'A merchant that has a limit pays out in no currency without one.',
        ]}
        isGrave={false}
      />
      <TextInput
        label="Currency"
        maxLength={3}
        value={currency}
        onChange={({ currentTarget }) => setCurrency(currentTarget.value.toUpperCase())}
      />
      <NativeSelect
        label="Of"
        data={[
          { value: 'merchant', label: 'all its payouts of a day (UTC)' },
          { value: 'recipient', label: 'the payouts to each recipient of a day (UTC)' },
        ]}
        value={per}
        onChange={({ currentTarget: { value } }) => setPer(value)}
      />
      {figure('Amount at most (minor units)', amount, setAmount)}
      {figure('Payouts at most', count, setCount)}
      <CodeField value={code} set={setCode} hint={LIFTS} />
    </Dialog>
  );
}

function RemoveLimit({ merchantId, of: { limit }, close }: To<'unlimit'>) {
  const { currency, per } = limit;
  const [code, setCode] = useState('');
  return (
    <Dialog
      title={`Remove the limit of ${currency} per ${per}`}
      label="Remove it"
      isDangerous
      act={() =>
        api<ChangedView>('POST', pathOf(merchantId, 'payout-limits/remove'), {
          currency,
          per,
          ...codeOf(code),
        })
      }
      shown={asked}
      close={close}
    >
      <Effects
        of={[
          'Where others are left and none of them has this currency, it is not paid out any more.',
          'Without any, the merchant pays out as it likes.',
        ]}
        isGrave
      />
      <CodeField value={code} set={setCode} hint={LIFTS} />
    </Dialog>
  );
}

export function NewMerchant({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  return (
    <Dialog
      title="New merchant"
      label="Create it"
      isReady={name.trim() !== ''}
      act={() => api<MerchantPageView>('POST', 'merchants', { name })}
      close={close}
    >
      <TextInput
        label="Name"
        maxLength={200}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </Dialog>
  );
}

export const payoutRecipients: Readonly<Record<RecipientRule, string>> = {
  any: 'every recipient that a payout names',
  registered: 'recipients that it registered',
  approved: 'recipients that an operator approved',
};

function PayoutRecipients({ merchantId, of, close }: To<'recipients'>) {
  const [rule, setRule] = useState<string>(of.rule);
  const [code, setCode] = useState('');
  return (
    <Dialog
      title="Whom it pays out to"
      label="Set it"
      isDangerous={rule === 'any'}
      act={() => api<ChangedView>('POST', pathOf(merchantId, 'recipients/rule'), { rule, ...codeOf(code) })}
      shown={asked}
      close={close}
    >
      <NativeSelect
        label="It pays out to"
        data={Object.entries(payoutRecipients).map(([value, label]) => ({ value, label }))}
        value={rule}
        onChange={({ currentTarget: { value } }) => setRule(value)}
      />
      <Text size="sm">
        It holds from the next payout on. Payouts to others are refused; those on their way go on.
      </Text>
      <CodeField value={code} set={setCode} hint={LIFTS} />
    </Dialog>
  );
}

export const orphanPolicies = {
  default: 'as the installation is configured',
  automatic: 'at once',
  approve: 'once an operator approved',
} satisfies Record<NonNullable<OrphanPolicy> | 'default', string>;

function Orphans({ merchantId, of, close }: To<'orphans'>) {
  const [policy, setPolicy] = useState<string>(of.policy ?? 'default');
  return (
    <Dialog
      title="Orphan effects"
      label="Set it"
      act={() => api('POST', pathOf(merchantId, 'orphans'), policy === 'default' ? {} : { policy })}
      close={close}
    >
      <NativeSelect
        label="They are given back"
        data={Object.entries(orphanPolicies).map(([value, label]) => ({ value, label }))}
        value={policy}
        onChange={({ currentTarget: { value } }) => setPolicy(value)}
      />
      <Text size="sm">It holds for those that wait, too.</Text>
    </Dialog>
  );
}

function RequestRate({ merchantId, of, close }: To<'rate'>) {
  const [perSecond, setPerSecond] = useState(of.perSecond);
  return (
    <Dialog
      title="Requests a second"
      label="Set it"
      act={() =>
        api('POST', pathOf(merchantId, 'request-rate'), perSecond === null ? {} : { per_second: perSecond })
      }
      close={close}
    >
      <NumberInput
        label="Requests a second, of all its keys"
        placeholder="As the installation is configured"
        min={1}
        max={1_000_000}
        allowDecimal={false}
        value={perSecond ?? ''}
        onChange={(value) => setPerSecond(value === '' ? null : Number(value))}
      />
      <Text size="sm">What is more is refused at once (429), before anything is done.</Text>
    </Dialog>
  );
}
