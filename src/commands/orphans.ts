import { type Command } from 'commander';
import { formatMoney, Problem } from '../kernel/index.js';
import { type OrphanEffect, OrphanEffects } from '../request-storage/index.js';
import { ACTOR, command, type Perform } from './command.js';
import { table, when } from './table.js';

export function addOrphans(payonce: Command, perform: Perform): void {
  const orphans = payonce
    .command('orphans')
    .description('what PSPs did after they were ruled out (docs/runbooks/orphan-effect.md)');
  command(orphans, 'list', 'list what is not given back yet, the oldest first').action(() =>
    perform(async ({ database }) => {
      const effects = await new OrphanEffects(database.pool).list();
      return {
        json: effects.map(orphanJson),
        text: table(
          ['FOUND', 'STATUS', 'PSP', 'PSP REFERENCE', 'AMOUNT', 'MERCHANT', 'ENTITY KEY', 'ROUTE'],
          effects.map((effect) => [
            when(effect.foundAt),
            effect.status,
            effect.psp,
            effect.pspReference ?? 'none',
            formatMoney(effect),
            effect.merchantId,
            effect.entityKey,
            String(effect.route),
          ]),
        ),
      };
    }),
  );
  command(orphans, 'approve', 'let one be given back, or tried again')
    .requiredOption('--merchant <id>', 'whose it is')
    .requiredOption('--entity-key <key>', 'which operation')
    .requiredOption('--route <n>', 'which route of it')
    .action(({ merchant, entityKey, route }: { merchant: string; entityKey: string; route: string }) =>
      perform(async ({ database, clock, ids }) => {
        if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchant) || !/^\d{1,4}$/.test(route)) {
          throw new Problem('not_found', 'No orphan effect of this name waits for a decision.');
        }
        const by = { actor: ACTOR, auditId: ids.uuid(), at: clock.now() };
        const effects = new OrphanEffects(database.pool);
        const effect = await effects.approve(merchant, entityKey, Number(route), by);
        return {
          json: orphanJson(effect),
          text: `Approved: ${formatMoney(effect)} at ${effect.psp}; a running worker gives it back within seconds.`,
        };
      }),
    );
}

function orphanJson(effect: OrphanEffect): object {
  const { merchantId, entityKey, pspReference, foundAt, ...rest } = effect;
  return {
    merchant_id: merchantId,
    entity_key: entityKey,
    ...rest,
    psp_reference: pspReference,
    found_at: foundAt,
  };
}
