import { type Command } from 'commander';
import { actor, command, type Perform, withExamples } from './command.js';

export function addFailover(payonce: Command, perform: Perform): void {
  const failover = withExamples(
    payonce.command('failover').description('hold or resume failover (docs/operations.md#lost-commits)'),
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
          : 'Failover is not held: the next PSP is tried as the routing says.',
      };
    });
  command(failover, 'hold', 'hold failover for 24 hours, because commits may be lost', '--by ada').action(
    () => set(true),
  );
  command(failover, 'resume', 'allow failover again, after you compared the lost commits', '--by ada').action(
    () => set(false),
  );
}
