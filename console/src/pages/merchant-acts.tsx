import { NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import { type MerchantPageView } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { AmountInput } from '../parts.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';
import { ActOnEndpoint, NewEndpoint } from './endpoint-acts.js';
import { NewKey, ReplaceKey } from './key-acts.js';
import { type MerchantAct, pathOf, type To } from './merchant-act.js';

export function ActOnMerchant(props: { merchantId: string; of: MerchantAct; close: () => void }) {
  const { of, ...rest } = props;
  switch (of.act) {
    case 'set':
      return <SetSetting of={of} {...rest} />;
    case 'rename':
      return <Rename of={of} {...rest} />;
    case 'key':
      return <NewKey of={of} {...rest} />;
    case 'rotate':
    case 'revoke':
      return <ReplaceKey of={of} {...rest} />;
    case 'endpoint':
      return <NewEndpoint of={of} {...rest} />;
    case 'endpoint-act':
      return <ActOnEndpoint of={of} {...rest} />;
    case 'limit':
      return <NewLimit of={of} {...rest} />;
    case 'unlimit':
      return <RemoveLimit of={of} {...rest} />;
  }
}

function Rename({ merchantId, of, close }: To<'rename'>) {
  const [name, setName] = useState(of.name);
  return (
    <Dialog
      title="Rename the merchant"
      label="Rename"
      isReady={name.trim() !== '' && name.trim() !== of.name}
      act={() => api<MerchantPageView>('POST', pathOf(merchantId, 'name'), { name })}
      close={close}
    >
      <TextInput
        label="Name"
        description="Only people see it: keys and requests stay as they are."
        maxLength={200}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
      />
    </Dialog>
  );
}

function SetSetting({ merchantId, of: { setting }, close }: To<'set'>) {
  const [value, setValue] = useState(setting.value);
  const [code, setCode] = useState('');
  // A wider rule of recipients lifts a bound.
  const takesTwo = setting.name === 'payout_recipients';
  return (
    <Dialog
      title="Change a setting"
      label="Set it"
      isDangerous={takesTwo && value === 'any'}
      isReady={value !== ''}
      act={() =>
        api<ChangedView>('POST', pathOf(merchantId, 'settings'), {
          name: setting.name,
          value,
          ...codeOf(code),
        })
      }
      shown={asked}
      close={close}
    >
      {setting.choices === null ? (
        <NumberInput
          label={setting.label}
          placeholder={setting.when_unset ?? ''}
          min={0}
          allowDecimal={false}
          value={value === 'default' ? '' : value}
          onChange={(given) => setValue(given === '' && setting.when_unset !== null ? 'default' : `${given}`)}
        />
      ) : (
        <NativeSelect
          label={setting.label}
          data={[...setting.choices]}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
      )}
      <Text size="sm">{setting.note}</Text>
      {takesTwo && <CodeField value={code} set={setCode} hint={LIFTS} />}
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
  const isCurrency = /^[A-Z]{3}$/.test(currency);
  return (
    <Dialog
      title="Limit payouts"
      label="Set it"
      isReady={isCurrency && (amount !== null || count !== null)}
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
        onChange={({ currentTarget }) => {
          setCurrency(currentTarget.value.toUpperCase());
          setAmount(null);
        }}
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
      {isCurrency && (
        <AmountInput
          key={currency}
          label="Amount at most"
          placeholder="Any"
          currency={currency}
          set={setAmount}
        />
      )}
      <NumberInput
        label="Payouts at most"
        placeholder="Any"
        min={0}
        allowDecimal={false}
        value={count ?? ''}
        onChange={(given) => setCount(given === '' ? null : Number(given))}
      />
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
