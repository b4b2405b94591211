import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, connect, type Server } from 'node:net';
import { type AddressInfo } from 'node:net';
import { openWithService, type Service, type TestEnvironment } from './support/test-environment.js';

/** What docs/samples.md shows, run as it stands there. */
const hasPython = spawnSync('python3', ['--version']).status === 0;
const describeWithPython = hasPython ? describe : describe.skip;
if (!hasPython) console.warn('python3 is not installed: the sample for Python is not run');

const samplesIn = (language: string) =>
  Array.from(
    readFileSync('docs/samples.md', 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms')),
    ([, code]) => code!,
  );

describeWithPython('the sample for Python', () => {
  let environment: TestEnvironment;
  let service: Service;
  let apiKey: string;
  /** Between the sample and the service. */
  let proxy: Server;
  let lostAnswers = 0;

  beforeAll(async () => {
    ({ environment, service } = await openWithService());
    apiKey = await environment.merchant();
    proxy = createServer((client) => {
      const { port } = new URL(service.url);
      const upstream = connect(Number(port), '127.0.0.1');
      client.pipe(upstream);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
      upstream.on('data', (chunk: Buffer) => {
        if (lostAnswers > 0) {
          lostAnswers -= 1;
          client.destroy();
        } else client.write(chunk);
      });
      upstream.on('end', () => client.end());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    proxy.close();
    await environment.close();
  });
  afterEach(() => environment.simulator.clearFaults());

  /** Runs both parts of the sample, for this order and token. */
  function run(order: string, token = 'pm_card_visa'): Promise<{ status: number | null; said: string }> {
    const [loop, call] = samplesIn('python') as [string, string];
    const code = `${loop}\n${call}`.replaceAll('order-1234', order).replace('pm_card_visa', token);
    const env = {
      ...process.env,
      PAYONCE_URL: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      PAYONCE_API_KEY: apiKey,
    };
    const child = spawn('python3', ['-c', code], { env });
    let said = '';
    child.stdout.on('data', (chunk) => (said += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    return new Promise((resolve) => child.on('close', (status) => resolve({ status, said })));
  }
  const chargesOf = (id: string) => environment.effects(id).map(({ operation }) => operation);
  const idIn = (said: string) => /[0-9a-f-]{36}/.exec(said)![0];

  it('pays once, and tells of a decline', async () => {
    const paid = await run('order-1');
    expect(paid).toMatchObject({ status: 0, said: expect.stringMatching(/^captured /) });
    expect(chargesOf(idIn(paid.said))).toEqual(['charge']);
    expect((await run('order-2', 'pm_card_chargeDeclined')).said).toMatch(/^failed /);
  });

  it('asks again where the answer of the service is lost, and where that of the PSP is', async () => {
    lostAnswers = 2;
    const { said } = await run('order-3');
    expect(said).toMatch(/^captured /);
    expect([lostAnswers, chargesOf(idIn(said))]).toEqual([0, ['charge']]);
    environment.simulator.faults('stripe', { fault: 'close_after', next: 1 });
    const doubted = await run('order-4');
    expect(doubted.said).toMatch(/^captured /);
    expect(chargesOf(idIn(doubted.said))).toEqual(['charge']);
  });

  it('says what a request lacks, and asks no more', async () => {
    const { status, said } = await run('order-5', '');
    expect(status).toBe(1);
    expect(said).toContain('ValueError: validation_failed');
  });
});

describe('the sample for curl', () => {
  let environment: TestEnvironment;
  let service: Service;

  beforeAll(async () => {
    ({ environment, service } = await openWithService());
  });
  afterAll(() => environment.close());

  it('pays once, however often it is run', async () => {
    const [code] = samplesIn('sh') as [string];
    const env = { ...process.env, KEY: await environment.merchant() };
    const run = () =>
      new Promise<string>((resolve) => {
        const child = spawn('bash', ['-c', code.replace('http://127.0.0.1:3000', service.url)], { env });
        let said = '';
        child.stdout.on('data', (chunk) => (said += String(chunk)));
        child.on('close', () => resolve(said));
      });
    const answers = [await run(), await run()];
    for (const said of answers) expect(said).toMatch(/^HTTP\/1\.1 201 [\s\S]*"status":"captured"/);
    expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
  });
});
