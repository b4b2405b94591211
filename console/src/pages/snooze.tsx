import { Button, Group, NumberInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type SnoozeView } from '../../../src/approvals/approval-views.js';
import { api } from '../api.js';
import { Dialog, Words } from '../dialog.js';
import { Time } from '../format.js';
import { Failure } from '../parts.js';
import { useMay, useSession } from '../session.js';

interface Named {
  readonly merchant_id: string;
  readonly entity_key: string;
}

/** Who looks after a stuck operation until when, or the way to say so. */
export function Snooze({ named, snooze }: { readonly named: Named; readonly snooze: SnoozeView | null }) {
  const [isOpen, open] = useState(false);
  const mayAct = useMay('operator');
  const queries = useQueryClient();
  const wake = useMutation({
    mutationFn: () => api('POST', 'operations/wake', named),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      {snooze && (
        <Text size="sm" mt="xs">
          {snooze.owner} looks after it; listed again <Time at={snooze.until} />: “{snooze.note}”
        </Text>
      )}
      {wake.error && <Failure error={wake.error} />}
      {mayAct && (
        <Group gap="xs" mt="xs">
          <Button size="xs" variant="default" onClick={() => open(true)}>
            Snooze…
          </Button>
          {snooze && (
            <Button size="xs" variant="default" loading={wake.isPending} onClick={() => wake.mutate()}>
              List it again
            </Button>
          )}
        </Group>
      )}
      {isOpen && <NewSnooze named={named} before={snooze} close={() => open(false)} />}
    </>
  );
}

function NewSnooze(props: { named: Named; before: SnoozeView | null; close: () => void }) {
  const { named, before, close } = props;
  const { data: session } = useSession();
  const [hours, setHours] = useState(4);
  const [owner, setOwner] = useState(before?.owner ?? session?.name ?? '');
  const [note, setNote] = useState('');
  return (
    <Dialog
      title="Snooze"
      label="Snooze"
      isReady={note.trim() !== '' && owner !== ''}
      act={() => api<SnoozeView>('POST', 'operations/snooze', { ...named, hours, owner, note })}
      close={close}
    >
      <Text size="sm">It stays stuck, and is not listed until then, because its owner looks after it.</Text>
      <NumberInput
        label="For how many hours"
        min={1}
        max={720}
        value={hours}
        onChange={(value) => setHours(Number(value))}
      />
      <TextInput
        label="Owner"
        description="the operator who looks after it: you, or whom you hand it over to"
        maxLength={64}
        value={owner}
        onChange={({ currentTarget }) => setOwner(currentTarget.value)}
      />
      <Words label="What is being done" value={note} set={setNote} />
    </Dialog>
  );
}
