import { Client } from 'pg';
import { type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { loadConfig } from '../../src/config/config.js';
import { VERSION } from '../../src/core/version.js';
import { limitsOf } from '../../src/http/limits.js';
import { createLogger } from '../../src/http/logger.js';
import { RouteTable } from '../../src/http/route-table.js';
import { ManualClock } from '../../src/core/clock.js';
import { createMonitoring } from '../../src/monitoring/monitoring-listener.js';
import { type ReadinessReport } from '../../src/database/readiness.js';
import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** What a process serves that has no API: health and metrics, and nothing besides. */
async function ask(url: string, path: string, method = 'GET'): Promise<Reply> {
  const response = await fetch(`${url}${path}`, { method, signal: AbortSignal.timeout(10_000) });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe('health and metrics alone', () => {
  const clock = new ManualClock();
  const servers: Server[] = [];

  // What a test that failed has left open would keep the whole run from ending.
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function start(readiness: () => Promise<ReadinessReport>, drainDelayMs = 0) {
    const lines: string[] = [];
    const app = await createMonitoring({
      readiness: { check: readiness },
      metrics: new Registry(),
      logger: createLogger({ level: 'debug', sink: { write: (line) => void lines.push(line) } }),
      clock,
      limits: { ...limitsOf(loadConfig({})), drainDelayMs },
    });
    await app.listen(0, '127.0.0.1');
    const server = app.getHttpServer();
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    return { app, lines, url: `http://127.0.0.1:${port}` };
  }

  it('are three paths', async () => {
    const { app } = await start(() => Promise.resolve({ ready: true, checks: {} }));
    const routes = app.get(RouteTable).routes.filter(({ method }) => method !== 'HEAD');
    expect(routes).toEqual([
      { method: 'GET', path: '/health/live' },
      { method: 'GET', path: '/health/ready' },
      { method: 'GET', path: '/metrics' },
    ]);
    await app.close();
  });

  it('live does not ask whether the process is ready; ready does', async () => {
    let down = true;
    const { app, url, lines } = await start(() =>
      Promise.resolve({ ready: !down, checks: { database: down ? 'down' : 'up' } }),
    );
    expect(await ask(url, '/health/live')).toMatchObject({
      status: 200,
      text: `${JSON.stringify({ status: 'live', version: VERSION })}\n`,
    });
    const notReady = await ask(url, '/health/ready');
    expect(notReady.status).toBe(503);
    expect(JSON.parse(notReady.text)).toEqual({ status: 'not_ready', checks: { database: 'down' } });
    down = false;
    expect((await ask(url, '/health/ready')).status).toBe(200);
    const told = lines.map((line) => JSON.parse(line) as { level: string; status: number });
    expect(told.filter(({ status }) => status).map(({ level, status }) => [level, status])).toEqual([
      ['debug', 200],
      ['info', 503],
      ['debug', 200],
    ]);
    await app.close();
  });

  it('says that it is about to go, and lets what is in flight finish', async () => {
    let answer: (readiness: ReadinessReport) => void = () => {};
    const held = new Promise<ReadinessReport>((resolve) => (answer = resolve));
    let asked = 0;
    const { app, url } = await start(() => ((asked += 1), held), 300);
    const inFlight = ask(url, '/health/ready');
    await eventually(() => asked === 1, 'a request in flight');
    const closing = app.close();
    const draining = await ask(url, '/health/ready');
    expect(draining.status).toBe(503);
    expect(JSON.parse(draining.text)).toMatchObject({ status: 'draining' });
    expect((await ask(url, '/health/live')).headers.get('connection')).toBe('close');
    clock.advance(300);
    answer({ ready: true, checks: {} });
    expect((await inFlight).status).toBe(200);
    await closing;
    await expect(ask(url, '/health/live')).rejects.toThrow('fetch failed');
  });
});

describe('a worker', () => {
  let environment: TestEnvironment;
  let worker: Service;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    worker = await environment.start({ role: 'worker' });
  });
  afterAll(() => environment.close());

  it('says that it lives and is ready', async () => {
    expect((await ask(worker.url, '/health/live')).status).toBe(200);
    const { status, text } = await ask(worker.url, '/health/ready');
    expect({ status, ...(JSON.parse(text) as object) }).toMatchObject({ status: 'ready' });
    expect(JSON.parse(text)).toMatchObject({ checks: { database: 'up' } });
  });

  it('shows its metrics', async () => {
    const { status, text, headers } = await ask(worker.url, '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect(text).toMatch(/^payonce_routes_stuck/m);
    expect(text).toMatch(/^payonce_http_request_seconds_count\{.*route="\/health\/live"/m);
  });

  it('shows its metrics while the database is away, but for those that are looked up there', async () => {
    const name = new URL(environment.database.url).pathname.slice(1);
    const server = new Client({ connectionString: process.env['TEST_SERVER_URL']! });
    await server.connect();
    try {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const ofDatabase = /^payonce_(routes_stuck|dead_letters|breaks|jobs_staged|webhook_deliveries_late)/m;
      // Each figure may be shown for 3 s after it was looked up.
      const { status, text } = await eventually(async () => {
        const reply = await ask(worker.url, '/metrics');
        return ofDatabase.test(reply.text) ? null : reply;
      }, 'the figures of the database are gone');
      expect(status).toBe(200);
      expect(text).toMatch(/^payonce_http_request_seconds_count/m);
      // Their values are from the database; the line that says what they are is not.
      expect(text).toContain('# HELP payonce_routes_stuck');
      expect((await ask(worker.url, '/health/ready')).status).toBe(503);
    } finally {
      await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await server.end();
    }
    await eventually(async () => (await ask(worker.url, '/health/ready')).status === 200, 'it is back');
    await eventually(
      async () => /^payonce_routes_stuck 0$/m.test((await ask(worker.url, '/metrics')).text),
      'its figures are back',
    );
  });

  it.each([
    ['GET', '/v1/payments', 404, 'not_found'],
    ['POST', '/v1/payments', 404, 'not_found'],
    ['GET', '/docs', 404, 'not_found'],
    ['GET', '/', 404, 'not_found'],
    ['POST', '/health/live', 405, 'method_not_allowed'],
  ])('%s %s is answered %i with a problem document', async (method, path, status, code) => {
    const answer = await ask(worker.url, path, method);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(answer.text)).toMatchObject({
      status,
      code,
      request_id: answer.headers.get('request-id'),
    });
  });

  it('brings to rest what an API that died left open, and ends when told', async () => {
    const dying = await environment.startProcess({
      env: { PAYONCE_ROLE: 'api' },
      at: { place: 'commit:after:new:accepted' },
    });
    let api: Service = dying;
    const client = new ApiClient(() => api.url, await environment.merchant());
    const post = () => client.post('/v1/payments', orderOf({ reference: 'left-open' }), 'left-open');
    await expect(post()).rejects.toThrow('fetch failed');
    expect(await dying.exit).toMatchObject({ signal: 'SIGKILL' });
    expect(environment.effects()).toEqual([]);
    // Nobody asks again: the worker alone finds it.
    await eventually(() => environment.effects().length > 0, 'the charge');

    api = await environment.start();
    const payment = paymentOf(await client.until(post, atRest));
    expect(payment.status).toBe('captured');
    expect(environment.effects()).toMatchObject([{ operation: 'charge', amount: payment.amount }]);
    await worker.stop();
  });
});

describe('where metrics are', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.open();
  });
  afterAll(() => environment.close());

  it.each(['api', 'worker', 'all'])(
    'is a listener of their own with PAYONCE_MONITORING_PORT, which counts what comes to either: %s',
    async (role) => {
      const service = await environment.start({ env: { PAYONCE_ROLE: role, PAYONCE_MONITORING_PORT: '0' } });
      const monitoring = service.metricsUrl!;
      expect(new URL(monitoring).hostname).toBe('127.0.0.1');
      expect(monitoring).not.toBe(service.url);
      for (const url of [service.url, monitoring]) {
        for (const path of ['/health/live', '/health/ready']) {
          expect([url, path, (await ask(url, path)).status]).toEqual([url, path, 200]);
        }
      }
      const unserved = await ask(service.url, '/metrics');
      expect([unserved.status, JSON.parse(unserved.text)]).toMatchObject([404, { code: 'not_found' }]);
      for (const path of ['/docs', '/v1/payments', '/ops/api/dead-letters']) {
        expect((await ask(monitoring, path)).status).toBe(404);
      }
      const { status, text } = await ask(monitoring, '/metrics');
      expect(status).toBe(200);
      expect(text).toMatch(/^payonce_http_request_seconds_count\{.*route="\/health\/ready".*\} 2$/m);
      expect(text).toMatch(/^payonce_http_requests_in_flight 0$/m);
      await service.stop();
      await expect(ask(monitoring, '/health/live')).rejects.toThrow('fetch failed');
    },
  );

  it('is nowhere without it where HOST is open to others', async () => {
    const service = await environment.start({ env: { HOST: '0.0.0.0' } });
    const url = service.url.replace('0.0.0.0', '127.0.0.1');
    expect((await ask(url, '/health/ready')).status).toBe(200);
    expect((await ask(url, '/metrics')).status).toBe(404);
    expect(service.metricsUrl).toBeNull();
  });
});
