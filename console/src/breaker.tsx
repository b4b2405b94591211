import { Badge } from '@mantine/core';
import { type PspAccountRow } from '../../src/console/installation-views.js';

const breakers = {
  closed: { color: 'green', label: 'closed' },
  open: { color: 'orange', label: 'open by itself' },
  held_open: { color: 'red', label: 'held open' },
} as const;

export function Breaker({ is }: { is: PspAccountRow['breaker']['state'] }) {
  const { color, label } = breakers[is];
  return (
    <Badge color={color} variant="light" tt="none" fw={600} miw="max-content">
      {label}
    </Badge>
  );
}
