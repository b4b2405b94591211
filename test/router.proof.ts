import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { GrpcClient } from './grpc/grpc-client.js';
import { quietPort } from './chaos/quiet-port.js';
import { daemonFolder, Daemon } from './support/daemon.js';
import { describeWith, findProgram } from './support/program.js';
import {
  ApiClient,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  TestEnvironment,
  tokens,
} from './support/test-environment.js';

/** docker/router.cfg before two installations, with the map that docs/scaling.md makes. */
const root = resolve(__dirname, '..');
const NAMES = ['first', 'second'] as const;
type Name = (typeof NAMES)[number];

describeWith('haproxy', 'a router before two installations', () => {
  const environments = {} as Record<Name, TestEnvironment>;
  const services = {} as Record<Name, Service>;
  const keys = {} as Record<Name, string>;
  let folder: string;
  let router: Daemon;
  let rest: string;
  let grpc: string;

  beforeAll(async () => {
    for (const name of NAMES) {
      environments[name] = await TestEnvironment.open({ env: { GRPC_PORT: '0' } });
      services[name] = await environments[name].start();
      keys[name] = await environments[name].merchant();
    }
    folder = daemonFolder(join(tmpdir(), `payonce-router-${randomUUID()}`));
    const [restPort, grpcPort] = [await quietPort(Math.random), await quietPort(Math.random)];
    const portOf = (url: string) => url.split(':').at(-1)!;
    const config = NAMES.reduce(
      (text, name) =>
        text
          .replaceAll(new RegExp(`${name}-api\\d:3000`, 'g'), `127.0.0.1:${portOf(services[name].url)}`)
          .replaceAll(
            new RegExp(`${name}-api\\d:50051 proto h2 check port 3000`, 'g'),
            `127.0.0.1:${portOf(services[name].grpc!)} proto h2 check port ${portOf(services[name].url)}`,
          ),
      readFileSync(join(root, 'docker/router.cfg'), 'utf8'),
    )
      .replace('bind *:3000', `bind 127.0.0.1:${restPort}`)
      .replace('bind *:50051', `bind 127.0.0.1:${grpcPort}`)
      .replaceAll('/etc/payonce/keys.map', join(folder, 'keys.map'));
    const lines = await Promise.all(
      NAMES.map((name) => environments[name].sql<{ line: string }>(mapOf(name))),
    );
    writeFileSync(
      join(folder, 'keys.map'),
      lines
        .flat()
        .map(({ line }) => `${line}\n`)
        .join(''),
    );
    writeFileSync(join(folder, 'router.cfg'), config);
    const log = join(folder, 'log');
    router = new Daemon(findProgram('haproxy')!, ['-f', join(folder, 'router.cfg'), '-db'], log);
    router.start();
    [rest, grpc] = [`http://127.0.0.1:${restPort}`, `127.0.0.1:${grpcPort}`];
    await eventually(
      () =>
        fetch(`${rest}/health/live`, { signal: AbortSignal.timeout(5_000) }).then(
          ({ ok }) => ok,
          () => false,
        ),
      'the router answers',
    );
  }, 120_000);
  afterAll(async () => {
    await router?.end();
    for (const name of NAMES) await environments[name]?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  /** The query that docs/scaling.md gives, for an installation. */
  function mapOf(name: Name): string {
    const [, query] = /-c "(SELECT [^"]+)"/.exec(readFileSync(join(root, 'docs/scaling.md'), 'utf8'))!;
    return query!.replace("' first'", `' ${name}' AS line`);
  }
  const stored = async (name: Name, id: string) =>
    (await environments[name].sql('SELECT 1 FROM payments WHERE id = $1', [id])).length;

  it.each(NAMES)('leads a key of the %s one there, by REST', async (name) => {
    const shop = new ApiClient(() => rest, keys[name]);
    const answer = await shop.post('/v1/payments', orderOf({ reference: `rest-${name}` }), 'rest');
    expect(answer.status).toBe(201);
    const { id } = paymentOf(answer);
    expect([await stored('first', id), await stored('second', id)]).toEqual(
      name === 'first' ? [1, 0] : [0, 1],
    );
    expect((await shop.post('/v1/payments', orderOf({ reference: `rest-${name}` }), 'rest')).text).toBe(
      answer.text,
    );
    expect(environments[name].effects(id)).toHaveLength(1);
  });

  it.each(NAMES)('leads a key of the %s one there, by gRPC', async (name) => {
    const shop = new GrpcClient(grpc, keys[name]);
    const card = { type: 'PAYMENT_METHOD_TYPE_CARD', tokens: { stripe: tokens.stripe } };
    const order = { reference: 'grpc', amount: 1_000, currency: 'USD', payment_method: card };
    const { code, response } = await shop.call('Payments.Create', order, { key: 'grpc' });
    shop.close();
    expect(code).toBe('OK');
    const { id } = response['payment'] as { id: string };
    expect([await stored('first', id), await stored('second', id)]).toEqual(
      name === 'first' ? [1, 0] : [0, 1],
    );
  });

  it('lets an installation refuse a key that is in no map', async () => {
    const stranger = new ApiClient(() => rest, keys.second.replace(/^po_live_.{12}/, 'po_live_000000000000'));
    const refused = await stranger.post('/v1/payments', orderOf(), 'stranger');
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      401,
      expect.objectContaining({ code: 'unauthorized' }),
    ]);
  });

  it('may be started while no name of an installation is known', async () => {
    const config = join(folder, 'unknown.cfg');
    const text = readFileSync(join(root, 'docker/router.cfg'), 'utf8');
    writeFileSync(config, text.replaceAll('/etc/payonce/keys.map', join(folder, 'keys.map')));
    const check = promisify(execFile)(findProgram('haproxy')!, ['-c', '-f', config], { timeout: 20_000 });
    await expect(check).resolves.toBeDefined();
  });

  it('keeps one installation paying while the other one is away', async () => {
    await services.second.stop();
    const shop = (name: Name) => new ApiClient(() => rest, keys[name]);
    const away = await shop('second').post('/v1/payments', orderOf({ reference: 'away' }), 'away');
    expect([502, 503]).toContain(away.status);
    const answer = await shop('first').post('/v1/payments', orderOf({ reference: 'on' }), 'on');
    expect(answer.status).toBe(201);
    expect(readFileSync(join(folder, 'log'), 'utf8')).not.toContain(keys.first);
  });
});
