import { Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type DeadLetter } from '../answers.js';
import { api } from '../api.js';
import { Dialog } from '../dialog.js';
import { Time } from '../format.js';
import { Failure, Heading, Listing, Loaded, Nothing, PageButtons } from '../parts.js';
import { useMay } from '../session.js';

export function DeadLetters() {
  const { cursor } = useSearch({ from: '/shell/dead-letters' });
  const navigate = useNavigate({ from: '/dead-letters' });
  const queries = useQueryClient();
  const [mayMerge, mayPurge] = [useMay('operator'), useMay('admin')];
  const [chosen, choose] = useState<readonly string[]>([]);
  const [isPurging, askToPurge] = useState(false);
  const query = useQuery({
    queryKey: ['dead-letters', cursor],
    queryFn: () =>
      api<PageView<DeadLetter>>(
        'GET',
        `dead-letters?limit=50${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      ),
    placeholderData: keepPreviousData,
  });
  const act = useMutation({
    mutationFn: (way: 'merge' | 'purge') =>
      api<{ merged?: number; purged?: number }>('POST', `dead-letters/${way}`, { ids: chosen }),
    onSettled: async () => {
      choose([]);
      askToPurge(false);
      await queries.invalidateQueries();
    },
  });
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
              onClick={() => act.mutate('merge')}
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
        </Text>
      )}
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
                  { label: 'Tries', isFigure: true, cell: ({ tries }) => tries },
                  { label: 'Given up', cell: ({ died_at: at }) => <Time at={at} /> },
                  {
                    label: 'Last error',
                    isLong: true,
                    cell: ({ error }) => (
                      <Text size="sm" lineClamp={2}>
                        {error}
                      </Text>
                    ),
                  },
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
      {isPurging && (
        <Dialog
          title="Purge for good"
          label={`Purge ${chosen.length}`}
          isDangerous
          act={() => act.mutateAsync('purge')}
          close={() => askToPurge(false)}
        >
          <Text size="sm">{chosen.length} jobs are deleted for good: what they were to do is not done.</Text>
        </Dialog>
      )}
    </>
  );
}
