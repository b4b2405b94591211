import { type Spawned, spawnNode } from '../support/process.js';
import { ApiClient, eventually, orderOf, paymentOf, TestEnvironment } from '../support/test-environment.js';

/** Functions that ran, by file. */
type Walk = Readonly<Record<string, readonly string[]>>;

/** Ceilings, which only fall: who reads one charge from its first line to its last opens so many files. */
const MAX_FILES = 96;
const MAX_FUNCTIONS = 360;
const MAX_FOLDERS = 11;

describe('the way of one charge through src', () => {
  let environment: TestEnvironment;
  let service: Spawned;
  let client: ApiClient;
  let taken = 0;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    service = spawnNode('dist/src/main.js', {
      env: environment.environment(),
      preload: 'test/support/walk.mjs',
    });
    const [, url] = await service.waitForLine(/"listening":"(http[^"]+)"/);
    const apiKey = await environment.merchant();
    client = new ApiClient(() => url!, apiKey);
  });
  afterAll(() => environment.close());

  async function walkSinceLast(): Promise<Walk> {
    service.kill('SIGUSR2');
    const lines = () => service.stdout().match(/^walked .*$/gm) ?? [];
    await eventually(() => lines().length > taken, 'the functions that ran');
    return JSON.parse(lines()[taken++]!.slice('walked '.length)) as Walk;
  }

  it(`enters at most ${MAX_FILES} files`, async () => {
    const walks: Walk[] = [];
    // Periodic tasks run in some of the walks, the charge in all.
    for (let n = 0; n < 8; n++) {
      await walkSinceLast();
      const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), `walk-${n}`);
      expect(paymentOf(reply).status).toBe('captured');
      walks.push(await walkSinceLast());
    }
    const [first, ...others] = walks.map((walk) =>
      Object.entries(walk).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
    );
    const ran = new Set(first!.filter((one) => others.every((other) => other.includes(one))));
    const files = new Set([...ran].map((one) => one.split(' ')[0]!));
    const folders = new Set([...files].map((file) => file.split('/')[1]));
    expect(files).toContain('src/payments/charge.flow');
    expect([...files].toSorted().slice(MAX_FILES)).toEqual([]);
    expect(ran.size).toBeLessThanOrEqual(MAX_FUNCTIONS);
    expect(folders.size).toBeLessThanOrEqual(MAX_FOLDERS);
  });
});
