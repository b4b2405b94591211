import { Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ChangedView } from '../../src/approvals/approval-views.js';

/** The code of the authenticator, for what lifts a bound. Left out by those who sign in elsewhere. */
export function CodeField({
  value,
  set,
  hint,
}: {
  value: string;
  set: (value: string) => void;
  hint?: string;
}) {
  return (
    <TextInput
      label="Code of your authenticator"
      description={hint}
      maw={320}
      mt="xs"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={6}
      value={value}
      onChange={({ currentTarget }) => set(currentTarget.value.trim())}
    />
  );
}

/** The hint for the operator who asks. */
export const LIFTS = 'For what lifts a bound: another person has to approve it.';

export const codeOf = (code: string): { code?: string } => (code === '' ? {} : { code });

/** The dialog's text about a change that waits for an approval; null if the change is done. */
export function asked({ approval }: ChangedView) {
  return (
    approval && (
      <Text size="sm">
        This lifts a bound: it is done once another person has approved it. It waits among the{' '}
        <Link to="/approvals">approvals</Link>.
      </Text>
    )
  );
}
