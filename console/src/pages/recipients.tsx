import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PageView } from '../../../src/core/page.view.js';
import { type RecipientRow } from '../../../src/console/installation-views.js';
import { api } from '../api.js';
import { Dialog, Effects } from '../dialog.js';
import { State, Time } from '../format.js';
import { Listing, Loaded, Nothing, PageButtons, Part } from '../parts.js';
import { useMay } from '../session.js';

interface Asked {
  readonly act: 'approve' | 'remove';
  readonly of: RecipientRow;
}

/** Whom the merchant pays out to. Tokens are shown by their last characters alone. */
export function Recipients({ merchantId }: { merchantId: string }) {
  const mayApprove = useMay('approver');
  const [cursor, goTo] = useState<string | null>(null);
  const [asked, ask] = useState<Asked | null>(null);
  const path = `merchants/${encodeURIComponent(merchantId)}/recipients`;
  const query = useQuery({
    queryKey: ['recipients', merchantId, cursor],
    queryFn: () => api<PageView<RecipientRow>>('GET', cursor === null ? path : `${path}?cursor=${cursor}`),
  });
  const button = (label: string, act: Asked['act'], of: RecipientRow) => (
    <Button size="compact-xs" variant="default" onClick={() => ask({ act, of })}>
      {label}
    </Button>
  );
  return (
    <Part title="Recipients of payouts" hint="as the merchant registered them">
      {asked && <Act path={path} asked={asked} close={() => ask(null)} />}
      <Loaded query={query}>
        {({ data, next_cursor: next }) => (
          <>
            {data.length === 0 ? (
              <Nothing>It has registered none.</Nothing>
            ) : (
              <Listing
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Recipient',
                    isLong: true,
                    cell: ({ reference }) => <span className="mono">{reference}</span>,
                  },
                  { label: 'State', cell: ({ status }) => <State is={status} /> },
                  { label: 'Accounts', isLong: true, cell: accountsOf },
                  { label: 'Registered', cell: ({ registered_at: at }) => <Time at={at} /> },
                  { label: 'Approved', cell: ({ approved_at: at }) => <Time at={at} /> },
                  ...(mayApprove
                    ? [
                        {
                          label: 'Act',
                          cell: (row: RecipientRow) => (
                            <Group gap="xs" justify="inherit">
                              {row.status === 'waiting_for_approval' && button('Approve…', 'approve', row)}
                              {row.status !== 'removed' && button('Remove recipient…', 'remove', row)}
                            </Group>
                          ),
                        },
                      ]
                    : []),
                ]}
              />
            )}
            <PageButtons isFirst={cursor === null} next={next} onFirst={() => goTo(null)} onNext={goTo} />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function accountsOf({ accounts }: RecipientRow): string {
  return Object.entries(accounts)
    .map(([psp, last]) => `${psp} …${last}`)
    .join(', ');
}

function Act({ path, asked: { act, of }, close }: { path: string; asked: Asked; close: () => void }) {
  const isApproval = act === 'approve';
  const { id, version, reference } = of;
  return (
    <Dialog
      title={isApproval ? `Approve ${reference}` : `Remove ${reference}`}
      label={isApproval ? 'Approve it' : 'Remove it'}
      isDangerous
      act={() => api('POST', `${path}/${act}`, isApproval ? { id, version } : { id })}
      close={close}
    >
      <Effects of={isApproval ? [`Money may go to ${accountsOf(of)}.`, ...approval] : removal} isGrave />
    </Dialog>
  );
}

const approval = [
  'Ask the merchant on another way whether these are the right accounts.',
  'The approval is for these accounts: others under the same name need another one.',
];
const removal = [
  'It is not paid any more, until the merchant registers it again.',
  'Payouts that are on their way go on.',
];
