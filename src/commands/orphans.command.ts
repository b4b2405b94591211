import { type Command } from 'commander';
import { Problem } from '../core/problem.js';
import { type OrphanEffects } from '../request-storage/orphan-effects.js';
import { type OrphanEffect } from '../request-storage/route.entity.js';
import {
  actor,
  command,
  jsonRow,
  noteOf,
  type OpenInstallation,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, list } from './text.js';

interface Which {
  readonly merchant: string;
  readonly entityKey: string;
  readonly route: string;
  readonly pspReference?: string | null;
}

export function addOrphans(payonce: Command, perform: RunCommand): void {
  const orphans = withExamples(
    payonce
      .command('orphans')
      .description('give back effects at PSPs that belong to no payment (docs/runbooks/orphan-effect.md)'),
    'list',
  );
  command(orphans, 'list', 'list orphan effects, the oldest first', '', '--json').action(() =>
    perform(async (opened) => {
      const effects = await (await orphanEffectsOf(opened)).list();
      const { formatMoney } = await import('../core/money.js');
      const now = opened.clock.now();
      return {
        json: effects.map(orphanJson),
        text: list(
          effects,
          {
            FOUND: ({ foundAt }) => ago(foundAt, now),
            STATUS: ({ status }) => status,
            PSP: ({ psp }) => psp,
            AMOUNT: formatMoney,
            ROUTE: ({ route }) => String(route),
          },
          ({ pspReference, entityKey, merchantId }) => [
            ['psp reference', pspReference ?? 'none'],
            ['entity key', entityKey],
            ['merchant', merchantId],
          ],
        ),
      };
    }),
  );
  command(
    orphans,
    'approve',
    'give an orphan effect back, or try that again',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --entity-key payment-019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42-charge --route 1',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--entity-key <key>', 'the entity key of the operation')
    .requiredOption('--route <n>', 'the number of the route')
    .option('--psp-reference <id>', "the PSP's id of the object, where the route has several")
    .action(({ merchant, entityKey, route, pspReference = null }: Which) =>
      perform(async (opened) => {
        if (!isName(merchant, route)) {
          throw new Problem('not_found', 'No orphan effect of this name waits for a decision.');
        }
        const named = { merchantId: merchant, entityKey, route: Number(route), pspReference };
        const by = { actor: actor(), auditId: opened.ids.uuid(), at: opened.clock.now() };
        const effects = await orphanEffectsOf(opened);
        const { formatMoney } = await import('../core/money.js');
        const effect = await effects.approve(named, by);
        return {
          json: orphanJson(effect),
          text: `Approved: ${formatMoney(effect)} at ${effect.psp}; a running worker gives it back within seconds.`,
        };
      }),
    );
  command(
    orphans,
    'close',
    'close an orphan effect that you settled at the PSP; sends nothing',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --entity-key payment-019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42-charge --route 1 --note "refunded in the dashboard"',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--entity-key <key>', 'the entity key of the operation')
    .requiredOption('--route <n>', 'the number of the route')
    .requiredOption('--note <text>', 'what you found and did, up to 500 characters')
    .option('--psp-reference <id>', "the PSP's id of the object, where the route has several")
    .action(({ merchant, entityKey, route, pspReference = null, note: text }: Which & { note: string }) =>
      perform(async (opened) => {
        if (!isName(merchant, route)) {
          throw new Problem('not_found', 'No orphan effect of this name waits for a person.');
        }
        const note = await noteOf('--note', text, opened);
        const named = { merchantId: merchant, entityKey, route: Number(route), pspReference };
        const by = { actor: actor(), auditId: opened.ids.uuid(), at: opened.clock.now(), note };
        const effects = await orphanEffectsOf(opened);
        const { formatMoney } = await import('../core/money.js');
        const effect = await effects.close(named, by);
        return {
          json: orphanJson(effect),
          text: `Closed: ${formatMoney(effect)} at ${effect.psp}; nothing was sent.`,
        };
      }),
    );
}

async function orphanEffectsOf({ database }: OpenInstallation): Promise<OrphanEffects> {
  const [{ OrphanEffects }, { OrphanEffect }] = await Promise.all([
    import('../request-storage/orphan-effects.js'),
    import('../request-storage/route.entity.js'),
  ]);
  return new OrphanEffects(database.dataSource.getRepository(OrphanEffect));
}

function isName(merchant: string, route: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchant) && /^\d{1,4}$/.test(route);
}

export function orphanJson(effect: OrphanEffect): object {
  const { dueAt: _dueAt, object: _object, ...shown } = effect;
  return jsonRow(shown);
}
