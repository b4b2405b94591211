import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebhooksReading } from '@payonce/simulator';
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
    service = spawnNode('dist/src/main.cjs', {
      env: {
        HOST,
        PORT: '0',
        GRPC_PORT: 'off',
        DATABASE_URL: database.url,
        PAYONCE_SIMULATOR: 'on',
        PAYONCE_SEAL_KEY: Buffer.alloc(32, 7).toString('base64'),
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
    // Its child, which takes commands from others, holds none of its secrets.
    const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8');
    const environments = children
      .trim()
      .split(' ')
      .map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    const names = environments.map((text) =>
      text
        .split('\0')
        .filter(Boolean)
        .map((pair) => pair.split('=')[0]),
    );
    expect(names).toEqual([['PATH', 'SIMULATOR_PORTS', 'SIMULATOR_EXIT_WITH_PARENT']]);
  });
});
