import { type Spawned, spawnNode } from '../support/process.js';
import { ApiClient, eventually, orderOf, paymentOf, TestEnvironment } from '../support/test-environment.js';

/** Functions that ran, by file. */
type Walk = Readonly<Record<string, readonly string[]>>;

/** Ceilings, which only fall: who reads one charge from its first line to its last opens so many files. */
const MAX_FILES = 96;
const MAX_FUNCTIONS = 360;
const MAX_FOLDERS = 11;
const MAX_CHARGES = 60;

describe('the way of one charge through src', () => {
  let environment: TestEnvironment;
  let service: Spawned;
  let client: ApiClient;
  let taken = 0;

  beforeAll(async () => {
    environment = await TestEnvironment.open();
    service = spawnNode('dist/src/main.js', {
      // The background work of a worker is no part of the way.
      env: { ...environment.environment(), PAYONCE_ROLE: 'api' },
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

  /** Makes one more charge. Returns the functions that ran in it and in all charges before. */
  async function afterAnother(before: ReadonlySet<string> | null): Promise<ReadonlySet<string>> {
    await walkSinceLast();
    const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), `walk-${taken}`);
    expect(paymentOf(reply).status).toBe('captured');
    const walk = Object.entries(await walkSinceLast());
    const ran = walk.flatMap(([file, names]) => names.map((name) => `${file} ${name}`));
    return new Set(ran.filter((one) => before?.has(one) ?? true));
  }

  it(`enters at most ${MAX_FILES} files`, async () => {
    let ran = await afterAnother(null);
    const files = () => [...new Set([...ran].map((one) => one.split(' ')[0]!))].toSorted();
    const folders = () => new Set(files().map((file) => file.split('/')[1]));
    const isShort = () =>
      files().length <= MAX_FILES && ran.size <= MAX_FUNCTIONS && folders().size <= MAX_FOLDERS;
    // Background work runs in some of the charges, on a busy machine in most of them.
    for (let charges = 1; charges < MAX_CHARGES && !isShort(); charges++) ran = await afterAnother(ran);
    expect(files()).toContain('src/payments/charge.flow');
    expect(files().slice(MAX_FILES)).toEqual([]);
    expect(ran.size).toBeLessThanOrEqual(MAX_FUNCTIONS);
    expect(folders().size).toBeLessThanOrEqual(MAX_FOLDERS);
  });
});
