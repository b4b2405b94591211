import { Alert, List, Text } from '@mantine/core';
import { type VerdictView } from '../../../src/approvals/approval-views.js';

/** What would happen, before the click. */
export function Verdict({ of: { allowed, headline, facts }, title }: { of: VerdictView; title: string }) {
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
