import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type OpenAPIObject } from '@nestjs/swagger';
import { Agent, request as httpRequest } from 'node:http';
import { problemCatalogue } from '../../src/core/problem.js';
import { scopes } from '../../src/core/caller.js';
import { openApiDocument } from '../../src/openapi.js';
import { eventually, type ServiceProcess, TestEnvironment } from '../support/test-environment.js';
import { type GeneratedRequest, RequestGenerator } from './generated-requests.js';

/**
 * Requests that are made from our own document, to the real service with the simulator behind it: no answer is
 * a 500, every refusal is a problem with a known code, every answer is what the document says, nothing is left
 * unhandled, and memory does not grow.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_000);
const IN_FLIGHT = 8;
const OPS_TOKEN = 'fuzz-ops-token-0123456789-abcdef-0123456789';
/** What a long-lived process may gain beside its caches, between a fifth of the requests and the last. */
/** What caches may still take after a fifth of the requests. */
const GROWTH_BYTES = 10_000_000;

let environment: TestEnvironment;
let service: ServiceProcess;
let document: OpenAPIObject;
let generator: RequestGenerator;
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

beforeAll(async () => {
  environment = await TestEnvironment.open({
    env: { PAYONCE_OPS_TOKEN: OPS_TOKEN, PAYONCE_LOG_LEVEL: 'info' },
  });
  service = await environment.startProcess({ preload: 'test/support/heap-after-gc.mjs' });
  document = JSON.parse(JSON.stringify(await openApiDocument('1.0.0'))) as OpenAPIObject;
  generator = new RequestGenerator(document, SEED, {
    merchant: await environment.merchant(scopes),
    operator: OPS_TOKEN,
  });
});

afterAll(async () => {
  agent.destroy();
  await environment.close();
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send({ method, path, headers, body }: GeneratedRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers, timeout: 30_000 };
    const sent = httpRequest(`${service.url}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: response.headers['content-type'] ?? '',
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in 30 s')));
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const validators = new Map<string, ValidateFunction | null>();

/** What the document says of this answer; null: that there is none such. */
function validatorOf(
  { template, method }: GeneratedRequest,
  { status, type }: Answer,
): ValidateFunction | null {
  const at = `${method} ${template} ${status} ${type}`;
  let validator = validators.get(at);
  if (validator === undefined) {
    const operation = document.paths[template]![method.toLowerCase() as 'get']!;
    const declared = resolved(operation.responses[status]);
    const schema = declared?.content?.[type.split(';')[0]!]?.schema;
    validator = schema ? ajv.compile({ ...schema, components: document.components }) : null;
    validators.set(at, validator);
  }
  return validator;
}

interface Declared {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

function resolved(response: unknown): Declared | undefined {
  const { $ref } = (response ?? {}) as Declared;
  if ($ref === undefined) return response as Declared | undefined;
  return document.components!.responses![$ref.slice($ref.lastIndexOf('/') + 1)];
}

/** What is wrong with an answer; null: nothing. */
function faultOf(request: GeneratedRequest, answer: Answer): string | null {
  const { status, text } = answer;
  if (status >= 500) return `${status}`;
  const body = JSON.parse(text) as { readonly id?: unknown; readonly code?: unknown };
  if (typeof body.id === 'string') generator.remember(body.id);
  if (status >= 400 && !(String(body.code) in problemCatalogue)) return `the code ${String(body.code)}`;
  const validate = validatorOf(request, answer);
  if (!validate) return `${status} ${answer.type} is not in the document`;
  return validate(body) ? null : ajv.errorsText(validate.errors);
}

/** Of the service's process, in bytes. */

let looks = 0;

/** What the service holds, without garbage, in bytes. */
async function memory(): Promise<number> {
  const line = new RegExp(`^heap ${(looks += 1)} (\\d+)$`, 'm');
  service.kill('SIGUSR2');
  const [, bytes] = await eventually(() => line.exec(service.output()), 'it says what it holds');
  return Number(bytes);
}

it(`${REQUESTS} generated requests are answered as the document says (seed ${SEED})`, async () => {
  const faults: string[] = [];
  const byStatus = new Map<number, number>();
  let sent = 0;
  let memoryThen = 0;
  const ask = async () => {
    while (sent < REQUESTS && faults.length < 10) {
      sent += 1;
      if (sent === Math.ceil(REQUESTS / 5)) memoryThen = await memory();
      const request = generator.next();
      const answer = await send(request);
      byStatus.set(answer.status, (byStatus.get(answer.status) ?? 0) + 1);
      const fault = faultOf(request, answer);
      if (fault === null) continue;
      faults.push(
        `${fault}\n${JSON.stringify(request).slice(0, 2_000)}\n${answer.status} ${answer.text.slice(0, 1_000)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, ask));
  expect(faults).toEqual([]);
  // Requests of every kind got through: most refused, many not.
  const [done, refused] = [count(byStatus, 200, 300), count(byStatus, 400, 500)];
  expect([done > REQUESTS / 10, refused > REQUESTS / 4, byStatus.has(422)]).toEqual([true, true, true]);
  expect((await memory()) - memoryThen).toBeLessThan(GROWTH_BYTES);
  // pino's levels: 50 is an error, 60 fatal.
  expect(service.output().match(/^\{"level":[56]0.*$/gm) ?? []).toEqual([]);
}, 600_000);

function count(byStatus: ReadonlyMap<number, number>, from: number, end: number): number {
  return [...byStatus].reduce((sum, [status, n]) => (status >= from && status < end ? sum + n : sum), 0);
}
