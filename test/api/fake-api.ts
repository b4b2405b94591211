import { Global, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { AppModule } from '../../src/app.module.js';
import { initApi } from '../../src/application.js';
import { loadConfig } from '../../src/config/config.js';
import { Store } from '../../src/core/change.js';
import { Clock, SystemClock } from '../../src/core/clock.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { LockHolder } from '../../src/core/lock-holder.js';
import { Problem } from '../../src/core/problem.js';
import { AbandonedLocksModule } from '../../src/database/abandoned-locks.module.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { DatabaseModule } from '../../src/database/database.module.js';
import { Installation } from '../../src/database/installation.js';
import { fastifyAdapter } from '../../src/http/fastify-adapter.js';
import { ApiLimits, limitsOf } from '../../src/http/limits.js';
import { createLogger } from '../../src/http/logger.js';
import { type KeyedAnswer } from '../../src/core/keyed-request.js';
import { type DeadLetter } from '../../src/jobs/dead-letter.entity.js';
import { DeadLetters } from '../../src/jobs/dead-letters.js';
import { type Caller, type Scope, scopes } from '../../src/core/caller.js';
import { StoredPspsReader } from '../../src/psp-accounts/stored-psps.js';
import { SharedBreakers } from '../../src/request-storage/shared-breakers.js';
import { CallersService } from '../../src/merchants/callers.service.js';
import { Readiness } from '../../src/database/readiness.js';
import { Ledger } from '../../src/ledger/ledger.js';
import { balances, entry } from '../../src/ops/ledger.examples.js';
import { breakWithNotes, reportBreak, result } from '../../src/ops/reconciliation.examples.js';
import { Breaks, type ReconciliationBreak } from '../../src/reconciliation/breaks.js';
import { type Run, Runs } from '../../src/reconciliation/runs.js';
import { deadLetter } from '../../src/ops/dead-letter.examples.js';
import { attempt, capture, captured, dispute } from '../../src/payments/payment.examples.js';
import { PaymentsService } from '../../src/payments/payments.service.js';
import { paid, recipient, recipientRemoved } from '../../src/payouts/payout.examples.js';
import { Recipients } from '../../src/payouts/recipients.js';
import { order, orderDetails } from '../../src/orders/order.examples.js';
import { OrdersService } from '../../src/orders/orders.service.js';
import { PayoutsService } from '../../src/payouts/payouts.service.js';
import { defaultPsps } from '../../src/psp/psps-file.js';
import { refund } from '../../src/refunds/refund.examples.js';
import { RefundsService } from '../../src/refunds/refunds.service.js';
import { NotificationsService } from '../../src/notifications/notifications.service.js';
import { EventsService } from '../../src/events/events.service.js';
import { WebhookEndpointsService } from '../../src/events/webhook-endpoints.service.js';
import { fakeEvents, fakeWebhookEndpoints } from './fake-webhooks.js';
import { callerFixture } from '../support/caller.js';

export const KEY = 'po_live_testtesttesttest';
export const READ_ONLY_KEY = 'po_live_readreadreadread';
/** The only one that may send money out, and it may do nothing else. */
export const PAYOUT_KEY = 'po_live_payoutpayoutpay';
export const OPS_TOKEN = 'ops-token-for-tests-0123456789abcdef';
export const PAYMENT_ID = captured.id;

/** A service's name for each of its methods, with what it was called with. */
type CallOf<Service> = readonly [method: keyof Service, ...args: unknown[]];

type Payments = Omit<Pick<PaymentsService, keyof PaymentsService>, 'flows'>;
type Refunds = Omit<Pick<RefundsService, keyof RefundsService>, 'flow'>;
type Payouts = Omit<Pick<PayoutsService, keyof PayoutsService>, 'flow'>;
type Letters = Pick<DeadLetters, 'list' | 'counts' | 'show' | 'merge' | 'purge'>;

/** Payments that only remember what they were asked. */
export class FakePayments implements Payments {
  readonly flows = {};
  readonly calls: CallOf<Payments>[] = [];
  answer = (status: number): Promise<KeyedAnswer> =>
    Promise.resolve({ status, body: JSON.stringify(captured), replayed: false });

  create(...args: Parameters<Payments['create']>): Promise<KeyedAnswer> {
    this.calls.push(['create', ...args]);
    return this.answer(201);
  }

  capture(...args: Parameters<Payments['capture']>): Promise<KeyedAnswer> {
    this.calls.push(['capture', ...args]);
    return this.answer(200);
  }

  cancel(...args: Parameters<Payments['cancel']>): Promise<KeyedAnswer> {
    this.calls.push(['cancel', ...args]);
    return this.answer(200);
  }

  get(...args: Parameters<Payments['get']>): ReturnType<Payments['get']> {
    this.calls.push(['get', ...args]);
    return Promise.resolve(captured);
  }

  complete(...args: Parameters<Payments['complete']>): ReturnType<Payments['complete']> {
    this.calls.push(['complete', ...args]);
    return Promise.resolve({ status: 200, body: JSON.stringify(captured), replayed: false });
  }

  list(...args: Parameters<Payments['list']>): ReturnType<Payments['list']> {
    this.calls.push(['list', ...args]);
    return Promise.resolve({ data: [captured], has_more: false, next_cursor: null });
  }

  captures(...args: Parameters<Payments['captures']>): ReturnType<Payments['captures']> {
    this.calls.push(['captures', ...args]);
    return Promise.resolve({ data: [capture], has_more: false, next_cursor: null });
  }

  disputes(...args: Parameters<Payments['disputes']>): ReturnType<Payments['disputes']> {
    this.calls.push(['disputes', ...args]);
    return Promise.resolve({ data: [dispute], has_more: false, next_cursor: null });
  }

  attempts(...args: Parameters<Payments['attempts']>): ReturnType<Payments['attempts']> {
    this.calls.push(['attempts', ...args]);
    return Promise.resolve({ data: [attempt], has_more: false, next_cursor: null });
  }
}

const fakeOrders: Pick<OrdersService, keyof OrdersService> = {
  get: (_caller, reference) =>
    reference === order.reference
      ? Promise.resolve(orderDetails)
      : Promise.reject(new Problem('not_found', 'No such order.')),
  list: () => Promise.resolve({ data: [order], has_more: false, next_cursor: null }),
};

/** Refunds that only remember what they were asked. */
export class FakeRefunds implements Refunds {
  readonly flow = { name: 'refund' };
  readonly calls: CallOf<Refunds>[] = [];

  create(...args: Parameters<Refunds['create']>): ReturnType<Refunds['create']> {
    this.calls.push(['create', ...args]);
    return Promise.resolve({ status: 201, body: JSON.stringify(refund), replayed: false });
  }

  get(...args: Parameters<Refunds['get']>): ReturnType<Refunds['get']> {
    this.calls.push(['get', ...args]);
    return Promise.resolve(refund);
  }

  listAll(...args: Parameters<Refunds['listAll']>): ReturnType<Refunds['listAll']> {
    this.calls.push(['listAll', ...args]);
    return Promise.resolve({ data: [refund], has_more: false, next_cursor: null });
  }

  list(...args: Parameters<Refunds['list']>): ReturnType<Refunds['list']> {
    this.calls.push(['list', ...args]);
    return Promise.resolve({ data: [refund], has_more: false, next_cursor: null });
  }
}

/** Payouts that only remember what they were asked. */
export class FakePayouts implements Payouts {
  readonly flow = { name: 'payout' };
  readonly calls: CallOf<Payouts>[] = [];

  create(...args: Parameters<Payouts['create']>): ReturnType<Payouts['create']> {
    this.calls.push(['create', ...args]);
    return Promise.resolve({ status: 201, body: JSON.stringify(paid), replayed: false });
  }

  get(...args: Parameters<Payouts['get']>): ReturnType<Payouts['get']> {
    this.calls.push(['get', ...args]);
    return Promise.resolve(paid);
  }

  list(...args: Parameters<Payouts['list']>): ReturnType<Payouts['list']> {
    this.calls.push(['list', ...args]);
    return Promise.resolve({ data: [paid], has_more: false, next_cursor: null });
  }
}

/** One recipient, whatever is asked. */
const fakeRecipients: Pick<Recipients, 'register' | 'get' | 'list' | 'remove'> = {
  register: () => Promise.resolve(recipient),
  get: () => Promise.resolve(recipientRemoved),
  list: () => Promise.resolve({ data: [recipient], has_more: false, next_cursor: null }),
  remove: () => Promise.resolve(),
};

/** One dead letter, whatever is asked; remembers who merged and purged what. */
export class FakeDeadLetters implements Letters {
  readonly calls: (readonly ['merge' | 'purge', ...Parameters<Letters['merge']>])[] = [];
  private readonly letter: DeadLetter = {
    ...deadLetter,
    jobId: deadLetter.job_id,
    firstTriedAt: new Date(deadLetter.first_tried_at),
    diedAt: new Date(deadLetter.died_at),
  };

  list(): ReturnType<Letters['list']> {
    return Promise.resolve({ letters: [this.letter], nextCursor: null });
  }

  counts(): ReturnType<Letters['counts']> {
    const { kind, cause, diedAt } = this.letter;
    return Promise.resolve([{ kind, cause, count: 1, oldestDiedAt: diedAt, oldestAgeS: 1.5 }]);
  }

  show(): ReturnType<Letters['show']> {
    return Promise.resolve(this.letter);
  }

  merge(...args: Parameters<Letters['merge']>): ReturnType<Letters['merge']> {
    this.calls.push(['merge', ...args]);
    return Promise.resolve({ done: 1, left: 0 });
  }

  purge(...args: Parameters<Letters['purge']>): ReturnType<Letters['purge']> {
    this.calls.push(['purge', ...args]);
    return Promise.resolve({ done: 1, left: 0 });
  }
}

/** One run and one break, whatever is asked. */
const { run, matched, unmatched, totals, breaks } = result;
const fakeRun: Run = {
  psp: run.psp,
  id: run.id,
  format: run.format,
  fileName: run.file_name,
  periodFrom: new Date(run.period_from),
  periodTo: new Date(run.period_to),
  lines: run.lines,
  newLines: run.new_lines,
  importedBy: run.imported_by,
  importedAt: new Date(run.imported_at),
};
const fakeRuns: Pick<Runs, 'list' | 'show'> = {
  list: () => Promise.resolve([fakeRun]),
  show: () => Promise.resolve({ run: fakeRun, matched, unmatched, totals, breaks }),
};
const fakeBreak: ReconciliationBreak = {
  psp: reportBreak.psp,
  id: reportBreak.id,
  category: reportBreak.category,
  runId: reportBreak.run_id,
  line: reportBreak.line,
  merchantId: null,
  entityKey: null,
  pspReference: reportBreak.psp_reference,
  currency: reportBreak.currency,
  expected: reportBreak.expected,
  reported: reportBreak.reported,
  occurredAt: new Date(reportBreak.occurred_at),
  openedAt: new Date(reportBreak.since),
  owner: null,
  closedAt: null,
  closedBy: null,
  resolution: null,
  notification: null,
};
const fakeBreaks: Pick<Breaks, 'list' | 'ofRun' | 'show' | 'register'> = {
  list: () => Promise.resolve([fakeBreak]),
  ofRun: () => Promise.resolve([fakeBreak]),
  show: () =>
    Promise.resolve({
      found: fakeBreak,
      notes: breakWithNotes.notes.map(({ id, by, note, at }) => ({ id, by, note, at: new Date(at) })),
    }),
  register: () => {},
};

/** One day and one entry, whatever is asked. */
const fakeLedger: Pick<Ledger, 'balances' | 'statement'> = {
  balances: () => {
    const { psps, trial, as_of: asOf } = balances;
    const totals = psps.map(({ paid_out: paidOut, ...rest }) => ({ ...rest, paidOut }));
    return Promise.resolve({ psps: totals, trial, asOf: new Date(asOf!) });
  },
  statement: () => {
    const {
      occurred_at,
      merchant_id: merchantId,
      payment_id: paymentId,
      payout_id: payoutId,
      ...rest
    } = entry;
    const occurredAt = new Date(occurred_at);
    return Promise.resolve({
      entries: [{ ...rest, occurredAt, merchantId, paymentId, payoutId }],
      nextCursor: null,
    });
  },
};

function callerWith(scopes: readonly Scope[]): Caller {
  return callerFixture({ scopes });
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** CPU of the process meanwhile, which is that of the API and of the spec. */
  readonly cpuMs: number;
  json(): { [name: string]: unknown; code?: string; errors?: { pointer: string; message: string }[] };
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  /** An object is sent as JSON. */
  readonly body?: object | string | Buffer;
  /** Undefined: the key with every scope. Null: none. */
  readonly apiKey?: string | null;
  readonly idempotencyKey?: string | string[] | null;
}

/** What a test has in the place of what the service has. */
export interface Replaced {
  readonly limits?: Partial<ApiLimits>;
  readonly merchants?: Pick<CallersService, 'authenticate'>;
  readonly readiness?: Readiness['check'];
  readonly notifications?: Pick<NotificationsService, 'takes' | 'receive'>;
  readonly deadLetters?: FakeDeadLetters;
  /** Null: there is none. */
  readonly opsToken?: string | null;
  /** Requests a second of an API key; 0: no limit. */
  readonly keyRate?: number;
  readonly clock?: SystemClock;
}

const noDatabase = [
  { provide: DataSource, useValue: new DataSource({ type: 'postgres' }) },
  { provide: Pool, useValue: { query: () => Promise.reject(new Error('there is no database')) } },
  { provide: Installation, useValue: { session: { hold: () => 'none' } } },
  TenantDatabase,
  { provide: LockHolder, useValue: {} },
  { provide: PostgresStore, useValue: { onCommitted: () => {}, waiting: 0 } },
  { provide: Store, useValue: {} },
  { provide: Readiness, useValue: {} },
];

/** In the place of the database. */
@Global()
@Module({ providers: noDatabase, exports: noDatabase })
class NoDatabaseModule {}

@Module({})
class NothingModule {}

const merchantsOfTests: Pick<CallersService, 'authenticate'> = {
  authenticate: (bearer) => {
    if (bearer === READ_ONLY_KEY) return Promise.resolve(callerWith(['payments:read']));
    if (bearer === PAYOUT_KEY) return Promise.resolve(callerWith(['payouts:write']));
    if (bearer !== KEY) return Promise.reject(new Problem('unauthorized', 'The key is revoked.'));
    return Promise.resolve(callerWith(scopes.filter((scope) => scope !== 'payouts:write')));
  },
};

/** The application in the role `api`, with its own modules, over services that only remember and no database. */
export class RunningApi {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly payments: FakePayments,
    readonly refunds: FakeRefunds,
    readonly payouts: FakePayouts,
    readonly deadLetters: FakeDeadLetters,
    readonly metrics: Registry,
    readonly port: number,
    /** Every line of the log, as it would be written. */
    readonly logged: readonly string[],
  ) {}

  static async start({
    limits: someLimits,
    merchants = merchantsOfTests,
    readiness = () => Promise.resolve({ ready: true, checks: { database: 'up' } }),
    notifications = { takes: () => true, receive: () => Promise.resolve(1) },
    deadLetters = new FakeDeadLetters(),
    opsToken = OPS_TOKEN,
    keyRate = 0,
    clock = new SystemClock(),
  }: Replaced = {}): Promise<RunningApi> {
    const payments = new FakePayments();
    const refunds = new FakeRefunds();
    const payouts = new FakePayouts();
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', sink: { write: (line) => void lines.push(line) } });
    const config = loadConfig({
      PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
      PAYONCE_KEY_RATE: String(keyRate),
      PAYONCE_MERCHANT_RATE: '0',
      // As a service in a spec has it: the machine that runs all specs is late.
      PAYONCE_SHED_DELAY_MS: '60000',
      ...(opsToken === null ? {} : { PAYONCE_OPS_TOKEN: opsToken }),
    });
    const limits = { ...limitsOf(config), ...someLimits };
    const psps = defaultPsps({ stripe: 'http://127.0.0.1:1', adyen: 'http://127.0.0.1:1' });
    const module = await Test.createTestingModule({
      imports: [AppModule.forRole('api', { config, psps, logger })],
    })
      .overrideModule(DatabaseModule)
      .useModule(NoDatabaseModule)
      .overrideModule(AbandonedLocksModule)
      .useModule(NothingModule)
      .overrideProvider(Clock)
      .useValue(clock)
      .overrideProvider(ApiLimits)
      .useValue(limits)
      .overrideProvider(SharedBreakers)
      .useValue({})
      .overrideProvider(StoredPspsReader)
      .useValue({})
      .overrideProvider(CallersService)
      .useValue(merchants)
      .overrideProvider(Readiness)
      .useValue({ check: readiness })
      .overrideProvider(PaymentsService)
      .useValue(payments)
      .overrideProvider(RefundsService)
      .useValue(refunds)
      .overrideProvider(OrdersService)
      .useValue(fakeOrders)
      .overrideProvider(PayoutsService)
      .useValue(payouts)
      .overrideProvider(Recipients)
      .useValue(fakeRecipients)
      .overrideProvider(WebhookEndpointsService)
      .useValue(fakeWebhookEndpoints)
      .overrideProvider(EventsService)
      .useValue(fakeEvents)
      .overrideProvider(NotificationsService)
      .useValue(notifications)
      .overrideProvider(Runs)
      .useValue(fakeRuns)
      .overrideProvider(Breaks)
      .useValue(fakeBreaks)
      .overrideProvider(Ledger)
      .useValue(fakeLedger)
      .overrideProvider(DeadLetters)
      .useValue(deadLetters)
      .compile();
    const app = module.createNestApplication<NestFastifyApplication>(fastifyAdapter(limits, clock, logger), {
      bodyParser: false,
    });
    await initApi(app, false);
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const metrics = app.get<Registry>(Registry);
    return new RunningApi(app, payments, refunds, payouts, deadLetters, metrics, port, lines);
  }

  /** One request on a connection of its own. */
  send({
    method = 'POST',
    path = '/v1/payments',
    headers = {},
    body,
    apiKey,
    idempotencyKey,
  }: Ask): Promise<Answer> {
    const bytes =
      body === undefined
        ? undefined
        : typeof body === 'string' || Buffer.isBuffer(body)
          ? Buffer.from(body as string)
          : Buffer.from(JSON.stringify(body));
    const key = idempotencyKey === undefined ? `test-${this.payments.calls.length}` : idempotencyKey;
    const start = cpuMs();
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          port: this.port,
          host: '127.0.0.1',
          method,
          path,
          agent: false,
          headers: {
            ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey ?? KEY}` }),
            ...(key === null || method === 'GET' ? {} : { 'idempotency-key': key }),
            ...(bytes ? { 'content-type': 'application/json', 'content-length': bytes.length } : {}),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              text,
              cpuMs: cpuMs() - start,
              json: () => JSON.parse(text) as ReturnType<Answer['json']>,
            });
          });
        },
      );
      request.on('error', reject);
      request.end(bytes);
    });
  }
}

/** The CPU time of this process: a bound on it holds on a busy machine too. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
