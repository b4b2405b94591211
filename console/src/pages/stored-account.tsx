import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { type StoredPspRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import { Dialog, Effects } from '../dialog.js';
import { asked, CodeField, codeOf, LIFTS } from '../two-people.js';

export type StoredAct =
  | { readonly act: 'add' }
  | { readonly act: 'change'; readonly psp: string }
  | { readonly act: 'disable'; readonly psp: string; readonly isDisabled: boolean };

const effects = {
  add: [
    'The entry is encrypted as a whole and stored; nobody can read its credentials again here.',
    'Within ten seconds all processes route to it what its rules and merchants allow.',
  ],
  change: [
    'Members that are named are replaced, null takes one away; credentials each by itself.',
    'It stays the same account at the PSP: another one is added under another name.',
    'Within ten seconds all processes use it; calls that have begun end with what they began with.',
    'A new address takes the key that is sent there, and another person who approves it.',
  ],
  disable: [
    'Within ten seconds no payment and no payout begins there.',
    'What began there goes on: it is looked up, captured, refunded.',
  ],
  enable: ['Within ten seconds all processes route to it again.'],
};

const examples = {
  add: '{ "name": "stripe-eu", "adapter": "stripe", "account": "acct_…",\n  "credentials": { "secretKey": "sk_live_…" } }',
  change: '{ "credentials": { "secretKey": "sk_live_…" } }',
};

/** Adds, changes or disables an account that is stored. What is typed is the entry of the PSPs file, as JSON. */
export function StoredAccount({ of, close }: { of: StoredAct; close: () => void }) {
  const [text, setText] = useState('');
  const [code, setCode] = useState('');
  const entry = objectOf(text);
  if (of.act === 'disable') {
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
  const { act } = of;
  const send = (): Promise<ChangedView> =>
    of.act === 'change'
      ? api('POST', 'psps/accounts/change', { psp: of.psp, change: entry, ...codeOf(code) })
      : api<StoredPspRow>('POST', 'psps/accounts', { account: entry }).then(() => ({ approval: null }));
  return (
    <Dialog
      title={act === 'add' ? 'Add a PSP account' : `Change ${of.psp}`}
      label={act === 'add' ? 'Add it' : 'Change it'}
      size="lg"
      isReady={entry !== null}
      act={send}
      shown={asked}
      close={close}
    >
      <Effects of={effects[act]} isGrave={false} />
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
        error={text.trim() !== '' && entry === null ? 'This is no JSON object yet.' : undefined}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {act === 'change' && <CodeField value={code} set={setCode} hint={LIFTS} />}
    </Dialog>
  );
}

function objectOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
