import { type Command } from 'commander';
import { scopes } from '../merchants/caller.js';
import { type ApiKeyView } from '../merchants/merchants.js';
import { actor, command, type Perform, withExamples } from './command.js';
import { merchantsOf } from './merchants.js';
import { ago, list } from './text.js';

export function addApiKeys(payonce: Command, perform: Perform): void {
  const apiKeys = withExamples(
    payonce.command('api-keys').description('create, list and revoke API keys of a merchant'),
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
    )
    .action(({ merchant, scopes }: { merchant: string; scopes: string }) =>
      perform(async (opened) => {
        const wanted = scopes.split(',').map((scope) => scope.trim());
        const { id, key } = await (await merchantsOf(opened)).createApiKey(merchant, wanted, actor());
        return { json: { id, key }, text: `${key}\nKeep it now, it is not shown again. Its id: ${id}` };
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
        const keys = await (await merchantsOf(opened)).listApiKeys(merchant);
        const now = opened.clock.now();
        const entry = ({ id, prefix, createdAt, revokedAt, scopes }: ApiKeyView) => ({
          cells: [`${prefix}_…`, ago(createdAt, now), revokedAt ? ago(revokedAt, now) : 'live'],
          details: [
            ['id', id],
            ['scopes', scopes.join(', ')],
          ] as const,
        });
        return {
          json: keys.map(apiKeyJson),
          text: list(['KEY', 'CREATED', 'REVOKED'], keys.map(entry)),
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
        const key = await (await merchantsOf(opened)).revokeApiKey(merchant, id, actor());
        return {
          json: apiKeyJson(key),
          text: `Revoked ${key.prefix}_…; running services notice within 5 s.`,
        };
      }),
    );
}

function apiKeyJson({ id, prefix, scopes, createdAt, revokedAt }: ApiKeyView): object {
  return { id, prefix, scopes, created_at: createdAt, revoked_at: revokedAt };
}
