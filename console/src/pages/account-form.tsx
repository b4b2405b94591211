import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  PasswordInput,
  SimpleGrid,
  Stack,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type AdapterView,
  type ConnectionView,
  type StoredPspRow,
} from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Failure } from '../parts.js';

/** An account while it is written. */
interface Draft {
  readonly name: string;
  readonly adapter: string;
  readonly baseUrl: string;
  readonly account: string;
  readonly test: boolean;
  readonly timeoutMs: number | null;
  readonly merchants: string[];
  /** Values as typed; a stored secret is kept where nothing was. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The members that an account is stored with, or those that change: null takes one away (RFC 7396). */
export type Entry = Readonly<Record<string, unknown>>;

/** Writes an account by its fields. `stored`: the one that is changed. */
export function AccountForm(props: {
  adapters: readonly AdapterView[];
  stored: StoredPspRow | null;
  set: (entry: Entry | null) => void;
}) {
  const { adapters, stored, set } = props;
  const [draft, setDraft] = useState(() => draftOf(stored, adapters[0]!.adapter));
  const adapter = adapters.find((each) => each.adapter === draft.adapter) ?? adapters[0]!;
  const write = (change: Partial<Draft>) => {
    const written = { ...draft, ...change };
    setDraft(written);
    const { credentials } = adapters.find((each) => each.adapter === written.adapter)!;
    const entry = stored === null ? entryOf(written) : changeOf(written, draftOf(stored, written.adapter));
    const isWhole = credentials.every(
      ({ name, required }) => !required || stored !== null || Boolean(written.credentials[name]),
    );
    const isNamed = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(written.name);
    set(isWhole && isNamed && Object.keys(entry).length > 0 ? entry : null);
  };
  const text = (name: 'name' | 'baseUrl' | 'account') => ({
    value: draft[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      write({ [name]: value.trim() }),
  });
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput
          {...text('name')}
          label="Name"
          description="in tokens and rules; it stays"
          required
          maxLength={40}
          disabled={stored !== null}
        />
        <NativeSelect
          label="PSP"
          description="the adapter that speaks to it"
          data={adapters.map((each) => each.adapter)}
          value={draft.adapter}
          disabled={stored !== null}
          onChange={({ currentTarget: { value } }) => write({ adapter: value, credentials: {} })}
        />
        <TextInput {...text('baseUrl')} label="Address" placeholder={adapter.public_url} maxLength={2048} />
        <TextInput
          {...text('account')}
          label="Account at the PSP"
          placeholder="Where the credentials do not say it"
          maxLength={100}
        />
        {adapter.credentials.map(({ name, required, secret }) => {
          const isKept = secret && (stored?.credentials.includes(name) ?? false);
          const field = {
            label: name,
            required: required && !isKept,
            maxLength: 4096,
            autoComplete: 'off',
            spellCheck: false,
            value: draft.credentials[name] ?? '',
            placeholder: isKept ? 'Kept as it is' : '',
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
              write({ credentials: { ...draft.credentials, [name]: value.trim() } }),
          };
          return secret ? <PasswordInput key={name} {...field} /> : <TextInput key={name} {...field} />;
        })}
        <NumberInput
          label="Timeout of a call (ms)"
          placeholder="10000"
          min={100}
          max={60_000}
          allowDecimal={false}
          value={draft.timeoutMs ?? ''}
          onChange={(value) => write({ timeoutMs: value === '' ? null : Number(value) })}
        />
        <TagsInput
          label="For the merchants"
          placeholder={draft.merchants.length === 0 ? 'All; or their ids' : ''}
          value={draft.merchants}
          onChange={(merchants) => write({ merchants })}
        />
      </SimpleGrid>
      <Checkbox
        label="A test account: nothing that it does moves real money"
        checked={draft.test}
        onChange={({ currentTarget }) => write({ test: currentTarget.checked })}
      />
    </Stack>
  );
}

/** Asks a PSP whether it takes the credentials of an account that is not stored yet. */
export function TestNewAccount({ entry }: { entry: Entry | null }) {
  const asked = useMutation({
    mutationFn: (account: Entry) => api<ConnectionView>('POST', 'psps/accounts/check', { account }),
  });
  return (
    <Stack gap="xs">
      <Group>
        <Button
          size="xs"
          variant="default"
          disabled={entry === null}
          loading={asked.isPending}
          onClick={() => entry !== null && asked.mutate(entry)}
        >
          Test the connection
        </Button>
      </Group>
      {asked.error && <Failure error={asked.error} />}
      {asked.data && <Connection of={asked.data} />}
    </Stack>
  );
}

export function Connection({ of: { works, says } }: { of: ConnectionView }) {
  return (
    <Alert
      variant="light"
      color={works ? 'green' : 'red'}
      title={works ? 'It works' : 'It does not work'}
      role="status"
    >
      {says}
    </Alert>
  );
}

function draftOf(stored: StoredPspRow | null, adapter: string): Draft {
  return {
    name: stored?.name ?? '',
    adapter: stored?.adapter ?? adapter,
    baseUrl: stored?.base_url ?? '',
    account: stored?.account ?? '',
    test: stored?.test ?? false,
    timeoutMs: stored?.timeout_ms ?? null,
    merchants: [...(stored?.merchants ?? [])],
    credentials: { ...stored?.shown },
  };
}

function membersOf({ baseUrl, account, test, timeoutMs, merchants }: Draft): Record<string, unknown> {
  return {
    baseUrl: baseUrl || null,
    account: account || null,
    test: test || null,
    timeoutMs,
    merchants: merchants.length > 0 ? merchants : null,
  };
}

function entryOf(draft: Draft): Entry {
  const { name, adapter } = draft;
  const members = Object.entries(membersOf(draft)).filter(([, value]) => value !== null);
  const credentials = Object.entries(draft.credentials).filter(([, value]) => value !== '');
  return { name, adapter, ...Object.fromEntries(members), credentials: Object.fromEntries(credentials) };
}

/** The members that are not as before. */
function changeOf(draft: Draft, before: Draft): Entry {
  const old = membersOf(before);
  const isOther = (name: string, value: unknown) => JSON.stringify(value) !== JSON.stringify(old[name]);
  const members = Object.entries(membersOf(draft)).filter(([name, value]) => isOther(name, value));
  const credentials = Object.entries(draft.credentials).flatMap(([name, value]) =>
    value === (before.credentials[name] ?? '') ? [] : [[name, value || null] as const],
  );
  return {
    ...Object.fromEntries(members),
    ...(credentials.length > 0 ? { credentials: Object.fromEntries(credentials) } : {}),
  };
}
