import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/openapi.js';
import { RouteTable } from '../../src/http/route-table.js';
import { problemCatalogue } from '../../src/core/problem.js';
import { VERSION } from '../../src/core/version.js';
import { type Scope, scopes } from '../../src/core/caller.js';
import { captured } from '../../src/payments/payment.examples.js';
import { event } from '../../src/events/webhook.examples.js';
import { KEY, OPS_TOKEN, PAYMENT_ID, PAYOUT_KEY, RunningApi } from './fake-api.js';
import { order as orderExample } from '../../src/orders/order.examples.js';
import { callerFixture } from '../support/caller.js';

type Json = Record<string, unknown>;

interface OperationObject extends Json {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly Json[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples: Examples }>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

type Examples = Readonly<Record<string, { readonly value: object }>>;

interface ResponseObject extends Json {
  readonly content: Readonly<Record<string, { readonly schema: object; readonly examples?: Examples }>>;
}

let document: Json;
let components: Record<string, Record<string, Json>>;
let everyOperation: { path: string; method: string; operation: OperationObject }[];

beforeAll(async () => {
  document = JSON.parse(JSON.stringify(await openApiDocument('1.2.3'))) as Json;
  components = document['components'] as typeof components;
  const paths = document['paths'] as Record<string, Record<string, OperationObject>>;
  everyOperation = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
});

/** Every object of the document with where it stands. */
function* walk(value: unknown, at = '#'): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value as Json];
  for (const [key, child] of Object.entries(value)) yield* walk(child, `${at}/${key}`);
}

function schemaNamed(name: string): object {
  return { $ref: `#/components/schemas/${name}`, components };
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 with everything that the specification asks for', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Payonce API', version: '1.2.3' } });
    const ids = everyOperation.map(({ operation }) => operation['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of everyOperation) {
      expect(operation).toMatchObject({
        operationId: expect.any(String),
        summary: expect.any(String),
        tags: [expect.any(String)],
      });
      const responses = operation['responses'] as Record<string, Json>;
      expect(Object.keys(responses).length).toBeGreaterThan(0);
      for (const [status, response] of Object.entries(responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(response['description']).toEqual(expect.stringMatching(/./));
      }
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters
        .map((parameter) => resolve(parameter))
        .filter((parameter) => parameter['in'] === 'path')
        .map((parameter) => parameter['name']);
      expect(declared).toEqual(named);
    }
  });

  it('refers only to what it holds', () => {
    for (const [at, node] of walk(document)) {
      if (typeof node['$ref'] === 'string') expect([at, resolve(node)]).toEqual([at, expect.any(Object)]);
      expect(Object.keys(node).filter((key) => key.startsWith('~'))).toEqual([]);
    }
  });

  it('says where the API is served, first at the address of the document itself', () => {
    const [here, ...others] = (document['servers'] as { url: string }[]).map(({ url }) => url);
    expect(here).toBe('/');
    for (const url of others) expect(new URL(url).pathname).toBe('/');
  });

  it('has only patterns that generators of clients can read', () => {
    const patterns = [...walk(document)].flatMap(([at, { pattern }]) =>
      typeof pattern === 'string' ? [[at, pattern] as const] : [],
    );
    expect(patterns.length).toBeGreaterThan(5);
    for (const [at, pattern] of patterns) {
      // Many read them without the flag u, where \p{…} means something else.
      expect([at, /\\p\{/i.test(pattern)]).toEqual([at, false]);
      expect(() => new RegExp(pattern)).not.toThrow();
    }
  });

  it('holds schemas that compile, and examples that fit them', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    for (const name of Object.keys(components['schemas']!))
      expect(() => ajv.compile(schemaNamed(name))).not.toThrow();
    let examples = 0;
    for (const [at, node] of walk(document['paths'])) {
      const { schema, examples: named } = node as {
        schema?: { $ref?: string };
        examples?: Record<string, Json>;
      };
      if (schema?.$ref === undefined || named === undefined) continue;
      const fits = ajv.compile({ ...schema, components });
      for (const [name, example] of Object.entries(named)) {
        const { value } = resolve(example);
        examples++;
        expect([at, name, fits(value), fits.errors]).toEqual([at, name, true, null]);
      }
    }
    expect(examples).toBeGreaterThan(50);
    expect(event.data).toEqual(captured);
  });

  // What moves no money takes no key.

  it('gives every operation an example, and every POST that moves money its key', () => {
    const moveMoney: string[] = [];
    for (const { operation } of everyOperation) {
      const text = JSON.stringify(operation);
      if (operation.operationId !== 'metrics') expect(text).toContain('"examples":{');
      const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
      if (takesKey) moveMoney.push(operation.operationId);
      expect([operation.operationId, text.includes('idempotency_key_reused')]).toEqual([
        operation.operationId,
        takesKey,
      ]);
    }
    expect(moveMoney).toEqual([
      'createPayment',
      'capturePayment',
      'completePayment',
      'cancelPayment',
      'refundPayment',
      'createPayout',
    ]);
  });

  it('tells every code that an operation of this surface can answer', () => {
    const told = new Set<string>();
    for (const { operation } of everyOperation) {
      for (const { content } of Object.values(operation.responses)) {
        for (const code of Object.keys(content['application/problem+json']?.examples ?? {})) told.add(code);
      }
    }
    // Of the connection, not of an operation.
    const beside = ['method_not_allowed', 'request_malformed', 'request_timeout', 'headers_too_large'];
    expect([...told, ...beside].toSorted()).toEqual(Object.keys(problemCatalogue).toSorted());
  });
});

function resolve(node: Json): Json {
  const { $ref } = node as { $ref?: string };
  if ($ref === undefined) return node;
  let found: unknown = document;
  for (const step of $ref.slice(2).split('/')) found = (found as Json)[step];
  return found as Json;
}

/** The scopes that an operation's description names at its end. */
function scopesOf({ description }: OperationObject): readonly Scope[] {
  const line = /\n\nScope: (.*)\.$/.exec(String(description))?.[1] ?? '';
  return [...line.matchAll(/`([^`]+)`/g)].map(([, scope]) => scope as Scope);
}

/** A scope as a bearer token may hold it. */
const nameOf = (scope: Scope): string => scope.replace(':', '.');

describe('the document and the running app', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await RunningApi.start();
  });
  afterAll(() => api.app.close());

  /** The documentation, and the console with what its pages alone call. */
  const isForPages = (path: string) =>
    path === '/' ||
    /^\/(docs|problems)\b/.test(path) ||
    /^\/ops($|\/\*|\/api\/(?!(dead-letters|ledger|reconciliation)\b))/.test(path) ||
    /^\/ops\/api\/.*(\.csv|\/breaks\/:id\/\w+)$/.test(path) ||
    /^\/ops\/api\/reconciliation\/(closed-breaks|fetches|reports)\b/.test(path);

  it('have the same paths', () => {
    const documented = everyOperation.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const served = api.app
      .get(RouteTable)
      .routes.filter(({ method, path }) => method !== 'HEAD' && !isForPages(path))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    expect(served.toSorted()).toEqual(documented.toSorted());
  });

  it('agree on what is answered, and to whom', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
    for (const { method, path, operation } of everyOperation) {
      const examples = operation.requestBody?.content['application/json']?.examples;
      for (const example of Object.values(examples ?? { none: undefined })) {
        const request = {
          method: method.toUpperCase(),
          path: path
            .replace('{id}', PAYMENT_ID)
            .replace('{psp}', 'stripe')
            .replace('{reference}', orderExample.reference),
          ...(example ? { body: example.value } : {}),
        };
        const isForOperators = operation.security.some((way) => 'operatorToken' in way);
        const apiKey = isForOperators
          ? OPS_TOKEN
          : operation.operationId === 'createPayout'
            ? PAYOUT_KEY
            : KEY;
        const answer = await api.send({ ...request, apiKey });
        const { schema } = operation.responses[answer.status]?.content['application/json'] ?? {};
        const { operationId } = operation;
        if (operationId !== 'metrics') {
          expect([operationId, answer.status, schema]).toEqual([
            operationId,
            answer.status,
            expect.anything(),
          ]);
          const fits = ajv.compile({ ...schema, components });
          expect([operationId, fits(answer.json()), fits.errors]).toEqual([operationId, true, null]);
        }
        const stranger = await api.send({ ...request, apiKey: null });
        expect([operationId, stranger.status === 401]).toEqual([operationId, operation.security.length > 0]);
      }
    }
    const refused = await api.send({ body: {} });
    const fits = ajv.compile(schemaNamed('Problem'));
    expect([fits(refused.json()), fits.errors]).toEqual([true, null]);
  });

  it('name no scope of payments for where events go', () => {
    const named = everyOperation.filter(({ path }) => /^\/v1\/(webhook_endpoints|events)/.test(path));
    expect(named.length).toBeGreaterThan(10);
    for (const { operation } of named) {
      expect([operation.operationId, scopesOf(operation).length]).toEqual([operation.operationId, 1]);
      expect(scopesOf(operation)[0]).toMatch(/^(webhooks|events):/);
    }
  });

  it('agree on the scopes: each operation takes a key with one of its own, and no key with all others', async () => {
    const keyed = await RunningApi.start({
      merchants: {
        authenticate: (bearer) =>
          Promise.resolve(
            callerFixture({
              scopes: scopes.filter((scope) => bearer.split('~').includes(nameOf(scope))),
            }),
          ),
      },
    });
    try {
      for (const { method, path, operation } of everyOperation) {
        const { operationId, requestBody } = operation;
        const own = scopesOf(operation);
        if (own.length === 0) continue;
        const [example] = Object.values(requestBody?.content['application/json']!.examples ?? {});
        const others = scopes.filter((each) => !own.includes(each));
        const isRefused = async (held: readonly Scope[]) => {
          const answer = await keyed.send({
            method: method.toUpperCase(),
            path: path.replace('{id}', PAYMENT_ID),
            ...(example ? { body: example.value } : {}),
            apiKey: held.map(nameOf).join('~'),
          });
          return answer.status === 403 && answer.json().code === 'forbidden';
        };
        expect([operationId, await isRefused(others)]).toEqual([operationId, true]);
        for (const each of own) {
          expect([operationId, each, await isRefused([each])]).toEqual([operationId, each, false]);
        }
      }
    } finally {
      await keyed.app.close();
    }
  });

  it('are both to be had over HTTP', async () => {
    const page = await api.send({ method: 'GET', path: '/docs', apiKey: null });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const served = await api.send({ method: 'GET', path: '/docs/openapi.json', apiKey: null });
    expect(served.headers['content-type']).toMatch(/^application\/json/);
    expect(served.json()).toEqual(JSON.parse(JSON.stringify(await openApiDocument(VERSION))));
  });

  it('are split by who calls: each operation is on one page, with all that it refers to and nothing else', async () => {
    const pages = await Promise.all(
      ['merchants', 'operators', 'psps'].map(async (audience) => {
        const { text } = await api.send({
          method: 'GET',
          path: `/docs/openapi/${audience}.json`,
          apiKey: null,
        });
        return { text, document: JSON.parse(text) as Json & { paths: Record<string, Record<string, Json>> } };
      }),
    );
    const shown = pages.flatMap(({ document: { paths } }) =>
      Object.values(paths).flatMap((item) =>
        Object.values(item).map(({ operationId }) => String(operationId)),
      ),
    );
    const all = everyOperation.map(({ operation }) => operation.operationId);
    expect(shown.toSorted()).toEqual(all.toSorted());
    // Problems stand in one row, and none is lost.
    const codesIn = (operation: unknown) =>
      Object.entries((operation as { responses: Record<string, { description: string }> }).responses)
        .filter(([status]) => !(Number(status) < 400))
        .flatMap(([, { description }]) => description.match(/(?<=`)\w+(?=`)/g) ?? [])
        .toSorted();
    for (const operation of pages.flatMap(({ document: { paths } }) =>
      Object.values(paths).flatMap((item) => Object.values(item)),
    )) {
      const whole = everyOperation.find(
        ({ operation: { operationId } }) => operationId === operation['operationId'],
      );
      expect(codesIn(operation)).toEqual(codesIn(whole!.operation));
      expect(Object.keys(operation['responses'] as Json).filter((status) => Number(status) >= 400)).toEqual(
        [],
      );
    }
    for (const { text, document } of pages) {
      const referred = [...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name!);
      const { securitySchemes: _, ...kinds } = document['components'] as Record<string, Json>;
      const held = Object.entries(kinds).flatMap(([kind, items]) =>
        Object.keys(items).map((name) => `${kind}/${name}`),
      );
      expect(held.toSorted()).toEqual([...new Set(referred)].toSorted());
    }
  });

  it.each(['/docs', '/docs/client', '/docs/problems/no_route', '/docs/api/merchants'])(
    'the page at %s runs no script or style but those it names, and stands in no frame',
    async (path) => {
      const page = await api.send({ method: 'GET', path, apiKey: null });
      expect(page.status).toBe(200);
      const policy = String(page.headers['content-security-policy']);
      const allowed = new Map(
        policy.split('; ').map((line) => [line.split(' ')[0], line.split(' ').slice(1)]),
      );
      expect(allowed.get('default-src')).toEqual(["'none'"]);
      expect(allowed.get('frame-ancestors')).toEqual(["'none'"]);
      expect(allowed.get('script-src')).toEqual(["'self'"]);
      expect(allowed.get('style-src')).toEqual(["'self'"]);
      expect(policy).not.toMatch(/'unsafe-|\*|https?:/);
      expect(page.text).not.toMatch(/<script>|<style| style="| on\w+=/);
      const files = [...page.text.matchAll(/<(?:script src|link[^>]* href)="(\/[^"]+)"/g)];
      expect(files.length).toBeGreaterThan(0);
      for (const [, file] of files) {
        const { status } = await api.send({ method: 'GET', path: file!, apiKey: null });
        expect([file, status]).toEqual([file, 200]);
      }
    },
  );

  it('a page that has not changed is not sent again', async () => {
    const first = await api.send({ method: 'GET', path: '/docs/client', apiKey: null });
    const headers = { 'if-none-match': String(first.headers['etag']) };
    const second = await api.send({ method: 'GET', path: '/docs/client', apiKey: null, headers });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  it('the path of the type of a problem leads to its page', async () => {
    const refused = await api.send({ body: {} });
    const { pathname } = new URL((refused.json() as { type: string }).type);
    const { status, headers } = await api.send({ method: 'GET', path: pathname, apiKey: null });
    expect([status, headers.location]).toEqual([302, '/docs/problems/validation_failed']);
    const page = await api.send({ method: 'GET', path: headers.location!, apiKey: null });
    expect(page.text).toContain('What to do');
    expect((await api.send({ method: 'GET', path: '/problems/constructor', apiKey: null })).status).toBe(404);
  });

  it.each([
    '/docs',
    '/docs/openapi.json',
    '/docs/assets/swagger-ui.css',
    '/docs/assets/reference.js',
    '/docs/nowhere',
  ])('%s is not guessed about, framed or named to other sites', async (path) => {
    const { headers } = await api.send({ method: 'GET', path, apiKey: null });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  });

  it.each([
    '/docs/%2e%2e/x',
    '/docs/..%2f..%2fpackage.json',
    '/docs/assets/%2e%2e/client',
    '/docs//x',
    '/docs/constructor',
  ])('%s is not found', async (path) => {
    const { status, text } = await api.send({ method: 'GET', path, apiKey: null });
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([404, 'not_found']);
  });
});
