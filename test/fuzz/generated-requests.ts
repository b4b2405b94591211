import { type OpenAPIObject } from '@nestjs/swagger';
import { randomFrom } from '../support/random.js';

/** A request that was made from the document: valid in about one of four, else with up to three faults. */
export interface GeneratedRequest {
  readonly method: string;
  /** Of the operation that it was made for, as the document writes it: `/v1/payments/{id}`. */
  readonly template: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema?: { readonly enum?: readonly string[]; readonly default?: unknown };
}

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly object[];
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that readers, validators and databases have stumbled over. */
const ODD: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  -0,
  9_007_199_254_740_991,
  1e308,
  '',
  ' ',
  '0',
  '\u0000',
  '\ud800',
  '\u202e\u0301ſ',
  '😀'.repeat(300),
  'x'.repeat(70_000),
  "'; DROP TABLE payments; --",
  '../../etc/passwd',
  '__proto__',
  '2026-02-30T25:61:00Z',
  'EUR ',
  '4242 4242 4242 4242',
  'http://169.254.169.254/latest',
  [],
  [[]],
  {},
  { constructor: { prototype: 1 } },
];

const ODD_HEADERS = ['', 'x'.repeat(300), '"quoted"', 'wait=-1', '1e9', 'a, b', '\u00e9\u00ff', '0'];

/** The texts of JSON that no JSON.stringify writes. */
const BROKEN: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, Math.floor(text.length / 2)),
  (text) => `${text}x`,
  (text) => text.replace('{', '{"amount":1,"amount":2,'),
  (text) => text.replace('{', '{"__proto__":{"a":1},'),
  (text) => text.replace(/\d+/, '1e400'),
  (text) => `\ufeff${text}`,
  () => '['.repeat(5_000),
  () => '',
  () => 'null',
];

/** Requests of one seed, without end. Ids that the service has given are used again. */
export class RequestGenerator {
  private readonly random: () => number;
  private readonly operations: readonly Operation[];
  private readonly ids: string[] = ['019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43'];
  private readonly keys: string[] = ['first'];

  constructor(
    document: OpenAPIObject,
    seed: number,
    private readonly credentials: { readonly merchant: string; readonly operator: string },
  ) {
    this.random = randomFrom(seed);
    this.operations = operationsOf(document);
  }

  /** What an answer named may be asked for. */
  remember(id: string): void {
    if (this.ids.length < 200) this.ids.push(id);
    else this.ids[this.below(this.ids.length)] = id;
  }

  next(): GeneratedRequest {
    const operation = this.pick(this.operations);
    const { method, template } = operation;
    const headers: Record<string, string> = {
      authorization: `Bearer ${template.startsWith('/ops') ? this.credentials.operator : this.credentials.merchant}`,
    };
    let path = template;
    const query: [string, string][] = [];
    for (const parameter of operation.parameters) {
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, this.pathValue(parameter));
      else if (parameter.in === 'query' && this.random() < 0.3)
        query.push([parameter.name, this.queryValue(parameter)]);
      else if (parameter.in === 'header') this.writeHeader(headers, parameter);
    }
    const value = operation.bodies.length > 0 ? (structuredClone(this.pick(operation.bodies)) as Json) : null;
    for (let faults = Math.max(0, this.below(5) - 1); faults > 0; faults -= 1)
      this.spoil(value, headers, query);
    if (value !== null) headers['content-type'] ??= 'application/json';
    const text = value === null ? null : JSON.stringify(value);
    return {
      method: method.toUpperCase(),
      template,
      path: query.length === 0 ? path : `${path}?${new URLSearchParams(query).toString()}`,
      headers,
      body: text !== null && this.random() < 0.05 ? this.pick(BROKEN)(text) : text,
    };
  }

  private pathValue({ name, schema }: Parameter): string {
    if (name === 'psp') return this.pick(['stripe', 'adyen', 'nobody']);
    if (this.random() < 0.9) return this.pick(this.ids);
    return this.pick(schema?.enum ?? ['x', '%00', '..%2f', 'null', 'x'.repeat(2_000)]);
  }

  private queryValue({ name, schema }: Parameter): string {
    if (schema?.enum && this.random() < 0.7) return this.pick(schema.enum);
    if (name === 'limit') return this.pick(['1', '3', '100', '0', '101', '-1', '1.0', '']);
    if (name.startsWith('created') || name.startsWith('died')) {
      return this.pick(['2026-01-01T00:00:00Z', '2999-12-31T23:59:59.999Z', '2026-13-01', 'now', '']);
    }
    return this.pick(['order-1', 'stripe', '\u0000', '%', '😀', 'x'.repeat(500), this.pick(this.ids)]);
  }

  private writeHeader(headers: Record<string, string>, { name, required }: Parameter): void {
    if (!required && this.random() < 0.8) return;
    if (name === 'Idempotency-Key') {
      const key = this.random() < 0.8 ? `key-${Math.floor(this.random() * 1e9)}` : this.pick(this.keys);
      if (this.keys.length < 100) this.keys.push(key);
      headers['idempotency-key'] = key;
      return;
    }
    headers[name.toLowerCase()] = this.pick(
      name === 'Prefer' ? ['wait=1', 'wait=x'] : ['1000', '-1', 'soon'],
    );
  }

  private spoil(value: Json, headers: Record<string, string>, query: [string, string][]): void {
    const kind = this.below(10);
    if (kind === 0) delete headers[this.pick(Object.keys(headers))];
    else if (kind === 1)
      headers[this.pick(['idempotency-key', 'prefer', 'payonce-deadline'])] = this.pick(ODD_HEADERS);
    else if (kind === 2)
      headers['content-type'] = this.pick(['text/plain', 'application/json; charset=utf-16', '']);
    else if (kind === 3)
      query.push([this.pick(['limit', 'cursor', 'colour', 'limit[]']), this.pick(['1', 'x', ''])]);
    else this.spoilValue(value);
  }

  /** One place of the body gets an odd value, is taken away, or gets a field that nobody knows. */
  private spoilValue(value: Json): void {
    const holders = holdersIn(value);
    if (holders.length === 0) return;
    const holder = this.pick(holders);
    const names = Object.keys(holder);
    const name = names.length === 0 || this.random() < 0.15 ? 'colour' : this.pick(names);
    if (this.random() < 0.2) Reflect.deleteProperty(holder, name);
    else Object.assign(holder, { [name]: structuredClone(this.pick(ODD)) });
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  private below(end: number): number {
    return Math.floor(this.random() * end);
  }
}

/** The objects and lists in a value, itself among them. */
function holdersIn(value: Json): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(holdersIn)];
}

/** What merchants and operators may ask; monitoring has no input. */
function operationsOf({ paths, components }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item as Readonly<Record<string, Described>>)
      .filter(() => template.startsWith('/v1/') || template.startsWith('/ops/'))
      .map(([method, { parameters = [], requestBody }]) => ({
        method,
        template,
        parameters: parameters.map((each) =>
          '$ref' in each ? (components!.parameters![nameIn(each.$ref)] as Parameter) : each,
        ),
        bodies: Object.values(requestBody?.content['application/json']?.examples ?? {}).map(
          ({ value }) => value,
        ),
      })),
  );
}

interface Described {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples?: Readonly<Record<string, { readonly value: object }>> }>
    >;
  };
}

function nameIn(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
