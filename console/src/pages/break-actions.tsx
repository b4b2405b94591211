import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Break, type BreakNote } from '../answers.js';
import { api } from '../api.js';
import { Time } from '../format.js';
import { Failure, Part } from '../parts.js';
import { useMay, useSession } from '../session.js';

type Act = readonly [act: 'assign' | 'notes' | 'close' | 'reopen', body: object];

/** What people noted about a break, and what an operator may do about it. */
export function BreakActions({ found, notes }: { found: Break; notes: readonly BreakNote[] }) {
  const mayAct = useMay('finance');
  const isOpen = found.resolved_at === null;
  const name = useSession().data?.name ?? '';
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const act = useMutation({
    mutationFn: ([path, body]: Act) =>
      api<Break>('POST', `reconciliation/breaks/${found.id}/${path}`, { psp: found.psp, ...body }),
    onSuccess: () => setNote(''),
    onSettled: () => queries.invalidateQueries(),
  });
  if (notes.length === 0 && !mayAct) return null;
  return (
    <Part title="Notes">
      <Stack gap="xs">
        {notes.map(({ id, at, by, note: text }) => (
          <Text key={id} size="sm">
            <Time at={at} />, {by}: {text}
          </Text>
        ))}
        {mayAct && (
          <>
            <Textarea
              label="What you found"
              maxLength={500}
              value={note}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
            />
            {isOpen ? (
              <Group gap="xs">
                <Button
                  size="xs"
                  disabled={note.trim() === ''}
                  onClick={() => act.mutate(['notes', { note }])}
                >
                  Note
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  disabled={note.trim() === ''}
                  onClick={() => act.mutate(['close', { note }])}
                >
                  Close with this note
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => act.mutate(['assign', found.owner === name ? {} : { owner: name }])}
                >
                  {found.owner === name ? 'Unassign' : 'Assign to me'}
                </Button>
              </Group>
            ) : (
              <Button
                size="xs"
                variant="default"
                disabled={note.trim() === ''}
                onClick={() => act.mutate(['reopen', { note }])}
              >
                Open it again with this note
              </Button>
            )}
            {act.error && <Failure error={act.error} />}
          </>
        )}
      </Stack>
    </Part>
  );
}
