import { Secret, TOTP } from 'otpauth';
import { type OperatorRole } from '../../src/core/operator-role.js';
import { type TestEnvironment } from './test-environment.js';

export interface OperatorCredentials {
  readonly name: string;
  readonly password: string;
  readonly totp_secret: string;
}

/** A new operator, made at the command line; `secrets` may stand in no log and no table. */
export async function newOperator(
  environment: TestEnvironment,
  name: string,
  role: OperatorRole,
  person = name,
): Promise<OperatorCredentials> {
  const made = (await environment.command(
    'operators',
    'create',
    name,
    '--role',
    role,
    '--person',
    person,
  )) as OperatorCredentials;
  environment.hide(made.password, made.totp_secret);
  return made;
}

/** The code that the operator's authenticator app shows now; `periods` later: that of a later one. */
export function codeOf({ totp_secret: secret }: OperatorCredentials, periods = 0): string {
  const timestamp = Date.now() + periods * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** The same, as if half a minute had passed since the last one. */
export async function freshCodeOf(
  environment: TestEnvironment,
  operator: OperatorCredentials,
): Promise<string> {
  await environment.sql('UPDATE operators SET totp_used = 0 WHERE name = $1', [operator.name]);
  return codeOf(operator);
}

export interface ConsoleReply<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

/** Talks to the console's API as its pages do, with a cookie of its own. */
export class ConsoleClient {
  /** Of the session. */
  cookie = '';
  /** By which the browser is known at the next sign-in. */
  device = '';

  constructor(private readonly url: () => string) {}

  static async signedIn(
    url: () => string,
    operator: OperatorCredentials,
    periods = 0,
  ): Promise<ConsoleClient> {
    const client = new ConsoleClient(url);
    const { status } = await client.signIn(operator, periods);
    if (status !== 200) throw new Error(`${operator.name} is not let in (${status})`);
    return client;
  }

  async signIn(operator: OperatorCredentials, periods = 0): Promise<ConsoleReply> {
    const { name, password } = operator;
    return this.post('session', { name, password, code: codeOf(operator, periods) });
  }

  get<T = Record<string, unknown>>(path: string): Promise<ConsoleReply<T>> {
    return this.send<T>('GET', path);
  }

  post<T = Record<string, unknown>>(path: string, body: object = {}): Promise<ConsoleReply<T>> {
    return this.send<T>('POST', path, body);
  }

  /** A file, as it is. */
  async upload<T = Record<string, unknown>>(path: string, content: Buffer): Promise<ConsoleReply<T>> {
    const reply = await fetch(`${this.url()}/ops/api/${path}`, {
      method: 'POST',
      headers: {
        origin: new URL(this.url()).origin,
        'payonce-console': 'active',
        'content-type': 'application/octet-stream',
        cookie: this.cookie,
      },
      body: new Uint8Array(content),
    });
    return { status: reply.status, body: (await reply.json()) as T, headers: reply.headers };
  }

  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {
      origin: new URL(this.url()).origin,
      'payonce-console': 'active',
    },
  ): Promise<ConsoleReply<T>> {
    const reply = await fetch(`${this.url()}/ops/api/${path}`, {
      method,
      headers: {
        ...headers,
        cookie: [this.cookie, this.device].filter((each) => each !== '').join('; '),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const [set] of reply.headers.getSetCookie().map((each) => each.split(';'))) {
      if (set!.includes('payonce_device=')) this.device = set!;
      else this.cookie = set!;
    }
    const isJson = /json/.test(reply.headers.get('content-type') ?? '');
    const read = isJson ? await reply.json() : { text: await reply.text() };
    return { status: reply.status, body: read as T, headers: reply.headers };
  }
}
