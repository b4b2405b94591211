import { Anchor, Box, Button, Card, Group, Image, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  type ApprovalDetailsView,
  type ApprovalView,
  type FileView,
} from '../../../src/approvals/approval-views.js';
import { type PageView } from '../../../src/core/page.view.js';
import { api, download } from '../api.js';
import { money, State, Time, words } from '../format.js';
import { Facts, Failure, Heading, Loaded, Nothing } from '../parts.js';
import { type RoutingRule } from '../routing-rules.js';
import { useMay, useSession } from '../session.js';
import { CodeField, codeOf } from '../two-people.js';
import { RoutingChange } from './merchant-routing.js';
import { Verdict } from './verdict.js';

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
  set_routing: 'Change where the payments of a merchant go',
  change_psp_account: 'Change an address of a PSP account',
  correct_ledger: 'Correct the ledger',
  invite_operator: 'Let a person in to the console',
  reset_operator: 'Take an operator’s password and authenticator away, for new ones',
};

const labels: Readonly<Record<string, string>> = {
  rule: 'It pays out to',
  per: 'Of a day, per',
  count: 'Payouts at most',
  api_key: 'Id of the key',
  prefix: 'Key',
  psp: 'PSP account',
  name: 'Name',
  day: 'Of the day (UTC)',
  role: 'Role',
  person: 'Person',
  debit: 'Debit',
  credit: 'Credit',
  note: 'Why',
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
  const { merchant_id: merchant, currency, amount, rules, replaces: _version, ...others } = details;
  const given = Object.entries(others).filter(([name, value]) => name !== 'day' || value !== null);
  const members = given.map(([name, value]) => {
    const isAccount = name === 'debit' || name === 'credit';
    return [labels[name] ?? name, isAccount ? words(String(value)) : written(value)] as const;
  });
  const isMoney = typeof currency === 'string' && typeof amount === 'number';
  return (
    <Box my="xs" maw={640}>
      <Facts
        facts={[
          ...(typeof merchant !== 'string' || /^[0-]+$/.test(merchant)
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
          ...(currency === undefined || isMoney ? [] : [['Currency', written(currency)] as const]),
          ...(amount === undefined
            ? []
            : [
                [
                  'debit' in details ? 'Amount' : 'Amount at most',
                  isMoney ? money(amount, currency) : written(amount),
                ] as const,
              ]),
          ...members,
        ]}
      />
      {rules !== undefined && (
        <RoutingChange merchantId={String(merchant)} rules={rules as RoutingRule[] | null} />
      )}
    </Box>
  );
}

export function ApprovalCard({ approval }: { readonly approval: ApprovalView }) {
  const { id, action, action_hash: hash, waits, decision, result } = approval;
  const { data: session } = useSession();
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const [isSure, setSure] = useState(false);
  const [mayApprove, mayDecline] = [useMay('approver'), useMay('operator')];
  const { kind, ...details } = action;
  const isSetting = String(kind) in settings;
  const judged = useQuery({
    queryKey: ['approval', id],
    queryFn: () => api<ApprovalDetailsView>('GET', `approvals/${id}`),
    enabled: !isSetting && (waits || typeof details['evidence_file'] === 'string'),
  });
  const decide = useMutation({
    mutationFn: (way: 'approve' | 'decline') =>
      api<ApprovalView>(
        'POST',
        `approvals/${id}/${way}`,
        way === 'approve' ? { action_hash: hash, ...codeOf(code) } : {},
      ),
    onSettled: () => {
      setSure(false);
      return queries.invalidateQueries();
    },
  });
  const isOwn = session?.name === approval.requested_by;
  const waiting = !isOwn && mayApprove ? 'waits for you' : 'waiting';
  const isAllowed = isSetting || judged.data?.verdict?.allowed === true;
  const title = titles[String(kind)] ?? settings[String(kind)] ?? String(kind);
  return (
    <Card withBorder padding="sm" component="article">
      <Group justify="space-between" align="start" mb={4}>
        <Text fw={600}>
          {title}
          {typeof details['as'] === 'string' && `: ${details['as'].replace('-', ' ')}`}
        </Text>
        <State is={decision ?? (waits ? waiting : 'expired')} />
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        asked for by {approval.requested_by}, <Time at={approval.requested_at} />
        {approval.decided_by && (
          <>
            ; {decision} by {approval.decided_by}, <Time at={approval.decided_at} />
          </>
        )}
        {waits && (
          <>
            ; it lapses <Time at={approval.expires_at} />
          </>
        )}
      </Text>
      {typeof details['evidence'] === 'string' && <Text size="sm">“{details['evidence']}”</Text>}
      {isSetting ? <Setting details={details} /> : <Act approval={approval} details={judged.data ?? null} />}
      {judged.error && <Failure error={judged.error} />}
      {judged.data?.verdict && <Verdict of={{ ...judged.data.verdict, facts: [] }} title="Now" />}
      {judged.data?.file && <Evidence of={judged.data.file} />}
      {result && (
        <Text size="sm" mt={4}>
          {result}
        </Text>
      )}
      {decide.error && <Failure error={decide.error} />}
      {isSetting && waits && mayApprove && !isOwn && <CodeField value={code} set={setCode} />}
      {waits && (mayApprove || mayDecline) && (
        <Group gap="xs" mt="sm">
          {mayApprove && !isOwn && !isSure && (
            <Button size="xs" disabled={!isAllowed} onClick={() => setSure(true)}>
              Approve…
            </Button>
          )}
          {isSure && (
            <>
              <Button size="xs" loading={decide.isPending} onClick={() => decide.mutate('approve')}>
                Yes, do it: {title.toLowerCase()}
              </Button>
              <Button size="xs" variant="default" disabled={decide.isPending} onClick={() => setSure(false)}>
                Not yet
              </Button>
            </>
          )}
          {mayDecline && !isSure && (
            <Button
              size="xs"
              variant="default"
              disabled={decide.isPending}
              onClick={() => decide.mutate('decline')}
            >
              {isOwn ? 'Withdraw' : 'Decline'}
            </Button>
          )}
          {!isOwn && !mayApprove && (
            <Text size="sm" c="dimmed">
              An approver or an administrator decides it.
            </Text>
          )}
          {isOwn && (
            <Text size="sm" c="dimmed">
              You asked for this: an approver has to approve it.
            </Text>
          )}
        </Group>
      )}
    </Card>
  );
}

/** On what it acts: the payment as it is now, and the PSP's last word of it. */
function Act({ approval, details }: { approval: ApprovalView; details: ApprovalDetailsView | null }) {
  const { action, subject, currency } = approval;
  const [noun = '', id = ''] = subject.split(':');
  const { entity_key: name, route, amount, reference, psp_reference: object, psp_says: says } = action;
  const about = details?.about;
  const word = details?.psp_word;
  const link = noun === 'payment' ? '/payments/$id' : '/payouts/$id';
  const facts: readonly (readonly [string, ReactNode] | false)[] = [
    about !== undefined && ['Merchant', about.merchant],
    about !== undefined && [
      words(noun),
      <Anchor key="a" inherit component={Link} to={link} params={{ id } as never}>
        {about.reference}, {money(about.amount, about.currency)}
      </Anchor>,
    ],
    about?.order ? ['Order', about.order] : false,
    about !== undefined && ['Is now', <State key="s" is={about.status} />],
    about?.psp ? ['PSP', about.psp] : false,
    typeof amount === 'number' && currency !== null && ['Amount', money(amount, currency)],
    typeof reference === 'string' && ['Named', reference],
    typeof object === 'string' && ['Id at the PSP', object],
    word
      ? [
          'The PSP said last',
          <span key="w">
            {word.outcome.replaceAll('_', ' ')}
            {word.money && ` ${money(word.money.amount, word.money.currency)}`}, <Time at={word.at} />
          </span>,
        ]
      : false,
    typeof says === 'string' && ['Asked for this, the PSP said of that id', says],
    [
      'Operation',
      <Anchor key="o" inherit className="mono" component={Link} to={link} params={{ id } as never}>
        {String(name)}
        {typeof route === 'number' && `, route ${route}`}
      </Anchor>,
    ],
  ];
  return (
    <Box my="xs" maw={640}>
      <Facts facts={facts.filter((fact) => fact !== false)} />
      {action['overrules_psp'] === true && (
        <Text size="sm" fw={600} mt="xs">
          It overrules what the PSP has said
          {action['given_back'] === true ? ': it was there and has been given back' : ''}.
        </Text>
      )}
    </Box>
  );
}

/** The attached file: a picture is shown by a click, which is written down as its download is. */
function Evidence({ of: { id, name, content_type: type, added_by: by } }: { of: FileView }) {
  const [shown, show] = useState<string | null>(null);
  const look = useMutation({
    mutationFn: () => download(`evidence/${id}`, type),
    onSuccess: (blob) => show(URL.createObjectURL(blob)),
  });
  return (
    <Box my="xs">
      <Group gap="xs">
        <Anchor size="sm" href={`/ops/api/evidence/${id}`} download={name}>
          {name}
        </Anchor>
        <Text size="sm" c="dimmed">
          attached by {by}
        </Text>
        {type.startsWith('image/') && shown === null && (
          <Button size="compact-xs" variant="default" loading={look.isPending} onClick={() => look.mutate()}>
            Show
          </Button>
        )}
      </Group>
      {look.error && <Failure error={look.error} />}
      {shown !== null && <Image src={shown} alt={name} mah={360} fit="contain" mt="xs" />}
    </Box>
  );
}
