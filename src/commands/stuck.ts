import { type Command } from 'commander';
import { formatMoney } from '../kernel/index.js';
import { type StuckRoute, StuckRoutes } from '../request-storage/index.js';
import { command, type Perform } from './command.js';
import { table, when } from './table.js';

export function addStuck(payonce: Command, perform: Perform): void {
  const stuck = payonce.command('stuck').description('operations that need a person');
  command(stuck, 'list', 'list them, the longest stuck first').action(() =>
    perform(async ({ database }) => {
      const routes = await new StuckRoutes(database.pool).list();
      return {
        json: routes.map(stuckJson),
        text: table(
          ['SINCE', 'PSP', 'AMOUNT', 'LAST OUTCOME', 'MERCHANT', 'OPERATION'],
          routes.map((route) => [
            when(route.stuckAt),
            route.psp,
            formatMoney(route),
            route.lastOutcome ?? 'none',
            route.merchantId,
            route.entityKey,
          ]),
        ),
      };
    }),
  );
}

function stuckJson(stuck: StuckRoute): object {
  const { merchantId, paymentId, payoutId, entityKey, lastOutcome, stuckAt, ...route } = stuck;
  const named = {
    merchant_id: merchantId,
    payment_id: paymentId,
    payout_id: payoutId,
    entity_key: entityKey,
  };
  return { ...named, ...route, last_outcome: lastOutcome, stuck_at: stuckAt };
}
