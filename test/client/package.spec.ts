import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** The client as a checkout service has it: installed from the repository, entered by its name. */
const root = resolve(__dirname, '../..');
const run = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** Runs Node in a folder; never rejects. */
async function node(cwd: string, ...args: readonly string[]): Promise<Ended> {
  try {
    const { stdout } = await run(process.execPath, [...args], { cwd, timeout: 60_000 });
    return { code: 0, stdout };
  } catch (error) {
    const { code = -1, stdout = '' } = error as Partial<Ended>;
    return { code, stdout };
  }
}

/** All TypeScript of the page, in the order in which it is read. */
function shown(): string {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  return [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code).join('\n');
}

/** Each line is wrong in one way, and the compiler has to say so. */
const wrong = `
import { PayonceClient, type Payment } from 'payonce/client';
import { Transport } from '${root}/client/transport.js';
declare const client: PayonceClient;
declare const transport: Transport;
declare const order: Parameters<typeof client.payments.create>[0];
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
`;

describe('the package', () => {
  let shop: string;
  beforeAll(() => {
    shop = mkdtempSync(join(tmpdir(), 'payonce-shop-'));
    mkdirSync(join(shop, 'node_modules'));
    symlinkSync(root, join(shop, 'node_modules/payonce'));
    writeFileSync(join(shop, 'package.json'), '{ "type": "module" }');
  });
  afterAll(() => rmSync(shop, { recursive: true, force: true }));

  it('is entered by payonce/client and by nothing else', async () => {
    const load = (name: string) =>
      `await import('${name}').then((m) => console.log(Object.keys(m).join()), (e) => console.log(e.code));`;
    const names = ['payonce/client', 'payonce', 'payonce/dist/src/main.js', 'payonce/package.json'];
    const { code, stdout } = await node(shop, '--input-type=module', '--eval', names.map(load).join('\n'));
    const refused = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    const errors = ['AbortedError', 'ApiError', 'ConnectionError', 'DeadlineError'];
    const face = [...errors, 'PayonceClient', 'PayonceError', 'UnexpectedAnswerError'].join();
    expect([code, stdout.trim().split('\n')]).toEqual([0, [face, refused, refused, refused]]);
  });

  it('brings its types: what docs/client.md shows compiles, and what cannot be right does not', async () => {
    writeFileSync(join(shop, 'shown.ts'), shown());
    writeFileSync(join(shop, 'wrong.ts'), wrong);
    const compilerOptions = {
      module: 'nodenext',
      target: 'ES2023',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    writeFileSync(join(shop, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await node(shop, tsc, '--pretty', 'false', '-p', '.');

    const found = [...stdout.matchAll(/^(\S+?)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`);
    const first = wrong.split('\n').findIndex((line) => line.includes('no-such-path')) + 1;
    const last = wrong.trimEnd().split('\n').length;
    const expected = Array.from({ length: last - first + 1 }, (_, n) => `wrong.ts:${first + n}`);
    expect([...new Set(found)]).toEqual(expected);
    expect(shown()).toContain('payonce.payments.create(');
  });
});
