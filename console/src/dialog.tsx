import { Alert, Button, Group, List, Modal, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { Failure } from './parts.js';

/** Asks for what an act needs, does it, and closes; or stays and shows what came of it, where `shown` has something. */
export function Dialog<Result>({
  title,
  label,
  size = 'md',
  isDangerous = false,
  isReady = true,
  act,
  shown,
  close,
  children,
}: {
  title: string;
  /** Of the button. */
  label: string;
  size?: 'md' | 'lg';
  isDangerous?: boolean;
  isReady?: boolean;
  act: () => Promise<Result>;
  shown?: (result: Result) => ReactNode;
  close: () => void;
  children: ReactNode;
}) {
  const queries = useQueryClient();
  const done = useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      await queries.invalidateQueries();
      if (!shown?.(result)) close();
    },
  });
  const answer = done.isSuccess && shown ? shown(done.data) : null;
  return (
    <Modal opened onClose={close} title={title} size={size} closeOnClickOutside={!answer}>
      <Stack gap="sm">
        {answer ?? children}
        {done.error && <Failure error={done.error} />}
        <Group justify="end">
          <Button variant="default" onClick={close}>
            {answer ? 'Close' : 'Back'}
          </Button>
          {!answer && (
            <Button
              {...(isDangerous ? { color: 'red' } : {})}
              disabled={!isReady}
              loading={done.isPending}
              onClick={() => done.mutate()}
            >
              {label}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** A text of some lines that an act needs. */
export function Words({
  label,
  placeholder,
  value,
  set,
  maxLength = 500,
}: {
  label: string;
  placeholder?: string;
  value: string;
  set: (value: string) => void;
  maxLength?: number;
}) {
  return (
    <Textarea
      label={label}
      {...(placeholder === undefined ? {} : { placeholder })}
      required
      autosize
      minRows={2}
      maxLength={maxLength}
      value={value}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}

/** What an act changes, before it is done. */
export function Effects({ of, isGrave }: { of: readonly string[]; isGrave: boolean }) {
  return (
    <Alert variant="light" color={isGrave ? 'orange' : 'gray'} title="What happens">
      <List size="sm">
        {of.map((fact) => (
          <List.Item key={fact}>{fact}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
