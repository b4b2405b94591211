import { randomBytes } from 'node:crypto';
import { escapeIdentifier, type Client } from 'pg';
import { migrations } from '../../migrations/index.js';
import { migrate, openDatabase } from '../../src/database/database.js';
import { openStore } from '../../src/database/open-store.js';
import { onDatabase } from '../support/database.js';
import { ApiClient, orderOf, TestEnvironment } from '../support/test-environment.js';

/**
 * The service's role wants to become more than it is: a schema named like the owner is looked into first by every
 * session of the owner that does not say otherwise, and what stands there would run as the owner.
 */
let environment: TestEnvironment;
let [service, owner, serviceUrl, url]: string[] = [];

beforeAll(async () => {
  environment = await TestEnvironment.open();
  ({ serviceUrl, url } = environment.database);
  [service, owner] = [new URL(serviceUrl).username, new URL(url).username];
});
afterAll(async () => {
  // Roles are the server's: what went wrong here shall not go on beside.
  await environment.sql(`ALTER ROLE ${service} NOSUPERUSER`);
  await environment.close();
});

const asService = <T>(work: (client: Client) => Promise<T>) => onDatabase(serviceUrl!, work);
const makeSchema = (client: Client) => client.query(`CREATE SCHEMA ${escapeIdentifier(owner!)}`);

/** All that the role may do beyond the rows of tables. */
const rights = async () =>
  environment.sql(
    `SELECT rolsuper, rolcreatedb, rolcreaterole, rolbypassrls, rolreplication,
            has_database_privilege(oid, current_database(), 'CREATE') AS makes_schemas,
            ARRAY(SELECT nspname::text FROM pg_namespace n WHERE has_schema_privilege(r.oid, n.oid, 'CREATE')) AS writes_to,
            ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid) AS member_of
       FROM pg_roles r WHERE rolname = $1`,
    [service],
  );

it('may make no schema, and gains no right in a whole start', async () => {
  const before = await rights();
  expect(before).toMatchObject([
    { rolsuper: false, makes_schemas: false, writes_to: ['bullmq'], member_of: [] },
  ]);
  await expect(asService(makeSchema)).rejects.toThrow('permission denied for database');
  await expect(
    asService((client) => client.query('CREATE FUNCTION public.now() RETURNS int LANGUAGE sql RETURN 1')),
  ).rejects.toThrow('permission denied for schema');
  const started = await environment.startProcess({ env: { PAYONCE_MIGRATION_DATABASE_URL: url! } });
  expect((await fetch(`${started.url}/health/ready`)).status).toBe(200);
  await started.end();
  expect(await rights()).toEqual(before);
});

it('reads what a migration adds when the role is there already, a view too', async () => {
  const read = () => asService((client) => client.query('SELECT FROM ledger_lines, ledger_due'));
  for (const added of ['ledger_lines', 'ledger_due']) {
    await environment.sql(`REVOKE ALL ON ${added} FROM ${service}`);
    await expect(read()).rejects.toThrow('permission denied for');
    const options = {
      url: url!,
      entities: [],
      migrations,
      poolSize: 2,
      applicationName: 'service-role-spec',
    };
    const opened = await openDatabase(options);
    await migrate(opened.dataSource, serviceUrl);
    await opened.close();
    expect((await read()).rowCount).toBe(0);
  }
});

it('writes history and changes none of it', async () => {
  const running = await environment.start();
  const client = new ApiClient(() => running.url, await environment.merchant());
  expect((await client.post('/v1/payments', orderOf(), 'kept')).status).toBe(201);
  await asService(async (sql) => {
    await sql.query("SET payonce.tenants = '*'");
    for (const change of [
      "UPDATE psp_attempts SET outcome = 'not_sent'",
      "UPDATE psp_attempts SET response = '{}'",
      'DELETE FROM psp_attempts',
      "UPDATE events SET data = '{}'",
      "UPDATE events SET type = 'payment.failed'",
    ]) {
      await expect(sql.query(change)).rejects.toThrow('append-only');
    }
    await expect(sql.query('DELETE FROM events')).rejects.toThrow('events are kept for ten days');
    // What is under way gets its end, and nothing else.
    await sql.query(`
      INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, trace_id, request, started_at)
      SELECT merchant_id, entity_key, route, attempt + 1, 'lookup', 't', '{}', now() FROM psp_attempts`);
    const open = 'WHERE outcome IS NULL';
    await expect(sql.query(`UPDATE psp_attempts SET kind = 'cancel' ${open}`)).rejects.toThrow('append-only');
    const end = `UPDATE psp_attempts SET outcome = 'not_found', ended_at = now() ${open}`;
    expect((await sql.query(end)).rowCount).toBe(1);
    const marked = 'UPDATE events SET fanned_out_at = now() WHERE fanned_out_at IS NULL';
    expect((await sql.query(marked)).rowCount).toBe(1);
    await expect(sql.query('UPDATE events SET fanned_out_at = NULL')).rejects.toThrow('append-only');
  });
});

it('is made by an owner that is no superuser, and given the schema of the queues', async () => {
  const name = `owner_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(8).toString('hex');
  await environment.sql(`CREATE ROLE ${name} LOGIN PASSWORD '${password}' NOSUPERUSER CREATEROLE`);
  await environment.sql(`CREATE DATABASE ${name} OWNER ${name}`);
  const urlOf = (username: string) =>
    Object.assign(new URL(url!), { username, password, pathname: `/${name}` }).href;
  const start = async () => {
    const config = { databaseUrl: urlOf(`${name}_app`), migrationDatabaseUrl: urlOf(name), dataDir: '' };
    const options = {
      entities: [],
      poolSize: 2,
      applicationName: 'payonce',
      schema: 'migrate',
      writes: true,
    } as const;
    const store = await openStore(config, options);
    try {
      const { rows } = await store.database.pool.query<object>(`
        SELECT nspowner::regrole::text AS owner, has_database_privilege(current_database(), 'CREATE') AS "makesSchemas"
          FROM pg_namespace WHERE nspname = 'bullmq'`);
      expect(rows).toEqual([{ owner: `${name}_app`, makesSchemas: false }]);
    } finally {
      await store.close();
    }
  };
  try {
    await start();
    await start();
  } finally {
    await environment.sql(`DROP DATABASE ${name} WITH (FORCE)`);
    for (const role of [`${name}_app`, name])
      await environment.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

describe('with the right that older versions gave', () => {
  beforeAll(async () => {
    const database = new URL(url!).pathname.slice(1);
    await environment.sql(`GRANT CREATE ON DATABASE ${database} TO ${service}`);
    await asService(async (client) => {
      await makeSchema(client);
      // The last migration is still to run, as the owner reads it; its row is written with a trigger.
      await client.query(`
        SET search_path = ${escapeIdentifier(owner!)}, public;
        CREATE TABLE ${escapeIdentifier(owner!)}.schema_migrations AS
          SELECT * FROM public.schema_migrations ORDER BY id OFFSET 0;
        DELETE FROM schema_migrations WHERE name = '${migrations.at(-1)!.name}';
        CREATE SEQUENCE ids START 1000;
        ALTER TABLE schema_migrations ALTER id SET DEFAULT nextval('ids');
        CREATE FUNCTION raise_me() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN ALTER ROLE ${service} SUPERUSER; RETURN NEW; END $$;
        CREATE TRIGGER raise_me BEFORE INSERT ON schema_migrations FOR EACH ROW EXECUTE FUNCTION raise_me();
        GRANT ALL ON SCHEMA ${escapeIdentifier(owner!)} TO PUBLIC; GRANT ALL ON schema_migrations, ids TO PUBLIC`);
    });
  });

  it('has nothing of it run by the owner', async () => {
    const database = await openDatabase({
      url: url!,
      entities: [],
      migrations,
      poolSize: 2,
      applicationName: 'payonce-migrate',
    });
    try {
      expect(await migrate(database.dataSource, serviceUrl)).toEqual([]);
    } finally {
      await database.close();
    }
    expect(await rights()).toMatchObject([{ rolsuper: false, makes_schemas: false }]);
  });

  it('is found out: the start is refused until the schema is gone', async () => {
    const start = () =>
      openStore(
        { databaseUrl: serviceUrl!, migrationDatabaseUrl: url!, dataDir: '' },
        { entities: [], poolSize: 2, applicationName: 'payonce', schema: 'migrate', writes: true },
      );
    await expect(start()).rejects.toThrow(`has a schema ${owner}, named like the role that migrates`);
    await environment.sql(`DROP SCHEMA ${escapeIdentifier(owner!)} CASCADE`);
    const store = await start();
    await store.close();
  });
});
