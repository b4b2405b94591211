import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createApi } from '../../src/create-api.js';
import { type ApiDependencies } from '../../src/api-dependencies.js';
import { type DeadLetterDesk } from '../../src/ops/dead-letters.controller.js';
import { createLogger } from '../../src/http/logger.js';
import { deadLetter } from '../../src/ops/dead-letter.examples.js';
import { captured, attempt } from '../../src/payments/payment.examples.js';
import { refund } from '../../src/refunds/refund.examples.js';
import { paid } from '../../src/payouts/payout.examples.js';
import { type DeadLetter } from '../../src/jobs/dead-letter.entity.js';
import { fakeEvents, fakeWebhookEndpoints } from './fake-webhooks.js';
import { SystemClock } from '../../src/core/clock.js';
import { Problem } from '../../src/core/problem.js';
import { type Caller, type Scope } from '../../src/merchants/caller.js';
import { type FlowAnswer } from '../../src/idempotency/idempotent-runner.js';
import { type Payments } from '../../src/payments/payments.js';
import { type Payouts } from '../../src/payouts/payouts.js';

export const KEY = 'po_live_testtesttesttest';
export const READ_ONLY_KEY = 'po_live_readreadreadread';
/** The only one that may send money out, and it may do nothing else. */
export const PAYOUT_KEY = 'po_live_payoutpayoutpay';
export const OPS_TOKEN = 'ops-token-for-tests-0123456789abcdef';
export const PAYMENT_ID = captured.id;

type Call = readonly [flow: keyof Payments, ...args: unknown[]];

/** Payments that only remember what they were asked. */
export class FakePayments implements Payments {
  readonly calls: Call[] = [];
  answer = (status: number): Promise<FlowAnswer> =>
    Promise.resolve({ status, body: JSON.stringify(captured), replayed: false });

  create(...args: Parameters<Payments['create']>): Promise<FlowAnswer> {
    this.calls.push(['create', ...args]);
    return this.answer(201);
  }

  capture(...args: Parameters<Payments['capture']>): Promise<FlowAnswer> {
    this.calls.push(['capture', ...args]);
    return this.answer(200);
  }

  cancel(...args: Parameters<Payments['cancel']>): Promise<FlowAnswer> {
    this.calls.push(['cancel', ...args]);
    return this.answer(200);
  }

  refund(...args: Parameters<Payments['refund']>): Promise<FlowAnswer> {
    this.calls.push(['refund', ...args]);
    return Promise.resolve({ status: 201, body: JSON.stringify(refund), replayed: false });
  }

  getRefund(...args: Parameters<Payments['getRefund']>): ReturnType<Payments['getRefund']> {
    this.calls.push(['getRefund', ...args]);
    return Promise.resolve(refund);
  }

  listRefunds(...args: Parameters<Payments['listRefunds']>): ReturnType<Payments['listRefunds']> {
    this.calls.push(['listRefunds', ...args]);
    return Promise.resolve({ data: [refund], has_more: false, next_cursor: null });
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

  attempts(...args: Parameters<Payments['attempts']>): ReturnType<Payments['attempts']> {
    this.calls.push(['attempts', ...args]);
    return Promise.resolve({ data: [attempt], has_more: false, next_cursor: null });
  }
}

/** Payouts that only remember what they were asked. */
export class FakePayouts implements Payouts {
  readonly calls: (readonly [flow: keyof Payouts, ...args: unknown[]])[] = [];

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

/** One dead letter, whatever is asked; remembers who merged and purged what. */
export class FakeDeadLetters implements DeadLetterDesk {
  readonly calls: (readonly ['merge' | 'purge', ...Parameters<DeadLetterDesk['merge']>])[] = [];
  private readonly letter: DeadLetter = {
    ...deadLetter,
    jobId: deadLetter.job_id,
    firstTriedAt: new Date(deadLetter.first_tried_at),
    diedAt: new Date(deadLetter.died_at),
  };

  list(): ReturnType<DeadLetterDesk['list']> {
    return Promise.resolve({ letters: [this.letter], nextCursor: null });
  }

  counts(): ReturnType<DeadLetterDesk['counts']> {
    const { kind, cause, diedAt } = this.letter;
    return Promise.resolve([{ kind, cause, count: 1, oldestDiedAt: diedAt, oldestAgeS: 1.5 }]);
  }

  show(): ReturnType<DeadLetterDesk['show']> {
    return Promise.resolve(this.letter);
  }

  merge(...args: Parameters<DeadLetterDesk['merge']>): ReturnType<DeadLetterDesk['merge']> {
    this.calls.push(['merge', ...args]);
    return Promise.resolve({ done: 1, left: 0 });
  }

  purge(...args: Parameters<DeadLetterDesk['purge']>): ReturnType<DeadLetterDesk['purge']> {
    this.calls.push(['purge', ...args]);
    return Promise.resolve({ done: 1, left: 0 });
  }
}

function callerWith(scopes: readonly Scope[]): Caller {
  return { merchantId: 'm-1', apiKeyId: 'k-1', scopes, duplicateWindowS: 0 };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly ms: number;
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

export class RunningApi {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly payments: FakePayments,
    readonly payouts: FakePayouts,
    readonly deadLetters: FakeDeadLetters,
    readonly port: number,
    /** Every line of the log, as it would be written. */
    readonly logged: readonly string[],
  ) {}

  static async start(more: Partial<ApiDependencies> = {}): Promise<RunningApi> {
    const payments = new FakePayments();
    const payouts = new FakePayouts();
    const deadLetters = new FakeDeadLetters();
    const lines: string[] = [];
    const app = await createApi({
      payments,
      payouts,
      webhookEndpoints: fakeWebhookEndpoints,
      events: fakeEvents,
      authenticator: {
        authenticate: (bearer) =>
          bearer === KEY
            ? Promise.resolve(
                callerWith([
                  'payments:read',
                  'payments:write',
                  'webhooks:read',
                  'webhooks:write',
                  'events:read',
                ]),
              )
            : bearer === READ_ONLY_KEY
              ? Promise.resolve(callerWith(['payments:read']))
              : bearer === PAYOUT_KEY
                ? Promise.resolve(callerWith(['payouts:write']))
                : Promise.reject(new Problem('unauthorized', 'The key is revoked.')),
      },
      notifications: { takes: () => true, receive: () => Promise.resolve(1) },
      readiness: () => Promise.resolve({ ready: true, checks: { database: 'up' } }),
      metrics: new Registry(),
      logger: createLogger({ level: 'info', sink: { write: (line) => void lines.push(line) } }),
      version: '0.0.0-test',
      clock: new SystemClock(),
      operators: { token: OPS_TOKEN, deadLetters },
      ...more,
    });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new RunningApi(app, payments, payouts, deadLetters, port, lines);
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
    const start = performance.now();
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
              ms: performance.now() - start,
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
