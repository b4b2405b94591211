import { Button, Code, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type AuditRow } from '../../../src/audit/audit.view.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Time } from '../format.js';
import { Heading, Listing, Loaded, Nothing, PageButtons, PaymentLink } from '../parts.js';

export function Audit() {
  const { cursor } = useSearch({ from: '/shell/audit' });
  const navigate = useNavigate({ from: '/audit' });
  const query = useQuery({
    queryKey: ['audit', cursor],
    queryFn: () => api<PageView<AuditRow>>('GET', cursor === undefined ? 'audit' : `audit?cursor=${cursor}`),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading
        title="Audit"
        hint="What people did and looked at, here and at the command line, the newest first; each row holds the hash of the one before it."
      >
        <Button component="a" href="/ops/api/audit/export" variant="default" size="xs" download>
          Export as CSV
        </Button>
      </Heading>
      <Loaded query={query}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? (
            <Nothing>Nobody has done anything yet.</Nothing>
          ) : (
            <>
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  { label: 'When', cell: ({ at }) => <Time at={at} /> },
                  { label: 'Who', cell: ({ actor }) => actor },
                  {
                    label: 'From',
                    cell: ({ source_address: address, actor }) =>
                      address ?? (actor.startsWith('cli:') ? 'command line' : 'the service'),
                  },
                  { label: 'What', cell: ({ action }) => action },
                  { label: 'Of what', isLong: true, cell: ({ subject }) => <Subject of={subject} /> },
                  { label: 'Result', cell: ({ result }) => result },
                  { label: 'Detail', isLong: true, cell: ({ detail }) => <Detail of={detail} /> },
                ]}
              />
              <PageButtons
                isFirst={cursor === undefined}
                next={next}
                onFirst={() => void navigate({ search: {} })}
                onNext={(cursor) => void navigate({ search: { cursor } })}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Subject({ of }: { readonly of: string }) {
  const [noun, id] = of.split(':');
  if (noun !== 'payment' || id === undefined)
    return (
      <Text span className="mono">
        {of}
      </Text>
    );
  return <PaymentLink id={id}>{of}</PaymentLink>;
}

function Detail({ of }: { readonly of: AuditRow['detail'] }) {
  const text = Object.entries(of)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  return text === '' ? null : <Code className="mono">{text}</Code>;
}
