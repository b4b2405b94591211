import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type SessionRow } from '../../../src/operators/session.view.js';
import { api } from '../api.js';
import { State, Time } from '../format.js';
import { Failure, Heading, Listing, Loaded, Part } from '../parts.js';
import { useSession } from '../session.js';
import { CodeField, codeOf } from '../two-people.js';

/** The sessions and the password of the person who is signed in. */
export function You() {
  const { data: session } = useSession();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: () => api<PageView<SessionRow>>('GET', 'session/list'),
  });
  const endOthers = useMutation({
    mutationFn: () => api('POST', 'session/others/end', {}),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions'] }),
  });
  return (
    <>
      <Heading title={session?.name ?? 'You'} hint={session?.role ?? ''} />
      <Stack gap="md">
        <Part title="Your sessions" hint="a session ends 15 minutes after the last act, and after 12 hours">
          {endOthers.error && <Failure error={endOthers.error} />}
          <Loaded query={query}>
            {({ data }) => (
              <>
                <Listing
                  rows={data}
                  keyOf={({ id }) => id}
                  columns={[
                    { label: 'From', isLong: true, cell: ({ source_address: from }) => from },
                    { label: 'Begun', cell: ({ started_at: at }) => <Time at={at} /> },
                    { label: 'Seen', cell: ({ seen_at: at }) => <Time at={at} /> },
                    {
                      label: 'State',
                      cell: ({ is_this: isThis }) => <State is={isThis ? 'this one' : 'open'} />,
                    },
                  ]}
                />
                {data.length > 1 && (
                  <Group justify="end" mt="sm">
                    <Button
                      size="xs"
                      variant="default"
                      loading={endOthers.isPending}
                      onClick={() => endOthers.mutate()}
                    >
                      End the others
                    </Button>
                  </Group>
                )}
              </>
            )}
          </Loaded>
        </Part>
        <Password />
      </Stack>
    </>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const done = useMutation({
    mutationFn: () => api('POST', 'session/password', { current, password, ...codeOf(code) }),
    onSuccess: async () => {
      queries.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    done.mutate();
  };
  return (
    <Part title="Your password" hint="you sign in again with the new one">
      <form onSubmit={submit}>
        <Stack gap="sm" maw={420}>
          <PasswordInput
            label="Until now"
            autoComplete="current-password"
            maxLength={200}
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
          <PasswordInput
            label="From now on"
            description="12 characters or more"
            autoComplete="new-password"
            maxLength={200}
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <CodeField value={code} set={setCode} />
          {done.error && <Failure error={done.error} />}
          <Group justify="end">
            <Button
              type="submit"
              variant="default"
              loading={done.isPending}
              disabled={current === '' || password.length < 12}
            >
              Change it
            </Button>
          </Group>
        </Stack>
      </form>
    </Part>
  );
}
