import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApprovalView } from '../../../src/approvals/approval-views.js';
import { type WaitingOrphanRow } from '../../../src/console/console-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { Dialog, Words } from '../dialog.js';
import { money, State, Time } from '../format.js';
import { Download, Heading, Listing, Loaded, Nothing, PaymentLink } from '../parts.js';
import { useMay } from '../session.js';

export function Orphans() {
  const query = useQuery({
    queryKey: ['orphans'],
    queryFn: () => api<PageView<WaitingOrphanRow>>('GET', 'orphans'),
  });
  return (
    <>
      <Heading
        title="Orphan effects"
        hint="What a PSP did for a route that was ruled out. It is given back once the PSP has been asked about it."
      />
      <Group mb="xs">
        <Download path="orphans.csv">CSV</Download>
      </Group>
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? <Nothing>No orphan effect waits.</Nothing> : <Rows rows={data} />
        }
      </Loaded>
    </>
  );
}

function Rows({ rows }: { readonly rows: readonly WaitingOrphanRow[] }) {
  const mayAct = useMay('operator');
  const [chosen, choose] = useState<{ kind: 'return_orphan' | 'close_orphan'; row: WaitingOrphanRow } | null>(
    null,
  );
  return (
    <>
      <Listing
        rows={rows}
        keyOf={(row) => `${row.entity_key} ${row.route} ${row.psp_reference}`}
        columns={[
          {
            label: 'Reference',
            isLong: true,
            cell: ({ entity_key: key, reference }) => (
              <PaymentLink id={key.slice('payment-'.length, 'payment-'.length + 36)}>
                {reference ?? key}
              </PaymentLink>
            ),
          },
          { label: 'State', cell: ({ status }) => <State is={status} /> },
          { label: 'Amount', isFigure: true, cell: (row) => money(row.amount, row.currency) },
          {
            label: 'At the PSP',
            isLong: true,
            cell: ({ psp, psp_reference: reference }) => (
              <span className="mono">
                {psp} {reference ?? 'without an id'}
              </span>
            ),
          },
          { label: 'Found', cell: ({ found_at: at }) => <Time at={at} /> },
          { label: 'Why it waits', isLong: true, cell: why },
          { label: 'Merchant', isExtra: true, cell: ({ merchant }) => merchant },
          ...(mayAct
            ? [
                {
                  label: 'Act',
                  cell: (row: WaitingOrphanRow) => (
                    <Group gap="xs">
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => choose({ kind: 'return_orphan', row })}
                      >
                        Give back…
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => choose({ kind: 'close_orphan', row })}
                      >
                        Close…
                      </Button>
                    </Group>
                  ),
                },
              ]
            : []),
        ]}
      />
      {chosen && <Ask {...chosen} close={() => choose(null)} />}
    </>
  );
}

const waits: Readonly<Record<string, string>> = {
  open: 'Nobody has decided whether it is given back',
  approved: 'It is given back next',
  compensating: 'It is being given back',
  failed: 'It could not be given back',
};

function why({ status, psp, said }: WaitingOrphanRow): string {
  const known = waits[status] ?? status;
  return said === null ? known : `${known}: ${psp} said ${said.outcome} ${said.psp_code ?? ''}`.trim();
}

function Ask(props: { kind: 'return_orphan' | 'close_orphan'; row: WaitingOrphanRow; close: () => void }) {
  const { kind, row, close } = props;
  const [evidence, setEvidence] = useState('');
  const { merchant_id, entity_key, route, psp_reference } = row;
  const named = { merchant_id, entity_key, route, ...(psp_reference === null ? {} : { psp_reference }) };
  const isReturn = kind === 'return_orphan';
  return (
    <Dialog
      title={isReturn ? 'Give it back' : 'Close it'}
      label="Ask for approval"
      isReady={evidence.trim() !== ''}
      act={() => api<ApprovalView>('POST', 'approvals', { kind, ...named, evidence })}
      close={close}
    >
      <Text size="sm">
        {isReturn
          ? `${row.psp} is asked about this very object, and ${money(row.amount, row.currency)} is given back where it is there.`
          : 'It is taken off the list, because you settled it at the PSP. Nothing is sent.'}{' '}
        An approver has to approve it.
      </Text>
      <Words label="What you found" value={evidence} set={setEvidence} />
    </Dialog>
  );
}
