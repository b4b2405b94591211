import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { getSchemaPath, SwaggerModule } from '@nestjs/swagger';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { adversarialTexts, MAX_MS, withinMs } from '../../test/support/adversarial-texts.js';
import { runs } from '../../test/support/property-runs.js';
import { Problem } from '../core/problem.js';
import { ListDeadLettersDto } from '../ops/dto/list-dead-letters.dto.js';
import { SelectDeadLettersDto } from '../ops/dto/select-dead-letters.dto.js';
import { CapturePaymentDto } from '../payments/dto/capture-payment.dto.js';
import { CompletePaymentDto } from '../payments/dto/complete-payment.dto.js';
import { CreatePaymentDto } from '../payments/dto/create-payment.dto.js';
import { ListPaymentsDto } from '../payments/dto/list-payments.dto.js';
import { smallestPaymentRequest } from '../payments/payment.examples.js';
import { firstPayoutRequest } from '../payouts/payout.examples.js';
import { CreatePayoutDto } from '../payouts/dto/create-payout.dto.js';
import { ListPayoutsDto } from '../payouts/dto/list-payouts.dto.js';
import { CreateRefundDto } from '../refunds/dto/create-refund.dto.js';
import { CreateWebhookEndpointDto } from '../events/dto/create-webhook-endpoint.dto.js';
import { ListEventsDto } from '../events/dto/list-events.dto.js';
import { ReplayEventDto, ReplayRangeDto } from '../events/dto/replay.dto.js';
import { fieldsOf, isObject } from './fields.js';
import { isEmail } from './formats.js';
import { EmptyDto, PageDto } from './page.dto.js';
import { fits, parseRequest } from './request.pipe.js';

interface Schema {
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a module
class NoModule {}

/** As the OpenAPI document has them. */
let schemas: Readonly<Record<string, Schema>>;

beforeAll(async () => {
  const app = await NestFactory.create(NoModule, new FastifyAdapter(), { logger: false });
  const info = { title: 'DTOs', version: '1' };
  const document = SwaggerModule.createDocument(app, { openapi: '3.1.0', info }, { extraModels: requests });
  schemas = document.components!.schemas as typeof schemas;
});

function schemaAt(path: string): Schema {
  return schemas[path.replace('#/components/schemas/', '')]!;
}

const schemaOf = (type: new () => object): Schema => schemaAt(getSchemaPath(type));

/** Each place of a schema that takes a string, as a function that puts a string there. */
function stringsIn(schema: Schema, put: (value: unknown) => unknown): ((text: string) => unknown)[] {
  const found: ((text: string) => unknown)[] = [];
  if (schema.$ref !== undefined) found.push(...stringsIn(schemaAt(schema.$ref), put));
  for (const part of schema.allOf ?? []) found.push(...stringsIn(part, put));
  const { propertyName = '', mapping = {} } = schema.discriminator ?? {};
  for (const [name, ref] of Object.entries(mapping)) {
    found.push(...stringsIn(schemaAt(ref), (value) => put({ ...Object(value), [propertyName]: name })));
  }
  if (schema.type?.includes('string') === true) found.push(put);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    found.push(...stringsIn(property, (value) => put({ [name]: value })));
  }
  if (schema.propertyNames) found.push((text) => put({ [text]: 'x' }));
  if (typeof schema.additionalProperties === 'object') {
    found.push(...stringsIn(schema.additionalProperties, (value) => put({ x: value })));
  }
  if (schema.items) found.push(...stringsIn(schema.items, (value) => put([value])));
  return found;
}

const requests: (new () => object)[] = [
  CreatePaymentDto,
  CapturePaymentDto,
  CompletePaymentDto,
  ListPaymentsDto,
  CreateRefundDto,
  CreatePayoutDto,
  ListPayoutsDto,
  CreateWebhookEndpointDto,
  ListEventsDto,
  ReplayEventDto,
  ReplayRangeDto,
  ListDeadLettersDto,
  SelectDeadLettersDto,
  PageDto,
  EmptyDto,
];
const named = requests.map((type): [string, new () => object] => [type.name, type]);

describe('the time that a request takes to be refused', () => {
  it.each(named)('%s is a schema of JSON Schema 2020-12', (_name, type) => {
    expect(new Ajv2020().validateSchema(schemaOf(type))).toBe(true);
  });

  it.each(named)('%s is refused in linear time, whatever long text stands in it', (_name, type) => {
    for (const put of stringsIn(schemaOf(type), (value) => value)) {
      for (const text of adversarialTexts('@.a-0 Z:/')) {
        const value = put(text);
        withinMs(MAX_MS, () => {
          try {
            parseRequest(type, value);
          } catch {
            // Refused, which is what it is to be.
          }
        });
      }
    }
  });

  it('puts a text at every place that takes one', () => {
    expect(stringsIn(schemaOf(CreatePaymentDto), (value) => value).length).toBeGreaterThan(40);
  });
});

describe("the fields' own rules", () => {
  /** Requests that fit, where one without fields does not. */
  const fitting = new Map<new () => object, object>([
    [CompletePaymentDto, { details: { return: 'seen' } }],
    [CreatePaymentDto, smallestPaymentRequest],
    [CreatePayoutDto, firstPayoutRequest],
    [CreateRefundDto, { amount: 1 }],
    [CreateWebhookEndpointDto, { url: 'https://shop.example/x' }],
    [ReplayRangeDto, { from: '2026-11-22T00:00:00Z', to: '2026-11-22T00:00:00Z' }],
  ]);
  const made = (type: new () => object, given: object): object => {
    const request = new type();
    for (const [name, { nested }] of fieldsOf(type)) {
      const value = (given as Readonly<Record<string, unknown>>)[name];
      const own = nested?.(value);
      if (value !== undefined)
        Object.assign(request, { [name]: own && isObject(value) ? made(own, value) : value });
    }
    return request;
  };
  const someValue = fc.oneof(
    fc.constantFrom(
      null,
      true,
      false,
      0,
      1,
      -1,
      1.5,
      100,
      '',
      'a',
      'USD',
      'card',
      'automatic',
      'a@b.example',
    ),
    fc.constantFrom('2026-11-22T00:00:00Z', '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42', 'https://shop.example/x'),
    fc.constantFrom({}, [], { a: 'b' }, { stripe: 'tok_1' }, ['payment.captured'], { type: 'card' }),
    fc.anything({ maxDepth: 2 }),
  );
  const someFields = (type: new () => object): fc.Arbitrary<object> =>
    fc.dictionary(
      fc.constantFrom('', ...fieldsOf(type).keys()),
      fc.oneof(someValue, ...[...fieldsOf(type).values()].flatMap(({ classes }) => classes.map(someFields))),
      { maxKeys: 3 },
    );

  it.each(named)('of %s come to the verdict of class-validator', (_name, type) => {
    // Else it would be left to chance whether one that fits is drawn.
    expect(fits(type, made(type, fitting.get(type) ?? {}))).toBe(true);
    const verdicts = new Set<boolean>();
    fc.assert(
      fc.property(someFields(type), (given) => {
        const request = made(type, { ...fitting.get(type), ...given });
        const verdict = fits(type, request);
        expect(verdict).toBe(validateSync(request, { forbidUnknownValues: false }).length === 0);
        verdicts.add(verdict);
      }),
      { ...runs(20_000), examples: [[{}]] },
    );
    expect(verdicts.size).toBe(fieldsOf(type).size === 0 ? 1 : 2);
  });
});

describe('a request that does not fit', () => {
  const faultsOf = (type: new () => object, value: unknown): Record<string, string> => {
    try {
      parseRequest(type, value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      expect(error.code).toBe('validation_failed');
      return Object.fromEntries((error.more.errors ?? []).map(({ pointer, message }) => [pointer, message]));
    }
    return {};
  };

  it('is told of every fault, each where it stands', () => {
    const body = {
      reference: '',
      amount: 0,
      payment_method: { type: 'card', tokens: { 'a b': 'x', stripe: '' }, card: { brand: 'V' }, more: 1 },
      customer: [],
      metadata: { 'a/b': 1 },
      'x~y': 1,
    };
    expect(faultsOf(CreatePaymentDto, body)).toEqual({
      '/reference': 'must be 1 to 255 characters without control characters',
      '/amount': 'must be an integer from 1 to 9007199254740991',
      '/currency': 'is required',
      '/payment_method/tokens/a b': 'must be named like a PSP account: 1 to 64 of A-Z a-z 0-9 _ . -',
      '/payment_method/tokens/stripe': 'must be 1 to 255 printable ASCII characters',
      '/payment_method/card/brand': 'must be 1 to 32 of a-z 0-9 _',
      '/payment_method/more': 'is not a known field',
      '/customer': 'must be object',
      '/metadata/a~1b': 'must be a string of at most 500 characters',
      '/x~0y': 'is not a known field',
    });
  });

  it.each<[unknown, Record<string, string>]>([
    ['card', { '/payment_method': 'must be object' }],
    [{}, { '/payment_method/type': 'is required' }],
    [
      { type: 'toString' },
      { '/payment_method/type': 'must be one of card, wallet, bank_redirect, bank_debit, pay_later' },
    ],
    [
      { type: 'wallet', wallet: { name: 'ideal' }, card: {} },
      {
        '/payment_method/wallet/name': 'must be one of apple_pay, google_pay, paypal',
        '/payment_method/card': 'is not a known field',
      },
    ],
    [{ type: 'bank_redirect' }, { '/payment_method/bank_redirect': 'is required' }],
  ])('has the fields of the type that it names: %j', (method, faults) => {
    const body = { ...smallestPaymentRequest, payment_method: method };
    expect(faultsOf(CreatePaymentDto, body)).toEqual(faults);
  });

  it('is told of 20 faults at most', () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${n}`, 1]));
    expect(Object.keys(faultsOf(CapturePaymentDto, body))).toHaveLength(20);
  });

  it.each(['hasOwnProperty', 'isPrototypeOf', 'toString', 'toValues'])('has no field %s', (name) => {
    const body = { ...smallestPaymentRequest, [name]: 1 };
    expect(faultsOf(CreatePaymentDto, body)).toEqual({ [`/${name}`]: 'is not a known field' });
  });

  it.each([null, [], 'text', 1, true])('is none where it is %j', (body) => {
    for (const type of requests) expect(faultsOf(type, body)).toEqual({ '': 'must be object' });
  });

  it('may be left out where no field is required', () => {
    expect(faultsOf(CapturePaymentDto, undefined)).toEqual({});
    expect(faultsOf(CreatePaymentDto, undefined)).toEqual({ '': 'must be object' });
  });

  it('counts characters, not units', () => {
    expect(faultsOf(CreatePaymentDto, { ...smallestPaymentRequest, reference: '😀'.repeat(255) })).toEqual(
      {},
    );
    expect(faultsOf(CreatePaymentDto, { ...smallestPaymentRequest, reference: '😀'.repeat(256) })).toEqual({
      '/reference': 'must be 1 to 255 characters without control characters',
    });
  });
});

it('keeps what is an e-mail address and what is none', () => {
  for (const good of ['a@b.c', 'first.last+tag@mail.example.co.uk', 'ü@exämple.de', "o'neil@x.y"]) {
    expect(isEmail(good)).toBe(true);
  }
  for (const bad of ['a', 'a@b', '@b.c', 'a@.c', 'a@c.', 'a@b@c.d', 'a b@c.d', 'a@b,c.d', 'a@b\n.d', '']) {
    expect(isEmail(bad)).toBe(false);
  }
});
