import { type AddressInfo, connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { type ApiLimits } from '../../src/http/limits.js';
import { STAGED_CHANNEL } from '../../src/database/commit/waker.js';
import { type Answer, type Replaced, RunningApi } from '../api/fake-api.js';
import { SeverableLink } from '../client/severable-link.js';
import { spawnNode } from '../support/process.js';
import { eventually } from '../support/test-environment.js';
import { type Batch, batchOf, type Item } from './hmac-reader.js';
import { charge, connect, IncomingEnvironment, SECRETS } from './notifications-environment.js';

const CARD = '4242424242424242';

/** What a PSP sends, on a connection of its own and without an API key. */
function notify(api: RunningApi, { body, headers }: Batch, path = '/v1/webhooks/north'): Promise<Answer> {
  return api.send({ path, body, headers: { ...headers }, apiKey: null, idempotencyKey: null });
}

function connectionsOf({ app }: RunningApi): Promise<number> {
  const server = app.getHttpServer() as Server;
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

/** Sends pieces as they are and gathers what comes back until the connection closes. */
async function conversation(port: number, pieces: readonly string[]): Promise<string> {
  const socket = connectSocket(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  for (const piece of pieces) socket.write(piece);
  await once(socket, 'close');
  return text;
}

describe('POST /v1/webhooks/:psp', () => {
  let environment: IncomingEnvironment;
  let api: RunningApi;
  beforeAll(async () => {
    environment = await IncomingEnvironment.open();
    api = await RunningApi.start({ notifications: environment.incoming.notifications });
  });
  beforeEach(() => environment.clear());
  afterAll(async () => {
    await api.app.close();
    await environment.close();
  });

  const send = (items: readonly Item[], path?: string) => notify(api, environment.batch(items), path);

  it('stores what it says with a job for it, wakes the enqueuer, and answers both PSPs', async () => {
    const listener = new Client({ connectionString: environment.fresh.url });
    await listener.connect();
    try {
      await listener.query(`LISTEN ${STAGED_CHANNEL}`);
      const woken = once(listener, 'notification');
      const answer = await send([charge(1), charge(2)]);
      expect([answer.status, answer.json()]).toEqual([
        200,
        { accepted: 2, notificationResponse: '[accepted]' },
      ]);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      await woken;
    } finally {
      await listener.end();
    }
    expect(await environment.rows()).toMatchObject([
      { event_id: 'evt-1', state: 'received', tries: 0 },
      { event_id: 'evt-2', state: 'received', tries: 0 },
    ]);
    expect(
      (await environment.jobs()).map(({ kind, args, not_before: notBefore }) => [kind, args, notBefore]),
    ).toEqual(
      expect.arrayContaining([
        ['webhook.apply', { psp: 'north', eventId: 'evt-1', tries: 0 }, null],
        ['webhook.apply', { psp: 'north', eventId: 'evt-2', tries: 0 }, null],
      ]),
    );
  });

  it('takes duplicates, in one batch and in several, and stores them once', async () => {
    for (let i = 0; i < 5; i++) expect((await send([charge(1)])).json()).toMatchObject({ accepted: 1 });
    expect((await send([charge(2), charge(1), charge(2)])).json()).toMatchObject({ accepted: 3 });
    expect(await environment.rows()).toHaveLength(2);
    expect(await environment.jobs()).toHaveLength(2);
    expect(await environment.metric('payonce_webhook_items_total')).toEqual([
      'payonce_webhook_items_total{psp="north",type="charge.done",result="stored"} 2',
      'payonce_webhook_items_total{psp="north",type="charge.done",result="duplicate"} 6',
    ]);
  });

  it('keeps the same event of two accounts apart', async () => {
    await send([charge(1)]);
    await notify(api, environment.batch([charge(1)], SECRETS.south), '/v1/webhooks/south');
    expect(await environment.rows()).toHaveLength(2);
    expect(new Set((await environment.jobs()).map(({ job_id: id }) => id)).size).toBe(2);
  });

  it("refuses another account's secret, no signature and an old one, and stores nothing", async () => {
    const old = batchOf([charge(1)], SECRETS.north, new Date(environment.clock.now().getTime() - 300_001));
    const unsigned = { body: JSON.stringify([{ item: charge(1) }]), headers: {} };
    for (const batch of [environment.batch([charge(1)], SECRETS.south), unsigned, old]) {
      const answer = await notify(api, batch);
      expect([answer.status, answer.json().code]).toEqual([401, 'signature_invalid']);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    }
    expect(await environment.rows()).toEqual([]);
    expect(await environment.metric('payonce_webhook_items_total')).toEqual([
      'payonce_webhook_items_total{psp="north",type="none",result="signature_invalid"} 1',
      'payonce_webhook_items_total{psp="north",type="none",result="signature_missing"} 1',
      'payonce_webhook_items_total{psp="north",type="none",result="untimely"} 1',
    ]);
  });

  it('stores the good items of a batch with a bad one, wherever it stands', async () => {
    const [north, south] = [SECRETS.north, SECRETS.south];
    const answer = await notify(
      api,
      environment.batch([charge(1), charge(2), charge(3)], [north, south, north]),
    );
    expect([answer.status, answer.json()]).toMatchObject([200, { accepted: 2 }]);
    expect((await environment.rows()).map(({ event_id: id }) => id)).toEqual(['evt-1', 'evt-3']);
    expect(await environment.metric('payonce_webhook_items_total')).toContain(
      'payonce_webhook_items_total{psp="north",type="none",result="signature_invalid"} 1',
    );
  });

  it('stores the rest of a batch with an item that Postgres cannot hold', async () => {
    const about = [{ operation: 'payment-\0', outcome: 'succeeded' as const }];
    const answer = await send([
      charge(1),
      charge('\0'),
      charge(2, { about }),
      charge(3, { type: 't'.repeat(101) }),
    ]);
    expect([answer.status, answer.json()]).toMatchObject([200, { accepted: 1 }]);
    expect(await environment.rows()).toHaveLength(1);
    const alone = await send([charge(2, { about })]);
    expect([alone.status, alone.json().code]).toEqual([400, 'body_malformed']);
  });

  it('keeps a type that nobody knows, and makes no label of it', async () => {
    for (let i = 0; i < 3; i++) await send([{ id: `evt-${i}`, type: `made.up.${i}` }]);
    await environment.work();
    expect((await environment.rows()).map(({ type, state }) => [type, state])).toEqual([
      ['made.up.0', 'ignored'],
      ['made.up.1', 'ignored'],
      ['made.up.2', 'ignored'],
    ]);
    expect(await environment.metric('payonce_webhook_items_total')).toEqual([
      'payonce_webhook_items_total{psp="north",type="other",result="stored"} 3',
    ]);
  });

  it('knows no account that is not configured, and does not read what is sent to it', async () => {
    for (const path of ['west', '%00', 'NORTH', '__proto__', 'x'.repeat(99)]) {
      const answer = await send([charge(1)], `/v1/webhooks/${path}`);
      expect([path, answer.status, answer.json().code]).toEqual([path, 404, 'not_found']);
    }
    const headers =
      'Host: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\nConnection: close';
    // Not a byte of the body is sent.
    const text = await conversation(api.port, [`POST /v1/webhooks/west HTTP/1.1\r\n${headers}\r\n\r\n`]);
    expect(text).toMatch(/^HTTP\/1\.1 404/);
    expect((await api.send({ method: 'GET', path: '/v1/webhooks/north' })).status).toBe(405);
  });

  it.each<[string, string | Buffer, Record<string, string>, number, string]>([
    ['nothing', '', {}, 400, 'body_malformed'],
    ['no JSON', 'payload=1', {}, 400, 'body_malformed'],
    ['JSON of another shape', '{"id":"evt_1"}', {}, 400, 'body_malformed'],
    ['items of another shape', '[null,1,"x",[],{"item":7}]', {}, 400, 'body_malformed'],
    ['JSON without end', '[{"item":', {}, 400, 'body_malformed'],
    [
      'JSON of a hundred thousand levels',
      '['.repeat(100_000) + ']'.repeat(100_000),
      {},
      400,
      'body_malformed',
    ],
    ['Latin-1', Buffer.from('["Zoë"]', 'latin1'), {}, 400, 'body_malformed'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 400, 'body_malformed'],
    ['a text', '[]', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['something compressed', gzipSync('[]'), { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['more than 256 kB', `["${'x'.repeat(262_144)}"]`, {}, 413, 'body_too_large'],
  ])('refuses %s', async (_, body, headers, status, code) => {
    const used = process.cpuUsage();
    const answer = await notify(api, { body: body as string, headers });
    expect([answer.status, answer.json().code]).toEqual([status, code]);
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(2_000);
    expect(await environment.rows()).toEqual([]);
  });

  it('takes a body of 32 levels, and looks into none of 33', async () => {
    // Three levels are the list, what is sent with the signature, and the item.
    const nested = (levels: number) => {
      const noise = JSON.parse('['.repeat(levels - 3) + ']'.repeat(levels - 3)) as unknown;
      return send([charge(levels, { noise })]);
    };
    expect((await nested(32)).json()).toMatchObject({ accepted: 1 });
    const refused = await nested(33);
    expect([refused.status, refused.json()]).toMatchObject([
      400,
      { code: 'body_malformed', detail: 'The body is nested deeper than 32 levels.' },
    ]);
    expect((await environment.rows()).map(({ event_id: id }) => id)).toEqual(['evt-32']);
  });

  it('takes a body of the largest size, and one that is told in chunks', async () => {
    const noise = 'x'.repeat(261_000);
    expect((await send([charge(1, { noise })])).status).toBe(200);
    const { body, headers } = environment.batch([charge(2)]);
    const head = `POST /v1/webhooks/north HTTP/1.1\r\nHost: x\r\nContent-Type: application/json; charset=utf-8\r\nX-Sent: ${headers['x-sent']}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const chunks = [body.slice(0, 7), body.slice(7)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    expect(await conversation(api.port, [head, ...chunks, '0\r\n\r\n'])).toMatch(/^HTTP\/1\.1 200/);
    expect(await environment.rows()).toHaveLength(2);
  });

  it('reads bytes, not JSON: a body that is written otherwise is another one', async () => {
    const { body, headers } = environment.batch([charge(1, { noise: { b: 1.5, a: ' \u00e9' } })]);
    // What the strict reader of other routes refuses is up to the signature here.
    const twice = body.replace('"noise":', '"x":1,"x":2,"noise":');
    expect((await notify(api, { body: twice, headers })).status).toBe(401);
    expect((await notify(api, { body, headers })).status).toBe(200);
  });

  it('writes a card number nowhere, whatever field it comes in', async () => {
    const noise = {
      card: CARD,
      deep: [{ number: `${CARD.slice(0, 8)} ${CARD.slice(8)}` }],
      url: `/x?${CARD}`,
    };
    expect((await send([charge(1, { noise })])).status).toBe(200);
    expect((await notify(api, { body: `{"card":"${CARD}"`, headers: {} })).status).toBe(400);
    expect((await notify(api, environment.batch([charge(2, { noise })], 'no secret of ours'))).status).toBe(
      401,
    );
    await environment.work();
    const { rows: tables } = await environment.pool.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const hits = await environment.pool.query(`SELECT 1 FROM ${name} t WHERE t::text ~ '4242 ?4242'`);
      expect([name, hits.rowCount]).toEqual([name, 0]);
    }
    const written = [...api.logged, await api.metrics.metrics(), await environment.metrics.metrics()].join(
      '\n',
    );
    expect(written).toContain('/v1/webhooks/:psp');
    expect(written).not.toMatch(/4242 ?4242/);
    for (const secret of Object.values(SECRETS)) expect(written).not.toContain(secret);
  });
});

describe('notifications under pressure', () => {
  let environment: IncomingEnvironment;
  beforeAll(async () => (environment = await IncomingEnvironment.open()));
  beforeEach(() => environment.clear());
  afterAll(() => environment.close());

  const head = `POST /v1/webhooks/north HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[`;
  const start = (limits: Partial<ApiLimits>, receive?: () => Promise<number>) => {
    const { notifications } = environment.incoming;
    const own: Replaced['notifications'] = {
      takes: (account) => notifications.takes(account),
      receive: receive ?? ((...told) => notifications.receive(...told)),
    };
    return RunningApi.start({ notifications: own, limits });
  };

  it('are taken beside any number of senders that are slow, which are given up', async () => {
    const api = await start({ notifications: { maxInFlight: 2, maxArriving: 512, bodyMs: 1_000 } });
    try {
      const slow = Array.from({ length: 80 }, () => conversation(api.port, [head]));
      await eventually(
        async () => (await connectionsOf(api)) >= 80 || null,
        'all slow senders are connected',
      );
      const { body, headers } = environment.batch([charge(1)]);
      expect((await notify(api, { body, headers })).status).toBe(200);
      for (const text of await Promise.all(slow)) expect(text).toContain('"code":"request_timeout"');
    } finally {
      await api.app.close();
    }
  });

  it('on their way are as many as may be: the next one cuts off the slowest', async () => {
    const api = await start({ notifications: { maxInFlight: 64, maxArriving: 2, bodyMs: 60_000 } });
    try {
      const slow = [1, 2].map(() => conversation(api.port, [head]));
      await eventually(async () => (await connectionsOf(api)) >= 2 || null, 'both are connected');
      const { body, headers } = environment.batch([charge(1)]);
      for (const one of slow) {
        expect((await notify(api, { body, headers })).status).toBe(200);
        // The first of them makes room; the place of the second is still taken.
        if (one === slow[0]) expect(await one).toContain('"code":"request_timeout"');
      }
      expect(await Promise.race([slow[1], delay(50, 'on its way')])).toBe('on its way');
    } finally {
      await api.app.close();
    }
  });

  it('that are worked on are as many as may be; payments are none the worse for it', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const api = await start(
      { notifications: { maxInFlight: 2, maxArriving: 512, bodyMs: 5_000 } },
      async () => {
        await gate;
        return 1;
      },
    );
    try {
      const { body, headers } = environment.batch([charge(1)]);
      const held = [1, 2].map(() => notify(api, { body, headers }));
      const refused = await eventually(async () => {
        const answer = await Promise.race([notify(api, { body, headers }), delay(50, null)]);
        return answer;
      }, 'a notification too many is refused');
      expect([refused.status, refused.json().code, refused.headers['retry-after']]).toEqual([
        503,
        'overloaded',
        '1',
      ]);
      expect((await api.send({ method: 'GET' })).status).toBe(200);
      release();
      for (const { status } of await Promise.all(held)) expect(status).toBe(200);
      expect((await notify(api, { body, headers })).status).toBe(200);
    } finally {
      release();
      await api.app.close();
    }
  });

  it('that come five times at once to two processes, in any order, are stored once', async () => {
    const children = [1, 2].map(() =>
      spawnNode('test/notifications/api.child.mjs', { args: [environment.fresh.url, SECRETS.north] }),
    );
    try {
      const urls = await Promise.all(
        children.map(async (child) => (await child.waitForLine(/"listening":"(http[^"]+)"/))[1]!),
      );
      const items = Array.from({ length: 40 }, (_, n) => charge(n));
      // Batches that overlap and run against each other's order, which locks rows in circles if it can.
      const batches = Array.from({ length: 10 }, (_, n) => items.slice(n * 3, n * 3 + 13))
        .flatMap((batch) => [batch, batch.toReversed(), batch, batch.toReversed(), batch])
        .map((batch) => batchOf(batch, SECRETS.north, new Date()));
      const answers = await Promise.all(
        batches.map(async ({ body, headers }, n) => {
          const asked = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
          const answer = await fetch(`${urls[n % 2]}/v1/webhooks/north`, asked);
          return [answer.status, await answer.json()];
        }),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
        new Set([JSON.stringify([200, { accepted: 13, notificationResponse: '[accepted]' }])]),
      );
      expect(await environment.rows()).toHaveLength(40);
      expect(await environment.jobs()).toHaveLength(40);
      expect(new Set((await environment.jobs()).map(({ args }) => args.eventId)).size).toBe(40);
    } finally {
      for (const child of children) child.kill();
      await Promise.all(children.map(({ exit }) => exit));
    }
  });
});

describe('notifications in two processes', () => {
  it('that are written in opposite orders never wait for one another in a circle', async () => {
    const environment = await IncomingEnvironment.open();
    const other = await connect(environment.fresh.url);
    try {
      const sides = [environment.incoming.notifications, environment.another(other.pool).notifications];
      for (let round = 0; round < 10; round++) {
        const items = Array.from({ length: 250 }, (_, n) => charge(`${round}-${n}`));
        const told = sides.map((side, n) => {
          const { body, headers } = environment.batch(n === 0 ? items : items.toReversed());
          return side.receive('north', Buffer.from(body), headers);
        });
        // A circle would be broken by Postgres, which refuses one of them.
        expect(await Promise.all(told)).toEqual([250, 250]);
      }
      expect(await environment.jobs()).toHaveLength(2_500);
    } finally {
      await other.close();
      await environment.close();
    }
  });
});

describe('notifications while the store is away', () => {
  it('are refused with 503 and stored when they are sent again: nothing is lost, nothing is there twice', async () => {
    const links: SeverableLink[] = [];
    const environment = await IncomingEnvironment.open(async (url) => {
      links.push(await SeverableLink.open(url));
      return links[0]!.url;
    });
    const api = await RunningApi.start({ notifications: environment.incoming.notifications });
    try {
      const batch = environment.batch([charge(1), charge(2)]);
      links[0]!.cut();
      const refused = await notify(api, batch);
      expect([refused.status, refused.json().code]).toEqual([503, 'overloaded']);
      expect(refused.headers['retry-after']).toBe('1');
      links[0]!.mend();
      expect((await notify(api, batch)).json()).toMatchObject({ accepted: 2 });
      expect((await notify(api, batch)).json()).toMatchObject({ accepted: 2 });
      expect(await environment.rows()).toHaveLength(2);
      expect(await environment.jobs()).toHaveLength(2);
    } finally {
      await api.app.close();
      await environment.close();
      await links[0]!.close();
    }
  });

  it('are refused before the PSP stops waiting, where the store neither answers nor hangs up', async () => {
    const mute = new Mute();
    const environment = await IncomingEnvironment.open((url) => mute.before(url));
    const api = await RunningApi.start({ notifications: environment.incoming.notifications });
    try {
      expect((await notify(api, environment.batch([charge(1)]))).status).toBe(200);
      mute.on();
      const started = performance.now();
      const refused = await notify(api, environment.batch([charge(2)]));
      expect([refused.status, refused.json().code]).toEqual([503, 'overloaded']);
      expect(performance.now() - started).toBeLessThan(9_000);
      // It was stored, and only the answer is missing: sent again it is a duplicate.
      mute.off();
      expect((await notify(api, environment.batch([charge(2)]))).status).toBe(200);
      expect((await environment.rows()).map(({ event_id: id }) => id)).toEqual(['evt-1', 'evt-2']);
      expect(await environment.jobs()).toHaveLength(2);
    } finally {
      await api.app.close();
      await environment.close();
      mute.close();
    }
  });
});

/** Stands in front of Postgres; while it is on, the server's words are kept back and the client's are not. */
class Mute {
  private readonly server: Server = createServer();
  private readonly sockets = new Set<Socket>();
  private readonly far = new Set<Socket>();

  async before(databaseUrl: string): Promise<string> {
    const { port, hostname } = new URL(databaseUrl);
    this.server.listen(0, '127.0.0.1').on('connection', (near) => {
      const far = connectSocket(Number(port), hostname);
      this.far.add(far);
      near.pipe(far);
      far.pipe(near);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => {}).on('close', () => void this.sockets.delete(socket));
      }
      near.on('close', () => far.destroy());
      far.on('close', () => void (this.far.delete(far), near.destroy()));
    });
    await once(this.server, 'listening');
    const through = new URL(databaseUrl);
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  on(): void {
    for (const far of this.far) far.pause().unpipe();
  }

  /** For connections that are made from now on: a PSP that waits on an old one has given it up. */
  off(): void {
    for (const far of this.far) far.destroy();
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
