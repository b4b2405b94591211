import {
  Alert,
  Button,
  Group,
  List,
  Modal,
  Paper,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ApprovalView,
  type OperationRow,
  type RetryView,
  type VerdictView,
} from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { Failure } from '../parts.js';
import { useMay } from '../session.js';

interface Named {
  readonly merchant_id: string;
  readonly entity_key: string;
}

/** What may be done about an operation that is not decided: first the verdict, then the button. */
export function OperationActions({ operation, merchantId }: { operation: OperationRow; merchantId: string }) {
  const named: Named = { merchant_id: merchantId, entity_key: operation.entity_key };
  const mayAct = useMay('operator');
  const queries = useQueryClient();
  const [isResolving, resolve] = useState(false);
  const verdict = useQuery({
    queryKey: ['verdict', named],
    queryFn: () => api<VerdictView>('POST', 'operations/verdict', named),
  });
  const retry = useMutation({
    mutationFn: () => api<RetryView>('POST', 'operations/retry', named),
    onSettled: () => queries.invalidateQueries(),
  });
  const route = operation.routes.at(-1)!;
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Act on the ${operation.operation}`}>
      <Title order={2} size="h5" mb="xs">
        The {operation.operation} is {route.stuck_at === null ? 'open' : 'stuck'}
      </Title>
      {verdict.data ? <Verdict of={verdict.data} title="Retry now" /> : <Skeleton height={90} />}
      {verdict.error && <Failure error={verdict.error} />}
      {retry.data && (
        <Alert mt="sm" variant="light" color={retry.data.stuck ? 'yellow' : 'green'} role="status">
          {retry.data.calls.length === 0
            ? 'No call was made.'
            : retry.data.calls.map(({ kind, outcome }) => `${kind}: ${outcome ?? 'unanswered'}`).join(', ')}
          . {retry.data.stuck ? 'It is still stuck.' : 'It is not stuck any more.'}
        </Alert>
      )}
      {retry.error && <Failure error={retry.error} />}
      {mayAct && (
        <Group gap="xs" mt="sm">
          <Button
            size="xs"
            loading={retry.isPending}
            disabled={verdict.data?.allowed !== true}
            onClick={() => retry.mutate()}
          >
            Retry now
          </Button>
          {route.stuck_at !== null && (
            <Button size="xs" variant="default" onClick={() => resolve(true)}>
              Mark resolved…
            </Button>
          )}
        </Group>
      )}
      {isResolving && (
        <Resolve named={named} psp={route.psp} route={route.route} close={() => resolve(false)} />
      )}
    </Paper>
  );
}

function Verdict({ of: { allowed, headline, facts }, title }: { of: VerdictView; title: string }) {
  return (
    <Alert
      variant="light"
      color={allowed ? 'green' : 'orange'}
      title={`${title}: ${allowed ? 'safe' : 'refused'}`}
    >
      <Text size="sm">{headline}</Text>
      <List size="sm" mt={4}>
        {facts.map((fact) => (
          <List.Item key={fact}>{fact}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Resolve(props: { named: Named; psp: string; route: number; close: () => void }) {
  const { named, psp, route, close } = props;
  const queries = useQueryClient();
  const [as, setAs] = useState<'done' | 'not-done'>('not-done');
  const [reference, setReference] = useState('');
  const [evidence, setEvidence] = useState('');
  const action = {
    kind: 'resolve_stuck',
    ...named,
    route,
    as,
    evidence,
    ...(as === 'done' && reference !== '' ? { psp_reference: reference } : {}),
  };
  const verdict = useQuery({
    queryKey: ['action-verdict', action],
    queryFn: () =>
      api<VerdictView>('POST', 'operations/action-verdict', { ...action, evidence: evidence || '-' }),
    retry: false,
  });
  const ask = useMutation({
    mutationFn: () => api<ApprovalView>('POST', 'approvals', action),
    onSuccess: async () => {
      await queries.invalidateQueries();
      close();
    },
  });
  return (
    <Modal opened onClose={close} title="Mark resolved" size="lg">
      <Stack gap="sm">
        <Text size="sm">
          Find out at {psp} what became of it: in its dashboard, or from its support. What you state decides
          the operation once a second operator has approved it.
        </Text>
        <SegmentedControl
          aria-label={`What ${psp} did`}
          data={[
            { value: 'not-done', label: `${psp} did not do it` },
            { value: 'done', label: `${psp} did it` },
          ]}
          value={as}
          onChange={setAs}
        />
        {as === 'done' && (
          <TextInput
            label={`Its id at ${psp}`}
            value={reference}
            maxLength={200}
            onChange={({ currentTarget }) => setReference(currentTarget.value)}
          />
        )}
        <Textarea
          label="How you know"
          placeholder="Not in the dashboard; asked support, ticket 1234"
          required
          autosize
          minRows={2}
          maxLength={500}
          value={evidence}
          onChange={({ currentTarget }) => setEvidence(currentTarget.value)}
        />
        {verdict.data && <Verdict of={verdict.data} title="This" />}
        {verdict.error && (
          <Alert variant="light" color="orange" title="This: refused">
            {verdict.error.message}
          </Alert>
        )}
        {ask.error && <Failure error={ask.error} />}
        <Group justify="end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            loading={ask.isPending}
            disabled={evidence.trim() === '' || verdict.data?.allowed !== true}
            onClick={() => ask.mutate()}
          >
            Ask for approval
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
