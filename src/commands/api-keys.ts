import { type Command } from 'commander';
import { type ApiKeyView, scopes } from '../merchants/index.js';
import { command, type Perform } from './command.js';
import { merchantsOf } from './merchants.js';
import { table, when } from './table.js';

export function addApiKeys(payonce: Command, perform: Perform): void {
  const apiKeys = payonce.command('api-keys').description('credentials of a merchant');
  command(apiKeys, 'create', 'issue a key; it is shown this once')
    .requiredOption('--merchant <id>', 'whose key')
    .requiredOption('--scopes <scopes>', `what it may do: ${scopes.join(',')}`)
    .action(({ merchant, scopes }: { merchant: string; scopes: string }) =>
      perform(async (opened) => {
        const wanted = scopes.split(',').map((scope) => scope.trim());
        const { id, key } = await merchantsOf(opened).createApiKey(merchant, wanted);
        return { json: { id, key }, text: `${key}\nKeep it now, it is not shown again. Its id: ${id}` };
      }),
    );
  command(apiKeys, 'list', 'list the keys of a merchant, newest first')
    .requiredOption('--merchant <id>', 'whose keys')
    .action(({ merchant }: { merchant: string }) =>
      perform(async (opened) => {
        const keys = await merchantsOf(opened).listApiKeys(merchant);
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
      perform(async (opened) => {
        const key = await merchantsOf(opened).revokeApiKey(merchant, id);
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
