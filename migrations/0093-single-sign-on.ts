import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** An operator may be known to an OpenID provider: by its issuer and subject, never by a name. */
export class SingleSignOn1700000000093 implements MigrationInterface {
  name = 'SingleSignOn1700000000093';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE operators
  ADD COLUMN oidc_issuer  text COLLATE "C",
  ADD COLUMN oidc_subject text COLLATE "C",
  ADD CONSTRAINT operators_oidc_named CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL)),
  ADD CONSTRAINT operators_oidc UNIQUE (oidc_issuer, oidc_subject);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE operators DROP COLUMN oidc_issuer, DROP COLUMN oidc_subject`);
  }
}
