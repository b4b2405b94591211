import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A second copy of what people did, chained by hashes, in a schema and under roles of its own: the role of the
 * service reads it and adds to it through audit_records alone.
 */
export class AuditChain1700000000091 implements MigrationInterface {
  name = 'AuditChain1700000000091';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE SCHEMA payonce_audit;

-- Numbers have no gap: they are given under a lock that is held until the commit.
CREATE TABLE payonce_audit.records (
  number         bigint      PRIMARY KEY CHECK (number > 0),
  -- The database's clock, to the millisecond, as the hash has it.
  at             timestamptz NOT NULL,
  actor          text        NOT NULL,
  action         text        NOT NULL,
  subject        text        NOT NULL,
  merchant_id    uuid        NOT NULL,
  -- Null: at the command line, or by the service itself.
  source_address text,
  result         text        NOT NULL,
  -- Text and not jsonb, because the hash is over its bytes.
  detail         text        NOT NULL,
  previous       bytea       NOT NULL CHECK (length(previous) = 32),
  hash           bytea       NOT NULL CHECK (length(hash) = 32)
);
CREATE INDEX records_by_subject ON payonce_audit.records (subject, number);

-- What the last number is and what each hash was, by another role: a tail that is cut off leaves its witness.
CREATE TABLE payonce_audit.witness (
  number bigint PRIMARY KEY CHECK (number > 0),
  hash   bytea  NOT NULL CHECK (length(hash) = 32)
);

CREATE FUNCTION payonce_audit.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'payonce_audit.% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER records_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payonce_audit.records
  FOR EACH STATEMENT EXECUTE FUNCTION payonce_audit.refuse_change();
CREATE TRIGGER witness_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payonce_audit.witness
  FOR EACH STATEMENT EXECUTE FUNCTION payonce_audit.refuse_change();

CREATE FUNCTION payonce_audit.testify(new_number bigint, new_hash bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF new_number <> (SELECT COALESCE(max(number), 0) + 1 FROM payonce_audit.witness) THEN
    RAISE EXCEPTION 'row % of the audit chain does not follow the last one', new_number;
  END IF;
  INSERT INTO payonce_audit.witness (number, hash) VALUES (new_number, new_hash);
END $$;

-- A field of the bytes that are hashed: its length in bytes before it, so that no two rows have the same bytes.
CREATE FUNCTION payonce_audit.field(value text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$
  SELECT CASE WHEN value IS NULL THEN '-' ELSE octet_length(convert_to(value, 'UTF8')) || ':' || value END || ','
$$;

CREATE FUNCTION payonce_audit.append(
  at timestamptz, actor text, action text, subject text, merchant_id uuid, source_address text, result text, detail text
) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last payonce_audit.witness;
  new_number bigint;
  made bytea;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('payonce'), hashtext('audit'));
  SELECT * INTO last FROM payonce_audit.witness ORDER BY number DESC LIMIT 1;
  new_number := COALESCE(last.number, 0) + 1;
  last.hash := COALESCE(last.hash, decode(repeat('00', 32), 'hex'));
  at := date_trunc('milliseconds', at);
  made := sha256(last.hash || convert_to(
    payonce_audit.field(new_number::text) || payonce_audit.field(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    || payonce_audit.field(actor) || payonce_audit.field(action) || payonce_audit.field(subject)
    || payonce_audit.field(merchant_id::text) || payonce_audit.field(source_address)
    || payonce_audit.field(result) || payonce_audit.field(detail), 'UTF8'));
  INSERT INTO payonce_audit.records VALUES
    (new_number, at, actor, action, subject, merchant_id, source_address, result, detail, last.hash, made);
  PERFORM payonce_audit.testify(new_number, made);
END $$;

CREATE FUNCTION payonce_audit.chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM payonce_audit.append(clock_timestamp(), NEW.actor, NEW.action, NEW.subject, NEW.merchant_id,
    NEW.detail ->> 'source_address', COALESCE(NEW.detail ->> 'result', 'done'), NEW.detail::text);
  RETURN NULL;
END $$;

-- What people did before there was a chain, in the order in which it was written down.
DO $$
DECLARE
  act audit_records;
BEGIN
  FOR act IN SELECT * FROM audit_records WHERE actor LIKE 'operator:%' OR actor LIKE 'cli:%' ORDER BY id LOOP
    PERFORM payonce_audit.append(act.at, act.actor, act.action, act.subject, act.merchant_id,
      act.detail ->> 'source_address', COALESCE(act.detail ->> 'result', 'done'), act.detail::text);
  END LOOP;
END $$;

-- In the transaction of the act: what a person did is in the chain, or was not done.
CREATE TRIGGER audit_records_chained AFTER INSERT ON audit_records
  FOR EACH ROW WHEN (NEW.actor LIKE 'operator:%' OR NEW.actor LIKE 'cli:%')
  EXECUTE FUNCTION payonce_audit.chain();

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA payonce_audit FROM PUBLIC;
GRANT USAGE ON SCHEMA payonce_audit TO PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA payonce_audit TO PUBLIC;

-- The chain belongs to two roles that nobody signs in as. Where this role may make none, the chain stays its own,
-- and "payonce audit verify" says so.
DO $$
DECLARE
  owner text;
BEGIN
  FOREACH owner IN ARRAY ARRAY['payonce_audit', 'payonce_audit_witness'] LOOP
    -- Roles belong to the server: another database of it may have made them, or make them right now.
    BEGIN
      IF to_regrole(owner) IS NULL THEN EXECUTE format('CREATE ROLE %I NOLOGIN', owner); END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
    END;
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', owner);
      EXECUTE format('GRANT CREATE ON DATABASE %I TO %I', current_database(), owner);
      EXECUTE format('GRANT CREATE ON SCHEMA payonce_audit TO %I', owner);
    END IF;
  END LOOP;
  GRANT EXECUTE ON FUNCTION payonce_audit.testify TO payonce_audit;
  ALTER FUNCTION payonce_audit.testify OWNER TO payonce_audit_witness;
  ALTER TABLE payonce_audit.witness OWNER TO payonce_audit_witness;
  ALTER FUNCTION payonce_audit.field OWNER TO payonce_audit;
  ALTER FUNCTION payonce_audit.append OWNER TO payonce_audit;
  ALTER FUNCTION payonce_audit.chain OWNER TO payonce_audit;
  ALTER FUNCTION payonce_audit.refuse_change OWNER TO payonce_audit;
  ALTER TABLE payonce_audit.records OWNER TO payonce_audit;
  ALTER SCHEMA payonce_audit OWNER TO payonce_audit;
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('REVOKE CREATE ON DATABASE %I FROM payonce_audit, payonce_audit_witness', current_database());
    REVOKE payonce_audit, payonce_audit_witness FROM CURRENT_USER;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'this role may not make roles: the audit chain belongs to %', current_user;
END $$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // The roles stay: another database of the server may use them.
    await runner.query(`
DROP TRIGGER audit_records_chained ON audit_records;
DROP SCHEMA payonce_audit CASCADE;
`);
  }
}
