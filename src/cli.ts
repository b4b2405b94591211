import { Command, CommanderError } from 'commander';
import {
  type Clock,
  type Config,
  ConfigError,
  DatabaseUnavailable,
  formatMoney,
  type Ids,
  loadConfig,
  Problem,
  SystemClock,
  SystemIds,
} from './kernel/index.js';
import { type ApiKeyView, type Merchant, Merchants, scopes } from './merchants/index.js';
import { type OrphanEffect, OrphanEffects, type StuckRoute, StuckRoutes } from './request-storage/index.js';
import { openStore, type Store } from './open-store.js';

/**
 * `payonce …`: administration. With --json a command prints one JSON value on stdout and nothing
 * else; an error is one JSON value on stderr. Exit 0 done, 1 failed, 2 not understood.
 */

/** What a command came to: `json` for programs, `text` for people. */
interface Outcome {
  readonly json: unknown;
  readonly text: string;
}

interface Opened {
  readonly store: Store;
  readonly merchants: Merchants;
  readonly clock: Clock;
  readonly ids: Ids;
}

function program(
  perform: (work: (opened: Opened) => Promise<Outcome>) => Promise<void>,
  writeErr: (text: string) => void,
): Command {
  const payonce = new Command('payonce')
    .description('Administers a Payonce installation: the one of DATABASE_URL, or the embedded one here.')
    .exitOverride() // subcommands inherit this and the next
    .configureOutput({ writeErr });

  command(payonce, 'migrate', 'bring the database up to date').action(() =>
    perform(async ({ store: { migrated } }) => ({
      json: { migrated },
      text:
        migrated.length > 0 ? `Ran ${migrated.join(', ')}.` : 'Nothing to do: the database is up to date.',
    })),
  );

  const merchants = payonce.command('merchants').description('tenants of this installation');
  command(merchants, 'create', 'add a merchant')
    .requiredOption('--name <name>', 'what people call it')
    .option('--duplicate-window <seconds>', 'refuse the same payment under another key for so long', '0')
    .action(({ name, duplicateWindow }: { name: string; duplicateWindow: string }) =>
      perform(async ({ merchants }) => {
        const merchant = await merchants.createMerchant(name, numberOf(duplicateWindow));
        return { json: merchantJson(merchant), text: `Merchant ${merchant.name}: ${merchant.id}` };
      }),
    );
  command(merchants, 'set-duplicate-window', 'for how long the same payment under another key is refused')
    .requiredOption('--merchant <id>', 'whose payments')
    .requiredOption('--seconds <n>', 'for how long; 0 = never')
    .action(({ merchant: id, seconds }: { merchant: string; seconds: string }) =>
      perform(async ({ merchants }) => {
        const merchant = await merchants.setDuplicateWindow(id, numberOf(seconds));
        return {
          json: merchantJson(merchant),
          text: `Duplicate window of ${merchant.name}: ${windowOf(merchant)}; running services notice within 5 s.`,
        };
      }),
    );
  command(merchants, 'list', 'list the merchants, newest first').action(() =>
    perform(async ({ merchants }) => {
      const all = await merchants.listMerchants();
      return {
        json: all.map(merchantJson),
        text: table(
          ['ID', 'CREATED', 'DUPLICATES', 'NAME'],
          all.map((merchant) => [merchant.id, when(merchant.createdAt), windowOf(merchant), merchant.name]),
        ),
      };
    }),
  );

  const apiKeys = payonce.command('api-keys').description('credentials of a merchant');
  command(apiKeys, 'create', 'issue a key; it is shown this once')
    .requiredOption('--merchant <id>', 'whose key')
    .requiredOption('--scopes <scopes>', `what it may do: ${scopes.join(',')}`)
    .action(({ merchant, scopes }: { merchant: string; scopes: string }) =>
      perform(async ({ merchants }) => {
        const wanted = scopes.split(',').map((scope) => scope.trim());
        const { id, key } = await merchants.createApiKey(merchant, wanted);
        return { json: { id, key }, text: `${key}\nKeep it now, it is not shown again. Its id: ${id}` };
      }),
    );
  command(apiKeys, 'list', 'list the keys of a merchant, newest first')
    .requiredOption('--merchant <id>', 'whose keys')
    .action(({ merchant }: { merchant: string }) =>
      perform(async ({ merchants }) => {
        const keys = await merchants.listApiKeys(merchant);
        const row = (key: ApiKeyView) => [
          key.id,
          `${key.prefix}_…`,
          when(key.createdAt),
          key.revokedAt ? when(key.revokedAt) : 'live',
          key.scopes.join(','),
        ];
        return {
          json: keys.map(apiKeyJson),
          text: table(['ID', 'KEY', 'CREATED', 'REVOKED', 'SCOPES'], keys.map(row)),
        };
      }),
    );
  command(apiKeys, 'revoke', 'refuse a key from now on')
    .requiredOption('--merchant <id>', 'whose key')
    .requiredOption('--id <id>', 'which key')
    .action(({ merchant, id }: { merchant: string; id: string }) =>
      perform(async ({ merchants }) => {
        const key = await merchants.revokeApiKey(merchant, id);
        return {
          json: apiKeyJson(key),
          text: `Revoked ${key.prefix}_…; running services notice within 5 s.`,
        };
      }),
    );

  const stuck = payonce.command('stuck').description('operations that need a person');
  command(stuck, 'list', 'list them, the longest stuck first').action(() =>
    perform(async ({ store }) => {
      const routes = await new StuckRoutes(store.database.pool).list();
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
  const orphans = payonce
    .command('orphans')
    .description('what PSPs did after they were ruled out (docs/runbooks/orphan-effect.md)');
  command(orphans, 'list', 'list what is not given back yet, the oldest first').action(() =>
    perform(async ({ store }) => {
      const effects = await new OrphanEffects(store.database.pool).list();
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
      perform(async ({ store, clock, ids }) => {
        if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(merchant) || !/^\d{1,4}$/.test(route)) {
          throw new Problem('not_found', 'No orphan effect of this name waits for a decision.');
        }
        const by = { actor: 'cli', auditId: ids.uuid(), at: clock.now() };
        const effects = new OrphanEffects(store.database.pool);
        const effect = await effects.approve(merchant, entityKey, Number(route), by);
        return {
          json: orphanJson(effect),
          text: `Approved: ${formatMoney(effect)} at ${effect.psp}; a running worker gives it back within seconds.`,
        };
      }),
    );
  return payonce;
}

function command(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON value and nothing else');
}

async function main(args: readonly string[]): Promise<number> {
  const asJson = args.includes('--json');
  let usage = '';
  const perform = async (work: (opened: Opened) => Promise<Outcome>) => {
    const { json, text } = await withMerchants(loadConfig(process.env), work);
    process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`);
  };
  try {
    await program(perform, (text) => (usage += text)).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0; // --help
    const { code, message } = explain(error);
    const text = error instanceof CommanderError ? usage : `payonce: ${message}\n`;
    process.stderr.write(asJson ? `${JSON.stringify({ error: { code, message } })}\n` : text);
    return error instanceof CommanderError ? 2 : 1;
  }
}

async function withMerchants(config: Config, work: (opened: Opened) => Promise<Outcome>): Promise<Outcome> {
  const clock = new SystemClock(config.clockOffsetMs);
  const ids = new SystemIds(clock);
  const store = await openStore(config, { entities: [], poolSize: 2, applicationName: 'payonce-cli' });
  try {
    const merchants = new Merchants(store.database.pool, clock, ids);
    return await work({ store, merchants, clock, ids });
  } finally {
    await store.close();
  }
}

function explain(error: unknown): { code: string; message: string } {
  if (error instanceof Problem) return { code: error.code, message: error.detail };
  if (error instanceof ConfigError) return { code: 'configuration_invalid', message: error.message };
  if (error instanceof DatabaseUnavailable) return { code: 'database_unavailable', message: error.message };
  if (error instanceof CommanderError) {
    const isBare = error.code === 'commander.help';
    return {
      code: 'usage',
      message: isBare ? 'a command is missing' : error.message.replace(/^error: /, ''),
    };
  }
  return { code: 'internal_error', message: error instanceof Error ? error.message : String(error) };
}

/** NaN where it is no whole number, which whoever takes it refuses. */
function numberOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}

function windowOf({ duplicateWindowS }: Merchant): string {
  return duplicateWindowS === 0 ? 'off' : `${duplicateWindowS} s`;
}

function merchantJson({ id, name, duplicateWindowS, createdAt }: Merchant): object {
  return { id, name, duplicate_window: duplicateWindowS, created_at: createdAt };
}

function apiKeyJson({ id, prefix, scopes, createdAt, revokedAt }: ApiKeyView): object {
  return { id, prefix, scopes, created_at: createdAt, revoked_at: revokedAt };
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

function when(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}

/** Columns as wide as their widest cell; `None.` where there is no row. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'None.';
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

process.exitCode = await main(process.argv.slice(2));
