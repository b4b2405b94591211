import {
  Alert,
  Button,
  Card,
  Center,
  PasswordInput,
  PinInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { type OperatorView } from '../../../src/operators/session.view.js';
import { api } from '../api.js';
import { Failure } from '../parts.js';

type Factors =
  { readonly link: string } | { readonly name: string; readonly password: string; readonly code: string };

/**
 * Behind the `#` of this page's address, which no server and no log ever sees. It is good for once, so it leaves the
 * address at once. On other pages a `#` leads to a part of the page.
 */
function takeLink(): string {
  if (!location.pathname.endsWith('/sign-in')) return '';
  const link = location.hash.slice(1);
  if (link !== '') history.replaceState(null, '', location.pathname);
  return link;
}
let link = takeLink();

export function SignIn() {
  const navigate = useNavigate();
  const { refused } = useSearch({ from: '/sign-in' });
  useEffect(() => {
    document.title = 'Sign in · Payonce';
  }, []);
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder padding="xl" w="100%" maw={380}>
        <Title order={1} size="h3">
          Payonce console
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          An administrator invites you, or makes an account with{' '}
          <span className="mono">npx payonce operators create</span>. On a new installation{' '}
          <span className="mono">npx payonce operators first-link</span> prints a link that signs in once.
        </Text>
        {refused && (
          <Alert variant="light" color="orange" mb="sm">
            Your organisation did not sign you in here: ask an administrator for a role.
          </Alert>
        )}
        <SignInForm done={() => void navigate({ to: '/' })} />
      </Card>
    </Center>
  );
}

/** Signs in by a link of the address, by password and code, or at the provider. */
export function SignInForm({ done }: { readonly done: (operator: OperatorView) => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (factors: Factors) => api<OperatorView>('POST', 'session', factors),
    onSuccess: (operator) => {
      queries.setQueryData(['session'], operator);
      done(operator);
    },
    onError: () => setCode(''),
  });
  const ways = useQuery({
    queryKey: ['ways'],
    queryFn: () => api<{ readonly oidc: boolean }>('GET', 'session/ways'),
  });
  useEffect(() => {
    if (link === '') return;
    mutate({ link });
    link = '';
  }, [mutate]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ name: name.trim(), password, code });
  };
  return (
    <>
      {error && <Failure error={error} />}
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            autoComplete="username"
            required
            autoFocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <div role="group" aria-labelledby="code-label">
            <Text size="sm" fw={500} id="code-label">
              Code of the authenticator app
            </Text>
            <PinInput
              length={6}
              type="number"
              oneTimeCode
              value={code}
              onChange={setCode}
              getInputProps={(index) => ({ 'aria-label': `Digit ${index + 1}` })}
            />
          </div>
          <Button type="submit" loading={isPending} disabled={code.length < 6} mt="xs">
            Sign in
          </Button>
        </Stack>
      </form>
      {ways.data?.oidc === true && (
        <Button component="a" href="/ops/api/session/oidc" variant="default" fullWidth mt="sm">
          Sign in by your organisation
        </Button>
      )}
    </>
  );
}
