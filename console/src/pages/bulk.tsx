import { Button, Group, Modal, Progress, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { type OpenRow } from '../../../src/console/console-views.js';
import { type RetryView, type VerdictView } from '../../../src/approvals/approval-views.js';
import { api } from '../api.js';
import { Failure, Listing, Loaded } from '../parts.js';

export type BulkAct = 'retry' | 'look-up';

const titles = { retry: 'Retry now', 'look-up': 'Look up now' } as const;
/** Of a page. What was chosen beyond that waits for the next time. */
const MOST = 100;

interface Judged {
  readonly row: OpenRow;
  readonly verdict: Pick<VerdictView, 'allowed' | 'headline'>;
}

const named = ({ merchant_id, entity_key }: OpenRow) => ({ merchant_id, entity_key });

/**
 * The same act on several operations: first the verdict on each, then each that is safe, one after the other. The
 * service judges each of them again when its turn comes.
 */
export function Bulk({ act, rows, close }: { act: BulkAct; rows: readonly OpenRow[]; close: () => void }) {
  const queries = useQueryClient();
  // As they were chosen: the list behind is read again, and a decided operation leaves it.
  const [chosen] = useState(() => rows.slice(0, MOST));
  const [results, setResults] = useState<Readonly<Record<string, string>>>({});
  const isStopped = useRef(false);
  const verdicts = useQuery({
    queryKey: ['bulk-verdicts', act, chosen.map(({ entity_key: key }) => key)],
    queryFn: async () => {
      const judged: Judged[] = [];
      for (const row of chosen) {
        const of = { ...named(row), act: act === 'retry' ? 'retry' : 'look_up' };
        // One that cannot be judged is left as it is; it does not keep the others.
        const verdict = api<VerdictView>('POST', 'operations/verdict', of).catch((error: Error) => ({
          allowed: false,
          headline: `Not judged: ${error.message}`,
        }));
        judged.push({ row, verdict: await verdict });
      }
      return judged;
    },
    staleTime: Infinity,
  });
  const safe = (verdicts.data ?? []).filter(({ verdict }) => verdict.allowed);
  const work = useMutation({
    mutationFn: async () => {
      for (const { row } of safe) {
        if (isStopped.current) return;
        const result = await api<RetryView>('POST', `operations/${act}`, named(row)).then(resultOf, said);
        setResults((before) => ({ ...before, [row.entity_key]: result }));
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['operations'] }),
  });
  const done = Object.keys(results).length;
  const stop = () => {
    isStopped.current = true;
    close();
  };
  return (
    <Modal opened onClose={stop} size="xl" title={`${titles[act]}: ${chosen.length} operations`}>
      <Loaded query={verdicts}>
        {(judged) => (
          <>
            <Text size="sm" mb="xs" role="status">
              {work.isIdle
                ? `${safe.length} of ${judged.length} are safe. The others are left as they are.`
                : `${done} of ${safe.length} done.`}
            </Text>
            {!work.isIdle && (
              <Progress value={(done / Math.max(1, safe.length)) * 100} mb="xs" aria-label="Progress" />
            )}
            <Listing
              rows={judged}
              keyOf={({ row }) => row.entity_key}
              columns={[
                {
                  label: 'Operation',
                  isLong: true,
                  cell: ({ row }) => <span className="mono">{row.entity_key}</span>,
                },
                { label: 'Verdict', cell: ({ verdict }) => (verdict.allowed ? 'safe' : 'refused') },
                {
                  label: 'What happens',
                  isLong: true,
                  cell: ({ row, verdict }) => results[row.entity_key] ?? verdict.headline,
                },
              ]}
            />
          </>
        )}
      </Loaded>
      {work.error && <Failure error={work.error} />}
      <Group justify="end" mt="md">
        <Button variant="default" onClick={stop}>
          {work.isIdle ? 'Cancel' : work.isPending ? 'Stop' : 'Close'}
        </Button>
        {work.isIdle && (
          <Button disabled={safe.length === 0} onClick={() => work.mutate()}>
            {titles[act]}: {safe.length}
          </Button>
        )}
      </Group>
    </Modal>
  );
}

function resultOf({ calls, stuck }: RetryView): string {
  const made = calls.map(({ kind, outcome }) => `${kind}: ${outcome ?? 'unanswered'}`).join(', ');
  return `${made || 'No call was made'}. ${stuck ? 'Still stuck.' : 'Not stuck any more.'}`;
}

function said(error: Error): string {
  return `Not done: ${error.message}`;
}
