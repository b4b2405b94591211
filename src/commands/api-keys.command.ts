import { type Command, InvalidArgumentError } from 'commander';
import { type Scope, scopes } from '../core/caller.js';
import { type ApiKeyView } from '../merchants/api-keys.service.js';
import { actor, command, jsonRow, type RunCommand, withExamples } from './command.js';
import { servicesOf } from './merchants.command.js';
import { ago, exactly, list } from './text.js';

interface Created {
  readonly merchant: string;
  readonly scopes: readonly Scope[];
  readonly expiresIn?: number | null;
  readonly needsCertificate?: boolean;
  readonly test?: boolean;
}

export function addApiKeys(payonce: Command, perform: RunCommand): void {
  const apiKeys = withExamples(
    payonce.command('api-keys').description('create, list, rotate and revoke API keys of a merchant'),
    'list --merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43',
  );
  command(
    apiKeys,
    'create',
    'create a key; it is shown only now',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --scopes payments:read,payments:write',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption(
      '--scopes <scopes>',
      `what the key allows: ${scopes.join(', ')}; separate several with commas`,
      scopesOf,
    )
    .option('--expires-in <hours>', 'how long it lives; without, until it is revoked', Number)
    .option('--needs-certificate', 'it is taken only by gRPC, with a client certificate of the merchant')
    .option('--test', "for the merchant's test mode, which reaches PSP accounts of test mode alone")
    .action(
      ({ merchant, scopes, expiresIn: hours = null, needsCertificate = false, test = false }: Created) =>
        perform(async (opened) => {
          const { merchants, apiKeys } = await servicesOf(opened);
          const owner = test ? (await merchants.testModeOf(merchant, actor())).id : merchant;
          const { id, key } = await apiKeys.create(owner, scopes, actor(), {
            hours,
            needsCertificate,
          });
          const belongs = test ? `\nIt belongs to the test mode of the merchant, whose id is ${owner}` : '';
          return {
            json: { id, key, ...(test ? { merchant: owner } : {}) },
            text: shownOnce(id, key) + belongs,
          };
        }),
    );
  command(
    apiKeys,
    'rotate',
    'create a key that replaces one; both live for a while',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --id 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e44',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--id <id>', 'the id of the key that is replaced')
    .option('--grace <hours>', 'how long that one stays live', Number, 24)
    .action(({ merchant, id: replaced, grace }: { merchant: string; id: string; grace: number }) =>
      perform(async (opened) => {
        const { apiKeys } = await servicesOf(opened);
        const { id, key, previous } = await apiKeys.rotate(merchant, replaced, grace, actor());
        const end = exactly(previous.expiresAt!, opened.clock.now());
        return {
          json: { id, key, previous: jsonRow(previous) },
          text: `${shownOnce(id, key)}\n${previous.prefix}_… is refused from ${end}.`,
        };
      }),
    );
  command(
    apiKeys,
    'list',
    'list the keys of a merchant, newest first',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43',
  )
    .requiredOption('--merchant <id>', 'whose keys')
    .action(({ merchant }: { merchant: string }) =>
      perform(async (opened) => {
        const keys = await (await servicesOf(opened)).apiKeys.list(merchant);
        const now = opened.clock.now();
        return {
          json: keys.map(jsonRow),
          text: list(
            keys,
            {
              KEY: ({ prefix }) => `${prefix}_…`,
              CREATED: ({ createdAt }) => ago(createdAt, now),
              'LAST USED': ({ lastUsedAt }) => (lastUsedAt ? ago(lastUsedAt, now) : 'never'),
              STATE: (key) => stateOf(key, now),
            },
            ({ id, scopes, needsCertificate }) => [
              ['id', id],
              ['scopes', scopes.join(', ')],
              ['taken', needsCertificate && 'with a client certificate alone'],
            ],
          ),
        };
      }),
    );
  command(
    apiKeys,
    'revoke',
    'revoke a key',
    '--merchant 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43 --id 019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e44',
  )
    .requiredOption('--merchant <id>', 'the merchant')
    .requiredOption('--id <id>', 'the id of the key')
    .action(({ merchant, id }: { merchant: string; id: string }) =>
      perform(async (opened) => {
        const key = await (await servicesOf(opened)).apiKeys.revoke(merchant, id, actor());
        return {
          json: jsonRow(key),
          text: `Revoked ${key.prefix}_…; running services notice within 5 s.`,
        };
      }),
    );
}

function shownOnce(id: string, key: string): string {
  return `${key}\nKeep it now, it is not shown again. Its id: ${id}`;
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView, now: Date): string {
  if (revokedAt) return `revoked ${ago(revokedAt, now)}`;
  if (!expiresAt) return 'live';
  return `${expiresAt <= now ? 'expired' : 'expires'} ${ago(expiresAt, now)}`;
}

function scopesOf(text: string): readonly Scope[] {
  return text.split(',').map((word) => {
    const scope = scopes.find((one) => one === word.trim());
    if (scope === undefined)
      throw new InvalidArgumentError(`${JSON.stringify(word.trim())} is none of ${scopes.join(', ')}`);
    return scope;
  });
}
