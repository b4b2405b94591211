import { Alert, Anchor, Table, Text } from '@mantine/core';
import { type ReactNode } from 'react';
import { type PspWord } from '../../../src/approvals/approval-views.js';
import { type RouteRow } from '../../../src/console/console-views.js';
import { money, State, Time, words } from '../format.js';

/** The operation as it was asked for, beside the PSP's last word of it, with the difference marked. */
export function AskedAndSaid({ route }: { readonly route: RouteRow }) {
  const { psp, amount, currency, opened_at: openedAt } = route;
  const word = route.psp_word;
  if (word === null) {
    return (
      <Text size="sm" mt="xs">
        {money(amount, currency)} was asked for; {psp} has said nothing of it yet.
      </Text>
    );
  }
  const rows: readonly (readonly [label: string, asked: ReactNode, said: ReactNode, differs?: boolean])[] = [
    [
      'Amount',
      money(amount, currency),
      word.money ? money(word.money.amount, word.money.currency) : 'not said',
      word.differs === 'money',
    ],
    ['State', null, <State key="o" is={word.outcome} />],
    ...(word.objects.length === 0
      ? []
      : [['Id', null, <Objects key="i" of={word} />, word.differs === 'objects'] as const]),
    ['Time', <Time key="t" at={openedAt} />, <Time key="w" at={word.at} />],
  ];
  return (
    <Table
      mt="xs"
      withTableBorder
      layout="fixed"
      verticalSpacing={4}
      className="said"
      aria-label={`Asked for, and what ${psp} says`}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Td />
          <Table.Th>Asked for</Table.Th>
          <Table.Th>{psp} says</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([label, asked, said, differs = false]) => (
          <Table.Tr key={label} {...(differs ? { className: 'differs' } : {})}>
            <Table.Th fw={400} c="dimmed">
              {label}
            </Table.Th>
            <Table.Td>{asked}</Table.Td>
            <Table.Td>
              {differs && '≠ '}
              {said}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Caption ta="start">
        {word.before && (
          <>
            ≠ It said{' '}
            {word.before.money
              ? money(word.before.money.amount, word.before.money.currency)
              : `${word.before.objects} objects`}{' '}
            before, <Time at={word.before.at} />.{' '}
          </>
        )}
        {[word.code === 'money_differs' ? null : word.code, word.message]
          .filter((text) => text !== null)
          .join(': ')}
      </Table.Caption>
    </Table>
  );
}

/** The PSP's ids, each leading to its page in the PSP's own dashboard where it has one. */
function Objects({ of: { objects } }: { readonly of: PspWord }) {
  if (objects.length === 0) return <>none</>;
  return objects.map(({ id, url }) => (
    <div key={id} className="mono">
      {url === null ? (
        id
      ) : (
        <Anchor inherit href={url} target="_blank" rel="noopener noreferrer">
          {id}
        </Anchor>
      )}
    </div>
  ));
}

/** The reason that needs a person, with its section of the guide. */
export function StuckReason({ reason }: { readonly reason: string | null }) {
  if (reason === null) return null;
  const anchor = reason
    .replaceAll('_', ' ')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
  return (
    <Text size="sm">
      {words(reason)}.{' '}
      <Anchor inherit underline="always" href={`/docs/runbooks/stuck-payment#${anchor}`} target="_blank">
        What to do about it
      </Anchor>
    </Text>
  );
}

/** A statement against what the PSP has said. */
export function Against({ words: said }: { readonly words: string }) {
  return (
    <Alert variant="light" color="orange" title="The PSP has said otherwise">
      {said}.
    </Alert>
  );
}
