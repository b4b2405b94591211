import { Box, Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type DeadLetter, type DeadLetterCount } from '../answers.js';
import { api, queryOf } from '../api.js';
import { Dialog } from '../dialog.js';
import { Filters, type Search } from '../filters.js';
import { Time } from '../format.js';
import { Failure, Heading, Listing, Loaded, Nothing, PageButtons, Part } from '../parts.js';
import { useMay } from '../session.js';

/** The dead letters that an act is for: those chosen on the page, or all of a kind and cause. */
type Selection = { readonly ids: readonly string[] } | { readonly kind: string; readonly cause: string };

export function DeadLetters() {
  const search = useSearch({ from: '/shell/dead-letters' });
  const { cursor } = search;
  const navigate = useNavigate({ from: '/dead-letters' });
  const queries = useQueryClient();
  const [mayMerge, mayPurge] = [useMay('operator'), useMay('admin')];
  const [chosen, choose] = useState<readonly string[]>([]);
  const [isPurging, askToPurge] = useState(false);
  const counts = useQuery({
    queryKey: ['dead-letters', 'counts'],
    queryFn: () => api<{ readonly data: readonly DeadLetterCount[] }>('GET', 'dead-letters/counts'),
  });
  const query = useQuery({
    queryKey: ['dead-letters', search],
    queryFn: () => api<PageView<DeadLetter>>('GET', `dead-letters?${queryOf({ limit: '50', ...search })}`),
    placeholderData: keepPreviousData,
  });
  const act = useMutation({
    mutationFn: ({ way, of }: { way: 'merge' | 'purge'; of: Selection }) =>
      api<{ merged?: number; purged?: number; left: number }>('POST', `dead-letters/${way}`, of),
    onSettled: async () => {
      choose([]);
      askToPurge(false);
      await queries.invalidateQueries();
    },
  });
  const narrow = (change: Search) => {
    const { cursor: _cursor, ...kept } = search;
    choose([]);
    void navigate({ search: { ...kept, ...change } });
  };
  const groups = counts.data?.data ?? [];
  const distinct = (of: (group: DeadLetterCount) => string) => [...new Set(groups.map(of))];
  return (
    <>
      <Heading
        title="Dead letters"
        hint="Jobs that were given up. Once the cause is mended, send them back to their queue."
      >
        {mayMerge && (
          <Group gap="xs">
            <Button
              size="xs"
              disabled={chosen.length === 0}
              loading={act.isPending}
              onClick={() => act.mutate({ way: 'merge', of: { ids: chosen } })}
            >
              Requeue {chosen.length || ''}
            </Button>
            {mayPurge && (
              <Button
                size="xs"
                color="red"
                variant="light"
                disabled={chosen.length === 0}
                onClick={() => askToPurge(true)}
              >
                Purge…
              </Button>
            )}
          </Group>
        )}
      </Heading>
      {act.error && <Failure error={act.error} />}
      {act.data && (
        <Text role="status" size="sm" mb="sm">
          {act.data.merged === undefined
            ? `${act.data.purged} purged.`
            : `${act.data.merged} sent back to their queue.`}
          {act.data.left > 0 && ` ${act.data.left} are left: once more.`}
        </Text>
      )}
      {groups.length > 0 && (
        <Box mb="md">
          <Part title="By cause" hint="the most first">
            <Listing
              rows={groups}
              keyOf={({ kind, cause }) => `${kind} ${cause}`}
              columns={[
                {
                  label: 'Kind',
                  cell: ({ kind, cause }) => (
                    <Link to="/dead-letters" search={{ kind, cause }} className="row-link mono">
                      {kind}
                    </Link>
                  ),
                },
                { label: 'Cause', isLong: true, cell: ({ cause }) => cause },
                { label: 'Jobs', isFigure: true, cell: ({ count }) => count },
                { label: 'Oldest', cell: ({ oldest_died_at: at }) => <Time at={at} /> },
                ...(mayMerge
                  ? [
                      {
                        label: 'Act',
                        cell: ({ kind, cause }: DeadLetterCount) => (
                          <Button
                            size="compact-xs"
                            variant="default"
                            disabled={act.isPending}
                            onClick={() => act.mutate({ way: 'merge', of: { kind, cause } })}
                          >
                            Requeue all
                          </Button>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          </Part>
        </Box>
      )}
      <Filters
        list="dead-letters/list"
        filters={[
          { name: 'kind', label: 'Kind', kind: 'choice', choices: distinct(({ kind }) => kind) },
          { name: 'cause', label: 'Cause', kind: 'choice', choices: distinct(({ cause }) => cause) },
        ]}
        search={search}
        set={narrow}
      />
      <Loaded query={query}>
        {({ data, next_cursor: next }) =>
          data.length === 0 ? (
            <Nothing>No job was given up.</Nothing>
          ) : (
            <>
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                choice={mayMerge ? { chosen, choose } : undefined}
                columns={[
                  { label: 'Kind', cell: ({ kind }) => <span className="mono">{kind}</span> },
                  { label: 'Cause', cell: ({ cause }) => cause },
                  { label: 'About', isLong: true, cell: About },
                  { label: 'Tries', isFigure: true, isExtra: true, cell: ({ tries }) => tries },
                  { label: 'Given up', cell: ({ died_at: at }) => <Time at={at} /> },
                  { label: 'Last error', isLong: true, cell: ({ error }) => error },
                ]}
              />
              <PageButtons
                isFirst={cursor === undefined}
                next={next}
                onFirst={() => narrow({})}
                onNext={(to) => narrow({ cursor: to })}
              />
            </>
          )
        }
      </Loaded>
      {isPurging && (
        <Dialog
          title="Purge for good"
          label={`Purge ${chosen.length}`}
          isDangerous
          act={() => act.mutateAsync({ way: 'purge', of: { ids: chosen } })}
          close={() => askToPurge(false)}
        >
          <Text size="sm">{chosen.length} jobs are deleted for good: what they were to do is not done.</Text>
        </Dialog>
      )}
    </>
  );
}

/** The arguments of the job, which are ids. */
function About({ args }: DeadLetter) {
  const { merchantId, ...others } = args;
  const text = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  return (
    <span className="mono">
      {typeof merchantId === 'string' && (
        <>
          <Link to="/merchants/$id" params={{ id: merchantId }}>
            merchant {merchantId}
          </Link>
          {text.length > 0 && ', '}
        </>
      )}
      {text.join(', ')}
    </span>
  );
}
