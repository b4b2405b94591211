import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebhooksReading } from '../../simulator/index.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { type Spawned, spawnNode } from '../support/process.js';

describe('the service with the simulator that comes with it', () => {
  let database: FreshDatabase;
  let directory: string;
  let service: Spawned;
  beforeAll(async () => {
    database = await freshDatabase();
    directory = mkdtempSync(join(tmpdir(), 'payonce-bundled-'));
  });
  afterEach(async () => {
    service.kill('SIGTERM');
    expect(await service.exit).toEqual({ code: 0, signal: null });
  });
  afterAll(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(['127.0.0.1', '0.0.0.0'])('is told of what the PSPs do, without any set-up (%s)', async (HOST) => {
    service = spawnNode('dist/src/main.js', {
      env: {
        HOST,
        PORT: '0',
        DATABASE_URL: database.url,
        PAYONCE_DATA_DIR: directory,
        PAYONCE_DB_POOL: '6',
        PAYONCE_COMMIT_LANES: '2',
      },
    });
    const [line] = await service.waitForLine(/^\{.*"listening":"http.*$/, 60_000);
    const { listening, simulator } = JSON.parse(line) as {
      listening: string;
      simulator: { control: string };
    };
    const { port } = new URL(listening);
    for (const psp of ['stripe', 'adyen']) {
      const answer = await fetch(`${simulator.control}/${psp}/_webhooks`);
      const { webhooks } = (await answer.json()) as WebhooksReading;
      expect(webhooks.map(({ url }) => url)).toEqual([`http://127.0.0.1:${port}/v1/webhooks/${psp}`]);
    }
    expect(service.output()).not.toContain('whsec_');
  });
});
