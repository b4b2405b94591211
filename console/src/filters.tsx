import { Button, Group, Menu, NativeSelect, Pill, Popover, SimpleGrid, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { minorUnitsOf } from './amount.js';
import { queryOf } from './api.js';
import { digitsOf, money, optionsOf, words } from './format.js';
import { Download } from './parts.js';

/** Narrows a list; its value stands in the address under this name. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** `choice` of stored words, a free `text`, a `day` of UTC, or an `amount`, which needs a currency to be read. */
  readonly kind: 'choice' | 'text' | 'day' | 'amount';
  readonly choices?: readonly string[];
}

export type Search = Readonly<Record<string, string | undefined>>;

/**
 * The filters of a list: what narrows it as chips that are taken off one by one, the others behind a button, views that
 * this browser keeps, and the list as a file.
 */
export function Filters(props: {
  /** The path of the list in the console's API; it also names the views that the browser keeps. */
  readonly list: string;
  readonly filters: readonly Filter[];
  readonly search: Search;
  /** A name with an empty text is taken off. */
  readonly set: (change: Search) => void;
}) {
  const { list, filters, search, set } = props;
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const active = filters.filter(({ name }) => (search[name] ?? '') !== '');
  const { cursor: _cursor, ...kept } = search;
  const query = queryOf(kept);
  return (
    <Group gap="xs" mb="md">
      {active.map((filter) => (
        <Pill
          key={filter.name}
          size="lg"
          withRemoveButton
          onRemove={() => set(without(filter, filters))}
          removeButtonProps={{ 'aria-label': `Without ${filter.label}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {filter.label}: {shown(filter, search)}
        </Pill>
      ))}
      <Popover opened={isOpen} onChange={close} position="bottom-start" withinPortal trapFocus>
        <Popover.Target>
          <Button size="xs" variant="default" onClick={toggle} aria-expanded={isOpen}>
            Filter…
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Fields {...props} close={close} />
        </Popover.Dropdown>
      </Popover>
      <Views key={list} list={list} query={query} set={set} names={Object.keys(kept)} />
      <Download path={`${list}.csv?${query}`}>CSV</Download>
    </Group>
  );
}

/** Amounts say nothing without their currency. */
function without({ name }: Filter, filters: readonly Filter[]): Search {
  const amounts = name === 'currency' ? filters.filter(({ kind }) => kind === 'amount') : [];
  return Object.fromEntries([name, ...amounts.map((each) => each.name)].map((each) => [each, '']));
}

function shown({ kind, name }: Filter, search: Search): string {
  const value = search[name]!;
  if (kind === 'choice') return words(value);
  const currency = currencyIn(search);
  return kind === 'amount' && currency ? money(Number(value), currency) : value;
}

/** The currency in the address; null where it is no code of one. */
function currencyIn({ currency = '' }: Search): string | null {
  return /^[A-Z]{3}$/.test(currency) ? currency : null;
}

/** All filters at once, applied together. */
function Fields({
  filters,
  search,
  set,
  close,
}: Parameters<typeof Filters>[0] & { readonly close: () => void }) {
  const currencyNow = search['currency'] ?? '';
  const [draft, setDraft] = useState<Search>(() =>
    Object.fromEntries(filters.map((filter) => [filter.name, written(filter, search)])),
  );
  const currency = (draft['currency'] ?? currencyNow).toUpperCase();
  const isCurrency = /^[A-Z]{3}$/.test(currency);
  const faultOf = ({ kind, name }: Filter): string | false => {
    const text = draft[name] ?? '';
    if (text === '') return false;
    if (name === 'currency' && !isCurrency) return 'Three letters, such as EUR.';
    if (kind !== 'amount') return false;
    if (!isCurrency) return 'Needs a currency.';
    return minorUnitsOf(text, digitsOf(currency)) === null && 'Digits, and a point before the decimals.';
  };
  const apply = () => {
    const value = ({ kind, name }: Filter) => {
      const text = (draft[name] ?? '').trim();
      if (name === 'currency') return currency;
      return kind === 'amount' && text !== '' ? String(minorUnitsOf(text, digitsOf(currency))) : text;
    };
    set(Object.fromEntries(filters.map((filter) => [filter.name, value(filter)])));
    close();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!filters.some(faultOf)) apply();
      }}
    >
      <SimpleGrid cols={filters.length > 4 ? { base: 1, xs: 2 } : 1} spacing="xs" verticalSpacing="xs">
        {filters.map((filter) => {
          const { name, label, kind, choices = [] } = filter;
          const bound = {
            label,
            size: 'xs',
            value: draft[name] ?? '',
            onChange: ({
              currentTarget: { value },
            }: {
              readonly currentTarget: { readonly value: string };
            }) => setDraft((before) => ({ ...before, [name]: value })),
          } as const;
          if (kind === 'choice')
            return <NativeSelect key={name} {...bound} data={optionsOf(choices, 'any')} />;
          return (
            <TextInput
              key={name}
              {...bound}
              type={kind === 'day' ? 'date' : 'text'}
              error={faultOf(filter)}
            />
          );
        })}
      </SimpleGrid>
      <Button type="submit" size="xs" mt="xs" fullWidth disabled={filters.some(faultOf)}>
        Show
      </Button>
    </form>
  );
}

/** The value of a filter as a person writes it. */
function written({ kind, name }: Filter, search: Search): string {
  const value = search[name] ?? '';
  const currency = currencyIn(search);
  if (kind !== 'amount') return value;
  if (value === '' || !currency) return '';
  return (Number(value) / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));
}

type Kept = Readonly<Record<string, string>>;

/** Nothing where something else than ours stands there. */
function keptAt(place: string): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '{}');
    const isOurs =
      typeof kept === 'object' &&
      kept !== null &&
      Object.values(kept).every((each) => typeof each === 'string');
    return isOurs ? (kept as Kept) : {};
  } catch {
    return {};
  }
}

/** Named searches that this browser keeps. A link to the page says the same to a colleague. */
function Views(props: {
  readonly list: string;
  readonly query: string;
  readonly names: readonly string[];
  readonly set: (change: Search) => void;
}) {
  const { list, query, names, set } = props;
  const place = `payonce-views-${list}`;
  const [views, setViews] = useState<Kept>(() => keptAt(place));
  const [name, setName] = useState('');
  const keep = (changed: Kept) => {
    localStorage.setItem(place, JSON.stringify(changed));
    setViews(changed);
  };
  const none = Object.fromEntries(names.map((each) => [each, '']));
  const open = (view: string) => set({ ...none, ...Object.fromEntries(new URLSearchParams(views[view])) });
  const { [name.trim()]: _same, ...others } = views;
  return (
    <Menu position="bottom-start" closeOnItemClick>
      <Menu.Target>
        <Button size="xs" variant="default">
          Views
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.keys(views).map((view) => (
          <Menu.Item key={view} onClick={() => open(view)}>
            {view}
          </Menu.Item>
        ))}
        <Group gap={4} p={4} wrap="nowrap" onKeyDown={(event) => event.stopPropagation()}>
          <TextInput
            size="xs"
            aria-label="Name of this view"
            placeholder="Name of this view"
            maxLength={40}
            value={name}
            onChange={({ currentTarget: { value } }) => setName(value)}
          />
          <Button
            size="xs"
            disabled={name.trim() === ''}
            onClick={() => {
              keep({ ...others, [name.trim()]: query });
              setName('');
            }}
          >
            Keep
          </Button>
        </Group>
        {name.trim() in views && (
          <Menu.Item color="red" onClick={() => keep(others)}>
            Forget {name.trim()}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
