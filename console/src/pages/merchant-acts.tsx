import {
  Checkbox,
  Code,
  CopyButton,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import { type ChangedView } from '../../../src/ops/console-views.js';
import { type MerchantPageView, type NewApiKeyView } from '../../../src/ops/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';

type PayoutLimit = MerchantPageView['payout_limits'][number];
type OrphanPolicy = MerchantPageView['merchant']['orphans'];
type RecipientRule = MerchantPageView['merchant']['payout_recipients'];

/** What an administrator may do to a merchant; which of it is being asked for. */
export type MerchantAct =
  | { readonly act: 'window'; readonly seconds: number }
  | { readonly act: 'key' }
  | {
      readonly act: 'rotate' | 'revoke';
      readonly id: string;
      readonly prefix: string;
      readonly paysOut: boolean;
    }
  | { readonly act: 'limit' }
  | { readonly act: 'unlimit'; readonly limit: PayoutLimit }
  | { readonly act: 'recipients'; readonly rule: RecipientRule }
  | { readonly act: 'orphans'; readonly policy: OrphanPolicy }
  | { readonly act: 'rate'; readonly perSecond: number | null };

interface To<Act extends MerchantAct['act']> {
  readonly merchantId: string;
  readonly of: Extract<MerchantAct, { readonly act: Act }>;
  readonly close: () => void;
}

const pathOf = (merchantId: string, act: string) => `merchants/${encodeURIComponent(merchantId)}/${act}`;

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

const scopes = Object.keys({
  'payments:read': true,
  'payments:write': true,
  'payouts:write': true,
  'recipients:write': true,
  'webhooks:read': true,
  'webhooks:write': true,
  'events:read': true,
} satisfies Record<MerchantPageView['keys'][number]['scopes'][number], true>);

function NewKey({ merchantId, close }: To<'key'>) {
  const [chosen, choose] = useState<string[]>(['payments:read', 'payments:write']);
  const [hours, setHours] = useState<number | null>(null);
  const [test, setTest] = useState(false);
  const [bound, setBound] = useState(false);
  const [code, setCode] = useState('');
  const terms = {
    needs_certificate: bound,
    ...(hours === null ? {} : { expires_in_hours: hours }),
    ...codeOf(code),
  };
  return (
    <Dialog
      title="New API key"
      label="Create it"
      isReady={chosen.length > 0}
      act={() => api<NewApiKeyView>('POST', pathOf(merchantId, 'keys'), { scopes: chosen, test, ...terms })}
      shown={shownOnce}
      close={close}
    >
      <Checkbox.Group label="What it allows" value={chosen} onChange={choose}>
        {scopes.map((scope) => (
          <Checkbox key={scope} value={scope} label={scope} mt={6} />
        ))}
      </Checkbox.Group>
      <NumberInput
        label="Expires in hours"
        placeholder="Never, until it is revoked"
        min={1}
        max={87_600}
        allowDecimal={false}
        value={hours ?? ''}
        onChange={(value) => setHours(value === '' ? null : Number(value))}
      />
      <Checkbox
        label="Taken by gRPC alone, with a client certificate of the merchant"
        checked={bound}
        onChange={({ currentTarget }) => setBound(currentTarget.checked)}
      />
      <Checkbox
        label="For the merchant's test mode: it reaches PSP accounts of test mode alone"
        checked={test}
        onChange={({ currentTarget }) => setTest(currentTarget.checked)}
      />
      {chosen.includes('payouts:write') && !test && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  );
}

function ReplaceKey({ merchantId, of: { act, id, prefix, paysOut }, close }: To<'rotate' | 'revoke'>) {
  const [hours, setHours] = useState(24);
  const [code, setCode] = useState('');
  return act === 'rotate' ? (
    <Dialog
      title={`Rotate ${prefix}…`}
      label="Rotate it"
      act={() =>
        api<NewApiKeyView>('POST', pathOf(merchantId, 'keys/rotate'), {
          id,
          grace_hours: hours,
          ...codeOf(code),
        })
      }
      shown={shownOnce}
      close={close}
    >
      <Text size="sm">
        A new key takes its scopes, its lifetime and whether it needs a certificate; both are live for a
        while.
      </Text>
      <NumberInput
        label="The old one is refused after hours"
        min={1}
        max={87_600}
        allowDecimal={false}
        value={hours}
        onChange={(value) => setHours(Number(value))}
      />
      {paysOut && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  ) : (
    <Dialog
      title={`Revoke ${prefix}…`}
      label="Revoke it"
      isDangerous
      act={() => api('POST', pathOf(merchantId, 'keys/revoke'), { id })}
      close={close}
    >
      <Effects
        of={['Within five seconds all processes refuse it.', 'It cannot be made live again.']}
        isGrave
      />
    </Dialog>
  );
}

function shownOnce({ id, key, approval }: NewApiKeyView) {
  return (
    <>
      <Text size="sm">Copy it now: it is not stored, and not shown again. Its id is {id}.</Text>
      <Group gap="xs" wrap="nowrap">
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }} flex={1}>
          {key}
        </Code>
        <CopyButton value={key}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {approval && <Text size="sm">It pays out once another person has approved that.</Text>}
    </>
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
