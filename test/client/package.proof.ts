import { join } from 'node:path';
import { Consumer, filesOf, root, shownIn, type Tarball } from '../support/packed.js';

/** Each line is wrong in one way, and the compiler has to say so. */
const wrong = `
import { PayonceClient, type PayonceEvent } from '@payonce/client';
import { type Transport } from '${join(root, 'packages/client/dist/transport.js')}';
declare const client: PayonceClient;
declare const transport: Transport;
declare const order: Parameters<typeof client.payments.create>[0];
declare const event: PayonceEvent;
await transport.get('/v1/no-such-path', {});
await transport.post('/v1/payments/{id}', { path: { id: 'x' } });
await transport.get('/v1/payments/{id}', {});
await transport.get('/v1/payments/{id}', { path: { payment: 'x' } });
transport.list('/v1/payments/{id}', { path: { id: 'x' } });
await client.payments.create({ ...order, amount: '10.00' });
await client.payments.create({ reference: 'r', amount: 1, currency: 'EUR' });
client.payments.list({ status: 'paid' });
const unsettled: { settled: true } = await client.payments.create(order);
const absent: string = (await client.payments.get('x')).no_such_field;
if (event.type === 'payment.captured') console.log(event.data.recipient);
`;

describe('@payonce/client', () => {
  let client: Consumer;
  let tarball: Tarball;
  beforeAll(async () => {
    client = Consumer.create();
    tarball = await client.pack({ workspace: '@payonce/client' });
    await client.install(tarball);
  });
  afterAll(() => client.remove());

  it('is packed with what it needs, and small', () => {
    expect(tarball.files).toEqual(filesOf('client'));
    expect(tarball.bytes).toBeLessThan(150_000);
  });

  it('is loaded with require as well, with types for `module: node16`', async () => {
    const { stdout } = await client.node(
      '--eval',
      `console.log(typeof require('@payonce/client').PayonceClient)`,
    );
    expect(stdout.trim()).toBe('function');
    const used = `
import { ApiError, PayonceClient } from '@payonce/client';
const client: PayonceClient = new PayonceClient({ apiKey: 'k', baseUrl: 'http://127.0.0.1:3000' });
client.payments.get('x').catch((error: unknown) => error instanceof ApiError && error.code);
const wrong: number = client.payments.get('x');
`;
    const node16 = { module: 'node16', moduleResolution: 'node16' };
    expect(await client.complaints({ 'used.cts': used }, node16)).toEqual(['used.cts:5']);
  });

  it('needs no other package, and is entered by its name alone', async () => {
    const { stdout } = await client.node(
      '--eval',
      `console.log(require('fs').readdirSync('node_modules').join())`,
    );
    expect(
      stdout
        .trim()
        .split(',')
        .filter((name) => !name.startsWith('.')),
    ).toEqual(['@payonce']);
    const errors = ['AbortedError', 'ApiError', 'ConnectionError', 'DeadlineError'];
    const face = [...errors, 'PayonceClient', 'PayonceError', 'UnexpectedAnswerError'];
    expect(await client.importAll('@payonce/client', '@payonce/client/dist/transport.js')).toEqual([
      [...face, 'WebhookVerificationError', 'verifyWebhook'].join(),
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ]);
  });

  it('brings its types: what its pages show compiles, and what cannot be right does not', async () => {
    const pages = {
      'readme.ts': shownIn('packages/client/README.md'),
      'guide.ts': shownIn('docs/client.md'),
      'orders.ts': shownIn('docs/orders.md'),
      'samples.ts': shownIn('docs/samples.md'),
    };
    for (const shown of Object.values(pages)) expect(shown).toMatch(/payonce\.(payments|orders)\./);
    expect(pages['readme.ts']).toMatch(/payments\.complete\(.*verifyWebhook\(/s);
    const first = wrong.split('\n').findIndex((line) => line.includes('no-such-path')) + 1;
    const last = wrong.trimEnd().split('\n').length;
    expect(await client.complaints({ ...pages, 'wrong.ts': wrong })).toEqual(
      Array.from({ length: last - first + 1 }, (_, n) => `wrong.ts:${first + n}`),
    );
  });
});
