import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnNode } from '../support/process.js';

/** A start that would take payments nowhere real is refused before it touches anything. */
describe('a start without a PSP account', () => {
  const nowhere = 'postgresql://nobody:nothing@127.0.0.1:1/nothing';
  it.each<[string, Record<string, string>]>([
    ['in production', { NODE_ENV: 'production' }],
    ['with a database', { DATABASE_URL: nowhere }],
    ['reached from other machines', { HOST: '0.0.0.0' }],
    ['without the simulator', { PAYONCE_SIMULATOR: 'off' }],
  ])('%s is refused and says what to do', async (_, env) => {
    const service = spawnNode('dist/src/main.cjs', {
      // Should it start after all, then not on a database of its own.
      env: { PORT: '0', GRPC_PORT: 'off', PAYONCE_DATA_DIR: '/dev/null/payonce', ...env },
    });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    expect(service.output()).toBe(
      'The configuration is not valid:\n  there is no PSP account: name a file of them with PAYONCE_PSPS_FILE ' +
        '(docs/configuration.md), or set PAYONCE_SIMULATOR=on, with which no payment is real\n',
    );
  });
});

describe("a start with the simulator's secrets, which everybody knows", () => {
  let directory: string;
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'payonce-known-'))));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each<[string, Record<string, string>]>([
    ['in production', { NODE_ENV: 'production' }],
    ['reached from other machines', { HOST: '0.0.0.0' }],
  ])('%s is refused and repeats none', async (_, env) => {
    const file = join(directory, 'psps.json');
    const credentials = { secretKey: 'sk_test_simulator', webhookSecret: 'whsec_simulator' };
    writeFileSync(file, JSON.stringify({ psps: [{ name: 'stripe', adapter: 'stripe', credentials }] }));
    const service = spawnNode('dist/src/main.cjs', {
      env: {
        PORT: '0',
        GRPC_PORT: 'off',
        PAYONCE_DATA_DIR: '/dev/null/payonce',
        PAYONCE_PSPS_FILE: file,
        ...env,
      },
    });
    expect(await service.exit).toEqual({ code: 1, signal: null });
    const lines = service.output().trim().split('\n');
    expect(lines).toHaveLength(2);
    for (const [n, name] of ['secretKey', 'webhookSecret'].entries()) {
      expect(lines[n]).toContain(`/psps/0/credentials/${name}: is the simulator's, which everybody knows`);
    }
    expect(service.output()).not.toMatch(/sk_test_simulator|whsec_simulator/);
  });
});
