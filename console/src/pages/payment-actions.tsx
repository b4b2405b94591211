import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type PaymentPageView } from '../../../src/console/console-views.js';
import { api } from '../api.js';
import { Dialog, Words } from '../dialog.js';
import { AmountInput } from '../parts.js';
import { useMay } from '../session.js';
import { AskApproval } from './ask-approval.js';

/** The actions on a payment, decided or not. */
export function PaymentActions({ page }: { readonly page: PaymentPageView }) {
  const [open, setOpen] = useState<'refund' | 'cancel' | 'note' | null>(null);
  const mayAct = useMay('operator');
  const { payment, operations } = page;
  const [first] = operations;
  if (!mayAct || !first) return null;
  const named = { merchant_id: payment.merchant_id, entity_key: first.entity_key };
  const left = payment.amount_captured - payment.amount_refunded;
  const close = () => setOpen(null);
  return (
    <Group gap="xs">
      {left > 0 && (
        <Button size="xs" variant="default" onClick={() => setOpen('refund')}>
          Refund…
        </Button>
      )}
      {['processing', 'requires_action', 'authorized'].includes(payment.status) && (
        <Button size="xs" variant="default" onClick={() => setOpen('cancel')}>
          Cancel at the PSP…
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => setOpen('note')}>
        Add a note…
      </Button>
      {open === 'refund' && <Refund named={named} currency={payment.currency} left={left} close={close} />}
      {open === 'cancel' && (
        <AskApproval
          title="Cancel at the PSP"
          hint="What is authorized is released, and what is not decided is called off where the PSP can do that. An approver has to approve it."
          label="Why"
          placeholder="Sold out"
          action={{ kind: 'cancel_payment', ...named }}
          close={close}
        />
      )}
      {open === 'note' && <Note named={named} close={close} />}
    </Group>
  );
}

interface Named {
  readonly merchant_id: string;
  readonly entity_key: string;
}

function Refund(props: { named: Named; currency: string; left: number; close: () => void }) {
  const { named, currency, left, close } = props;
  const [amount, setAmount] = useState<number | null>(left);
  const [reference, setReference] = useState('');
  return (
    <AskApproval
      title="Refund"
      hint="Money goes back to the customer, once, after an approver has approved exactly this amount."
      label="Why"
      placeholder="Returned, order 1234"
      action={{
        kind: 'refund_payment',
        ...named,
        amount,
        ...(reference === '' ? {} : { reference }),
      }}
      isComplete={amount !== null && amount > 0}
      close={close}
    >
      <AmountInput label="Amount" currency={currency} most={left} initial={left} set={setAmount} />
      <TextInput
        label="Its name, where there are several refunds"
        maxLength={200}
        value={reference}
        onChange={({ currentTarget }) => setReference(currentTarget.value)}
      />
    </AskApproval>
  );
}

function Note({ named, close }: { readonly named: Named; readonly close: () => void }) {
  const [note, setNote] = useState('');
  return (
    <Dialog
      title="Add a note"
      label="Save"
      isReady={note.trim() !== ''}
      act={() => api('POST', 'operations/note', { ...named, note })}
      close={close}
    >
      <Words label="What others shall know" value={note} set={setNote} />
    </Dialog>
  );
}
