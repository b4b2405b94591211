import { Ajv } from 'ajv';
import ipaddr from 'ipaddr.js';
import { type JobLadders, readLadders } from './job-ladder.js';

/** A variable as JSON Schema: `description` completes "it takes …". `T` is what it becomes. */
interface Variable<T> {
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly default?: T;
}

const integer = (takes: string, initial: number, minimum: number, maximum: number): Variable<number> =>
  bounded(`${takes} from ${minimum} to ${maximum}`, { default: initial, minimum, maximum });

const bounded = <T extends number | undefined>(description: string, rule: object): Variable<T> => ({
  type: 'integer',
  description,
  ...rule,
});

const line = <T extends string | undefined>(description: string, rule: object = {}): Variable<T> => ({
  type: 'string',
  description,
  ...rule,
});

const choice = <const Choice extends string>(choices: readonly Choice[], initial: Choice): Variable<Choice> =>
  line(`one of ${choices.join(', ')}`, { enum: choices, default: initial });

const perhaps = <const Choice extends string>(choices: readonly Choice[]): Variable<Choice | undefined> =>
  line(`one of ${choices.join(', ')}`, { enum: choices });

const LADDER =
  'steps of delay and concurrency, the first without delay, like 0/16,30s/4,5m/2, ' +
  'and after a semicolon those of a kind of job, like webhook.apply=0/8,10s/2';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Every variable that is read, what it takes and its default. */
const variables = {
  DATABASE_URL: line<string | undefined>('a URL of the form postgresql://user:password@host:port/name', {
    pattern: '^postgres(ql)?://[^\\s]+$',
  }),
  REDIS_URL: line<string | undefined>('a URL of the form redis://host:port', {
    pattern: '^rediss?://[^\\s]+$',
  }),
  PORT: integer('a port (0 = any free one)', 3_000, 0, 65_535),
  HOST: line<string>('the address or host name to listen on', {
    default: '127.0.0.1',
    pattern: '^[A-Za-z0-9._:-]+$',
  }),
  PAYONCE_MONITORING_PORT: bounded<number | undefined>('a port (0 = any free one)', {
    minimum: 0,
    maximum: 65_535,
  }),
  PAYONCE_ROLE: choice(['all', 'api', 'worker'], 'all'),
  PAYONCE_PSPS_FILE: line<string | undefined>('the path of a JSON file'),
  PAYONCE_SIMULATOR: perhaps(['on', 'off', 'external']),
  PAYONCE_MIGRATE: choice(['on', 'off'], 'on'),
  PAYONCE_DATA_DIR: line<string>('the path of a directory', { default: '.payonce' }),
  PAYONCE_SEAL_KEY: line<string | undefined>('32 random bytes in base64 (openssl rand -base64 32)', {
    pattern: '^[A-Za-z0-9+/]{43}=$',
  }),
  PAYONCE_SEAL_KEY_PREVIOUS: line<string | undefined>('32 bytes in base64, the key before', {
    pattern: '^[A-Za-z0-9+/]{43}=$',
  }),
  PAYONCE_LOCK_TTL_MS: integer('milliseconds', 20_000, 1_000, 300_000),
  PAYONCE_DEADLINE_MS: integer('milliseconds', 25_000, 1_000, 300_000),
  PAYONCE_ORPHANS: choice(['automatic', 'approve'], 'automatic'),
  PAYONCE_WEBHOOK_TARGETS: perhaps(['public', 'any']),
  PAYONCE_KEY_RETENTION_DAYS: integer('days', 30, 1, 3_650),
  PAYONCE_EVENT_RETENTION_DAYS: integer('days', 90, 10, 3_650),
  PAYONCE_JOB_LADDER: line<string>(LADDER, { default: '0/16,30s/4,5m/2,1h/2,6h/1' }),
  PAYONCE_DB_POOL: integer('a number of connections', 10, 2, 500),
  PAYONCE_COMMIT_LANES: integer('a number of lanes', 3, 1, 4),
  PAYONCE_OPS_TOKEN: line<string | undefined>(
    '32 to 512 of A-Z a-z 0-9 . _ ~ + / - (openssl rand -hex 32)',
    // What a bearer token may hold (RFC 6750), and nothing that is shaped like a merchant's key.
    { pattern: '^(?!po_live_)[A-Za-z0-9._~+/-]{32,512}={0,2}$' },
  ),
  PAYONCE_SHUTDOWN_GRACE_MS: integer('milliseconds', 15_000, 0, 300_000),
  PAYONCE_LOG_LEVEL: choice(logLevels, 'info'),
  PAYONCE_CLOCK_OFFSET_MS: integer('milliseconds', 0, -1_000_000_000_000, 1_000_000_000_000),
};
type Environment = {
  [Name in keyof typeof variables]: (typeof variables)[Name] extends Variable<infer T> ? T : never;
};

/** In the order in which docs/configuration.md lists them. */
export const variableNames: readonly string[] = Object.keys(variables);

const SECRET = new Set([
  'DATABASE_URL',
  'REDIS_URL',
  'PAYONCE_SEAL_KEY',
  'PAYONCE_SEAL_KEY_PREVIOUS',
  'PAYONCE_OPS_TOKEN',
]);

/** What the service was told, checked. Times are in the unit that ends a name. */
export abstract class Config {
  /** Null: the embedded Postgres in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null: the queues are in Postgres. */
  readonly redisUrl: string | null;
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Where /metrics has a listener of its own, 0: any free port. Null: on `port` if `host` is loopback, else nowhere. */
  readonly monitoringPort: number | null;
  readonly role: 'all' | 'api' | 'worker';
  /** Null: the simulator's PSPs where `simulated`, else the start is refused. */
  readonly pspsFile: string | null;
  /** Whether the bundled simulator is started too. */
  readonly simulator: boolean;
  /** Whether a simulator may play the PSPs: it was asked for, or nothing else is configured at all. */
  readonly simulated: boolean;
  /** HOST is no loopback address, or NODE_ENV is production. */
  readonly exposed: boolean;
  readonly dataDir: string;
  /** Whether a start brings the schema up to date; if not, it refuses an old one. */
  readonly migrate: boolean;
  /** 32 bytes. Null: the key kept in `dataDir`, see `sealKeyOf`. */
  readonly sealKey: Uint8Array | null;
  /** While the key is changed: the other one, with which values are read too. */
  readonly sealKeyPrevious: Uint8Array | null;
  /** How long a request holds its idempotency key before another may take over. */
  readonly lockTtlMs: number;
  /** How long a client waits for a payment to come to rest before it is answered 202. */
  readonly deadlineMs: number;
  /** Whether what a PSP did after it was ruled out is given back at once, or once a person approves. */
  readonly orphans: 'automatic' | 'approve';
  /** Where events are sent: to public addresses over https alone, or anywhere. */
  readonly webhookTargets: 'public' | 'any';
  readonly keyRetentionDays: number;
  /** Longer than a delivery is tried for, and than an endpoint may fail before it is disabled. */
  readonly eventRetentionDays: number;
  /** How long a job that failed waits before each next try, and how many run at once there. */
  readonly jobLadder: JobLadders;
  /** The most database connections of this process, but for those of its queues. */
  readonly dbPool: number;
  readonly commitLanes: number;
  /** What operators carry as a bearer token. Null: nothing is served under /ops/api. */
  readonly opsToken: string | null;
  readonly shutdownGraceMs: number;
  readonly logLevel: (typeof logLevels)[number];
  readonly clockOffsetMs: number;
}

/** The environment is wrong. The message names every wrong variable and echoes no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly complaints: readonly string[]) {
    super(`The configuration is not valid:\n${complaints.map((line) => `  ${line}`).join('\n')}`);
  }
}

/**
 * Reads the configuration. Pure. An empty variable counts as absent (that is how compose files and
 * shells spell it); a `PAYONCE_` variable that is not known is refused, because a typo must not be
 * silent.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given: Record<string, unknown> = {};
  const complaints: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (name in variables) {
      if (value !== undefined && value !== '') given[name] = value;
    } else if (name.startsWith('PAYONCE_')) {
      complaints.push(`${name} is not known`);
    }
  }
  if (!check(given)) complaints.push(...complaintsOf(env));
  if (complaints.length > 0) throw new ConfigError(complaints.toSorted());

  const told = given as Environment;
  if (told.PAYONCE_DB_POOL <= told.PAYONCE_COMMIT_LANES) {
    // A lane holds a connection while it commits; reads need one as well.
    throw new ConfigError([
      `PAYONCE_DB_POOL is ${told.PAYONCE_DB_POOL}; it takes more than PAYONCE_COMMIT_LANES, ` +
        `which is ${told.PAYONCE_COMMIT_LANES}`,
    ]);
  }
  if (told.PORT !== 0 && told.PAYONCE_MONITORING_PORT === told.PORT) {
    throw new ConfigError([`PAYONCE_MONITORING_PORT is ${told.PORT}; it takes another port than PORT`]);
  }
  const jobLadder = readLadders(told.PAYONCE_JOB_LADDER);
  if (typeof jobLadder === 'string') {
    const was = JSON.stringify(told.PAYONCE_JOB_LADDER.slice(0, 100));
    throw new ConfigError([`PAYONCE_JOB_LADDER is ${was}: ${jobLadder}; it takes ${LADDER}`]);
  }
  const exposed = !isLoopback(told.HOST) || env['NODE_ENV'] === 'production';
  const isBare = !told.PAYONCE_PSPS_FILE && !told.DATABASE_URL && !exposed;
  const simulator = told.PAYONCE_SIMULATOR ? told.PAYONCE_SIMULATOR === 'on' : isBare;
  return Object.freeze<Config>({
    databaseUrl: told.DATABASE_URL ?? null,
    redisUrl: told.REDIS_URL ?? null,
    port: told.PORT,
    host: told.HOST,
    monitoringPort: told.PAYONCE_MONITORING_PORT ?? null,
    role: told.PAYONCE_ROLE,
    pspsFile: told.PAYONCE_PSPS_FILE ?? null,
    simulator,
    simulated: simulator || told.PAYONCE_SIMULATOR === 'external',
    exposed,
    dataDir: told.PAYONCE_DATA_DIR,
    migrate: told.PAYONCE_MIGRATE === 'on',
    sealKey: keyOf(told.PAYONCE_SEAL_KEY),
    sealKeyPrevious: keyOf(told.PAYONCE_SEAL_KEY_PREVIOUS),
    lockTtlMs: told.PAYONCE_LOCK_TTL_MS,
    deadlineMs: told.PAYONCE_DEADLINE_MS,
    orphans: told.PAYONCE_ORPHANS,
    webhookTargets: told.PAYONCE_WEBHOOK_TARGETS ?? (simulator ? 'any' : 'public'),
    keyRetentionDays: told.PAYONCE_KEY_RETENTION_DAYS,
    eventRetentionDays: told.PAYONCE_EVENT_RETENTION_DAYS,
    jobLadder,
    dbPool: told.PAYONCE_DB_POOL,
    commitLanes: told.PAYONCE_COMMIT_LANES,
    opsToken: told.PAYONCE_OPS_TOKEN ?? null,
    shutdownGraceMs: told.PAYONCE_SHUTDOWN_GRACE_MS,
    logLevel: told.PAYONCE_LOG_LEVEL,
    clockOffsetMs: told.PAYONCE_CLOCK_OFFSET_MS,
  });
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

/** Turns numbers written as text into numbers and fills in defaults, in place. */
const check = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true }).compile({
  type: 'object',
  required: Object.keys(variables).filter((name) => 'default' in variables[name as keyof Environment]),
  properties: variables,
});

/** One line for each variable that the last check refused. */
function complaintsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  const names = new Set((check.errors ?? []).map((error) => error.instancePath.slice(1)));
  return [...names].map((name) => {
    const { description } = variables[name as keyof Environment];
    const was = SECRET.has(name) ? 'is not valid' : `is ${JSON.stringify(env[name]?.slice(0, 100))}`;
    return `${name} ${was}; it takes ${description}`;
  });
}
