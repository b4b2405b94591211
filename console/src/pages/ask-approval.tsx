import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ApprovalView, type VerdictView } from '../../../src/ops/console-views.js';
import { api } from '../api.js';
import { Failure } from '../parts.js';
import { Verdict } from './verdict.js';

/** Asks for an act that takes a second person: first its verdict, then the button. */
export function AskApproval(props: {
  title: string;
  hint: string;
  label: string;
  placeholder: string;
  /** All of it but `evidence`. */
  action: object;
  close: () => void;
  children?: ReactNode;
}) {
  const { title, hint, label, placeholder, close, children } = props;
  const queries = useQueryClient();
  const [evidence, setEvidence] = useState('');
  const action = { ...props.action, evidence };
  const verdict = useQuery({
    queryKey: ['action-verdict', props.action],
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
    <Modal opened onClose={close} title={title} size="lg">
      <Stack gap="sm">
        <Text size="sm">{hint}</Text>
        {children}
        <Textarea
          label={label}
          placeholder={placeholder}
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
