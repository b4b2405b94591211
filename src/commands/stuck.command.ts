import { type Command, InvalidArgumentError, Option } from 'commander';
import { Problem } from '../core/problem.js';
import { type StuckRoutes } from '../request-storage/stuck-list.js';
import {
  actor,
  command,
  jsonRow,
  noteOf,
  numberOf,
  type OpenInstallation,
  type RunCommand,
  withExamples,
} from './command.js';
import { ago, list } from './text.js';

export function addStuck(payonce: Command, perform: RunCommand): void {
  const stuck = withExamples(
    payonce.command('stuck').description('decide operations that are stuck (docs/runbooks/stuck-payment.md)'),
    'list',
  );
  command(stuck, 'list', 'list stuck operations, the longest stuck first', '', '--json').action(() =>
    perform(async (opened) => {
      const routes = await (await stuckRoutesOf(opened)).list();
      const { formatMoney } = await import('../core/money.js');
      const now = opened.clock.now();
      return {
        json: routes.map(jsonRow),
        text: list(
          routes,
          {
            STUCK: ({ stuckAt }) => ago(stuckAt, now),
            PSP: ({ psp }) => psp,
            AMOUNT: formatMoney,
            'LAST OUTCOME': ({ lastOutcome }) => lastOutcome ?? 'none',
          },
          ({ entityKey, merchantId, reason, lastAttempt, snoozedTo }) => [
            ['operation', entityKey],
            ['merchant', merchantId],
            ['reason', reason ?? 'not known'],
            ['last attempt', String(lastAttempt)],
            ...(snoozedTo === null ? [] : [['looked after by', snoozedTo] as const]),
          ],
        ),
      };
    }),
  );
  command(
    stuck,
    'retry <payment-or-payout-id>',
    'look a stuck operation up at its PSP now',
    '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42',
  )
    .option('--entity-key <key>', 'the entity key, where several operations are stuck')
    .action((id: string, { entityKey }: { entityKey?: string }) =>
      perform(async (opened) => {
        const { ids, withOperations } = opened;
        const { recordAct } = await import('../database/record-act.js');
        const { auditSubjectOf } = await import('../request-storage/entity-key.js');
        const routes = await stuckRoutesOf(opened);
        const found = await routes.of(id, entityKey ?? null);
        const calls = await withOperations((operations) => operations.askNow(found, `cli-${ids.uuid()}`));
        const { merchantId, entityKey: name, route } = found;
        await recordAct(opened.database.dataSource.manager, {
          merchantId,
          id: ids.uuid(),
          at: opened.clock.now(),
          actor: actor(),
          action: 'route.retried',
          subject: auditSubjectOf(name),
          detail: { entity_key: name, route, calls: calls.map(({ kind, outcome }) => ({ kind, outcome })) },
        });
        const isStuck = await routes.isStuck(found);
        const made = calls.map(({ kind, outcome }) => `${kind} ${outcome ?? 'unanswered'}`).join(', ');
        const now = `${found.entityKey} is ${isStuck ? 'still' : 'no longer'} stuck.`;
        return {
          json: {
            entity_key: found.entityKey,
            calls: calls.map(({ kind, outcome }) => ({ kind, outcome })),
            stuck: isStuck,
          },
          text: made === '' ? `${found.psp} offers no lookup. ${now}` : `${found.psp}: ${made}. ${now}`,
        };
      }),
    );
  command(
    stuck,
    'resolve <payment-or-payout-id>',
    'record what the PSP did, and decide the operation by it',
    '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42 --attempt 9 --as not-done --evidence "not in the dashboard"',
    '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42 --attempt 9 --as done --psp-reference pi_1 --evidence "paid in the dashboard"',
  )
    .addOption(
      new Option('--as <what>', 'what the PSP did').choices(['done', 'not-done']).makeOptionMandatory(),
    )
    .requiredOption('--attempt <number>', 'the last attempt that you looked at (stuck list)', attemptOf)
    .requiredOption('--evidence <text>', 'how you know, up to 500 characters')
    .option('--overrules-psp', 'the PSP has said otherwise, and is wrong')
    .option('--psp-reference <id>', "the PSP's id of the object, with done")
    .option('--entity-key <key>', 'the entity key, where several operations are stuck')
    .action((id: string, options: ResolveOptions) =>
      perform(async (opened) => {
        const pspReference = options.pspReference ?? null;
        if (pspReference !== null && !/^[\x21-\x7e]{1,200}$/.test(pspReference)) {
          throw new Problem('validation_failed', '--psp-reference takes 1 to 200 characters without spaces.');
        }
        const evidence = await noteOf('--evidence', options.evidence, opened);
        const statement = {
          isDone: options.as === 'done',
          evidence,
          pspReference,
          seenAttempt: options.attempt,
          overrulesPsp: options.overrulesPsp === true,
          by: actor(),
        };
        const found = await (await stuckRoutesOf(opened)).of(id, options.entityKey ?? null);
        const { formatMoney } = await import('../core/money.js');
        const traceId = `cli-${opened.ids.uuid()}`;
        const { verdict } = await opened.withOperations((operations) =>
          operations.resolveStuck(found, statement, traceId),
        );
        return {
          json: { entity_key: found.entityKey, route: found.route, psp: found.psp, verdict },
          text: `Resolved: ${found.entityKey}, ${formatMoney(found)} at ${found.psp}, is ${verdict}.`,
        };
      }),
    );
}

function attemptOf(text: string): number {
  const attempt = numberOf(text);
  if (!(attempt >= 1)) throw new InvalidArgumentError('a number from 1');
  return attempt;
}

async function stuckRoutesOf({ database }: OpenInstallation): Promise<StuckRoutes> {
  const { StuckRoutes } = await import('../request-storage/stuck-list.js');
  return new StuckRoutes(database.pool);
}

interface ResolveOptions {
  readonly as: 'done' | 'not-done';
  readonly attempt: number;
  readonly overrulesPsp?: true;
  readonly evidence: string;
  readonly pspReference?: string;
  readonly entityKey?: string;
}
