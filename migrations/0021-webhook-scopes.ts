import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Webhook endpoints and events have scopes of their own. A key that was made before may do what it could do:
 * the new scopes are added to it by name.
 */
export class WebhookScopes1700000000021 implements MigrationInterface {
  name = 'WebhookScopes1700000000021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
UPDATE api_keys
   SET scopes = scopes
     || CASE WHEN 'payments:read' = ANY (scopes) THEN '{webhooks:read,events:read}'::text[] ELSE '{}' END
     || CASE WHEN 'payments:write' = ANY (scopes) THEN '{webhooks:write}'::text[] ELSE '{}' END
 WHERE scopes && '{payments:read,payments:write}'::text[]
   AND NOT scopes && '{webhooks:read,webhooks:write,events:read}'::text[];
`);
  }

  /** A key that holds nothing else could not stand: it is revoked, and keeps its scopes. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, GREATEST(now(), created_at))
 WHERE scopes <@ '{webhooks:read,webhooks:write,events:read}'::text[];
UPDATE api_keys
   SET scopes = ARRAY(SELECT s FROM unnest(scopes) s WHERE s NOT IN ('webhooks:read', 'webhooks:write', 'events:read'))
 WHERE NOT scopes <@ '{webhooks:read,webhooks:write,events:read}'::text[];
`);
  }
}
