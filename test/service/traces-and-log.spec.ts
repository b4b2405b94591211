import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { GrpcClient } from '../grpc/grpc-client.js';
import {
  ApiClient,
  email,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type ServiceProcess,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

describe('traces', () => {
  /** A collector of OpenTelemetry and a merchant's endpoint, as servers of the test. */
  interface Span {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly name: string;
    readonly links?: readonly { readonly traceId: string }[];
  }

  const spans: Span[] = [];
  let collected = '';
  const delivered: { readonly traceparent: string | undefined; readonly body: string }[] = [];
  let server: Server;
  let environment: TestEnvironment;
  let service: ServiceProcess;
  let apiKey: string;
  let client: ApiClient;

  beforeAll(async () => {
    server = createServer((request, response) => {
      void take(request).then(() =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    environment = await TestEnvironment.open({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: own(), GRPC_PORT: '0', PAYONCE_WEBHOOK_TARGETS: 'any' },
    });
    service = await environment.startProcess();
    apiKey = await environment.merchant();
    client = new ApiClient(() => service.url, apiKey);
    environment.notify(service.url);
  });
  afterAll(async () => {
    await environment.close();
    server.closeAllConnections();
    server.close();
  });

  function own(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function take(request: IncomingMessage): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.url !== '/v1/traces') {
      delivered.push({ traceparent: request.headers['traceparent'] as string | undefined, body });
      return;
    }
    collected += body;
    const { resourceSpans } = JSON.parse(body) as {
      readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: Span[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
  }

  const inTrace = (traceId: string) =>
    spans.filter((span) => span.traceId === traceId).map(({ name }) => name);

  async function charge(traceId: string): Promise<string> {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
    };
    const body = JSON.stringify(orderOf({ first: 'stripe' }));
    const response = await fetch(`${service.url}/v1/payments`, { method: 'POST', headers, body });
    return paymentOf({ status: response.status, text: await response.text(), headers: response.headers }).id;
  }

  it('is one trace, from the request of the checkout to what the PSP notifies and the merchant is told', async () => {
    const endpoint = await client.post(
      '/v1/webhook_endpoints',
      { url: `${own()}/hook`, events: ['payment.captured'] },
      randomUUID(),
    );
    expect(endpoint.status).toBe(201);
    const traceId = randomBytes(16).toString('hex');
    const id = await charge(traceId);
    const names = [
      'POST /v1/payments',
      'postgres commit',
      'psp execute',
      'psp notification',
      'webhook delivery',
    ];
    await eventually(() => names.every((name) => inTrace(traceId).includes(name)), 'the whole trace');
    // All of them hang together: each parent but that of the client is in the trace.
    const spansOfIt = spans.filter((span) => span.traceId === traceId);
    const ids = new Set(spansOfIt.map(({ spanId }) => spanId));
    const roots = spansOfIt.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ''));
    expect(roots.map(({ name }) => name)).toEqual(['POST /v1/payments']);
    const told = delivered.find(({ body }) => body.includes(id))!;
    expect(told.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    // The PSP's request has a trace of its own, which its job goes on in; what is applied names it.
    const { links } = spansOfIt.find(({ name }) => name === 'psp notification')!;
    const [{ traceId: notified }] = links as [{ traceId: string }];
    expect(inTrace(notified)).toEqual(
      expect.arrayContaining(['POST /v1/webhooks/:psp', 'job webhook.apply']),
    );
  });

  it('goes on in the trace of a call of gRPC', async () => {
    const traceId = randomBytes(16).toString('hex');
    const grpc = new GrpcClient(service.grpc!, apiKey);
    const payment_method = { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { stripe: tokens.stripe } };
    const { code } = await grpc.call(
      'Payments.Create',
      { reference: 'order-1', amount: 1_000, currency: 'USD', payment_method },
      {
        key: randomUUID(),
        metadata: { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` },
      },
    );
    grpc.close();
    expect(code).toBe('OK');
    const names = ['payonce.v1.Payments/Create', 'postgres commit', 'psp execute'];
    await eventually(() => names.every((name) => inTrace(traceId).includes(name)), 'the trace of the call');
  });

  it('goes on in a process that knows of it from the database', async () => {
    const traceId = randomBytes(16).toString('hex');
    const id = await charge(traceId);
    await service.stop();
    spans.length = 0;
    service = await environment.startProcess();
    const status = await environment.tellAsAdyen(service.url, {
      eventCode: 'CANCELLATION',
      success: false,
      pspReference: 'ADYEN0000000001',
      merchantReference: `payment-${id}-charge`,
      amount: { value: 1_999, currency: 'USD' },
    });
    expect(status).toBe(200);
    await eventually(() => inTrace(traceId).includes('psp notification'), 'the notification in its trace');
  });

  it('holds no token, no credential and nothing of the customer', async () => {
    await service.stop();
    expect(collected).toContain('POST /v1/payments');
    for (const secret of [...Object.values(tokens), email, apiKey, 'sk_test_stage', 'customer-1']) {
      expect(collected).not.toContain(secret);
    }
  });
});

describe('the log of operations', () => {
  /** What an operator finds in the log by payment. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService());
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  type Line = Readonly<Record<string, unknown>>;
  const lines = (): Line[] =>
    service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const linesOf = (message: string, id: string) =>
    eventually(() => {
      const found = lines().filter((line) => line['msg'] === message && line['payment_id'] === id);
      return found.length > 0 ? found : null;
    }, `a line "${message}" of the payment`);

  it('has one line for each call to a PSP, and no token in it', async () => {
    environment.simulator.faults('adyen', { fault: 'decline', code: '9', next: 1 });
    const { id, psp } = paymentOf(
      await client.post('/v1/payments', orderOf({ first: 'adyen' }), 'two-calls'),
    );
    expect(psp).toBe('stripe');
    await eventually(async () => (await linesOf('psp call', id)).length === 2, 'both calls are logged');
    const found = await linesOf('psp call', id);
    const request = await eventually(
      () => lines().find((line) => line['msg'] === 'request' && line['route'] === '/v1/payments'),
      'the line of the request',
    );
    expect(found).toEqual([
      expect.objectContaining({
        level: 'info',
        request_id: request['request_id'],
        merchant_id: request['merchant_id'],
        entity_key: `payment-${id}-charge`,
        route: 1,
        attempt: 1,
        kind: 'execute',
        psp: 'adyen',
        outcome: 'declined',
        code: '9',
        ms: expect.any(Number) as unknown,
      }),
      expect.objectContaining({ route: 2, psp: 'stripe', outcome: 'succeeded' }),
    ]);
    for (const token of Object.values(tokens)) expect(JSON.stringify(found)).not.toContain(token);
  });

  it('tells of probes and scrapes at debug', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      await fetch(`${service.url}${path}`);
      const line = await eventually(
        () => lines().find((one) => one['msg'] === 'request' && one['route'] === path),
        `a line of ${path}`,
      );
      expect(line).toMatchObject({ level: 'debug', status: 200 });
    }
  });
});
