import {
  ActionIcon,
  Alert,
  Box,
  Button,
  Center,
  Checkbox,
  CopyButton,
  Group,
  Paper,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { minorUnitsOf } from './amount.js';
import { digitsOf, money } from './format.js';

/** The heading of a page, with what belongs beside it. */
export function Heading({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title.slice(0, 80)} · Payonce`;
  }, [title]);
  return (
    <Group justify="space-between" align="end" mb="md">
      <Box miw={0} maw="100%">
        <Title order={1} size="h3">
          {title}
        </Title>
        {hint && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Box>
      {children}
    </Group>
  );
}

/** What a query has brought; while it loads its outline, and what went wrong with a way to try again. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack aria-busy="true" aria-label="Loading" gap="xs">
      {Array.from({ length: 6 }, (_, line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  );
}

/** The ways on from a page of a list, the newest first unless said. */
export function PageButtons({
  isFirst,
  next,
  labels: [first, on] = ['Newest', 'Older'],
  onFirst,
  onNext,
}: {
  isFirst: boolean;
  next: string | null;
  labels?: readonly [first: string, on: string];
  onFirst: () => void;
  onNext: (cursor: string) => void;
}) {
  return (
    <Group justify="end" mt="md">
      {!isFirst && (
        <Button variant="default" onClick={onFirst}>
          {first}
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => onNext(next)}>
          {on}
        </Button>
      )}
    </Group>
  );
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <Alert color="red" variant="light" title="This did not work" mb="md" role="alert">
      <Text size="sm">{error.message}</Text>
      {retry && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** Where a list has nothing to show. */
export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Center py="xl">
      <Text c="dimmed">{children}</Text>
    </Center>
  );
}

interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** For figures, which are compared from their ends. */
  readonly isFigure?: boolean;
  /** For texts without a bound: they share what the others leave, and are cut to a line. */
  readonly isLong?: boolean;
  /** Left out on a screen that is neither wide nor narrow, where the page of the row has it. */
  readonly isExtra?: boolean;
}

/** Which rows are chosen, by their keys, for an act on all of them. */
interface Choice {
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
}

/**
 * A table; on a narrow screen a list in which each cell says what it is. `j` and `k` go to the next row and the one
 * before, `x` chooses it.
 */
export function Listing<Row>({
  rows,
  columns,
  keyOf,
  choice,
}: {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  choice?: Choice | undefined;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  const lines = () => [...(body.current?.rows ?? [])];
  const at = () => lines().findIndex((line) => line.contains(document.activeElement));
  const go = (to: number) => {
    const places = lines()[to]?.querySelectorAll<HTMLElement>('a, button, input');
    // The link of the row before the box that chooses it.
    const place = [...(places ?? [])].find((each) => each.tagName === 'A') ?? places?.[0];
    place?.focus();
    place?.scrollIntoView({ block: 'nearest' });
  };
  const toggle = (key: string) => {
    if (!choice) return;
    const { chosen, choose } = choice;
    choose(chosen.includes(key) ? chosen.filter((other) => other !== key) : [...chosen, key]);
  };
  /** Of several tables on a page the one with the focus listens, or the first. */
  const listens = () => {
    const focused = document.activeElement?.closest('table') ?? document.querySelector('table.stacked');
    return focused?.contains(body.current) === true;
  };
  useHotkeys([
    ['j', () => listens() && go(Math.min(at() + 1, rows.length - 1))],
    ['k', () => listens() && go(Math.max(at() - 1, 0))],
    ['x', () => listens() && at() >= 0 && toggle(keyOf(rows[at()]!))],
  ]);
  const style = { '--share': `${Math.floor(100 / columns.filter(({ isLong }) => isLong).length)}%` };
  const cellOf = ({ isFigure, isLong, isExtra }: Column<Row>) => ({
    ...(isFigure ? { ta: 'end' as const } : {}),
    ...(isLong ? { className: 'long', style } : {}),
    ...(isExtra ? { className: 'extra' } : {}),
  });
  return (
    // The keyboard reaches it, so that who uses no mouse can scroll it too.
    <Box pos="relative" className="listing" tabIndex={0}>
      <Table className="stacked" highlightOnHover verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {choice && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label="Choose all on this page"
                  checked={choice.chosen.length === rows.length}
                  onChange={({ currentTarget }) =>
                    choice.choose(currentTarget.checked ? rows.map(keyOf) : [])
                  }
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Table.Th key={column.label} {...cellOf(column)}>
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {choice && (
                <Table.Td data-label="Choose">
                  <Checkbox
                    size="xs"
                    aria-label={`Choose ${keyOf(row)}`}
                    checked={choice.chosen.includes(keyOf(row))}
                    onChange={() => toggle(keyOf(row))}
                  />
                </Table.Td>
              )}
              {columns.map((column) => (
                <Table.Td key={column.label} data-label={column.label} {...cellOf(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}

/** A part of a page with a heading of its own. `id`: links lead to it. */
export function Part(props: { id?: string; title: string; hint?: string; children: ReactNode }) {
  const { id, title, hint, children } = props;
  return (
    <Paper withBorder p="sm" component="section" aria-label={title} {...(id === undefined ? {} : { id })}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {hint && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Group>
      {children}
    </Paper>
  );
}

/** Names and values, one below the other. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Stack gap={6} component="dl" m={0}>
      {facts.map(([name, value], index) => (
        <Group key={`${name} ${index}`} justify="space-between" gap="md" wrap="nowrap" align="start">
          <Text component="dt" size="sm" c="dimmed" flex="0 1 auto">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} ta="end" style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}

/** A file to keep, from the console's API. */
export function Download({ path, children }: { path: string; children: ReactNode }) {
  return (
    <Button component="a" href={`/ops/api/${path}`} download size="xs" variant="default">
      {children}
    </Button>
  );
}

/** Leads from a row to its payment. */
export function PaymentLink({ id, children }: { readonly id: string; readonly children: ReactNode }) {
  return (
    <Link to="/payments/$id" params={{ id }} className="row-link mono">
      {children}
    </Link>
  );
}

/** A point of a timeline. */
export function Bullet({ color }: { readonly color: string }) {
  return (
    <svg width="8" height="8" aria-hidden="true">
      <circle cx="4" cy="4" r="4" fill={`var(--mantine-color-${color}-6)`} />
    </svg>
  );
}

/** An entity key by its end, with a button that copies the whole of it. */
export function ShortKey({ of }: { readonly of: string }) {
  const [, noun = '', end = of] = /^(\w+)-[0-9a-f-]{30}([0-9a-f]{6}-.*)$/.exec(of) ?? [];
  return (
    <Group gap={4} wrap="nowrap">
      <span className="mono">
        {noun}…{end}
      </span>
      <CopyButton value={of}>
        {({ copied, copy }) => (
          <ActionIcon size="xs" variant="subtle" color="gray" aria-label={`Copy ${of}`} onClick={copy}>
            <svg width="12" height="12" fill="none" stroke="currentColor" aria-hidden="true">
              {copied ? <path d="M2 6l3 3 5-6" /> : <path d="M4.5 4.5h6v6h-6zM2.5 8.5h-1v-7h7v1" />}
            </svg>
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  );
}

/** An amount as a person writes it. `set` gets its minor units, or null while it is none. */
export function AmountInput(props: {
  label: string;
  currency: string;
  /** Minor units. */
  most?: number;
  initial?: number;
  placeholder?: string;
  set: (minorUnits: number | null) => void;
}) {
  const { label, currency, most, initial, placeholder, set } = props;
  const decimals = digitsOf(currency);
  const [text, setText] = useState(initial === undefined ? '' : (initial / 10 ** decimals).toFixed(decimals));
  const amount = minorUnitsOf(text, decimals);
  const isTooMuch = amount !== null && most !== undefined && amount > most;
  const fault =
    amount === null
      ? `Write it as ${(1234).toFixed(decimals)}: digits${decimals > 0 ? ', and a point before the last of them' : ''}.`
      : `At most ${money(most ?? 0, currency)}.`;
  return (
    <TextInput
      label={`${label} in ${currency}`}
      placeholder={placeholder}
      inputMode="decimal"
      maxLength={20}
      value={text}
      error={text !== '' && (amount === null || isTooMuch) && fault}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        const given = minorUnitsOf(value, decimals);
        set(given !== null && most !== undefined && given > most ? null : given);
      }}
    />
  );
}
