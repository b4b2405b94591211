import { ConfigError, loadConfig } from './config.js';

function complaintsAbout(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs nothing: every default is there', () => {
    expect(loadConfig({})).toEqual({
      databaseUrl: null,
      migrationDatabaseUrl: null,
      rowSecurity: 'advised',
      redisUrl: null,
      port: 3000,
      host: '127.0.0.1',
      trustedProxies: [],
      grpcPort: 50_051,
      grpcTlsCert: null,
      grpcTlsKey: null,
      grpcClientCa: null,
      grpcClientsFile: null,
      opsPort: null,
      monitoringPort: null,
      otelExporterOtlpEndpoint: null,
      role: 'all',
      pspsFile: null,
      simulator: true,
      standby: 'asynchronous',
      simulated: true,
      exposed: false,
      liveReachesTest: true,
      dataDir: '.payonce',
      migrate: true,
      sealKey: null,
      sealKeyPrevious: null,
      lockTtlMs: 20_000,
      deadlineMs: 25_000,
      keyRate: 2_000,
      merchantRate: 4_000,
      shedDelayMs: 300,
      orphans: 'automatic',
      webhookTargets: 'any',
      keyRetentionDays: 30,
      eventRetentionDays: 90,
      jobLadder: {
        usual: [
          { delayMs: 0, concurrency: 16 },
          { delayMs: 30_000, concurrency: 4 },
          { delayMs: 300_000, concurrency: 2 },
          { delayMs: 3_600_000, concurrency: 2 },
          { delayMs: 21_600_000, concurrency: 1 },
        ],
        ofKinds: new Map(),
      },
      dbPool: 10,
      commitLanes: 3,
      opsToken: null,
      oidcFile: null,
      alertsFile: null,
      jwtFile: null,
      shutdownGraceMs: 15_000,
      logLevel: 'info',
      clockOffsetMs: 0,
    });
  });

  it('takes off, or a port for gRPC', () => {
    expect(['off', '0', '65535'].map((GRPC_PORT) => loadConfig({ GRPC_PORT }).grpcPort)).toEqual([
      null,
      0,
      65_535,
    ]);
    for (const [PAYONCE_TRUSTED_PROXIES, wrong] of [
      ['10.0.0.0/33', '10.0.0.0/33'],
      ['127.0.0.1,10.0.0.256', '10.0.0.256'],
      ['fd00::/8,::/200', '::/200'],
    ] as const) {
      expect(complaintsAbout({ PAYONCE_TRUSTED_PROXIES })).toEqual([
        `PAYONCE_TRUSTED_PROXIES has "${wrong}"; it takes addresses, and networks such as 10.0.0.0/8`,
      ]);
    }
    for (const GRPC_PORT of ['on', '65536', '050', '-1', '1.5']) {
      expect(complaintsAbout({ GRPC_PORT })).toEqual([
        `GRPC_PORT is "${GRPC_PORT}"; it takes off, or a port (0 = any free one) from 0 to 65535`,
      ]);
    }
  });

  it('takes the files of TLS for gRPC only with those that they need', () => {
    const [PAYONCE_GRPC_TLS_CERT, PAYONCE_GRPC_TLS_KEY] = ['a.pem', 'a.key'];
    const pair = { PAYONCE_GRPC_TLS_CERT, PAYONCE_GRPC_TLS_KEY };
    const [PAYONCE_GRPC_CLIENT_CA, PAYONCE_GRPC_CLIENTS_FILE] = ['ca.pem', 'clients.json'];
    const mutual = { ...pair, PAYONCE_GRPC_CLIENT_CA, PAYONCE_GRPC_CLIENTS_FILE };
    expect(loadConfig(pair)).toMatchObject({
      grpcTlsCert: 'a.pem',
      grpcTlsKey: 'a.key',
      grpcClientCa: null,
    });
    expect(loadConfig(mutual)).toMatchObject({ grpcClientCa: 'ca.pem', grpcClientsFile: 'clients.json' });
    const together = 'PAYONCE_GRPC_TLS_CERT and PAYONCE_GRPC_TLS_KEY are given together or not at all';
    expect(complaintsAbout({ PAYONCE_GRPC_TLS_CERT })).toEqual([together]);
    expect(complaintsAbout({ PAYONCE_GRPC_TLS_KEY })).toEqual([together]);
    expect(complaintsAbout({ PAYONCE_GRPC_CLIENT_CA })).toEqual([
      'PAYONCE_GRPC_CLIENT_CA needs PAYONCE_GRPC_TLS_CERT',
    ]);
    expect(complaintsAbout({ ...pair, PAYONCE_GRPC_CLIENTS_FILE })).toEqual([
      'PAYONCE_GRPC_CLIENTS_FILE needs PAYONCE_GRPC_CLIENT_CA',
    ]);
  });

  it('takes another port for each listener', () => {
    const NAMES = ['PORT', 'PAYONCE_OPS_PORT', 'PAYONCE_MONITORING_PORT', 'GRPC_PORT'];
    const ports = (...given: string[]) => {
      const env = Object.fromEntries(NAMES.map((name, at) => [name, given[at]!]));
      const { port, opsPort, monitoringPort, grpcPort } = loadConfig(env);
      return [port, opsPort, monitoringPort, grpcPort];
    };
    expect(ports('3000', '3001', '9090', '7000')).toEqual([3_000, 3_001, 9_090, 7_000]);
    expect(ports('0', '0', '0', '0')).toEqual([0, 0, 0, 0]);
    for (const [first, second] of NAMES.flatMap((one, at) =>
      NAMES.slice(at + 1).map((two): [string, string] => [one, two]),
    )) {
      expect(complaintsAbout({ [first]: '7000', [second]: '7000' })).toEqual([
        `${second} is 7000; it takes another port than ${first}`,
      ]);
    }
  });

  it('sends events anywhere only beside the bundled simulator, unless told', () => {
    const targets = (env: Record<string, string>) => loadConfig(env).webhookTargets;
    expect(targets({ PAYONCE_PSPS_FILE: 'psps.json' })).toBe('public');
    expect(targets({ PAYONCE_SIMULATOR: 'off' })).toBe('public');
    expect(targets({ PAYONCE_SIMULATOR: 'off', PAYONCE_WEBHOOK_TARGETS: 'any' })).toBe('any');
    expect(targets({ PAYONCE_WEBHOOK_TARGETS: 'public' })).toBe('public');
  });

  it('is frozen', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it('reads what is given and leaves the rest of the environment alone', () => {
    const env = {
      PATH: '/bin',
      DATABASE_URL: 'postgres://u:p@db.example:6432/pay',
      PORT: '0',
      HOST: '::',
      PAYONCE_ROLE: 'worker',
      PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
      PAYONCE_LOG_LEVEL: 'silent',
      PAYONCE_CLOCK_OFFSET_MS: '-90000000',
    };
    const before = { ...env };
    const config = loadConfig(env);
    expect(config).toMatchObject({
      databaseUrl: env.DATABASE_URL,
      port: 0,
      host: '::',
      role: 'worker',
      logLevel: 'silent',
      clockOffsetMs: -90_000_000,
    });
    expect(config.sealKey).toEqual(Buffer.alloc(32, 7));
    expect(env).toEqual(before);
  });

  it('takes an empty variable for an absent one', () => {
    expect(loadConfig({ DATABASE_URL: '', PORT: '', PAYONCE_SIMULATOR: '' })).toEqual(loadConfig({}));
  });

  it.each([
    [{}, true],
    [{ PAYONCE_PSPS_FILE: 'psps.json' }, false],
    [{ PAYONCE_PSPS_FILE: 'psps.json', PAYONCE_SIMULATOR: 'on' }, true],
    [{ PAYONCE_SIMULATOR: 'off' }, false],
    [{ PAYONCE_SIMULATOR: 'external' }, false],
    [{ HOST: '::1' }, true],
    [{ HOST: 'localhost' }, true],
    [{ DATABASE_URL: 'postgresql://u:p@127.0.0.1/pay' }, false],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '192.168.1.7' }, false],
    [{ HOST: 'api.internal' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'production', HOST: '0.0.0.0', PAYONCE_SIMULATOR: 'on' }, true],
  ])('%j: the bundled simulator runs %s', (env, simulator) => {
    expect(loadConfig(env).simulator).toBe(simulator);
  });

  it.each([
    [{}, true],
    [{ PAYONCE_SIMULATOR: 'off' }, false],
    [{ PAYONCE_SIMULATOR: 'external', NODE_ENV: 'production' }, true],
    [{ PAYONCE_PSPS_FILE: 'psps.json' }, false],
    [{ NODE_ENV: 'production' }, false],
  ])('%j: a simulator may play the PSPs %s', (env, simulated) => {
    expect(loadConfig(env).simulated).toBe(simulated);
  });

  it.each([
    [{ PAYONCE_SIMULATOR: 'off' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'production', PAYONCE_SIMULATOR: 'external' }, true],
  ])('%j: payments that are not of test mode reach accounts of test mode %s', (env, reach) => {
    expect(loadConfig(env).liveReachesTest).toBe(reach);
  });

  it.each([
    ['PORT', '65536', 'PORT is "65536"; it takes a port (0 = any free one) from 0 to 65535'],
    ['PORT', '30x', 'PORT is "30x"; it takes a port (0 = any free one) from 0 to 65535'],
    ['PORT', '1.5', 'PORT is "1.5"; it takes a port (0 = any free one) from 0 to 65535'],
    ['HOST', 'a b', 'HOST is "a b"; it takes the address or host name to listen on'],
    ['PAYONCE_ROLE', 'API', 'PAYONCE_ROLE is "API"; it takes one of all, api, worker'],
    ['PAYONCE_LOCK_TTL_MS', '999', 'PAYONCE_LOCK_TTL_MS is "999"; it takes milliseconds from 1000 to 300000'],
    ['PAYONCE_COMMIT_LANES', '5', 'PAYONCE_COMMIT_LANES is "5"; it takes a number of lanes from 1 to 4'],
    ['PAYONCE_SIMULATOR', 'yes', 'PAYONCE_SIMULATOR is "yes"; it takes one of on, off, external'],
  ])('refuses %s=%s', (name, value, complaint) => {
    expect(complaintsAbout({ [name]: value })).toEqual([complaint]);
  });

  it('names every wrong variable in one message', () => {
    const env = { PORT: 'x', PAYONCE_ROLE: 'y', PAYONCE_DB_POOL: '1', PAYONCE_LOCK_TLL_MS: '5000' };
    expect(complaintsAbout(env)).toHaveLength(4);
    expect(() => loadConfig(env)).toThrow(/PAYONCE_DB_POOL.*\n.*PAYONCE_LOCK_TLL_MS is not known\n/);
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2@db/pay'],
    ['REDIS_URL', 'http://:hunter2@cache'],
    ['PAYONCE_SEAL_KEY', 'hunter2'],
    ['PAYONCE_SEAL_KEY', Buffer.from('hunter2'.repeat(5)).toString('base64')],
    ['PAYONCE_OPS_TOKEN', 'hunter2'],
    ['PAYONCE_OPS_TOKEN', 'hunter2'.repeat(4)],
    ['PAYONCE_OPS_TOKEN', `${'hunter2'.repeat(5)} and a space`],
    ['PAYONCE_OPS_TOKEN', `po_live_0123456789ab_${'hunter2'.repeat(6)}k`],
    ['PAYONCE_SEELKEY', 'hunter2'],
  ])('refuses a wrong %s without repeating it', (name, value) => {
    const [complaint] = complaintsAbout({ [name]: value });
    expect(complaint).toMatch(new RegExp(`^${name} is not (valid; it takes|known)`));
    expect(complaint).not.toContain('hunter2');
    expect(complaint).not.toContain(value);
  });

  it('refuses a pool that its own lanes would use up', () => {
    expect(complaintsAbout({ PAYONCE_DB_POOL: '3' })).toEqual([
      'PAYONCE_DB_POOL is 3; it takes more than PAYONCE_COMMIT_LANES, which is 3',
    ]);
  });

  it('says what is wrong with a ladder', () => {
    expect(complaintsAbout({ PAYONCE_JOB_LADDER: '0/16,5m/2,30s/4' })).toEqual([
      'PAYONCE_JOB_LADDER is "0/16,5m/2,30s/4": 30s/4 waits no longer than the step before it; it takes ' +
        'steps of delay and concurrency, the first without delay, like 0/16,30s/4,5m/2, and after a ' +
        'semicolon those of a kind of job, like webhook.apply=0/8,10s/2',
    ]);
  });
});
