import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { compileFunction } from 'node:vm';
import { ModuleKind, ScriptTarget, transpile } from 'typescript';
import { newSecret, signedHeaders } from '../src/events/endpoint-secret.js';
import { GrpcClient, type Message } from './grpc/grpc-client.js';
import { type PaymentView } from '../src/payments/payment.view.js';
import { freePort } from './support/free-port.js';
import {
  eventually,
  openWithService,
  type Service,
  type TestEnvironment,
} from './support/test-environment.js';

/** What the pages show for a first payment and its events, run as it stands there. */
// Python is no part of Payonce: a machine without it skips this sample alone, and says so.
const hasPython = spawnSync('python3', ['--version']).status === 0;
const describeWithPython = hasPython ? describe : describe.skip;
if (!hasPython) console.warn('python3 is not installed: the sample for Python is not run');

const samplesIn = (page: string, language: string) =>
  Array.from(
    readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')),
    ([, code]) => code!,
  );

let environment: TestEnvironment;
let service: Service;
let apiKey: string;
/** Between the samples and the service. */
let proxy: Server;
let url: string;
/** How the next answers come to nothing. */
let trouble: ('lost' | 'cut')[] = [];

beforeAll(async () => {
  ({ environment, service } = await openWithService(
    { env: { GRPC_PORT: '0', PAYONCE_WEBHOOK_TARGETS: 'any' } },
    { role: 'all' },
  ));
  proxy = createServer((client) => {
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1');
    client.pipe(upstream);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
    upstream.on('data', (chunk: Buffer) => {
      const kind = trouble.shift();
      if (kind === undefined) client.write(chunk);
      else if (kind === 'lost') client.destroy();
      else client.end(chunk.subarray(0, -9));
    });
    upstream.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy?.close();
  await environment.close();
});
/** Each sample names the same order, so that each has a merchant of its own. */
beforeEach(async () => {
  apiKey = await environment.merchant(['payments:write', 'webhooks:write']);
});
afterEach(() => environment.simulator.clearFaults());

/** Runs a sample as its reader would, and returns what it said. */
function run(command: string, ...args: readonly string[]): Promise<{ status: number | null; said: string }> {
  const child = spawn(command, args, {
    env: { ...process.env, KEY: apiKey, PAYONCE_API_KEY: apiKey, PAYONCE_URL: url },
  });
  let said = '';
  child.stdout.on('data', (chunk) => (said += String(chunk)));
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, said })));
}
const here = (code: string) => code.replaceAll('http://127.0.0.1:3000', url);
const effectsOf = (id: string) => environment.effects(id).map(({ operation }) => operation);
/** The body follows on headers, one of which has the id of the request. */
const paymentIn = (said: string) => /"id":"(.*?)"/.exec(said)![1]!;
const idIn = (said: string) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(said)![0];

describeWithPython('the sample for Python', () => {
  /** Both parts of it, for this order and token. */
  function pay(order: string, token = 'pm_card_visa') {
    const [loop, call] = samplesIn('docs/samples.md', 'python') as [string, string];
    const code = `${loop}\n${call}`.replaceAll('order-1234', order).replace('pm_card_visa', token);
    return run('python3', '-c', code);
  }

  it('pays once, and tells of a decline', async () => {
    const paid = await pay('order-1');
    expect(paid).toMatchObject({ status: 0, said: expect.stringMatching(/^captured /) });
    expect(effectsOf(idIn(paid.said))).toEqual(['charge']);
    expect((await pay('order-2', 'pm_card_chargeDeclined')).said).toMatch(/^failed /);
  });

  it('asks again where the answer of the service is lost, and where that of the PSP is', async () => {
    trouble = ['lost', 'cut'];
    const { said } = await pay('order-3');
    expect(said).toMatch(/^captured /);
    expect([trouble, effectsOf(idIn(said))]).toEqual([[], ['charge']]);
    environment.simulator.faults('stripe', { fault: 'close_after', next: 1 });
    const doubted = await pay('order-4');
    expect(doubted.said).toMatch(/^captured /);
    expect(effectsOf(idIn(doubted.said))).toEqual(['charge']);
  });

  it('says what a request lacks, and asks no more', async () => {
    const { status, said } = await pay('order-5', '');
    expect(status).toBe(1);
    expect(said).toMatch(/ValueError: validation_failed: .*\/payment_method\/tokens\/stripe/);
  });
});

it.each(['docs/samples.md', 'README.md'])(
  'pays once by curl of %s, however often it is run',
  async (page) => {
    const code = samplesIn(page, 'sh').find((sample) => sample.includes('/v1/payments '))!;
    const command = here(code.replace(/^export KEY=.*$/m, ''));
    const [{ said }, again] = [await run('bash', '-c', command), await run('bash', '-c', command)];
    for (const answer of [said, again.said]) {
      expect(answer).toMatch(/HTTP\/1\.1 201 [\s\S]*"status":"captured"/);
    }
    expect(effectsOf(paymentIn(said))).toEqual(['charge']);
  },
);

it('completes by curl what the customer confirmed at the bank', async () => {
  const [create, complete] = samplesIn('docs/samples.md', 'sh').filter((sample) =>
    sample.includes('order-1235'),
  ) as [string, string];
  const waiting = JSON.parse(
    (await run('bash', '-c', here(create).replace('curl ', 'curl -s '))).said,
  ) as PaymentView;
  expect([waiting.status, effectsOf(waiting.id)]).toEqual(['requires_action', []]);
  const { url: bank } = waiting.next_action as { url: string };
  const back = (await fetch(bank, { redirect: 'manual' })).headers.get('location')!;
  const command = `ID=${waiting.id} QUERY='${new URL(back).search}'; ${here(complete).replace('curl ', 'curl -s ')}`;
  const done = JSON.parse((await run('bash', '-c', command)).said) as PaymentView;
  expect([done.id, done.status, effectsOf(done.id)]).toEqual([waiting.id, 'captured', ['charge']]);
});

/** A page's TypeScript is one program. */
function runTypeScript(page: string, more = '') {
  const typed = here(`${samplesIn(page, 'ts').join('\n')}\n${more}`);
  const code = transpile(typed, { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 });
  return run(process.execPath, '--input-type=module', '--eval', code);
}

it('pays once from TypeScript, though answers are lost', async () => {
  trouble = ['lost', 'cut'];
  const { said } = await runTypeScript('docs/samples.md', 'console.log(body.id);');
  expect(said).toMatch(/^captured\n/);
  expect([trouble, effectsOf(idIn(said))]).toEqual([[], ['charge']]);
});

it('pays, refunds, pays out and lists as docs/client.md does', async () => {
  apiKey = await environment.merchant(['payments:write', 'payments:read', 'payouts:write']);
  const { status, said } = await runTypeScript('docs/client.md');
  expect({ status, said }).toMatchObject({ status: 0, said: expect.stringMatching(/ is captured\n/) });
  expect(effectsOf(idIn(said))).toEqual(['charge', 'refund']);
});

it.each(['docs/samples.md', 'docs/grpc.md'])('pays by the call of grpcurl in %s', async (page) => {
  const command = samplesIn(page, 'sh').find((sample) => sample.startsWith('grpcurl '))!;
  const [, key, body, method] =
    /-H 'idempotency-key: (\S+)' -d '(\{.*\})' .*127\.0\.0\.1:50051 payonce\.v1\.(\w+\/\w+)$/s.exec(
      command.trimEnd(),
    )!;
  const client = new GrpcClient(service.grpc!, apiKey);
  const { code, response } = await client.call(method!.replace('/', '.'), JSON.parse(body!) as Message, {
    key: key!,
  });
  client.close();
  const payment = response['payment'] as { id: string; status: string };
  expect([code, payment.status]).toEqual(['OK', 'PAYMENT_STATUS_CAPTURED']);
  expect(effectsOf(payment.id)).toEqual(['charge']);
});

it('pays by the call of buf curl in docs/grpc.md, of a server that it asks for its protos', async () => {
  const command = samplesIn('docs/grpc.md', 'sh').find((sample) => sample.startsWith('npx buf curl '))!;
  const { said } = await run('bash', '-c', command.replace('127.0.0.1:50051', service.grpc!));
  const { payment } = JSON.parse(said) as { payment: { id: string; status: string } };
  expect([payment.status, effectsOf(payment.id)]).toEqual(['PAYMENT_STATUS_CAPTURED', ['charge']]);
});

it('receives an event as docs/webhooks-out.md does, and refuses one that is not ours', async () => {
  const page = 'docs/webhooks-out.md';
  const port = await freePort();
  const [create] = samplesIn(page, 'sh') as [string];
  const { said } = await run(
    'bash',
    '-c',
    here(create).replace('curl ', 'curl -s ').replace('4000', `${port}`),
  );
  const { secret } = JSON.parse(said) as { secret: string };
  const [receiver] = samplesIn(page, 'js') as [string];
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', receiver.replace('4000', `${port}`)],
    { env: { ...process.env, PAYONCE_SECRET: secret } },
  );
  let received = '';
  child.stdout.on('data', (chunk) => (received += String(chunk)));
  try {
    const send = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/payonce`, { method: 'POST', headers, body: '{}' });
    const refused = await eventually(
      () => send(signedHeaders('evt_1', '{}', [newSecret()], new Date())).catch(() => undefined),
      'it listens',
    );
    expect([refused.status, received]).toEqual([400, '']);
    const [pay] = samplesIn('docs/samples.md', 'sh') as [string];
    const id = paymentIn((await run('bash', '-c', here(pay))).said);
    await eventually(() => received.includes(`payment.captured ${id}\n`), 'the event is received');
  } finally {
    child.kill();
  }
});

it('tells our events from others by hand, as docs/webhooks-out.md does', () => {
  const page = 'docs/webhooks-out.md';
  const [, byHand] = samplesIn(page, 'js') as [string, string];
  const [body] = samplesIn(page, 'json') as [string];
  const code = byHand.replace(/^import (.*) from (.*);$/m, 'const $1 = require($2);');
  const isOurs = compileFunction(`${code}\nreturn isOurs;`, ['require'])(require) as (
    ...args: unknown[]
  ) => boolean;
  const secret = newSecret();
  const at = (time: Date) => signedHeaders('evt_1', body, [newSecret(), secret], time);
  expect(isOurs(secret, at(new Date()), body)).toBe(true);
  expect(isOurs(secret, at(new Date()), body.replace('1000', '1'))).toBe(false);
  expect(isOurs(newSecret(), at(new Date()), body)).toBe(false);
  expect(isOurs(secret, at(new Date(Date.now() - 600_000)), body)).toBe(false);
});

const runbooks = readdirSync('docs/runbooks').map((name) => `docs/runbooks/${name}`);
const queries = runbooks.flatMap((page) =>
  samplesIn(page, 'sql').map((query): [string, string] => [page, query]),
);
it.each(queries)('reads what %s asks the database', async (_, query) => {
  const id = '00000000-0000-0000-0000-000000000000';
  expect(await environment.sql(query.replaceAll(/<(?:merchant|payment) id>/g, id))).toEqual([]);
});
