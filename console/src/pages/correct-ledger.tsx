import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import { type PspAccountRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Dialog, Words } from '../dialog.js';
import { words } from '../format.js';
import { AmountInput } from '../parts.js';
import { CodeField, codeOf } from '../two-people.js';
import { ledgerAccounts } from './ledger-filters.js';

/** Asks for an amount to be moved from one account of the ledger to another. */
export function CorrectLedger({ close }: { readonly close: () => void }) {
  const psps = useQuery({ queryKey: ['psps'], queryFn: () => api<PageView<PspAccountRow>>('GET', 'psps') });
  const [text, setText] = useState({
    name: '',
    psp: '',
    currency: '',
    debit: '',
    credit: '',
    day: '',
    note: '',
  });
  const [amount, setAmount] = useState<number | null>(null);
  const [code, setCode] = useState('');
  const set = (name: keyof typeof text) => (value: string) =>
    setText((before) => ({ ...before, [name]: value }));
  const choice = (name: 'psp' | 'debit' | 'credit', label: string, values: readonly string[]) => (
    <NativeSelect
      label={label}
      required
      data={[
        { value: '', label: 'Choose' },
        ...values.map((value) => ({ value, label: name === 'psp' ? value : words(value) })),
      ]}
      value={text[name]}
      onChange={({ currentTarget: { value } }) => set(name)(value)}
    />
  );
  const isCurrency = /^[A-Z]{3}$/.test(text.currency);
  const isNamed = /^[A-Za-z0-9._-]{1,100}$/.test(text.name);
  const { day, ...needed } = text;
  const isFull = Object.values(needed).every((value) => value.trim() !== '');
  return (
    <Dialog
      title="Correct the ledger"
      label="Ask for approval"
      size="lg"
      isReady={isFull && isCurrency && isNamed && amount !== null && text.debit !== text.credit}
      act={() =>
        api<ChangedView>('POST', 'approvals/corrections', {
          ...needed,
          ...(day === '' ? {} : { day }),
          amount,
          ...codeOf(code),
        })
      }
      shown={() => (
        <Text size="sm">
          It is posted once another person has approved it. It waits among the{' '}
          <Link to="/approvals">approvals</Link>.
        </Text>
      )}
      close={close}
    >
      <Text size="sm">
        Nothing that is posted changes: this moves an amount from one account to another, once for its name.
      </Text>
      <TextInput
        label="Name"
        required
        placeholder="fee-2026-11"
        maxLength={100}
        value={text.name}
        error={text.name !== '' && !isNamed && 'Letters, digits, points, dashes and underscores.'}
        onChange={({ currentTarget: { value } }) => set('name')(value)}
      />
      <Group grow>
        {choice(
          'psp',
          'PSP account',
          (psps.data?.data ?? []).map(({ psp }) => psp),
        )}
        <TextInput
          label="Currency"
          required
          placeholder="EUR"
          maxLength={3}
          value={text.currency}
          onChange={({ currentTarget: { value } }) => set('currency')(value.toUpperCase())}
        />
      </Group>
      <Group grow>
        {choice('debit', 'Debit', ledgerAccounts)}
        {choice('credit', 'Credit', ledgerAccounts)}
      </Group>
      {isCurrency && <AmountInput label="Amount" currency={text.currency} set={setAmount} />}
      <TextInput
        label="Of the day (UTC)"
        description="A day of the month that it corrects; today where it is left out."
        type="date"
        max={new Date().toISOString().slice(0, 10)}
        value={day}
        onChange={({ currentTarget: { value } }) => set('day')(value)}
      />
      <Words label="Why" placeholder="Invoice 7 of the PSP" value={text.note} set={set('note')} />
      <CodeField value={code} set={setCode} hint="Another person has to approve it." />
    </Dialog>
  );
}
