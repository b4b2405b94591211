import {
  IsIn,
  IsInt,
  IsOptional,
  Matches,
  Max,
  Min,
  validateSync,
  type ValidationOptions,
} from 'class-validator';
import { LADDER_FORM } from './job-ladder.js';

interface Variable {
  /** Completes "it takes …". */
  readonly takes: string;
  readonly isInteger?: boolean;
}

const variables = new Map<string, Variable>();

/** Declares a property as a variable of the environment. */
function variable(
  what: Variable,
  ...rules: ((options: ValidationOptions) => PropertyDecorator)[]
): PropertyDecorator {
  return (target, name) => {
    variables.set(String(name), what);
    IsOptional()(target, name);
    for (const rule of rules) rule({ message: what.takes })(target, name);
  };
}

const Text = (takes: string, form = /^/) => variable({ takes }, (options) => Matches(form, options));

const Choice = (choices: readonly string[]) =>
  variable({ takes: `one of ${choices.join(', ')}` }, (options) => IsIn(choices, options));

const Integer = (takes: string, minimum: number, maximum: number) =>
  variable(
    { takes: `${takes} from ${minimum} to ${maximum}`, isInteger: true },
    (options) => IsInt(options),
    (options) => Min(minimum, options),
    (options) => Max(maximum, options),
  );

const PORT = 'a port (0 = any free one)';
const GRPC_PORT = /^(off|0|[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;
const KEY = /^[A-Za-z0-9+/]{43}=$/;
/** The characters of a bearer token (RFC 6750); nothing that is shaped like a merchant's key. */
const OPS_TOKEN = /^(?!po_(?:live|test)_)[A-Za-z0-9._~+/-]{32,512}={0,2}$/;
const ROLES = ['all', 'api', 'worker'] as const;
const SIMULATORS = ['on', 'off', 'external'] as const;
const ROW_SECURITY = ['required', 'advised'] as const;
const SWITCH = ['on', 'off'] as const;
const STANDBYS = ['asynchronous', 'synchronous'] as const;
const ORPHANS = ['automatic', 'approve'] as const;
const TARGETS = ['public', 'any'] as const;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const PROXIES = /^[0-9A-Fa-f.:/]{1,50}(?:,[0-9A-Fa-f.:/]{1,50}){0,31}$/;

type One<Choices extends readonly string[]> = Choices[number];

/** Every variable that is read, what it takes and its default, in the order of docs/configuration.md. */
export class Environment {
  @Text('a URL of the form postgresql://user:password@host:port/name', /^postgres(ql)?:\/\/\S+$/)
  DATABASE_URL?: string;

  @Text('a URL of the form postgresql://user:password@host:port/name', /^postgres(ql)?:\/\/\S+$/)
  PAYONCE_MIGRATION_DATABASE_URL?: string;

  @Choice(ROW_SECURITY)
  PAYONCE_ROW_SECURITY?: One<typeof ROW_SECURITY>;

  @Text('a URL of the form redis://host:port', /^rediss?:\/\/\S+$/)
  REDIS_URL?: string;

  @Integer(PORT, 0, 65_535)
  PORT = 3_000;

  @Text('the address or host name to listen on', /^[A-Za-z0-9._:-]+$/)
  HOST = '127.0.0.1';

  @Text('addresses of proxies, or networks such as 10.0.0.0/8, with commas between', PROXIES)
  PAYONCE_TRUSTED_PROXIES?: string;

  @Text('off, or a port (0 = any free one) from 0 to 65535', GRPC_PORT)
  GRPC_PORT = '50051';

  @Text('the path of a PEM file: the certificate of the server, with its chain')
  PAYONCE_GRPC_TLS_CERT?: string;

  @Text('the path of a PEM file: the private key of that certificate')
  PAYONCE_GRPC_TLS_KEY?: string;

  @Text('the path of a PEM file: the certificate authority of clients')
  PAYONCE_GRPC_CLIENT_CA?: string;

  @Text('the path of a JSON file: names of client certificates, and the ids of their merchants')
  PAYONCE_GRPC_CLIENTS_FILE?: string;

  @Integer(PORT, 0, 65_535)
  PAYONCE_OPS_PORT?: number;

  @Integer(PORT, 0, 65_535)
  PAYONCE_MONITORING_PORT?: number;

  @Text('a URL of the form http(s)://host:port, of a collector of OpenTelemetry', /^https?:\/\/\S+$/)
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Choice(ROLES)
  PAYONCE_ROLE: One<typeof ROLES> = 'all';

  @Text('the path of a JSON file')
  PAYONCE_PSPS_FILE?: string;

  @Choice(SIMULATORS)
  PAYONCE_SIMULATOR?: One<typeof SIMULATORS>;

  @Choice(SWITCH)
  PAYONCE_MIGRATE: One<typeof SWITCH> = 'on';

  @Choice(STANDBYS)
  PAYONCE_STANDBY: One<typeof STANDBYS> = 'asynchronous';

  @Text('the path of a directory')
  PAYONCE_DATA_DIR = '.payonce';

  @Text('32 random bytes in base64 (openssl rand -base64 32)', KEY)
  PAYONCE_SEAL_KEY?: string;

  @Text('32 bytes in base64, the key before', KEY)
  PAYONCE_SEAL_KEY_PREVIOUS?: string;

  @Integer('milliseconds', 1_000, 300_000)
  PAYONCE_LOCK_TTL_MS = 20_000;

  @Integer('milliseconds', 1_000, 300_000)
  PAYONCE_DEADLINE_MS = 25_000;

  @Integer('requests a second (0 = no limit)', 0, 1_000_000)
  PAYONCE_KEY_RATE = 2_000;

  @Integer('requests a second (0 = no limit)', 0, 1_000_000)
  PAYONCE_MERCHANT_RATE = 4_000;

  @Integer('milliseconds', 50, 60_000)
  PAYONCE_SHED_DELAY_MS = 300;

  @Choice(ORPHANS)
  PAYONCE_ORPHANS: One<typeof ORPHANS> = 'automatic';

  @Choice(TARGETS)
  PAYONCE_WEBHOOK_TARGETS?: One<typeof TARGETS>;

  @Integer('days', 1, 3_650)
  PAYONCE_KEY_RETENTION_DAYS = 30;

  @Integer('days', 10, 3_650)
  PAYONCE_EVENT_RETENTION_DAYS = 90;

  @Text(LADDER_FORM)
  PAYONCE_JOB_LADDER = '0/16,30s/4,5m/2,1h/2,6h/1';

  @Integer('a number of connections', 2, 500)
  PAYONCE_DB_POOL = 10;

  @Integer('a number of lanes', 1, 4)
  PAYONCE_COMMIT_LANES = 3;

  @Text('32 to 512 of A-Z a-z 0-9 . _ ~ + / - (openssl rand -hex 32)', OPS_TOKEN)
  PAYONCE_OPS_TOKEN?: string;

  @Text('the path of a JSON file')
  PAYONCE_OIDC_FILE?: string;

  @Text('the path of a JSON file')
  PAYONCE_ALERTS_FILE?: string;

  @Text('the path of a JSON file')
  PAYONCE_JWT_FILE?: string;

  @Integer('milliseconds', 0, 300_000)
  PAYONCE_SHUTDOWN_GRACE_MS = 15_000;

  @Choice(LEVELS)
  PAYONCE_LOG_LEVEL: One<typeof LEVELS> = 'info';

  @Integer('milliseconds', -1_000_000_000_000, 1_000_000_000_000)
  PAYONCE_CLOCK_OFFSET_MS = 0;
}

export const variableNames: readonly string[] = [...variables.keys()];

const SECRETS: ReadonlySet<string> = new Set<keyof Environment>([
  'DATABASE_URL',
  'PAYONCE_MIGRATION_DATABASE_URL',
  'REDIS_URL',
  'PAYONCE_SEAL_KEY',
  'PAYONCE_SEAL_KEY_PREVIOUS',
  'PAYONCE_OPS_TOKEN',
]);

/**
 * The environment, and one line for each variable that is wrong, without the values of secrets. An empty
 * variable counts as absent (that is how compose files and shells spell it); a `PAYONCE_` variable that is
 * not known is refused, because a typo must not be silent.
 */
export function readEnvironment(given: Readonly<Record<string, string | undefined>>): {
  readonly environment: Environment;
  readonly complaints: readonly string[];
} {
  const environment = new Environment();
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const known = variables.get(name);
    if (known && value) {
      const isNumber = known.isInteger === true && /^-?\d{1,15}$/.test(value);
      Object.assign(environment, { [name]: isNumber ? Number(value) : value });
    } else if (!known && name.startsWith('PAYONCE_')) {
      unknown.push(`${name} is not known`);
    }
  }
  const wrong = validateSync(environment).map(({ property: name }) => {
    const was = SECRETS.has(name) ? 'is not valid' : `is ${JSON.stringify(given[name]?.slice(0, 100))}`;
    return `${name} ${was}; it takes ${variables.get(name)!.takes}`;
  });
  return { environment, complaints: [...unknown, ...wrong].toSorted() };
}
