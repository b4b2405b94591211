import { type Command } from 'commander';
import { actor, command, type Perform, withExamples } from './command.js';

export function addFailover(payonce: Command, perform: Perform): void {
  const failover = withExamples(
    payonce
      .command('failover')
      .description('what is held after lost commits (docs/operations.md#lost-commits)'),
    'resume --by ada',
  );
  const set = (isHeld: boolean) =>
    perform(async ({ database }) => {
      const { setFailoverHold } = await import('../database/failover-hold.js');
      const heldUntil = await setFailoverHold(database.pool, isHeld, actor());
      return {
        json: { held_until: heldUntil },
        text: heldUntil
          ? `Failover is held until ${heldUntil.toISOString()}.`
          : 'Failover is not held: another PSP is asked as the routing says.',
      };
    });
  command(failover, 'hold', 'ask no other PSP for 24 hours: commits may be lost', '--by ada').action(() =>
    set(true),
  );
  command(failover, 'resume', 'ask other PSPs again: what was lost is compared', '--by ada').action(() =>
    set(false),
  );
}
