import {
  Alert,
  Anchor,
  Box,
  Button,
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
import {
  type FileView,
  type RetryView,
  type StuckAdviceView,
  type VerdictView,
} from '../../../src/approvals/approval-views.js';
import { type OperationRow, type RouteRow } from '../../../src/console/console-views.js';
import { api, upload } from '../api.js';
import { Failure } from '../parts.js';
import { useMay } from '../session.js';
import { Against, AskedAndSaid, StuckReason } from './asked-and-said.js';
import { AskApproval } from './ask-approval.js';
import { Snooze } from './snooze.js';
import { Verdict } from './verdict.js';

interface Named {
  readonly merchant_id: string;
  readonly entity_key: string;
}

type Way = 'retry' | 'look_up' | 'resolve';

/**
 * An operation that is not decided: what was asked for and what the PSP says, then the way that is recommended, with its verdict
 * before its button. The other ways are a click away.
 */
export function OperationActions({ operation, merchantId }: { operation: OperationRow; merchantId: string }) {
  const named: Named = { merchant_id: merchantId, entity_key: operation.entity_key };
  const mayAct = useMay('operator');
  const queries = useQueryClient();
  const [isResolving, resolve] = useState(false);
  const [showsAll, showAll] = useState(false);
  const verdicts = { retry: useVerdict(named, 'retry'), look_up: useVerdict(named, 'look_up') };
  const ask = useMutation({
    mutationFn: (way: 'retry' | 'look_up') =>
      api<RetryView>('POST', `operations/${way.replace('_', '-')}`, named),
    onSettled: () => queries.invalidateQueries(),
  });
  const route = operation.routes.at(-1)!;
  const isStuck = route.stuck_at !== null;
  const { retry, look_up: lookUp } = verdicts;
  const isJudging = retry.isPending || lookUp.isPending;
  const recommended = recommendedOf(retry.data, lookUp.data, route.stuck_advice);
  const others = (['retry', 'look_up', ...(isStuck ? ['resolve' as const] : [])] as const).filter(
    (way) => way !== recommended,
  );
  const wayOf = (way: Way) =>
    way === 'resolve' ? (
      <ByHand
        key={way}
        advice={route.stuck_advice!}
        act={mayAct ? () => resolve(true) : null}
        isFirst={way === recommended}
      />
    ) : (
      <Asked
        key={way}
        title={way === 'retry' ? 'Retry now' : 'Look up now'}
        verdict={verdicts[way].data}
        error={verdicts[way].error}
        isFirst={way === recommended}
        isBusy={ask.isPending}
        isAsking={ask.isPending && ask.variables === way}
        act={mayAct ? () => ask.mutate(way) : null}
      />
    );
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Act on the ${operation.operation}`}>
      <Title order={2} size="h5" mb={4}>
        The {operation.operation} is {isStuck ? 'stuck' : 'open'}
      </Title>
      {isStuck && <StuckReason reason={route.stuck_reason} />}
      <AskedAndSaid route={route} />
      {ask.data && (
        <Alert mt="sm" variant="light" color={ask.data.stuck ? 'yellow' : 'green'} role="status">
          {ask.data.calls.length === 0
            ? 'No call was made.'
            : ask.data.calls.map(({ kind, outcome }) => `${kind}: ${outcome ?? 'unanswered'}`).join(', ')}
          . {ask.data.stuck ? 'It is still stuck.' : 'It is not stuck any more.'}
        </Alert>
      )}
      {ask.error && <Failure error={ask.error} />}
      {isJudging ? <Skeleton height={90} mt="sm" /> : recommended && wayOf(recommended)}
      {others.length > 0 && !isJudging && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          mt="xs"
          aria-expanded={showsAll}
          onClick={() => showAll(!showsAll)}
        >
          {showsAll ? 'Hide other ways' : 'Other ways'}
        </Anchor>
      )}
      {showsAll && others.map(wayOf)}
      {isStuck && <Snooze named={named} snooze={operation.snooze} />}
      {isResolving && <Resolve named={named} route={route} close={() => resolve(false)} />}
    </Paper>
  );
}

/**
 * Asking the PSP comes before a person's word, unless nothing but that word ends it, and sends nothing twice; null: nobody can
 * do anything now.
 */
function recommendedOf(
  retry: VerdictView | undefined,
  lookUp: VerdictView | undefined,
  advice: StuckAdviceView | null,
): Way | null {
  if (advice?.way === 'state') return 'resolve';
  if (retry?.allowed) return 'retry';
  if (lookUp?.allowed) return 'look_up';
  return advice === null ? null : 'resolve';
}

function Asked(props: {
  title: string;
  verdict: VerdictView | undefined;
  error: Error | null;
  isFirst: boolean;
  isBusy: boolean;
  isAsking: boolean;
  /** Null: this operator may not. */
  act: (() => void) | null;
}) {
  const { title, verdict, error, isFirst, isBusy, isAsking, act } = props;
  if (error) return <Failure error={error} />;
  if (!verdict) return <Skeleton height={90} mt="sm" />;
  return (
    <Box mt="sm">
      <Verdict of={isFirst ? verdict : { ...verdict, facts: [] }} title={title} />
      {act && (
        <Button
          mt="xs"
          size="xs"
          variant={isFirst ? 'filled' : 'default'}
          loading={isAsking}
          disabled={!verdict.allowed || isBusy}
          onClick={act}
        >
          {title}
        </Button>
      )}
    </Box>
  );
}

function ByHand(props: { advice: StuckAdviceView; act: (() => void) | null; isFirst: boolean }) {
  const { advice, act, isFirst } = props;
  const isStated = advice.way !== 'other';
  return (
    <Box mt="sm">
      <Alert
        variant="light"
        color={isFirst ? 'blue' : 'gray'}
        title={isStated ? 'Find out, and mark it resolved' : 'What ends it'}
      >
        {advice.say}
      </Alert>
      {act && (
        <Button mt="xs" size="xs" variant={isFirst && isStated ? 'filled' : 'default'} onClick={act}>
          Mark resolved…
        </Button>
      )}
    </Box>
  );
}

function useVerdict(named: Named, act: 'retry' | 'look_up') {
  return useQuery({
    queryKey: ['verdict', act, named],
    queryFn: () => api<VerdictView>('POST', 'operations/verdict', { ...named, act }),
  });
}

/** The finding of a person. A "not done" against the PSP's words says how that can be. */
type Found = 'done' | 'not-done' | 'given_back' | 'shown';

/** A person's statement about the operation, of the attempts that were on the page when this was opened. */
function Resolve({ named, route: now, close }: { named: Named; route: RouteRow; close: () => void }) {
  const [route] = useState(now);
  const { psp } = route;
  const [found, setFound] = useState<Found | null>(null);
  const [reference, setReference] = useState(route.psp_reference ?? route.psp_word?.objects[0]?.id ?? '');
  const [file, setFile] = useState<FileView | null>(null);
  const attach = useMutation({
    mutationFn: (chosen: File) =>
      upload<FileView>(`evidence?${new URLSearchParams({ ...named, name: chosen.name }).toString()}`, chosen),
    onSuccess: setFile,
  });
  const as = found === null || found === 'done' ? found : 'not-done';
  const against = as === null ? null : route.against[as];
  const isAgainst = route.against['not-done'] !== null;
  const isComplete = found === 'done' ? reference !== '' : found === 'shown' ? file !== null : found !== null;
  const action = {
    kind: 'resolve_stuck',
    ...named,
    route: route.route,
    attempt: route.attempts.at(-1)!.attempt,
    as,
    overrules_psp: as === 'not-done' && isAgainst,
    ...(found === 'given_back' ? { given_back: true } : {}),
    ...(as === 'done' ? { psp_reference: reference } : {}),
    ...(file === null ? {} : { evidence_file: file.id, evidence_sha256: file.sha256 }),
  };
  return (
    <AskApproval
      title="Mark resolved"
      hint={`Find out at ${psp} what became of it: in its dashboard, or from its support. What you state decides the operation once an approver has approved it.`}
      label="How you know"
      placeholder="Not in the dashboard; asked support, ticket 1234"
      action={action}
      isComplete={isComplete}
      close={close}
    >
      <Radio.Group label={`What ${psp} did`} value={found} onChange={setFound}>
        <Group mt={4}>
          <Radio value="done" label={`${psp} did it`} />
          {isAgainst ? (
            <>
              <Radio value="given_back" label="It was there and has been given back" />
              <Radio value="shown" label="It never was: the file shows it" />
            </>
          ) : (
            <Radio value="not-done" label={`${psp} did not do it`} />
          )}
        </Group>
      </Radio.Group>
      {as === 'done' && (
        <TextInput
          label={`Its id at ${psp}`}
          required
          value={reference}
          maxLength={200}
          onChange={({ currentTarget }) => setReference(currentTarget.value.trim())}
        />
      )}
      {against !== null && <Against words={against} />}
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
