import { spawnNode } from '../support/process.js';
import { ApiClient, orderOf, paymentOf, TestEnvironment } from '../support/test-environment.js';

type Walk = Readonly<Record<string, readonly string[]>>;

describe('the way of one request through the code', () => {
  let environment: TestEnvironment;
  let client: ApiClient;
  let walkOf: (request: () => Promise<unknown>) => Promise<Walk>;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    const service = spawnNode('dist/src/main.js', {
      env: environment.environment(),
      preload: 'test/support/walk.mjs',
    });
    const [, url] = await service.waitForLine(/"listening":"(http[^"]+)"/);
    const apiKey = await environment.merchant();
    client = new ApiClient(() => url!, apiKey);
    let walks = 0;
    const since = async (): Promise<Walk> => {
      walks += 1;
      service.kill('SIGUSR2');
      const lines = () => service.stdout().match(/^walked .*$/gm) ?? [];
      while (lines().length < walks) await new Promise((resolve) => setTimeout(resolve, 5));
      return JSON.parse(lines()[walks - 1]!.slice('walked '.length)) as Walk;
    };
    walkOf = async (request) => {
      await since();
      await request();
      return since();
    };
  });
  afterAll(() => environment.close());

  it('is short', async () => {
    const walks: Walk[] = [];
    for (let n = 0; n < 8; n++)
      walks.push(
        await walkOf(async () => {
          const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), `walk-${n}`);
          expect(paymentOf(reply).status).toBe('captured');
        }),
      );
    const files = Object.keys(walks[0]!).filter((file) => walks.every((walk) => walk[file]));
    const functions = files.flatMap((file) => walks[0]![file]!.filter((name) => walks.every((w) => w[file]!.includes(name))).map((name) => `${file} ${name}`));
    console.log(files.length, functions.length, new Set(files.map((f) => f.split('/')[1])).size);
    console.log(files.join('\n'));
    console.log(functions.join('\n'));
  });
});
