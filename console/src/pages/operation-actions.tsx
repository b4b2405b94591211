import {
  Alert,
  Box,
  Button,
  Checkbox,
  FileInput,
  Group,
  Paper,
  Radio,
  Skeleton,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type FileView, type RetryView, type VerdictView } from '../../../src/approvals/approval-views.js';
import { type OperationRow } from '../../../src/console/console-views.js';
import { api, upload } from '../api.js';
import { Failure } from '../parts.js';
import { useMay } from '../session.js';
import { AskApproval } from './ask-approval.js';
import { Snooze } from './snooze.js';
import { Verdict } from './verdict.js';

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
  const retry = useVerdict(named, 'retry');
  const lookUp = useVerdict(named, 'look_up');
  const ask = useMutation({
    mutationFn: (path: 'retry' | 'look-up') => api<RetryView>('POST', `operations/${path}`, named),
    onSettled: () => queries.invalidateQueries(),
  });
  const route = operation.routes.at(-1)!;
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Act on the ${operation.operation}`}>
      <Title order={2} size="h5" mb="xs">
        The {operation.operation} is {route.stuck_at === null ? 'open' : 'stuck'}
      </Title>
      {retry.data ? <Verdict of={retry.data} title="Retry now" /> : <Skeleton height={90} />}
      {retry.error && <Failure error={retry.error} />}
      {lookUp.data && (
        <Box mt="xs">
          <Verdict of={{ ...lookUp.data, facts: [] }} title="Look up now" />
        </Box>
      )}
      {ask.data && (
        <Alert mt="sm" variant="light" color={ask.data.stuck ? 'yellow' : 'green'} role="status">
          {ask.data.calls.length === 0
            ? 'No call was made.'
            : ask.data.calls.map(({ kind, outcome }) => `${kind}: ${outcome ?? 'unanswered'}`).join(', ')}
          . {ask.data.stuck ? 'It is still stuck.' : 'It is not stuck any more.'}
        </Alert>
      )}
      {ask.error && <Failure error={ask.error} />}
      {mayAct && (
        <Group gap="xs" mt="sm">
          <Button
            size="xs"
            loading={ask.isPending && ask.variables === 'retry'}
            disabled={retry.data?.allowed !== true || ask.isPending}
            onClick={() => ask.mutate('retry')}
          >
            Retry now
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={ask.isPending && ask.variables === 'look-up'}
            disabled={lookUp.data?.allowed !== true || ask.isPending}
            onClick={() => ask.mutate('look-up')}
          >
            Look up now
          </Button>
          {route.stuck_at !== null && (
            <Button size="xs" variant="default" onClick={() => resolve(true)}>
              Mark resolved…
            </Button>
          )}
        </Group>
      )}
      {route.stuck_at !== null && <Snooze named={named} snooze={operation.snooze} />}
      {isResolving && (
        <Resolve
          named={named}
          psp={route.psp}
          route={route.route}
          attempt={route.attempts.at(-1)!.attempt}
          close={() => resolve(false)}
        />
      )}
    </Paper>
  );
}

function useVerdict(named: Named, act: 'retry' | 'look_up') {
  return useQuery({
    queryKey: ['verdict', act, named],
    queryFn: () => api<VerdictView>('POST', 'operations/verdict', { ...named, act }),
  });
}

/** `attempt`: the last one that is on the page, which the statement is about. */
function Resolve(props: { named: Named; psp: string; route: number; attempt: number; close: () => void }) {
  const { named, psp, route, close } = props;
  const [attempt] = useState(props.attempt);
  const [as, setAs] = useState<string | null>(null);
  const [overrules, setOverrules] = useState(false);
  const [reference, setReference] = useState('');
  const [file, setFile] = useState<FileView | null>(null);
  const attach = useMutation({
    mutationFn: (chosen: File) =>
      upload<FileView>(`evidence?${new URLSearchParams({ ...named, name: chosen.name }).toString()}`, chosen),
    onSuccess: setFile,
  });
  const action = {
    kind: 'resolve_stuck',
    ...named,
    route,
    attempt,
    as,
    overrules_psp: overrules,
    ...(as === 'done' && reference !== '' ? { psp_reference: reference } : {}),
    ...(file === null ? {} : { evidence_file: file.id, evidence_sha256: file.sha256 }),
  };
  return (
    <AskApproval
      title="Mark resolved"
      hint={`Find out at ${psp} what became of it: in its dashboard, or from its support. What you state decides the operation once a second operator has approved it.`}
      label="How you know"
      placeholder="Not in the dashboard; asked support, ticket 1234"
      action={action}
      isComplete={as !== null}
      close={close}
    >
      <Radio.Group label={`What ${psp} did`} value={as} onChange={setAs}>
        <Group mt={4}>
          <Radio value="not-done" label={`${psp} did not do it`} />
          <Radio value="done" label={`${psp} did it`} />
        </Group>
      </Radio.Group>
      {as === 'done' && (
        <TextInput
          label={`Its id at ${psp}`}
          value={reference}
          maxLength={200}
          onChange={({ currentTarget }) => setReference(currentTarget.value)}
        />
      )}
      <Checkbox
        label={`It overrules what ${psp} has said`}
        checked={overrules}
        onChange={({ currentTarget }) => setOverrules(currentTarget.checked)}
      />
      <FileInput
        label="A file that shows it (PDF, PNG, JPEG or text, up to 2 MB)"
        placeholder={file === null ? 'None' : file.name}
        accept="application/pdf,image/png,image/jpeg,text/plain"
        onChange={(chosen) => (chosen === null ? setFile(null) : attach.mutate(chosen))}
        error={attach.error?.message}
      />
    </AskApproval>
  );
}
