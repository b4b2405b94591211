import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ActionVerdictView, type ApprovalView } from '../../../src/approvals/approval-views.js';
import { api } from '../api.js';
import { Dialog, Words } from '../dialog.js';
import { Verdict } from './verdict.js';

/** Asks for an act that takes a second person: first its verdict, then the button. */
export function AskApproval(props: {
  title: string;
  hint: string;
  label: string;
  placeholder: string;
  /** All of it but `evidence`. */
  action: object;
  /** False: something is to be chosen first. */
  isComplete?: boolean;
  close: () => void;
  children?: ReactNode;
}) {
  const { title, hint, label, placeholder, isComplete = true, close, children } = props;
  const [evidence, setEvidence] = useState('');
  const action = { ...props.action, evidence };
  const verdict = useQuery({
    queryKey: ['action-verdict', props.action],
    queryFn: () =>
      api<ActionVerdictView>('POST', 'operations/action-verdict', { ...action, evidence: evidence || '-' }),
    retry: false,
    enabled: isComplete,
  });
  return (
    <Dialog
      title={title}
      label="Ask for approval"
      size="lg"
      isReady={evidence.trim() !== '' && verdict.data?.allowed === true}
      act={() => api<ApprovalView>('POST', 'approvals', action)}
      close={close}
    >
      <Text size="sm">{hint}</Text>
      {children}
      <Words label={label} placeholder={placeholder} value={evidence} set={setEvidence} />
      {verdict.data && <Verdict of={verdict.data} title="This" />}
      {verdict.error && (
        <Alert variant="light" color="orange" title="This: refused">
          {verdict.error.message}
        </Alert>
      )}
    </Dialog>
  );
}
