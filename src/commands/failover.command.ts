import { type Command } from 'commander';
import { type Hold } from '../core/hold.js';
import { actor, command, jsonRow, type OpenInstallation, type RunCommand, withExamples } from './command.js';
import { ago, list } from './text.js';

export function addFailover(payonce: Command, perform: RunCommand): void {
  const failover = withExamples(
    payonce.command('failover').description('hold or resume failover (docs/operations.md#lost-commits)'),
    'status',
  );
  command(
    failover,
    'status',
    'show what is held, and open operations that several PSPs could carry out',
    '',
    '--json',
  ).action(() =>
    perform(async (opened) => {
      const { readHold } = await import('../database/failover-hold.js');
      const { hold, heldUntil, changedBy, changedAt } = await readHold(opened.database.pool);
      const routes = await (await stuckRoutesOf(opened)).openAtSeveral();
      const { formatMoney } = await import('../core/money.js');
      const now = opened.clock.now();
      const open = list(
        routes,
        {
          OPENED: ({ openedAt }) => ago(openedAt, now),
          PSP: ({ psp }) => psp,
          AMOUNT: formatMoney,
          'LAST OUTCOME': ({ lastOutcome }) => lastOutcome ?? 'none',
        },
        ({ entityKey, merchantId, stuckAt, reason }) => [
          ['operation', entityKey],
          ['merchant', merchantId],
          ['state', stuckAt ? `stuck: ${reason ?? 'not known'}` : 'waits for its next step'],
        ],
      );
      return {
        json: jsonRow({ hold, heldUntil, changedBy, changedAt, open: routes.map(jsonRow) }),
        text: `${holdText(hold, heldUntil)}\n\nOpen operations that several PSPs could carry out:\n${open}`,
      };
    }),
  );
  command(
    failover,
    'hold',
    'refuse operations that several PSPs could carry out, because commits may be lost',
    '--by ada',
  ).action(() => perform((opened) => set(opened, 'operations')));
  command(
    failover,
    'resume',
    'take them again, after you compared what PSPs did with what is stored',
    '--by ada',
    '--nothing-lost --by ada',
  )
    .option('--nothing-lost', 'no commit is lost: also let other PSPs be asked at once')
    .action(({ nothingLost }: { nothingLost?: true }) =>
      perform(async (opened) => {
        const outcome = await set(opened, nothingLost ? 'none' : 'failover');
        const resumed = await (await stuckRoutesOf(opened)).resumeHeld();
        return {
          json: { ...(outcome.json as object), resumed },
          text: `${outcome.text} Operations resumed: ${resumed}.`,
        };
      }),
    );
}

async function set({ database }: OpenInstallation, hold: Exclude<Hold, 'unknown'>) {
  const { setHold } = await import('../database/failover-hold.js');
  const heldUntil = await setHold(database.pool, hold, actor());
  return { json: { hold, held_until: heldUntil }, text: holdText(hold, heldUntil) };
}

function holdText(hold: Hold, heldUntil: Date | null): string {
  switch (hold) {
    case 'operations':
      return 'Operations that several PSPs could carry out are refused until `payonce failover resume`.';
    case 'failover':
      return `Failover is held until ${heldUntil?.toISOString()}.`;
    default:
      return 'Nothing is held: the next PSP is tried as the routing says.';
  }
}

async function stuckRoutesOf({ database }: OpenInstallation) {
  const { StuckRoutes } = await import('../request-storage/stuck-list.js');
  return new StuckRoutes(database.pool);
}
