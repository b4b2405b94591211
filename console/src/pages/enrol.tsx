import { Button, Center, Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { QRCodeSVG } from 'qrcode.react';
import { type FormEvent, useState } from 'react';
import { type EnrolmentView } from '../../../src/operators/session.view.js';
import { api } from '../api.js';
import { Failure, Heading, Loaded } from '../parts.js';

/** A person whom a link has let in chooses a password and an authenticator, and signs in with them. */
export function Enrol() {
  const query = useQuery({
    queryKey: ['enrolment'],
    queryFn: () => api<EnrolmentView>('POST', 'session/enrolment'),
    // Each answer has another secret: the one that is shown is scanned, and stays.
    staleTime: Infinity,
    refetchInterval: false,
  });
  return (
    <>
      <Heading
        title="Welcome"
        hint="Choose a password and an authenticator. You sign in with both from now on."
      />
      <Loaded query={query}>{(enrolment) => <Form enrolment={enrolment} />}</Loaded>
    </>
  );
}

function Form({ enrolment: { secret, uri, sealed } }: { readonly enrolment: EnrolmentView }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const done = useMutation({
    mutationFn: () => api('POST', 'session/credentials', { password, sealed, code }),
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
    <form onSubmit={submit}>
      <Stack gap="sm" maw={420}>
        <Text size="sm">Scan this with an authenticator app, or type the secret into it.</Text>
        <Center p="md" bg="white">
          <QRCodeSVG value={uri} size={200} title="The authenticator as a QR code" />
        </Center>
        <Code block>{secret}</Code>
        <PasswordInput
          label="Password"
          description="12 characters or more"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={200}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <TextInput
          label="Code that the app shows now"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value.trim())}
        />
        {done.error && <Failure error={done.error} />}
        <Group justify="end">
          <Button type="submit" loading={done.isPending} disabled={password.length < 12 || code.length < 6}>
            Keep them and sign in
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
