import { SegmentedControl, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import {
  type AdapterView,
  type ConnectionView,
  type StoredPspRow,
} from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { Loaded } from '../parts.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';
import { AccountForm, Connection, type Entry, TestNewAccount } from './account-form.js';

export type StoredAct =
  | { readonly act: 'add' }
  | { readonly act: 'change'; readonly psp: string }
  | { readonly act: 'disable'; readonly psp: string; readonly isDisabled: boolean }
  | { readonly act: 'test'; readonly psp: string };

const effects = {
  add: [
    'The entry is encrypted as a whole and stored; nobody can read its secrets again here.',
    'Within ten seconds all processes route to it what its rules and merchants allow.',
  ],
  change: [
    'It stays the same account at the PSP: another one is added under another name.',
    'Within ten seconds all processes use it; calls that have begun end with what they began with.',
    'A new address takes the key that is sent there, and another person who approves it.',
  ],
  disable: [
    'Within ten seconds no payment and no payout begins there.',
    'What began there goes on: it is looked up, captured, refunded.',
  ],
  enable: ['Within ten seconds all processes route to it again.'],
  test: ['The PSP is asked, by the credentials of payments, for something that changes nothing.'],
};

const examples = {
  add: '{ "name": "stripe-eu", "adapter": "stripe", "account": "acct_…",\n  "credentials": { "secretKey": "sk_live_…" } }',
  change: '{ "credentials": { "webhookSecret": null } }',
};

/** Adds, changes, disables or tests an account. */
export function StoredAccount({ of, close }: { of: StoredAct; close: () => void }) {
  switch (of.act) {
    case 'add':
      return <WriteAccount psp={null} close={close} />;
    case 'change':
      return <WriteAccount psp={of.psp} close={close} />;
    case 'test':
      return (
        <Dialog
          title={`Test the connection of ${of.psp}`}
          label="Ask it"
          act={() => api<ConnectionView>('POST', 'psps/check', { psp: of.psp })}
          shown={(said) => <Connection of={said} />}
          close={close}
        >
          <Effects of={effects.test} isGrave={false} />
        </Dialog>
      );
    case 'disable':
      return <Disable of={of} close={close} />;
  }
}

function Disable({ of, close }: { of: Extract<StoredAct, { act: 'disable' }>; close: () => void }) {
  const { psp, isDisabled } = of;
  return (
    <Dialog
      title={isDisabled ? `Enable ${psp}` : `Disable ${psp}`}
      label={isDisabled ? 'Enable it' : 'Disable it'}
      size="lg"
      isDangerous={!isDisabled}
      act={() => api<StoredPspRow>('POST', 'psps/accounts/disable', { psp, disabled: !isDisabled })}
      close={close}
    >
      <Effects of={isDisabled ? effects.enable : effects.disable} isGrave={!isDisabled} />
    </Dialog>
  );
}

/** By its fields, or as JSON as in the PSPs file, which says all that there is. `psp`: the one that is changed. */
function WriteAccount({ psp, close }: { psp: string | null; close: () => void }) {
  const [way, setWay] = useState('form');
  const [entry, setEntry] = useState<Entry | null>(null);
  const [code, setCode] = useState('');
  const act = psp === null ? 'add' : 'change';
  const read = useQuery({
    queryKey: ['stored-account', psp],
    queryFn: async () => ({
      adapters: (await api<PageView<AdapterView>>('GET', 'psps/adapters')).data,
      stored:
        psp === null ? null : await api<StoredPspRow>('GET', `psps/accounts?psp=${encodeURIComponent(psp)}`),
    }),
    // A second answer would throw away what the administrator types.
    staleTime: Infinity,
    refetchInterval: false,
  });
  const send = (): Promise<ChangedView> =>
    psp === null
      ? api<StoredPspRow>('POST', 'psps/accounts', { account: entry }).then(() => ({ approval: null }))
      : api('POST', 'psps/accounts/change', { psp, change: entry, ...codeOf(code) });
  return (
    <Dialog
      title={psp === null ? 'Add a PSP account' : `Change ${psp}`}
      label={psp === null ? 'Add it' : 'Change it'}
      size="lg"
      isReady={entry !== null}
      act={send}
      shown={asked}
      close={close}
    >
      <Effects of={effects[act]} isGrave={false} />
      <SegmentedControl
        data={[
          { value: 'form', label: 'By its fields' },
          { value: 'json', label: 'As JSON' },
        ]}
        value={way}
        onChange={(chosen) => {
          setWay(chosen);
          setEntry(null);
        }}
      />
      {way === 'form' ? (
        <Loaded query={read}>
          {({ adapters, stored }) => <AccountForm adapters={adapters} stored={stored} set={setEntry} />}
        </Loaded>
      ) : (
        <AsJson act={act} set={setEntry} />
      )}
      {psp === null && <TestNewAccount entry={entry} />}
      {psp !== null && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  );
}

function AsJson({ act, set }: { act: 'add' | 'change'; set: (entry: Entry | null) => void }) {
  const [text, setText] = useState('');
  const isNone = text.trim() !== '' && objectOf(text) === null;
  return (
    <>
      {act === 'change' && (
        <Text size="sm">
          Members that are named are replaced, null takes one away; credentials each by itself.
        </Text>
      )}
      <Textarea
        label={act === 'add' ? 'Its entry, as in the PSPs file' : 'What changes'}
        placeholder={examples[act]}
        required
        autosize
        minRows={5}
        maxRows={16}
        maxLength={500_000}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: 'mono' }}
        error={isNone ? 'This is no JSON object yet.' : undefined}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          set(objectOf(value));
        }}
      />
    </>
  );
}

function objectOf(text: string): Entry | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Entry) : null;
  } catch {
    return null;
  }
}
