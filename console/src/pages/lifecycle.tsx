import { Group, Text } from '@mantine/core';
import { Fragment } from 'react';
import { type PaymentPageView } from '../../../src/console/console-views.js';
import { State } from '../format.js';

/** The states that it was in, the present one last, and those that may follow. */
export function Lifecycle({ arrows, visited }: PaymentPageView['lifecycle']) {
  const present = visited.at(-1);
  const next = [
    ...new Set(arrows.filter(([from, to]) => from === present && to !== from).map(([, to]) => to)),
  ];
  return (
    <>
      <Group gap={6} component="ol" className="lifecycle" aria-label="States that it was in">
        {visited.map((state, index) => (
          <Fragment key={state}>
            {index > 0 && <span aria-hidden="true">→</span>}
            <li {...(state === present ? { 'aria-current': 'step' } : {})}>
              <State is={state} />
            </li>
          </Fragment>
        ))}
      </Group>
      <Text size="sm" c="dimmed" mt={6}>
        {next.length === 0
          ? 'Nothing follows.'
          : `May become ${next.map((state) => state.replaceAll('_', ' ')).join(', ')}.`}
      </Text>
    </>
  );
}
