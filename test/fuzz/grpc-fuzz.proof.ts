import { Client, credentials, Metadata, type ServiceError, status as codes } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import protobuf from 'protobufjs';
import { problemCatalogue } from '../../src/core/problem.js';
import { scopes } from '../../src/core/caller.js';
import { detailsOf } from '../grpc/grpc-client.js';
import { randomFrom } from '../support/random.js';
import { eventually, type ServiceProcess, TestEnvironment, tokens } from '../support/test-environment.js';

/**
 * Calls that are made from our own protos, to the real service with the simulator behind it: no call ends in
 * INTERNAL or UNKNOWN, every refusal names a known code, every answer holds what the proto says and nothing else,
 * nothing is left unhandled, and memory does not grow.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const CALLS = Number(process.env['FUZZ_REQUESTS'] ?? 1_000);
const IN_FLIGHT = 8;
/** What caches may still take after a fifth of the requests. */
const GROWTH_BYTES = 10_000_000;

const folder = resolve(__dirname, '../../proto');
const root = new protobuf.Root();
root.resolvePath = (_, target) => (target.startsWith('/') ? target : join(folder, target));
root.loadSync(
  readdirSync(join(folder, 'payonce/v1')).map((file) => join(folder, 'payonce/v1', file)),
  { keepCase: true },
);
root.resolveAll();
const methods = (root.lookup('payonce.v1') as protobuf.Namespace).nestedArray
  .filter((each) => each instanceof protobuf.Service)
  .flatMap((service) => service.methodsArray.filter(({ responseStream }) => responseStream !== true))
  .map((method) => ({
    path: `/payonce.v1.${method.parent!.name}/${method.name}`,
    request: method.resolvedRequestType!,
    response: method.resolvedResponseType!,
  }));

let environment: TestEnvironment;
let service: ServiceProcess;
let client: Client;
let apiKey: string;
const random = randomFrom(SEED);
const ids: string[] = [randomUUID()];
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
const chance = (of: number) => random() < of;

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { GRPC_PORT: '0', PAYONCE_LOG_LEVEL: 'info' } });
  service = await environment.startProcess({ preload: 'test/support/heap-after-gc.mjs' });
  apiKey = await environment.merchant(scopes);
  const address = service.grpc!;
  client = new Client(address, credentials.createInsecure());
});
afterAll(async () => {
  client?.close();
  await environment.close();
});

const texts = [
  '',
  'a',
  '\0',
  '\u{1F600}',
  'é'.repeat(300),
  '4242 4242 4242 4242',
  "' OR 1=1 --",
  '../..',
  '{}',
];
/** What a field of this name holds in a good request. */
const good: Readonly<Record<string, () => unknown>> = {
  id: () => pick(ids),
  payment_id: () => pick(ids),
  reference: () => `order-${Math.floor(random() * 1e6)}`,
  amount: () => 1 + Math.floor(random() * 9_999),
  currency: () => pick(['USD', 'EUR', 'GBP']),
  type: () => 1,
  tokens: () => ({ [pick(['stripe', 'adyen'])]: pick(Object.values(tokens)) }),
  limit: () => 1 + Math.floor(random() * 20),
  return_url: () => 'https://shop.example/back',
  email: () => 'a@shop.example',
  statement_descriptor: () => 'SHOP',
  country: () => 'DE',
};

function valueOf(field: protobuf.Field, depth: number, wild: number): unknown {
  const known = good[field.name];
  if (known && !(field.resolvedType instanceof protobuf.Type) && !chance(wild)) return known();
  const { resolvedType: type } = field;
  if (type instanceof protobuf.Enum) return chance(wild) ? 99 : pick(Object.values(type.values));
  if (type instanceof protobuf.Type) return messageOf(type, depth + 1, wild);
  if (field.type === 'string') return pick(texts);
  if (field.type === 'bool') return chance(0.5);
  if (field.type === 'bytes') return Buffer.from(pick(texts));
  if (field.type === 'double' || field.type === 'float') return pick([0, -1, 1e308, Number.NaN, 0.1]);
  return pick([0, -1, 1, 2_147_483_647, ...(field.type.includes('64') ? [Number.MAX_SAFE_INTEGER] : [])]);
}

function messageOf(type: protobuf.Type, depth: number, wild: number): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    const isOptional = depth > 0 || !(field.name in good);
    if (depth > 4 || (isOptional && chance(0.5))) continue;
    const one = () => valueOf(field, depth, wild);
    if (field instanceof protobuf.MapField) {
      message[field.name] =
        field.name in good && !chance(wild) ? good[field.name]!() : { [pick(texts)]: one() };
    } else
      message[field.name] = field.repeated ? Array.from({ length: Math.floor(random() * 3) }, one) : one();
  }
  return message;
}

interface Ended {
  readonly code: string;
  readonly bytes: Buffer | null;
  readonly error: ServiceError | null;
  readonly trailers: Metadata;
}

function call(path: string, bytes: Buffer): Promise<Ended> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${chance(0.02) ? 'po_live_wrong' : apiKey}`);
  if (!chance(0.05)) metadata.set('idempotency-key', chance(0.1) ? 'again' : randomUUID());
  return new Promise((done) => {
    let ended: Pick<Ended, 'bytes' | 'error'> | null = null;
    client
      .makeUnaryRequest(
        path,
        (raw: Buffer) => raw,
        (raw: Buffer) => raw,
        bytes,
        metadata,
        { deadline: Date.now() + 30_000 },
        (error, answer) => (ended = { error, bytes: answer ?? null }),
      )
      .on('status', ({ code, metadata: trailers }) =>
        setImmediate(() => done({ ...ended!, code: codes[code], trailers })),
      );
  });
}

/** What is wrong with an answer; null: nothing. */
function faultOf(response: protobuf.Type, { code, bytes, error, trailers }: Ended): string | null {
  if (code !== 'OK') {
    if (['INTERNAL', 'UNKNOWN', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(code)) return code;
    const { ErrorInfo } = detailsOf({ code, error, trailers, response: {}, headers: trailers });
    return String(ErrorInfo?.['reason']) in problemCatalogue
      ? null
      : `the code ${String(ErrorInfo?.['reason'])}`;
  }
  const message = response.decode(bytes!);
  const wrong = response.verify(message);
  if (wrong !== null) return wrong;
  // A field that the proto does not have would be lost on the way.
  if (response.encode(message).finish().length !== bytes!.length) return 'a field that is not in the proto';
  const known = JSON.stringify(response.toObject(message)).match(/"id":"([0-9a-f-]{36})"/g) ?? [];
  for (const id of known.slice(0, 3)) if (ids.length < 500) ids.push(id.slice(6, -1));
  return null;
}

let looks = 0;

/** What the service holds, without garbage, in bytes. */
async function memory(): Promise<number> {
  const line = new RegExp(`^heap ${(looks += 1)} (\\d+)$`, 'm');
  service.kill('SIGUSR2');
  const [, bytes] = await eventually(() => line.exec(service.output()), 'it says what it holds');
  return Number(bytes);
}

it(`${CALLS} generated calls are answered as the protos say (seed ${SEED})`, async () => {
  const faults: string[] = [];
  const byCode = new Map<string, number>();
  let sent = 0;
  let memoryThen = 0;
  const ask = async () => {
    while (sent < CALLS && faults.length < 10) {
      sent += 1;
      if (sent === Math.ceil(CALLS / 5)) memoryThen = await memory();
      const { path, request, response } = pick(methods);
      const message = messageOf(request, 0, pick([0, 0, 0.1, 0.5]));
      const isNoise = chance(0.02);
      const bytes = isNoise
        ? Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)))
        : Buffer.from(request.encode(request.fromObject(message)).finish());
      const ended = await call(path, bytes);
      byCode.set(ended.code, (byCode.get(ended.code) ?? 0) + 1);
      // What is no message is refused by gRPC itself, before any code of ours.
      const isRefused = isNoise && ended.error?.details === 'Error deserializing request';
      const fault = isRefused ? null : faultOf(response, ended);
      if (fault !== null) {
        faults.push(
          `${fault}\n${path} ${JSON.stringify(message).slice(0, 1_000)}\n${ended.error?.details ?? ''}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, ask));
  expect(faults).toEqual([]);
  // How many get through depends on the seed: nothing is found by identifiers that no other call has made.
  const done = byCode.get('OK') ?? 0;
  expect([done > CALLS / 50, CALLS - done > CALLS / 10, byCode.has('INVALID_ARGUMENT')]).toEqual([
    true,
    true,
    true,
  ]);
  expect((await memory()) - memoryThen).toBeLessThan(GROWTH_BYTES);
  expect(service.output().match(/^\{"level":[56]0.*$/gm) ?? []).toEqual([]);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(byCode))}\n`);
}, 900_000);
