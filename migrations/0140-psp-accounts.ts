import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** PSP accounts and routing rules that administrators change while processes run, beside those of the PSPs file. */
export class PspAccounts1700000000140 implements MigrationInterface {
  name = 'PspAccounts1700000000140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- entry: one of the PSPs file, encrypted as a whole under the seal key, so that nobody with the database alone can send
-- its credentials to another address. Each change raises the version: processes compare count and sum of the versions,
-- and read all rows where these differ.
CREATE TABLE psp_accounts (
  id          uuid        PRIMARY KEY,
  name        text        NOT NULL UNIQUE CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'),
  entry       bytea       NOT NULL,
  fingerprint text        NOT NULL,
  disabled_at timestamptz,
  version     integer     NOT NULL DEFAULT 1,
  created_at  timestamptz NOT NULL,
  changed_at  timestamptz NOT NULL
);

-- Open routes, payments and reports name an account, and mean the account at the PSP that it was.
CREATE FUNCTION payonce_psp_account_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (OLD.id, OLD.name, OLD.fingerprint) IS DISTINCT FROM (NEW.id, NEW.name, NEW.fingerprint)
     OR NEW.version < OLD.version THEN
    RAISE EXCEPTION 'a PSP account stays what it is; disable it, and add another one'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'psp_accounts_stay';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER psp_accounts_stay BEFORE UPDATE OR DELETE ON psp_accounts
  FOR EACH ROW EXECUTE FUNCTION payonce_psp_account_stays();

-- The routing rules of one merchant, in the place of those of the PSPs file. NULL: it had some once.
CREATE TABLE merchant_routing (
  merchant_id uuid        PRIMARY KEY REFERENCES merchants (id),
  rules       jsonb,
  version     integer     NOT NULL DEFAULT 1,
  changed_at  timestamptz NOT NULL
);
SELECT payonce_wall_in('merchant_routing', 'merchant_id');
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE merchant_routing, psp_accounts;
DROP FUNCTION payonce_psp_account_stays();
`);
  }
}
