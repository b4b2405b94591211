import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Consumer, filesOf, root, shownIn, type Tarball } from '../../support/packed.js';

/** Runs once for two calls, in a process that has the package and nothing else. */
const program = `
import { idempotent, keyedHash, MemoryCallStore } from '@payonce/idempotency';
let runs = 0;
const options = { operation: 'send-receipt', retention: 60_000, lockTtl: 1_000, hashRequest: keyedHash(new Uint8Array(32)) };
const send = idempotent(new MemoryCallStore(), options, ({ to }) => ({ runs: ++runs, to }));
await send('k', { to: 'a' });
console.log(JSON.stringify(await send('k', { to: 'a' })));
console.log(await send('k', { to: 'b' }).catch((error) => error.code));
`;

describe('@payonce/idempotency', () => {
  let consumer: Consumer;
  let tarball: Tarball;
  beforeAll(async () => {
    consumer = Consumer.create();
    tarball = await consumer.pack({ workspace: '@payonce/idempotency' });
    await consumer.install(tarball);
  });
  afterAll(() => consumer.remove());

  it('is packed with what it needs, and small', () => {
    expect(tarball.files).toEqual(filesOf('idempotency'));
    expect(tarball.bytes).toBeLessThan(100_000);
  });

  it('is loaded with require as well, with types for `module: node16`', async () => {
    const required = await consumer.node(
      '--eval',
      `console.log(typeof require('@payonce/idempotency').idempotent)`,
    );
    expect(required.stdout.trim()).toBe('function');
    const used = `
import { MemoryCallStore } from '@payonce/idempotency';
const store: number = new MemoryCallStore();
`;
    const node16 = { module: 'node16', moduleResolution: 'node16' };
    expect(await consumer.complaints({ 'used.cts': used }, node16)).toEqual(['used.cts:3']);
  });

  it('works without a store of its own, with no other package', async () => {
    const { stdout, stderr } = await consumer.node('--input-type=module', '--eval', program);
    expect([stdout.trim().split('\n'), stderr]).toEqual([
      ['{"runs":1,"to":"a"}', 'idempotency_key_reused'],
      '',
    ]);
    const entries = ['postgres', 'redis', 'prometheus', 'nestjs'].map(
      (name) => `@payonce/idempotency/${name}`,
    );
    expect(await consumer.importAll(...entries)).toEqual([
      'PostgresCallStore,createCallsTable',
      'ERR_MODULE_NOT_FOUND',
      'ERR_MODULE_NOT_FOUND',
      'ERR_MODULE_NOT_FOUND',
    ]);
    const wrong = `
import { idempotent, type CallStore } from '@payonce/idempotency';
declare const store: CallStore;
const options = { operation: 'send-receipt', retention: 60_000, lockTtl: 1_000 };
const at = idempotent(store, options, (request: string) => ({ at: new Date(), request }));
await at('k', 'a');
const fine = idempotent(store, options, (request: string) => ({ at: 0, request }));
await fine('k', 'a');
await fine('k', 1);
`;
    expect(await consumer.complaints({ 'wrong.ts': wrong })).toEqual(['wrong.ts:6', 'wrong.ts:9']);
  });

  it('takes the packages that its stores need from whom uses it; what its README shows compiles', async () => {
    for (const name of ['ioredis', 'pg', 'prom-client', '@nestjs', 'rxjs', '@types']) {
      symlinkSync(join(root, 'node_modules', name), join(consumer.folder, 'node_modules', name));
    }
    const entries = ['redis', 'prometheus', 'nestjs'].map((name) => `@payonce/idempotency/${name}`);
    expect(await consumer.importAll(...entries)).toEqual([
      'RedisCallStore',
      'CallMetrics',
      'IdempotencyInterceptor,IdempotencyModule,Idempotent',
    ]);
    const shown = shownIn('packages/idempotency/README.md');
    expect(shown).toContain('idempotent(');
    expect(
      await consumer.complaints({ 'readme.ts': shown }, { skipLibCheck: true, experimentalDecorators: true }),
    ).toEqual([]);
  });
});
