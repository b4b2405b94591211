import { Alert, Box, Button, Center, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';

/** The heading of a page, with what belongs beside it. */
export function Heading({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <Group justify="space-between" align="end" mb="md">
      <Box miw={0} maw="100%">
        <Title order={1} size="h3">
          {title}
        </Title>
        {hint && (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Box>
      {children}
    </Group>
  );
}

/** What a query has brought; while it loads its outline, and what went wrong with a way to try again. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack aria-busy="true" aria-label="Loading" gap="xs">
      {Array.from({ length: 6 }, (_, line) => (
        <Skeleton key={line} height={28} />
      ))}
    </Stack>
  );
}

/** The ways on from a page of a list. */
export function PageButtons({
  isNewest,
  next,
  onNewest,
  onOlder,
}: {
  isNewest: boolean;
  next: string | null;
  onNewest: () => void;
  onOlder: (cursor: string) => void;
}) {
  return (
    <Group justify="end" mt="md">
      {!isNewest && (
        <Button variant="default" onClick={onNewest}>
          Newest
        </Button>
      )}
      {next !== null && (
        <Button variant="default" onClick={() => onOlder(next)}>
          Older
        </Button>
      )}
    </Group>
  );
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <Alert color="red" variant="light" title="This did not work" mb="md" role="alert">
      <Text size="sm">{error.message}</Text>
      {retry && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/** Where a list has nothing to show. */
export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Center py="xl">
      <Text c="dimmed">{children}</Text>
    </Center>
  );
}
