import { Anchor, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApprovalView } from '../../../src/approvals/approval-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api } from '../api.js';
import { money, State, Time } from '../format.js';
import { Facts, Failure, Heading, Loaded, Nothing } from '../parts.js';
import { useMay, useSession } from '../session.js';
import { CodeField, codeOf } from '../two-people.js';

export function Approvals() {
  const query = useQuery({
    queryKey: ['approvals'],
    queryFn: () => api<PageView<ApprovalView>>('GET', 'approvals'),
  });
  return (
    <>
      <Heading
        title="Approvals"
        hint="What moves money, overrules evidence or lifts a bound takes a second person, who approves exactly what is shown."
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

const settings: Readonly<Record<string, string>> = {
  set_payout_recipients: 'Widen whom a merchant pays out to',
  set_payout_limit: 'Lift a limit of payouts',
  remove_payout_limit: 'Remove a limit of payouts',
  allow_payouts: 'Let an API key pay out',
  change_psp_account: 'Change an address of a PSP account',
};

const labels: Readonly<Record<string, string>> = {
  rule: 'It pays out to',
  per: 'Of a day, per',
  count: 'Payouts at most',
  api_key: 'Id of the key',
  prefix: 'Key',
  psp: 'Account',
  addresses: 'New addresses',
  members: 'Changed with them',
};

function written(value: unknown): string {
  if (value === null) return 'any';
  if (Array.isArray(value)) return value.map(written).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The changed members of a setting. */
function Setting({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const { merchant_id: merchant, currency, amount, ...others } = details;
  const members = Object.entries(others).map(
    ([name, value]) => [labels[name] ?? name, written(value)] as const,
  );
  const isMoney = typeof currency === 'string' && typeof amount === 'number';
  return (
    <Facts
      facts={[
        ...('psp' in details || typeof merchant !== 'string'
          ? []
          : [
              [
                'Merchant',
                <Anchor
                  key="m"
                  inherit
                  component={Link}
                  to="/merchants/$id"
                  params={{ id: merchant } as never}
                >
                  {merchant}
                </Anchor>,
              ] as const,
            ]),
        ...(currency === undefined ? [] : [['Currency', written(currency)] as const]),
        ...(amount === undefined
          ? []
          : [['Amount at most', isMoney ? money(amount, currency) : written(amount)] as const]),
        ...members,
      ]}
    />
  );
}

export function ApprovalCard({ approval }: { readonly approval: ApprovalView }) {
  const { id, action, action_hash: hash, subject, decision, result } = approval;
  const { data: session } = useSession();
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const [mayApprove, mayDecline] = [useMay('approver'), useMay('operator')];
  const decide = useMutation({
    mutationFn: (way: 'approve' | 'decline') =>
      api<ApprovalView>(
        'POST',
        `approvals/${id}/${way}`,
        way === 'approve' ? { action_hash: hash, ...codeOf(code) } : {},
      ),
    onSettled: () => queries.invalidateQueries(),
  });
  const isOwn = session?.name === approval.requested_by;
  const isOver = decision === null && Date.parse(approval.expires_at) < Date.now();
  const { kind, ...details } = action;
  const isSetting = String(kind) in settings;
  const [noun = '', paymentId = ''] = subject.split(':');
  return (
    <Card withBorder padding="sm" component="article">
      <Group justify="space-between" align="start" mb={4}>
        <Text fw={600}>
          {titles[String(kind)] ?? settings[String(kind)] ?? String(kind)}
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
      {isSetting ? (
        <Setting details={details} />
      ) : (
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
      )}
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
      {isSetting && decision === null && !isOver && mayApprove && !isOwn && (
        <CodeField value={code} set={setCode} />
      )}
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
