import ipaddr from 'ipaddr.js';
import { type Environment, readEnvironment } from './environment.js';
import { type JobLadders, LADDER_FORM, readLadders } from './job-ladder.js';

/** The configuration of the service, checked. Times are in the unit that ends a name. */
export abstract class Config {
  /** Null: the embedded Postgres in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The URL of the role that runs migrations and owns the tables. Null: that of `databaseUrl`. */
  readonly migrationDatabaseUrl: string | null;
  /** Whether a start is refused, or warns, where its role can bypass row-level security. */
  readonly rowSecurity: 'required' | 'advised';
  /** Null: the queues are in Postgres. */
  readonly redisUrl: string | null;
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** The port of gRPC beside the API, 0: any free port. Null: none. */
  readonly grpcPort: number | null;
  /** Files of gRPC's TLS; null: gRPC in clear. */
  readonly grpcTlsCert: string | null;
  readonly grpcTlsKey: string | null;
  /** Null: clients of gRPC show no certificate. */
  readonly grpcClientCa: string | null;
  /** Which merchant each of those certificates belongs to. Null: a certificate says nothing of that. */
  readonly grpcClientsFile: string | null;
  /** The port of the console's own listener, 0: any free one. Null: the console is on `port`. */
  readonly opsPort: number | null;
  /** The port of a listener for /metrics alone, 0: any free port. Null: on `port` if `host` is loopback, else nowhere. */
  readonly monitoringPort: number | null;
  /** The address to which traces are sent by OTLP over HTTP. Null: nothing is traced. */
  readonly otelExporterOtlpEndpoint: string | null;
  readonly role: 'all' | 'api' | 'worker';
  /** Null: the simulator's PSPs where `simulated`, else the start is refused. */
  readonly pspsFile: string | null;
  /** Whether the bundled simulator is started too. */
  readonly simulator: boolean;
  /** Whether a simulator may play the PSPs: it is configured, or nothing else is. */
  readonly simulated: boolean;
  /** Whether operations that are not of test mode may begin at PSP accounts of test mode. */
  readonly liveReachesTest: boolean;
  /** HOST is no loopback address, or NODE_ENV is production. */
  readonly exposed: boolean;
  /** Addresses and networks whose X-Forwarded-For says where a request came from. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  /** Whether a start brings the schema up to date; if not, it refuses an old one. */
  readonly migrate: boolean;
  /** `synchronous`: a promoted standby has every commit, so that its promotion loses none. */
  readonly standby: Environment['PAYONCE_STANDBY'];
  /** 32 bytes. Null: the key kept in `dataDir`, see `sealKeyOf`. */
  readonly sealKey: Uint8Array | null;
  /** While the key is changed: the other one, with which values are read too. */
  readonly sealKeyPrevious: Uint8Array | null;
  /** How long a request holds its idempotency key before another may take over. */
  readonly lockTtlMs: number;
  /** Requests a second of an API key, and of all keys of a merchant; 0: no limit. */
  readonly keyRate: number;
  readonly merchantRate: number;
  /** Requests are refused while the event loop is later than this. */
  readonly shedDelayMs: number;
  /** How long a client waits for a payment to come to rest before it is answered 202. */
  readonly deadlineMs: number;
  /** Whether what a PSP did after it was ruled out is given back at once, or once a person approves. */
  readonly orphans: 'automatic' | 'approve';
  /** The targets of events: public addresses over https alone, or any. */
  readonly webhookTargets: 'public' | 'any';
  readonly keyRetentionDays: number;
  /** Longer than a delivery is tried for, and than an endpoint may fail before it is disabled. */
  readonly eventRetentionDays: number;
  /** How long a job that failed waits before each next try, and how many run at once there. */
  readonly jobLadder: JobLadders;
  /** The most database connections of this process, but for those of its queues. */
  readonly dbPool: number;
  readonly commitLanes: number;
  /** The bearer token of operators. Null: nothing is served under /ops/api. */
  readonly opsToken: string | null;
  /** How operators sign in by an OpenID provider. Null: not at all. */
  readonly oidcFile: string | null;
  /** Whom alerts go to. Null: nobody. */
  readonly alertsFile: string | null;
  /** Which signed tokens of services are taken. Null: none. */
  readonly jwtFile: string | null;
  readonly shutdownGraceMs: number;
  readonly logLevel: Environment['PAYONCE_LOG_LEVEL'];
  readonly clockOffsetMs: number;
}

/** The environment is wrong. The message names every wrong variable and echoes no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly complaints: readonly string[]) {
    super(`The configuration is not valid:\n${complaints.map((line) => `  ${line}`).join('\n')}`);
  }
}

/** Reads the configuration. Pure. @throws ConfigError */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { environment: given, complaints } = readEnvironment(env);
  if (complaints.length > 0) throw new ConfigError(complaints);

  if (given.PAYONCE_DB_POOL <= given.PAYONCE_COMMIT_LANES) {
    // A lane holds a connection while it commits; reads need one as well.
    throw new ConfigError([
      `PAYONCE_DB_POOL is ${given.PAYONCE_DB_POOL}; it takes more than PAYONCE_COMMIT_LANES, ` +
        `which is ${given.PAYONCE_COMMIT_LANES}`,
    ]);
  }
  const grpcPort = given.GRPC_PORT === 'off' ? null : Number(given.GRPC_PORT);
  checkPorts(given, grpcPort);
  checkGrpcTls(given);
  if (given.PAYONCE_MIGRATION_DATABASE_URL && !given.DATABASE_URL) {
    throw new ConfigError([
      'PAYONCE_MIGRATION_DATABASE_URL needs DATABASE_URL, which names the role of the service',
    ]);
  }
  const trustedProxies = given.PAYONCE_TRUSTED_PROXIES?.split(',') ?? [];
  const noNetwork = trustedProxies.find((each) => !ipaddr.isValid(each) && !ipaddr.isValidCIDR(each));
  if (noNetwork !== undefined) {
    throw new ConfigError([
      `PAYONCE_TRUSTED_PROXIES has "${noNetwork}"; it takes addresses, and networks such as 10.0.0.0/8`,
    ]);
  }
  const jobLadder = readLadders(given.PAYONCE_JOB_LADDER);
  if (typeof jobLadder === 'string') {
    const was = JSON.stringify(given.PAYONCE_JOB_LADDER.slice(0, 100));
    throw new ConfigError([`PAYONCE_JOB_LADDER is ${was}: ${jobLadder}; it takes ${LADDER_FORM}`]);
  }
  const exposed = !isLoopback(given.HOST) || env['NODE_ENV'] === 'production';
  const isBare = !given.PAYONCE_PSPS_FILE && !given.DATABASE_URL && !exposed;
  const simulator = given.PAYONCE_SIMULATOR ? given.PAYONCE_SIMULATOR === 'on' : isBare;
  const simulated = simulator || given.PAYONCE_SIMULATOR === 'external';
  return Object.freeze<Config>({
    databaseUrl: given.DATABASE_URL ?? null,
    migrationDatabaseUrl: given.PAYONCE_MIGRATION_DATABASE_URL ?? null,
    rowSecurity: given.PAYONCE_ROW_SECURITY ?? (env['NODE_ENV'] === 'production' ? 'required' : 'advised'),
    redisUrl: given.REDIS_URL ?? null,
    port: given.PORT,
    host: given.HOST,
    trustedProxies,
    grpcPort,
    grpcTlsCert: given.PAYONCE_GRPC_TLS_CERT ?? null,
    grpcTlsKey: given.PAYONCE_GRPC_TLS_KEY ?? null,
    grpcClientCa: given.PAYONCE_GRPC_CLIENT_CA ?? null,
    grpcClientsFile: given.PAYONCE_GRPC_CLIENTS_FILE ?? null,
    opsPort: given.PAYONCE_OPS_PORT ?? null,
    monitoringPort: given.PAYONCE_MONITORING_PORT ?? null,
    otelExporterOtlpEndpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    role: given.PAYONCE_ROLE,
    pspsFile: given.PAYONCE_PSPS_FILE ?? null,
    simulator,
    simulated,
    liveReachesTest: simulated || !exposed,
    exposed,
    dataDir: given.PAYONCE_DATA_DIR,
    migrate: given.PAYONCE_MIGRATE === 'on',
    standby: given.PAYONCE_STANDBY,
    sealKey: keyOf(given.PAYONCE_SEAL_KEY),
    sealKeyPrevious: keyOf(given.PAYONCE_SEAL_KEY_PREVIOUS),
    lockTtlMs: given.PAYONCE_LOCK_TTL_MS,
    deadlineMs: given.PAYONCE_DEADLINE_MS,
    keyRate: given.PAYONCE_KEY_RATE,
    merchantRate: given.PAYONCE_MERCHANT_RATE,
    shedDelayMs: given.PAYONCE_SHED_DELAY_MS,
    orphans: given.PAYONCE_ORPHANS,
    webhookTargets: given.PAYONCE_WEBHOOK_TARGETS ?? (simulator ? 'any' : 'public'),
    keyRetentionDays: given.PAYONCE_KEY_RETENTION_DAYS,
    eventRetentionDays: given.PAYONCE_EVENT_RETENTION_DAYS,
    jobLadder,
    dbPool: given.PAYONCE_DB_POOL,
    commitLanes: given.PAYONCE_COMMIT_LANES,
    opsToken: given.PAYONCE_OPS_TOKEN ?? null,
    oidcFile: given.PAYONCE_OIDC_FILE ?? null,
    alertsFile: given.PAYONCE_ALERTS_FILE ?? null,
    jwtFile: given.PAYONCE_JWT_FILE ?? null,
    shutdownGraceMs: given.PAYONCE_SHUTDOWN_GRACE_MS,
    logLevel: given.PAYONCE_LOG_LEVEL,
    clockOffsetMs: given.PAYONCE_CLOCK_OFFSET_MS,
  });
}

/** 0 is any free port. @throws ConfigError for two listeners on one port */
function checkPorts(given: Environment, grpcPort: number | null): void {
  const { PORT, PAYONCE_OPS_PORT, PAYONCE_MONITORING_PORT } = given;
  const taken = new Map<number, string>();
  for (const [name, port] of Object.entries({
    PORT,
    PAYONCE_OPS_PORT,
    PAYONCE_MONITORING_PORT,
    GRPC_PORT: grpcPort,
  })) {
    const earlier = taken.get(port ?? 0);
    if (earlier) throw new ConfigError([`${name} is ${port}; it takes another port than ${earlier}`]);
    if (port) taken.set(port, name);
  }
}

/** Each file of gRPC's TLS with those that it needs. @throws ConfigError */
function checkGrpcTls({
  PAYONCE_GRPC_TLS_CERT: cert,
  PAYONCE_GRPC_TLS_KEY: key,
  PAYONCE_GRPC_CLIENT_CA: clientCa,
  PAYONCE_GRPC_CLIENTS_FILE: clients,
}: Environment): void {
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError([
      'PAYONCE_GRPC_TLS_CERT and PAYONCE_GRPC_TLS_KEY are given together or not at all',
    ]);
  }
  if (clientCa !== undefined && cert === undefined) {
    throw new ConfigError(['PAYONCE_GRPC_CLIENT_CA needs PAYONCE_GRPC_TLS_CERT']);
  }
  if (clients !== undefined && clientCa === undefined) {
    throw new ConfigError(['PAYONCE_GRPC_CLIENTS_FILE needs PAYONCE_GRPC_CLIENT_CA']);
  }
}

function keyOf(text: string | undefined): Uint8Array | null {
  return text === undefined ? null : Buffer.from(text, 'base64');
}

/** Whether a host name or an address, as in a URL or not, leads to this machine alone. */
export function isLoopback(host: string): boolean {
  const address = host.replaceAll(/^\[|\]$/g, '');
  if (address === 'localhost') return true;
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
