import { Button, Code, CopyButton, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ChangedView } from '../../../src/approvals/approval-views.js';
import { type OperatorRow } from '../../../src/console/installation-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Dialog } from '../dialog.js';
import { State, Time, words } from '../format.js';
import { Heading, Listing, Loaded, Part } from '../parts.js';
import { useMay } from '../session.js';
import { asked, CodeField, codeOf } from '../two-people.js';

/** The roles, each of which may do all that those above it may. */
const roles: Readonly<Record<OperatorRow['role'], string>> = {
  viewer: 'Reads every page, and sees what an act would do',
  finance: 'Imports reports, works on breaks, asks for corrections of the ledger; asks no PSP for anything',
  operator: 'Retries, snoozes, attaches files, requeues; asks for what takes a second person',
  approver: 'Approves what others ask for',
  admin: 'Keeps merchants, keys, limits, PSP accounts and operators; purges dead letters',
};

type Act = 'invite' | 'reset' | 'link' | 'disable';

export function Operators() {
  const mayAct = useMay('admin');
  const [act, begin] = useState<readonly [Act, OperatorRow | null] | null>(null);
  const query = useQuery({
    queryKey: ['operators'],
    queryFn: () => api<PageView<OperatorRow>>('GET', 'operators'),
  });
  return (
    <>
      <Heading title="Operators" hint="The people who sign in to the console, by name.">
        {mayAct && (
          <Button size="xs" onClick={() => begin(['invite', null])}>
            Invite…
          </Button>
        )}
      </Heading>
      <Stack gap="md">
        <Loaded query={query}>
          {({ data }) => (
            <Listing
              rows={data}
              keyOf={({ name }) => name}
              columns={[
                { label: 'Name', isLong: true, cell: ({ name }) => name },
                { label: 'Role', cell: ({ role }) => words(role) },
                { label: 'State', cell: ({ state }) => <State is={state} /> },
                { label: 'Signs in by', isExtra: true, cell: ({ signs_in_by: way }) => way },
                { label: 'Person', isLong: true, isExtra: true, cell: ({ person }) => person },
                { label: 'Sessions', isFigure: true, cell: ({ sessions }) => sessions },
                { label: 'Seen', cell: ({ last_seen_at: at }) => <Time at={at} /> },
                ...(mayAct
                  ? [{ label: 'Acts', cell: (row: OperatorRow) => <Acts row={row} begin={begin} /> }]
                  : []),
              ]}
            />
          )}
        </Loaded>
        <Part title="Roles" hint="each may do what those above it may">
          <Listing
            rows={Object.entries(roles)}
            keyOf={([role]) => role}
            columns={[
              { label: 'Role', cell: ([role]) => words(role) },
              { label: 'May', isLong: true, cell: ([, may]) => may },
            ]}
          />
        </Part>
      </Stack>
      {act !== null && <ActDialog key={act[0]} of={act[0]} row={act[1]} close={() => begin(null)} />}
    </>
  );
}

function Acts({ row, begin }: { row: OperatorRow; begin: (act: readonly [Act, OperatorRow]) => void }) {
  const acts: readonly Act[] =
    row.state === 'disabled' ? [] : row.state === 'invited' ? ['link', 'disable'] : ['reset', 'disable'];
  return (
    <Group gap={4} wrap="nowrap">
      {acts
        .filter((each) => each !== 'reset' || row.signs_in_by === 'password')
        .map((each) => (
          <Button key={each} size="compact-xs" variant="default" onClick={() => begin([each, row])}>
            {words(each)}…
          </Button>
        ))}
    </Group>
  );
}

const texts: Readonly<Record<Act, readonly [title: string, hint: string, label: string]>> = {
  invite: [
    'Invite an operator',
    'A person is let in by a link, once, and chooses a password and an authenticator. Another person approves it, where one may.',
    'Invite',
  ],
  reset: [
    'Reset',
    'For a lost phone or password: both are taken away, and a link lets the person choose new ones. Another person approves it, where one may.',
    'Reset',
  ],
  link: [
    'A link',
    'It signs the person in once, within a day. Give it to nobody else: it is shown this once.',
    'Make a link',
  ],
  disable: ['Disable', 'Their sessions end at once, and they sign in no more.', 'Disable'],
};

type Done = Partial<ChangedView> & { readonly token?: string };

function ActDialog({
  of,
  row,
  close,
}: {
  readonly of: Act;
  readonly row: OperatorRow | null;
  readonly close: () => void;
}) {
  const [name, setName] = useState(row?.name ?? '');
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<string>('viewer');
  const [code, setCode] = useState('');
  const [title, hint, label] = texts[of];
  const act = () =>
    of === 'invite'
      ? api<Done>('POST', 'operators', { name, role, ...(person === '' ? {} : { person }), ...codeOf(code) })
      : api<Done>('POST', `operators/${of}`, { name, ...codeOf(code) });
  return (
    <Dialog
      title={row === null ? title : `${title}: ${row.name}`}
      label={label}
      isDangerous={of === 'disable'}
      isReady={name !== ''}
      act={act}
      shown={(done) => {
        if (done.token !== undefined) return <OwnLink token={done.token} />;
        return done.approval ? asked({ approval: done.approval }) : null;
      }}
      close={close}
    >
      <Text size="sm">{hint}</Text>
      {of === 'invite' && (
        <>
          <TextInput
            label="Name"
            required
            placeholder="ada"
            maxLength={64}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value.toLowerCase())}
          />
          <NativeSelect
            label="Role"
            data={Object.keys(roles).map((value) => ({ value, label: words(value) }))}
            value={role}
            onChange={({ currentTarget: { value } }) => setRole(value)}
          />
          <TextInput
            label="Person"
            description="Where one person has several accounts: the name of the first."
            maxLength={320}
            value={person}
            onChange={({ currentTarget: { value } }) => setPerson(value)}
          />
        </>
      )}
      <CodeField value={code} set={setCode} />
    </Dialog>
  );
}

function OwnLink({ token }: { readonly token: string }) {
  const link = `${location.origin}/ops/sign-in#${token}`;
  return (
    <Stack gap="xs">
      <Code block>{link}</Code>
      <CopyButton value={link}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
