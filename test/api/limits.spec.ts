import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { captured, paymentRequest } from '../../src/payments/payment.examples.js';
import { SystemClock } from '../../src/core/clock.js';
import { type KeyedAnswer } from '../../src/core/keyed-request.js';
import { LoadShedding } from '../../src/http/load-shedding.js';
import { eventually } from '../support/eventually.js';
import { withoutIds } from '../support/ids.js';
import { KEY, OPS_TOKEN, RunningApi } from './fake-api.js';
import { callerFixture } from '../support/caller.js';

/** A flow that ends when it is told to. */
function held(): { answer: () => Promise<KeyedAnswer>; release: () => void } {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  return {
    answer: async () => {
      await gate;
      return { status: 201, body: JSON.stringify(captured), replayed: false };
    },
    release: () => release(),
  };
}

/** Everything that comes back on a raw connection until it closes. */
async function conversation(port: number, ...pieces: string[]): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  for (const piece of pieces) {
    socket.write(piece);
    await delay(20);
  }
  await closed;
  return text;
}

const create = `POST /v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n`;

describe('limits', () => {
  let api: RunningApi;
  const started: RunningApi[] = [];
  const start = async (limits: object): Promise<RunningApi> => {
    api = await RunningApi.start({ limits });
    started.push(api);
    return api;
  };
  afterEach(async () => {
    for (const each of started.splice(0)) await each.app.close();
  });

  it('turns away what is too much, before anything is done, and takes more again afterwards', async () => {
    await start({ maxInFlight: 3, merchantShare: Infinity });
    const { answer, release } = held();
    api.payments.answer = answer;
    const running = [1, 2, 3].map(() => api.send({ body: paymentRequest }));
    await eventually(() => api.payments.calls.length === 3, '3 have come');
    const refused = await api.send({ body: paymentRequest, apiKey: 'po_live_wrong' });
    expect(refused.status).toBe(503);
    expect(refused.json().code).toBe('overloaded');
    expect(refused.headers['retry-after']).toBe('1');
    expect((await api.send({ method: 'GET', path: '/health/ready' })).status).toBe(200);
    release();
    for (const { status } of await Promise.all(running)) expect(status).toBe(201);
    expect((await api.send({ body: paymentRequest })).status).toBe(201);
    expect(api.payments.calls).toHaveLength(4);
  });

  it('counts no client for ever that hangs up, in its body, while it waits, or with requests in a row', async () => {
    await start({ maxInFlight: 4, merchantShare: Infinity });
    const { answer, release } = held();
    api.payments.answer = answer;
    const body = JSON.stringify(paymentRequest);
    const whole = `${create}Content-Length: ${body.length}\r\n\r\n${body}`;
    for (const text of [`${create}Content-Length: 100\r\n\r\n{"a"`, whole, whole + whole]) {
      const socket = connect(api.port, '127.0.0.1');
      socket.write(text);
      await delay(50);
      socket.destroy();
    }
    release();
    await delay(50);
    const metrics = await api.send({ method: 'GET', path: '/metrics' });
    expect(metrics.text).toContain('payonce_http_requests_in_flight 0');
    expect(api.logged.some((line) => line.includes('"aborted":true'))).toBe(true);
    expect(api.logged.some((line) => line.includes('"error"'))).toBe(false);
  });

  it('keeps the connection after a refusal of the body, and after a refusal before it', async () => {
    await start({});
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number>();
    for (const [body, key] of [
      ['{"a":1}', KEY],
      ['{', KEY],
      ['{"a":1}', 'po_live_wrong'],
      ['{"a":"4242424242424242"}', KEY],
    ] as const) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = httpRequest(
          {
            port: api.port,
            host: '127.0.0.1',
            method: 'POST',
            path: '/v1/payments',
            agent,
            headers: {
              authorization: `Bearer ${key}`,
              'idempotency-key': 'k',
              'content-type': 'application/json',
              'content-length': body.length,
            },
          },
          resolve,
        );
        request.on('error', reject);
        request.end(body);
      });
      ports.add(response.socket.localPort!);
      response.resume();
      await new Promise((resolve) => response.once('end', resolve));
    }
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('answers what is not HTTP, and hangs up', async () => {
    await start({});
    const text = await conversation(api.port, 'HELLO 4242424242424242\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(text).toContain('"code":"request_malformed"');
    expect(withoutIds(text)).not.toContain('4242');
    expect((await api.send({ method: 'GET', path: '/health/live' })).status).toBe(200);
  });

  it('answers a request that does not arrive, and hangs up', async () => {
    await start({ requestTimeoutMs: 300, headersTimeoutMs: 200 });
    const headersOnly = await conversation(
      api.port,
      'POST /v1/payments HTTP/1.1\r\nHost: x\r\n',
      'X-Slow: 1\r\n',
    );
    expect(headersOnly).toContain('"code":"request_timeout"');
    const bodyCut = await conversation(api.port, `${create}Content-Length: 100\r\n\r\n`, '{"a":');
    expect(bodyCut).toContain('"code":"request_timeout"');
    expect(api.payments.calls).toEqual([]);
  });

  it('reads no more than 256 kB of a body whose length was not told', async () => {
    await start({});
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const text = await conversation(
      api.port,
      `${create}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      ...Array.from({ length: 6 }, () => chunk),
    );
    expect(text).toMatch(/^HTTP\/1\.1 413/);
    expect(text).toContain('"code":"body_too_large"');
  });
});

describe('one merchant among others', () => {
  const merchants = {
    authenticate: (bearer: string) =>
      Promise.resolve(
        callerFixture({
          merchantId: bearer,
          apiKeyId: bearer,
          scopes: ['payments:read', 'payments:write'],
        }),
      ),
  };

  it('takes half of the places in flight, and leaves the others to those who come next', async () => {
    const api = await RunningApi.start({ merchants, limits: { maxInFlight: 8 } });
    const { answer, release } = held();
    api.payments.answer = answer;
    const send = (apiKey: string) => api.send({ body: paymentRequest, apiKey });
    try {
      const greedy = Array.from({ length: 4 }, () => send('greedy'));
      await eventually(() => api.payments.calls.length === 4, '4 have come');
      const refused = await send('greedy');
      expect([refused.status, refused.json().code, refused.headers['retry-after']]).toEqual([
        429,
        'rate_limited',
        '1',
      ]);
      const modest = send('modest');
      await eventually(() => api.payments.calls.length === 5, '5 have come');
      release();
      for (const { status } of await Promise.all([...greedy, modest])) expect(status).toBe(201);
      // All places are given back.
      expect((await send('greedy')).status).toBe(201);
    } finally {
      release();
      await api.app.close();
    }
  });

  /** The clock of a spec that spends a rate: no token comes back while a busy machine takes its time. */
  const standing = Object.assign(new SystemClock(), { monotonicMs: () => 0 });

  it('may have a rate of its own where others have none', async () => {
    const ofItsOwn = { ...merchants };
    ofItsOwn.authenticate = async (bearer) => ({
      ...(await merchants.authenticate(bearer)),
      requestRate: bearer === 'greedy' ? 1 : null,
    });
    const api = await RunningApi.start({ merchants: ofItsOwn, clock: standing });
    const send = (apiKey: string) => api.send({ body: '{"never":"read', apiKey });
    try {
      const statuses = [];
      for (let n = 0; n < 3; n++) statuses.push((await send('greedy')).status, (await send('modest')).status);
      expect(statuses).toEqual([400, 400, 429, 400, 429, 400]);
    } finally {
      await api.app.close();
    }
  });

  it('is told to wait once it has spent what its key may send, and no other is', async () => {
    const api = await RunningApi.start({ merchants, keyRate: 8, limits: { refusalMs: 0 }, clock: standing });
    const send = (apiKey: string) => api.send({ body: '{"never":"read', apiKey });
    try {
      const statuses = [];
      for (let n = 0; n < 4; n++) statuses.push((await send('greedy')).status);
      expect(statuses).toEqual([400, 400, 429, 429]);
      const refused = await send('greedy');
      expect([refused.json().code, refused.headers['retry-after']]).toEqual(['rate_limited', '1']);
      expect((await send('modest')).status).toBe(400);
      expect((await api.send({ method: 'GET', path: '/health/ready' })).status).toBe(200);
    } finally {
      await api.app.close();
    }
  });

  it('gets its refusals late, one for each connection, and keeps no place in flight meanwhile', async () => {
    const api = await RunningApi.start({
      merchants,
      keyRate: 4,
      limits: { refusalMs: 1_000, maxHeldRefusals: 1 },
    });
    const answers: string[] = [];
    const send = async (apiKey: string) => {
      const { status } = await api.send({ body: '{"never":"read', apiKey });
      answers.push(`${apiKey} ${status}`);
    };
    try {
      await send('greedy');
      const refusals = [send('greedy'), send('greedy')];
      await Promise.race(refusals);
      // More than may be held are refused at once, while one is held.
      expect(answers).toEqual(['greedy 400', 'greedy 429']);
      await send('modest');
      const metrics = await api.send({ method: 'GET', path: '/metrics' });
      expect(metrics.text).toContain('payonce_http_requests_in_flight 0');
      expect(answers).toEqual(['greedy 400', 'greedy 429', 'modest 400']);
      await Promise.all(refusals);
      expect(answers.at(-1)).toBe('greedy 429');
    } finally {
      await api.app.close();
    }
  });
});

describe('a process that is too slow', () => {
  const delay1s = { mean: 1_020e6, count: 3, reset: () => {} };
  const none = { mean: 20.5e6, count: 50, reset: () => {} };

  it('refuses requests before anything is done, and goes on with health, notifications and operators', async () => {
    const api = await RunningApi.start({ limits: { maxDelayMs: 300 } });
    const shedding = api.app.get(LoadShedding, { strict: false });
    try {
      shedding.look(delay1s);
      // Late once, as a process that was frozen and has woken.
      expect(() => shedding.check()).not.toThrow();
      shedding.look(delay1s);
      // A key that is not looked at: nothing is read for a request that is refused.
      const refused = await api.send({ body: paymentRequest, apiKey: 'po_live_wrong' });
      expect([refused.status, refused.json().code, refused.headers['retry-after']]).toEqual([
        503,
        'overloaded',
        '2',
      ]);
      shedding.look(delay1s);
      expect((await api.send({ method: 'GET', path: '/health/ready' })).status).toBe(200);
      expect((await api.send({ path: '/v1/webhooks/stripe', body: {}, apiKey: null })).status).toBe(200);
      expect(
        (await api.send({ method: 'GET', path: '/ops/api/dead-letters', apiKey: OPS_TOKEN })).status,
      ).toBe(200);
      expect(api.payments.calls).toEqual([]);
      shedding.look(none);
      expect((await api.send({ body: paymentRequest })).status).toBe(201);
    } finally {
      await api.app.close();
    }
  });

  it('measures how late its event loop is', async () => {
    const api = await RunningApi.start({ limits: { maxDelayMs: 100 } });
    const shedding = api.app.get(LoadShedding, { strict: false });
    try {
      const isRefusing = () => {
        try {
          shedding.check();
          return false;
        } catch {
          return true;
        }
      };
      for (let blocks = 0; blocks < 12 && !isRefusing(); blocks++) {
        await delay(50);
        const end = performance.now() + 600;
        while (performance.now() < end);
      }
      expect(() => shedding.check()).toThrow('too slow');
    } finally {
      await api.app.close();
    }
  });

  it('refuses requests while too many commits wait', async () => {
    const api = await RunningApi.start({ limits: { maxWaitingCommits: -1 } });
    try {
      expect((await api.send({ body: paymentRequest })).status).toBe(503);
    } finally {
      await api.app.close();
    }
  });
});

describe('shutting down', () => {
  it('says not ready at once, serves what comes meanwhile, then lets requests in flight finish', async () => {
    const clock = new SystemClock();
    let stopListening = () => {};
    clock.sleep = (ms, signal) =>
      ms === 200
        ? new Promise((resolve) => (stopListening = resolve))
        : SystemClock.prototype.sleep.call(clock, ms, signal);
    const api = await RunningApi.start({ limits: { drainDelayMs: 200 }, clock });
    const { answer, release } = held();
    api.payments.answer = answer;
    const running = api.send({ body: paymentRequest });
    await eventually(() => api.payments.calls.length === 1, '1 have come');
    let closed = false;
    const closing = api.app.close().then(() => (closed = true));
    const readiness = () => api.send({ method: 'GET', path: '/health/ready' });
    await eventually(async () => (await readiness()).status === 503, 'it is not ready');
    const ready = await readiness();
    expect(ready.json()).toEqual({ status: 'draining', checks: {} });
    expect(ready.headers.connection).toBe('close');
    expect((await api.send({ method: 'GET' })).status).toBe(200);
    stopListening();
    const isRefused = (error: Error) => error.message.includes('ECONNREFUSED');
    await eventually(() => api.send({ method: 'GET' }).then(() => false, isRefused), 'nobody listens');
    expect(closed).toBe(false);
    release();
    const { status, headers } = await running;
    expect(status).toBe(201);
    expect(headers.connection).toBe('close');
    await closing;
  });

  it('closes idle connections and is done at once when nothing is in flight', async () => {
    const api = await RunningApi.start({ limits: { graceMs: 300_000 } });
    const idle = connect(api.port, '127.0.0.1');
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n');
    await new Promise((resolve) => idle.once('data', resolve));
    const hungUp = new Promise((resolve) => idle.once('close', resolve));
    // Well within the grace period: the spec would not live to see its end.
    await api.app.close();
    await hungUp;
  });

  it('cuts what outlasts the grace period', async () => {
    const api = await RunningApi.start({ limits: { graceMs: 200 } });
    const { answer, release } = held();
    api.payments.answer = answer;
    const running = api.send({ body: paymentRequest });
    const cut = expect(running).rejects.toThrow(/hang up|ECONNRESET/);
    await eventually(() => api.payments.calls.length === 1, '1 have come');
    await api.app.close();
    await cut;
    release();
    expect(api.logged.some((line) => line.includes('outlasted the grace period'))).toBe(true);
  });
});
