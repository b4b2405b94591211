import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type QueryResultRow } from 'pg';
import { accountAt } from '../../demo/accounts.js';
import { type Effect, type Simulator, type WebhookRequest } from '@payonce/simulator';
import { type Scope } from '../../src/core/caller.js';
import { type Page } from '../../src/core/page.js';
import { type AttemptView, type PaymentView } from '../../src/payments/payment.view.js';
import { SystemClock } from '../../src/core/clock.js';
import { type AuditRecord } from '../../src/database/audit.entity.js';
import { SystemIds } from '../../src/core/ids.js';
import { newApiKey } from '../../src/merchants/new-api-key.js';
import { builtService } from './built-service.js';
import { PATIENCE_MS } from './eventually.js';
import { type FreshDatabase, freshDatabase, poolAt } from './database.js';
import { leaksInTables } from './leaks.js';
import { spawnNode } from './process.js';
import {
  currencyFor,
  email,
  notificationSecrets,
  notifiedAt,
  type PspName,
  pspNames,
  routingRules,
  sealKey,
  tokens,
} from './psp-accounts.js';
import { type Checkpoint, type Service, ServiceInWorker, ServiceProcess, writeAim } from './service.js';
import { travelSql } from './travel.js';

export { eventually } from './eventually.js';
export {
  authorizes,
  capturesAPart,
  capturesInParts,
  currencyFor,
  email,
  LAST_RULE,
  paysOut,
  type PspName,
  pspNames,
  sealKey,
  tokens,
} from './psp-accounts.js';
export { type Checkpoint, type Service, ServiceProcess } from './service.js';

/** Those whose accounts need no more than the demo's. */
const plain = ['checkout', 'square', 'mollie', 'gocardless', 'paypal'] as const satisfies readonly PspName[];

/** What an item of Adyen's says, as far as it matters here. */
export interface AdyenItem {
  readonly eventCode: string;
  readonly success: boolean;
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantReference: string;
  readonly amount: { readonly value: number; readonly currency: string };
  readonly metadata?: Readonly<Record<string, string>>;
  readonly reason?: string;
}

export interface TestEnvironmentOptions {
  /** PSPs hang in this spec, which waits for the timeout of a call: 2 s instead of 10, which no busy machine is late by. */
  readonly hangs?: boolean;
  /** The longest a PSP call may take. */
  readonly timeoutMs?: number;
  /** How long a crashed run holds its key. Above timeoutMs + 1000. */
  readonly lockTtlMs?: number;
  /** For every service that is started. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether Adyen's reports are fetched. */
  readonly reports?: boolean;
  /** Whether the routing rules allow to fence a charge in doubt. */
  readonly fence?: boolean;
  /** The name by which PSPs are reached, where it is to be resolved. */
  readonly pspHost?: 'localhost';
  /** Instead of a copy of the run's template: a server of the test's own. Dropped with the environment. */
  readonly database?: FreshDatabase;
}

export type Act = Pick<AuditRecord, 'merchantId' | 'actor' | 'action' | 'subject' | 'detail'>;

export interface StartOptions {
  /** Role of a service in this worker: requests alone unless given, so that nothing runs that the spec does not ask for. */
  readonly role?: 'all' | 'api' | 'worker';
  readonly env?: Readonly<Record<string, string>>;
  /** Where the database is reached instead: a proxy in front of it. */
  readonly databaseUrl?: string;
  /** A PSP account that has been taken out of the configuration. */
  readonly without?: PspName;
}

export interface ProcessOptions extends StartOptions {
  /** Its checkpoints are watched: `arm` tells where it dies (or is frozen). */
  readonly watched?: boolean;
  /** The same, counted from the very start. */
  readonly at?: Checkpoint;
  /** A module that is loaded first, where its checkpoints are not watched. */
  readonly preload?: string;
}

const ids = new SystemIds(new SystemClock());

/** PSPs, a database and a merchant; services are started and killed on it. */
export class TestEnvironment {
  private readonly services: (ServiceInWorker | ServiceProcess)[] = [];
  private travelledMs = 0;
  /** The test's own connections, kept between statements: opening one costs more than most statements do. */
  private pool: Pool;
  private readonly secrets: string[] = [
    ...Object.values(tokens),
    ...Object.values(notificationSecrets),
    email,
  ];

  private constructor(
    readonly simulator: Simulator,
    readonly database: FreshDatabase,
    private readonly directory: string,
    private readonly options: Required<Pick<TestEnvironmentOptions, 'lockTtlMs' | 'env'>>,
  ) {
    this.pool = poolOf(database);
  }

  static async open({
    hangs = false,
    timeoutMs = hangs ? 2_000 : 10_000,
    lockTtlMs = timeoutMs + 1_500,
    env = {},
    fence = false,
    reports = false,
    pspHost,
    database: own,
  }: TestEnvironmentOptions = {}): Promise<TestEnvironment> {
    const [simulator, database] = await Promise.all([
      builtService().startSimulator(),
      own ?? freshDatabase(),
    ]);
    const directory = mkdtempSync(join(tmpdir(), 'payonce-stage-'));
    const reached = (url: string) => (pspHost ? url.replace('127.0.0.1', pspHost) : url);
    const urls = Object.fromEntries(pspNames.map((psp) => [psp, reached(simulator.urls[psp])])) as Record<
      PspName,
      string
    >;
    const { stripe, adyen, keyless } = urls;
    const secretKey = { secretKey: 'sk_test_stage' };
    const stripeLike = (psp: 'stripe' | 'keyless') => ({
      ...secretKey,
      webhookSecret: notificationSecrets[psp],
    });
    const psps = {
      psps: [
        { name: 'stripe', adapter: 'stripe', baseUrl: stripe, timeoutMs, credentials: stripeLike('stripe') },
        {
          name: 'keyless',
          adapter: 'keyless',
          baseUrl: keyless,
          // Beside what every key reaches on a developer's machine, all that a key of test mode reaches.
          test: true,
          timeoutMs,
          credentials: stripeLike('keyless'),
        },
        {
          name: 'adyen',
          adapter: 'adyen',
          baseUrl: `${adyen}/v71`,
          timeoutMs,
          credentials: {
            apiKey: 'stage-adyen-api-key',
            merchantAccount: 'PayonceStage',
            hmacKey: notificationSecrets.adyen,
            transfersHmacKey: notificationSecrets.adyen,
            balanceAccount: 'BA00000000000000000000001',
            transfersBaseUrl: `${adyen}/btl/v4`,
            ...(reports
              ? { reportsBaseUrl: `${adyen}/reports/download`, reportsApiKey: 'stage-adyen-reports-key' }
              : {}),
          },
        },
        ...plain.map((psp) =>
          accountAt(psp, urls[psp], timeoutMs, { secret: notificationSecrets[psp], at: notifiedAt(psp) }),
        ),
      ],
      routing: routingRules(fence ? { fence } : {}),
    };
    writeFileSync(join(directory, 'psps.json'), JSON.stringify(psps));
    return new TestEnvironment(simulator, database, directory, { lockTtlMs, env });
  }

  /** The last attempt of the stuck operation of a payment or payout, which a statement about it names. */
  async seen(subjectId: string): Promise<readonly ['--attempt', string]> {
    const [last] = await this.sql<{ attempt: number }>(
      `SELECT attempt FROM psp_attempts JOIN psp_requests r USING (merchant_id, entity_key, route)
        WHERE $1 IN (r.payment_id::text, r.payout_id::text) ORDER BY r.stuck_at NULLS LAST, attempt DESC LIMIT 1`,
      [subjectId],
    );
    return ['--attempt', String(last?.attempt ?? 1)];
  }

  /**
   * Lets time pass for the database, which is the one clock that services stamp and judge by, and for the
   * machine of every service that is started from now on. Those that run already do not notice it in time.
   */
  async travel(ms: number): Promise<void> {
    this.travelledMs += ms;
    const database = new URL(this.database.url).pathname.slice(1);
    for (const statement of travelSql(database, this.travelledMs)) await this.sql(statement);
    // This one's sessions, too.
    await this.pool.end();
    this.pool = poolOf(this.database);
  }

  get hasTravelled(): boolean {
    return this.travelledMs > 0;
  }

  /** Starts the service in this worker. Resolves when it listens. */
  async start(options: StartOptions = {}): Promise<Service> {
    const { role = 'api' } = options;
    const service = await ServiceInWorker.start({ PAYONCE_ROLE: role, ...this.configuration(options) });
    this.services.push(service);
    return service;
  }

  /** Starts the service as a process, for what needs one: signals, its end, its memory, its checkpoints. */
  async startProcess({ at, watched, preload, ...options }: ProcessOptions = {}): Promise<ServiceProcess> {
    const file = join(this.directory, `checkpoint-${this.services.length}.json`);
    if (at) writeAim(file, 'first', at);
    const loaded = at || watched ? 'test/support/kill-at.mjs' : preload;
    const service = ServiceProcess.spawn(this.configuration(options), file, loaded);
    this.services.push(service);
    await service.ready();
    return service;
  }

  private configuration({ env, databaseUrl, without }: StartOptions): Readonly<Record<string, string>> {
    return {
      ...this.environment(),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(without === undefined ? {} : { PAYONCE_PSPS_FILE: this.configurationWithout(without) }),
      ...env,
    };
  }

  private configurationWithout(gone: PspName): string {
    const { psps, routing } = JSON.parse(readFileSync(join(this.directory, 'psps.json'), 'utf8')) as {
      psps: { name: string }[];
      routing: { order: string[] }[];
    };
    const file = join(this.directory, `psps-without-${gone}.json`);
    const others = {
      psps: psps.filter(({ name }) => name !== gone),
      routing: routing.map((rule) => ({ ...rule, order: rule.order.filter((name) => name !== gone) })),
    };
    writeFileSync(file, JSON.stringify(others));
    return file;
  }

  /** The environment variables of every process of this installation. */
  environment(): Readonly<Record<string, string>> {
    return {
      PORT: '0',
      GRPC_PORT: 'off',
      DATABASE_URL: this.database.serviceUrl,
      PAYONCE_SIMULATOR: 'off',
      PAYONCE_PSPS_FILE: join(this.directory, 'psps.json'),
      PAYONCE_DATA_DIR: this.directory,
      PAYONCE_SEAL_KEY: sealKey,
      PAYONCE_LOCK_TTL_MS: String(this.options.lockTtlMs),
      PAYONCE_LOG_LEVEL: 'debug',
      // One shop sends what in life many send.
      PAYONCE_KEY_RATE: '0',
      PAYONCE_MERCHANT_RATE: '0',
      // The machine that runs all specs is late; limits.spec has an event loop of its own that is.
      PAYONCE_SHED_DELAY_MS: '60000',
      PAYONCE_DB_POOL: '6',
      PAYONCE_COMMIT_LANES: '2',
      PAYONCE_CLOCK_OFFSET_MS: String(this.travelledMs),
      ...this.options.env,
    };
  }

  /** A `payonce` command of an operator of this installation, with `--json`. Returns what it prints. */
  async command(...args: readonly string[]): Promise<unknown> {
    // Most environments need none, and it takes a while to load.
    const { payonceCommand } = await import('./payonce-command.js');
    const { stdout, stderr } = await payonceCommand([...args, '--json'], this.environment());
    return JSON.parse(stdout || stderr) as unknown;
  }

  /** The same as a process of its own that dies at this place. Returns by which signal, and null where it did not. */
  async killedCommand(at: Checkpoint, ...args: readonly string[]): Promise<NodeJS.Signals | null> {
    const file = join(this.directory, 'checkpoint-command.json');
    writeAim(file, 'command', at);
    const spawned = spawnNode('dist/src/payonce.js', {
      args: [...args, '--json'],
      preload: 'test/support/kill-at.mjs',
      env: { ...this.environment(), CHECKPOINT_FILE: file },
    });
    return (await spawned.exit).signal;
  }

  /** From now on these PSPs notify the service at this address; every one unless told. */
  notify(
    url: string,
    hook: Omit<WebhookRequest, 'url' | 'secret'> = {},
    psps: readonly PspName[] = pspNames,
  ): void {
    for (const psp of psps) {
      const secret = notificationSecrets[psp];
      const at = { url: `${url}/v1/webhooks/${psp}`, known_as: notifiedAt(psp) };
      this.simulator.webhook(psp, { ...at, secret, ...hook });
    }
  }

  /** Adyen tells of something that nobody here asked for: one item of a standard webhook, signed as its own are. */
  async tellAsAdyen(url: string, item: AdyenItem): Promise<number> {
    const account = 'PayonceStage';
    const { pspReference, originalReference = '', merchantReference, amount, eventCode, success } = item;
    const fields = [
      pspReference,
      originalReference,
      account,
      merchantReference,
      amount.value,
      amount.currency,
    ];
    const signed = [...fields, eventCode, String(success)].join(':');
    const key = Buffer.from(notificationSecrets.adyen, 'hex');
    const hmacSignature = createHmac('sha256', key).update(signed).digest('base64');
    const { metadata, ...told } = item;
    const NotificationRequestItem = {
      ...told,
      success: String(success),
      merchantAccountCode: account,
      additionalData: { ...metadata, hmacSignature },
    };
    const body = JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem }] });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/v1/webhooks/adyen`, { method: 'POST', headers, body })).status;
  }

  /** Notifications that PSPs have not got rid of yet, and what became of the others. */
  notifications(): { readonly waiting: number; readonly delivered: number; readonly failed: number } {
    const all = pspNames.map((psp) => this.simulator.webhooks(psp));
    const sum = (name: 'waiting' | 'delivered' | 'failed') => all.reduce((n, each) => n + each[name], 0);
    return { waiting: sum('waiting'), delivered: sum('delivered'), failed: sum('failed') };
  }

  /** A merchant with a key that may read and write. */
  async merchant(
    scopes: readonly Scope[] = [
      'payments:read',
      'payments:write',
      'webhooks:read',
      'webhooks:write',
      'events:read',
    ],
  ): Promise<string> {
    const [merchantId, id] = [ids.uuid(), ids.uuid()];
    const [checksum] = await this.sql<{ secret: Uint8Array }>('SELECT secret FROM api_key_checksum');
    const { key, prefix, hash } = newApiKey(id, false, checksum!.secret);
    await this.sql(
      `WITH shop AS (
         INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ($1, 'Shop', 0, now()))
       INSERT INTO api_keys (merchant_id, id, hash, prefix, has_checksum, scopes, created_at)
       VALUES ($1, $2, $3, $4, true, $5, now())`,
      [merchantId, id, hash, prefix, scopes],
    );
    this.secrets.push(key);
    return key;
  }

  /** From now on these may stand in no log and no table either. */
  hide(...secrets: readonly string[]): void {
    this.secrets.push(...secrets);
  }

  async sql<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query<Row>(text, [...values])).rows;
  }

  /** Writes into history what never was so: none of the triggers that keep it acts. */
  async rewrite(text: string, values: readonly unknown[] = []): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('SET session_replication_role = replica');
      await client.query(text, [...values]);
    } finally {
      client.release(true);
    }
  }

  /** What the audit trail says of this, in its order. */
  acts({ merchantId, actor, action, subject }: Partial<Act>): Promise<Act[]> {
    return this.sql(
      `SELECT merchant_id AS "merchantId", actor, action, subject, detail FROM audit_records
        WHERE ($1::uuid IS NULL OR merchant_id = $1) AND ($2::text IS NULL OR actor = $2)
          AND ($3::text IS NULL OR action = $3) AND ($4::text IS NULL OR subject = $4) ORDER BY at, id`,
      [merchantId, actor, action, subject],
    );
  }

  /** The types of the events about this, in their order. */
  async told(subject: string): Promise<string[]> {
    const events = await this.sql<{ type: string }>(
      'SELECT type FROM events WHERE subject = $1 ORDER BY id',
      [subject],
    );
    return events.map(({ type }) => type);
  }

  /** How a payment came to its status: `<event>: <status>` in their order. */
  async history(paymentId: string): Promise<string[]> {
    const lines = await this.sql<{ line: string }>(
      `SELECT event || ': ' || to_status AS line FROM payment_transitions WHERE payment_id = $1 ORDER BY version`,
      [paymentId],
    );
    return lines.map(({ line }) => line);
  }

  /** What every PSP did, for one payment or for all. */
  effects(paymentId = ''): Effect[] {
    return pspNames
      .flatMap((psp) => this.simulator.ledger(psp).effects)
      .filter(({ reference }) => paymentId === '' || reference?.includes(paymentId) === true);
  }

  /** Money orders that reached a PSP: everything but questions. */
  orders(psp: PspName) {
    return this.simulator.calls(psp).filter(({ method }) => method === 'POST');
  }

  /** Secrets that stand in a log or in a table. Must be none. */
  async leaks(): Promise<string[]> {
    const logs = this.services.map((service) => service.output()).join('\n');
    const found = this.secrets.filter((secret) => logs.includes(secret)).map((secret) => `log: ${secret}`);
    return [...found, ...(await leaksInTables((text, values) => this.sql(text, values), this.secrets))];
  }

  /** Ends everything. @throws when a secret stands in a log or in a table */
  async close(): Promise<void> {
    await Promise.all(this.services.map((service) => service.end()));
    try {
      const leaks = await this.leaks();
      if (leaks.length > 0) throw new Error(`secrets were written down: ${leaks.join(', ')}`);
    } finally {
      await this.pool.end();
      await Promise.all([this.simulator.close(), this.database.drop()]);
      rmSync(this.directory, { recursive: true, force: true });
    }
  }
}

function poolOf({ url }: FreshDatabase): Pool {
  return poolAt(url, { application_name: 'payonce-stage', idleTimeoutMillis: 0 });
}

/** What came back, with the bytes as they came. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

export interface PostOptions {
  /** `Prefer: wait`, in s. */
  readonly waitS?: number;
  /** `Payonce-Deadline`, in ms. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** A shop's side of the API. */
export class ApiClient {
  constructor(
    private readonly url: () => string,
    private readonly apiKey: string,
  ) {}

  async post(
    path: string,
    body: object,
    key: string,
    { waitS, deadlineMs, signal }: PostOptions = {},
  ): Promise<Reply> {
    const headers = {
      ...this.headers(),
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(waitS === undefined ? {} : { prefer: `wait=${waitS}` }),
      ...(deadlineMs === undefined ? {} : { 'payonce-deadline': String(deadlineMs) }),
    };
    const asked = { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null };
    return replyOf(await fetch(`${this.url()}${path}`, asked));
  }

  async get(path: string): Promise<Reply> {
    return replyOf(await fetch(`${this.url()}${path}`, { headers: this.headers() }));
  }

  async payment(id: string): Promise<PaymentView> {
    return paymentOf(await this.get(`/v1/payments/${id}`));
  }

  /** Oldest first, as they happened. */
  async attempts(id: string): Promise<AttemptView[]> {
    const { text } = await this.get(`/v1/payments/${id}/attempts`);
    return (JSON.parse(text) as Page<AttemptView>).data.toReversed();
  }

  /** Asks again, with the same key, until the answer is `settled`; every process on the way may die. */
  async until(
    ask: () => Promise<Reply>,
    settled: (reply: Reply) => boolean,
    patienceMs = PATIENCE_MS,
  ): Promise<Reply> {
    const giveUpAt = Date.now() + patienceMs;
    let last = 'no answer';
    while (Date.now() < giveUpAt) {
      const reply = await ask().catch((error: unknown) => {
        last = String(error);
        return null;
      });
      if (reply && settled(reply)) return reply;
      if (reply) last = `${reply.status} ${reply.text}`;
      await sleep(100);
    }
    throw new Error(`not settled within ${patienceMs} ms; last: ${last}`);
  }

  private headers(): Record<string, string> {
    return { authorization: `Bearer ${this.apiKey}` };
  }
}

async function replyOf(response: Response): Promise<Reply> {
  return { status: response.status, text: await response.text(), headers: response.headers };
}

export function paymentOf({ status, text }: Reply): PaymentView {
  if (status >= 300) throw new Error(`no payment: ${status} ${text}`);
  return JSON.parse(text) as PaymentView;
}

/** The `code` of a problem document. */
export function codeOf({ text }: Reply): string {
  return (JSON.parse(text) as { code: string }).code;
}

/** At rest: what a client may stop asking at. */
export function atRest({ status }: Reply): boolean {
  return status === 200 || status === 201;
}

export interface Order {
  readonly first?: PspName;
  readonly capture?: 'automatic' | 'manual';
  readonly amount?: number;
  readonly reference?: string;
  /** The PSPs that a token is given for, with tokens of the test's own. */
  readonly tokens?: Partial<Record<PspName, string>>;
}

/** The body of POST /v1/payments; the first PSP is asked first. */
export function orderOf({ first = 'stripe', capture = 'automatic', amount = 1_999, ...more }: Order = {}) {
  const isDebit = first === 'gocardless';
  const given: Partial<Record<PspName, string>> = more.tokens ?? { ...tokens };
  const own: typeof given = given.gocardless === undefined ? {} : { gocardless: given.gocardless };
  const debit = { type: 'bank_debit', bank_debit: { name: 'bacs' }, tokens: own };
  return {
    reference: more.reference ?? 'order-1',
    amount,
    currency: currencyFor[first],
    // A debit takes the money at once.
    capture: isDebit ? 'automatic' : capture,
    payment_method: isDebit ? debit : { type: 'card', tokens: given },
    customer: { reference: 'customer-1', email },
    return_url: 'https://shop.example/back',
  };
}

export interface Started<Kind extends Service> {
  readonly environment: TestEnvironment;
  readonly service: Kind;
  readonly client: ApiClient;
}

/** An environment with one service in this worker, which stays, and a shop of it. */
export function openWithService(
  options?: TestEnvironmentOptions,
  start?: StartOptions,
): Promise<Started<Service>> {
  return openWith(options, (environment) => environment.start(start));
}

/** The same with the service as a process. */
export function openWithProcess(
  options?: TestEnvironmentOptions,
  start?: ProcessOptions,
): Promise<Started<ServiceProcess>> {
  return openWith(options, (environment) => environment.startProcess(start));
}

async function openWith<Kind extends Service>(
  options: TestEnvironmentOptions | undefined,
  start: (environment: TestEnvironment) => Promise<Kind>,
): Promise<Started<Kind>> {
  const environment = await TestEnvironment.open(options);
  const [service, apiKey] = await Promise.all([start(environment), environment.merchant()]);
  return { environment, service, client: new ApiClient(() => service.url, apiKey) };
}
