import { Anchor, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ApprovalView, type PageView } from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Failure, Heading, Loaded, Nothing } from '../parts.js';
import { useMay, useSession } from '../session.js';

export function Approvals() {
  const query = useQuery({
    queryKey: ['approvals'],
    queryFn: () => api<PageView<ApprovalView>>('GET', 'approvals'),
  });
  return (
    <>
      <Heading
        title="Approvals"
        hint="What moves money or overrules evidence takes a second person, who approves exactly what is shown."
      />
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing>Nobody has asked for an approval.</Nothing>
          ) : (
            <Stack gap="sm">
              {data.map((approval) => (
                <ApprovalCard key={approval.id} approval={approval} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}

const titles: Readonly<Record<string, string>> = {
  resolve_stuck: 'Mark resolved',
  return_orphan: 'Give an orphan effect back',
  close_orphan: 'Close an orphan effect',
  cancel_payment: 'Cancel at the PSP',
  refund_payment: 'Refund',
};

export function ApprovalCard({ approval }: { readonly approval: ApprovalView }) {
  const { id, action, action_hash: hash, subject, decision, result } = approval;
  const { data: session } = useSession();
  const queries = useQueryClient();
  const [mayApprove, mayDecline] = [useMay('approver'), useMay('operator')];
  const decide = useMutation({
    mutationFn: (way: 'approve' | 'decline') =>
      api<ApprovalView>('POST', `approvals/${id}/${way}`, way === 'approve' ? { action_hash: hash } : {}),
    onSettled: () => queries.invalidateQueries(),
  });
  const isOwn = session?.name === approval.requested_by;
  const isOver = decision === null && Date.parse(approval.expires_at) < Date.now();
  const { kind, ...details } = action;
  const [noun = '', paymentId = ''] = subject.split(':');
  return (
    <Card withBorder padding="sm" component="article">
      <Group justify="space-between" align="start" mb={4}>
        <Text fw={600}>
          {titles[String(kind)] ?? String(kind)}
          {typeof details['as'] === 'string' && `: ${details['as']}`}
        </Text>
        <State is={decision ?? (isOver ? 'expired' : 'waiting')} />
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        asked for by {approval.requested_by}, <Time at={approval.requested_at} />
        {approval.decided_by && (
          <>
            ; {decision} by {approval.decided_by}, <Time at={approval.decided_at} />
          </>
        )}
      </Text>
      {typeof details['evidence'] === 'string' && <Text size="sm">“{details['evidence']}”</Text>}
      <Text size="sm" className="mono" mt={4}>
        {noun === 'payment' ? (
          <Anchor inherit component={Link} to="/payments/$id" params={{ id: paymentId } as never}>
            {String(details['entity_key'])}
          </Anchor>
        ) : (
          String(details['entity_key'])
        )}
        {typeof details['route'] === 'number' && `, route ${details['route']}`}
        {typeof details['amount'] === 'number' && approval.currency !== null && (
          <>, {money(details['amount'], approval.currency)}</>
        )}
        {typeof details['reference'] === 'string' && `, named ${details['reference']}`}
        {typeof details['psp_reference'] === 'string' && `, ${details['psp_reference']}`}
      </Text>
      {typeof details['psp_says'] === 'string' && <Text size="sm">{details['psp_says']}</Text>}
      {details['overrules_psp'] === true && (
        <Text size="sm" c="orange">
          It overrules what the PSP has said.
        </Text>
      )}
      {typeof details['evidence_file'] === 'string' && (
        <Anchor size="sm" href={`/ops/api/evidence/${details['evidence_file']}`} download>
          The attached file
        </Anchor>
      )}
      {result && (
        <Text size="sm" mt={4}>
          {result}
        </Text>
      )}
      {decide.error && <Failure error={decide.error} />}
      {decision === null && !isOver && (mayApprove || mayDecline) && (
        <Group gap="xs" mt="sm">
          {mayApprove && !isOwn && (
            <Button size="xs" loading={decide.isPending} onClick={() => decide.mutate('approve')}>
              Approve and do it
            </Button>
          )}
          {mayDecline && (
            <Button
              size="xs"
              variant="default"
              disabled={decide.isPending}
              onClick={() => decide.mutate('decline')}
            >
              {isOwn ? 'Withdraw' : 'Decline'}
            </Button>
          )}
          {isOwn && (
            <Text size="sm" c="dimmed">
              You asked for this: another operator has to approve it.
            </Text>
          )}
        </Group>
      )}
    </Card>
  );
}
