import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class Merchants1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A merchant is a tenant: every other table's keys start with its id, so that a sharding engine
      -- can distribute them all by it.
      CREATE TABLE merchants (
        id         uuid        PRIMARY KEY,
        name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
        created_at timestamptz NOT NULL
      );

      -- What a merchant's servers identify themselves with. Only a SHA-256 of the key is kept; prefix
      -- is the part of it that people may see and talk about. A revoked key stays, for the records.
      -- (hash is looked up before the merchant is known: the one index not led by merchant_id.)
      CREATE TABLE api_keys (
        merchant_id uuid        NOT NULL REFERENCES merchants (id),
        id          uuid        NOT NULL,
        hash        bytea       NOT NULL UNIQUE CHECK (length(hash) = 32),
        prefix      text        NOT NULL,
        scopes      text[]      NOT NULL CHECK (cardinality(scopes) > 0),
        created_at  timestamptz NOT NULL,
        revoked_at  timestamptz CHECK (revoked_at >= created_at),
        PRIMARY KEY (merchant_id, id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_keys; DROP TABLE merchants');
  }
}
