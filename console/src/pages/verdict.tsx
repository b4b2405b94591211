import { Alert, List, Text } from '@mantine/core';
import { type VerdictView } from '../../../src/approvals/approval-views.js';

/** What would happen, before the click. */
export function Verdict({ of, title }: { of: VerdictView & { against?: string | null }; title: string }) {
  const { allowed, headline, facts, against = null } = of;
  const says = !allowed ? 'refused' : against === null ? 'safe' : 'against what the PSP has said';
  return (
    <Alert variant="light" color={says === 'safe' ? 'green' : 'orange'} title={`${title}: ${says}`}>
      {against !== null && <Text size="sm">{against}.</Text>}
      <Text size="sm">{headline}</Text>
      <List size="sm" mt={4}>
        {facts.map((fact) => (
          <List.Item key={fact}>{fact}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
