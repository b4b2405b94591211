import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { type Service, TestEnvironment, tokens } from '../support/test-environment.js';
import { detailsOf, type Ended, GrpcClient, type Message } from './grpc-client.js';

/** The same requests by REST and by gRPC, good ones and bad ones, and the answers field by field. */
let environment: TestEnvironment;
let service: Service;
let apiKey: string;
let shop: GrpcClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { GRPC_PORT: '0' } });
  service = await environment.start();
  apiKey = await environment.merchant(['payments:read', 'payments:write']);
  // Orders of one are not the other's.
  shop = new GrpcClient(service.grpc!, await environment.merchant(['payments:read', 'payments:write']));
});
afterAll(async () => {
  shop?.close();
  await environment.close();
});

const REQUESTS = 200;
const SEED = 20_261_122;

/** Mostly what is right, so that half of the requests are payments. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: right, weight: 30 }, { arbitrary: wrong, weight: 1 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const letters = fc.string({
  minLength: 1,
  maxLength: 40,
  unit: fc.constantFrom('a', 'b', 'X', '-', '_', ' ', 'é', '€', '😀'),
});
const texts = (...values: string[]) => fc.constantFrom(...values);

const cards = fc.record({
  type: fc.constant('card' as const),
  tokens: mostly(
    fc.constantFrom<Record<string, string>>(
      { stripe: tokens.stripe },
      { adyen: tokens.adyen, stripe: tokens.stripe },
      { stripe: 'pm_card_visa_chargeDeclinedInsufficientFunds' },
      { keyless: tokens.keyless },
      { other: 'x' },
    ),
    fc.constantFrom<Record<string, string>>({}, { stripe: '' }, { 'no such name': 'x' }),
  ),
  initiator: maybe(texts('customer', 'merchant')),
  card: maybe(fc.record({ brand: texts('visa', 'amex'), country: mostly(texts('DE', 'FR'), texts('de')) })),
});
const wallets = fc.record({
  type: fc.constant('wallet' as const),
  wallet: maybe(fc.record({ name: mostly(texts('apple_pay', 'google_pay'), texts('ideal', '')) })),
  tokens: maybe(fc.constant({ stripe: tokens.stripe })),
  initiator: maybe(texts('customer', 'merchant')),
});
const debits = fc.record({
  type: fc.constant('bank_debit' as const),
  bank_debit: fc.record({
    name: mostly(texts('sepa', 'bacs', 'ach'), texts('SEPA')),
    mandate: maybe(
      fc.record({
        reference: mostly(texts('M-1'), texts('', '/x')),
        signed_on: mostly(texts('2026-11-22'), texts('2026-02-30', '')),
        sequence: maybe(texts('first', 'recurring', 'one_off', 'final')),
      }),
    ),
  }),
  tokens: fc.constant({ stripe: tokens.stripe }),
  initiator: maybe(texts('customer', 'merchant')),
});

const requests = fc.record({
  reference: mostly(letters, texts('', 'a\nb', 'x'.repeat(256), '4242 4242 4242 4242', 'a\0b')),
  amount: mostly(
    fc.integer({ min: 1, max: 99_999 }),
    fc.constantFrom(0, -5, 100_000_000_000, Number.MAX_SAFE_INTEGER),
  ),
  currency: mostly(texts('USD', 'EUR', 'GBP', 'JPY', 'CUP'), texts('usd', 'XTS', '')),
  capture: maybe(texts('automatic', 'manual')),
  payment_method: fc.oneof({ weight: 2, arbitrary: cards }, wallets, debits),
  customer: maybe(
    fc.record({ reference: letters, email: mostly(texts('a@shop.example'), texts('a', 'a@b')) }),
  ),
  return_url: maybe(mostly(texts('https://shop.example/back'), texts('ftp://shop', 'shop'))),
  statement_descriptor: maybe(mostly(texts('SHOP 1'), texts('*', '1'.repeat(30)))),
  metadata: maybe(fc.dictionary(fc.constantFrom('a', 'b', 'amount', 'created_at'), letters, { maxKeys: 3 })),
  allow_duplicate: maybe(fc.boolean()),
  order: maybe(
    fc.record({
      reference: mostly(letters, texts('', 'a\nb')),
      amount: maybe(fc.integer({ min: 90_000, max: 200_000 })),
      parts: fc.option(fc.boolean(), { nil: undefined, freq: 1 }),
      replace: maybe(fc.boolean()),
    }),
  ),
});
type Request = typeof requests extends fc.Arbitrary<infer T> ? T : never;

/** The request as a message. */
function messageOf({ capture, payment_method: method, ...request }: Request): Message {
  const named = (prefix: string, word: string | undefined) =>
    word === undefined ? undefined : `${prefix}_${word.toUpperCase()}`;
  return {
    ...request,
    capture: named('CAPTURE_MODE', capture),
    payment_method: {
      ...method,
      type: named('PAYMENT_METHOD_TYPE', method.type),
      initiator: named('INITIATOR', method.initiator),
      ...('bank_debit' in method ? { bank_debit: debitOf(method.bank_debit) } : {}),
    },
  };

  function debitOf({
    name,
    mandate,
  }: {
    name: string;
    mandate: { sequence: string | undefined } | undefined;
  }) {
    if (!mandate) return { name };
    return { name, mandate: { ...mandate, sequence: named('MANDATE_SEQUENCE', mandate.sequence) } };
  }
}

/** What an answer says that is the same for two payments of one request. */
interface Answer {
  readonly code: string;
  readonly faults: readonly string[];
  readonly payment: Message;
}

const ofThePayment = ['id', 'entity_key', 'psp_reference', 'created_at', 'updated_at', 'object'];
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  OK: [201, 202],
  INVALID_ARGUMENT: [400, 422],
  FAILED_PRECONDITION: [409],
};

async function byRest(request: Request): Promise<Answer & { readonly status: number }> {
  const answer = await fetch(`${service.url}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(request),
  });
  const body = (await answer.json()) as Message & { errors?: { pointer: string }[]; code?: string };
  if (answer.ok) return { status: answer.status, code: 'OK', faults: [], payment: comparable(body) };
  const faults = (body.errors ?? []).map(({ pointer }) => pointer.slice(1).replaceAll('/', '.'));
  return { status: answer.status, code: body.code!, faults: faults.toSorted(), payment: {} };
}

async function byGrpc(request: Request): Promise<Answer & { readonly status: string }> {
  const ended = await shop.call('Payments.Create', messageOf(request), { key: randomUUID() });
  if (ended.code === 'OK') {
    const payment = ended.response['payment'] as Message & { readonly payment_method: Message };
    const word = (prefix: string, name: unknown) => String(name).replace(`${prefix}_`, '').toLowerCase();
    const { payment_method: method } = payment;
    const words = {
      status: word('PAYMENT_STATUS', payment['status']),
      capture: word('CAPTURE_MODE', payment['capture']),
      payment_method: { ...method, type: word('PAYMENT_METHOD_TYPE', method['type']) },
    };
    return { status: 'OK', code: 'OK', faults: [], payment: comparable({ ...payment, ...words }) };
  }
  return { status: ended.code, ...faultsOf(ended), payment: {} };
}

function faultsOf(ended: Ended): Pick<Answer, 'code' | 'faults'> {
  const { ErrorInfo: info, BadRequest: bad } = detailsOf(ended);
  const violations = (bad?.['field_violations'] ?? []) as { field: string }[];
  return { code: info!['reason'] as string, faults: violations.map(({ field }) => field ?? '').toSorted() };
}

/** Without what differs between two payments; what is null by REST is absent by gRPC. */
function comparable(payment: Message): Message {
  const shown = Object.entries(payment).filter(([name]) => !ofThePayment.includes(name));
  return prune(Object.fromEntries(shown)) as Message;
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .map(([name, member]) => [name, prune(member)] as const)
    .filter(([, member]) => member !== null && !(typeof member === 'object' && isEmpty(member)));
  return Object.fromEntries(kept);
}

function isEmpty(member: object | null): boolean {
  return member !== null && Object.keys(member).length === 0;
}

it(`answers ${REQUESTS} requests as REST does, field by field`, async () => {
  const codes = new Map<string, number>();
  for (const request of fc.sample(requests, { numRuns: REQUESTS, seed: SEED })) {
    const { status: http, ...rest } = await byRest(request);
    const { status: grpc, ...told } = await byGrpc(request);
    expect({ request, ...told }).toEqual({ request, ...rest });
    expect(STATUSES[grpc]).toContain(http);
    codes.set(told.code, (codes.get(told.code) ?? 0) + 1);
  }
  // Of everything there is enough for the comparison to mean something.
  expect(codes.get('OK')).toBeGreaterThan(60);
  expect(codes.get('validation_failed')).toBeGreaterThan(40);
  expect(codes.get('no_route')).toBeGreaterThan(0);
});
