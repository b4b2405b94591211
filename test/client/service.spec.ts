import { setTimeout as pause } from 'node:timers/promises';
import {
  ApiError,
  type ClientOptions,
  DeadlineError,
  PayonceClient,
  type PayonceEvent,
  type PaymentRequest,
  type PayoutRequest,
} from '@payonce/client';
import { systemClock } from '../../packages/client/src/clock.js';
import {
  type Order,
  orderOf,
  type Service,
  TestEnvironment,
  eventually,
} from '../support/test-environment.js';
import { LossyProxy } from './lossy-proxy.js';
import { failureOf } from './scripted-api.js';
import { SeverableLink } from './severable-link.js';

/** The client against the real service, over a network that loses answers; judged by the ledgers. */
let environment: TestEnvironment;
let link: SeverableLink;
let service: Service;
let proxy: LossyProxy;
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  link = await SeverableLink.open(environment.database.url);
  proxy = await LossyProxy.open(() => service.url);
  [service, apiKey] = await Promise.all([
    environment.start({ databaseUrl: link.url }),
    environment.merchant(),
  ]);
});
afterAll(async () => {
  await proxy.close();
  await environment.close();
  await link.close();
});
beforeEach(async () => {
  await environment.simulator.reset();
  proxy.next();
});

const TRY_MS = 20_000;

/** What the client waits for between its tries, and what passes instead of that time. */
class Waits {
  readonly ms: number[] = [];

  constructor(private readonly instead: (ms: number, nth: number) => Promise<unknown> = async () => {}) {}

  readonly clock = {
    ...systemClock,
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      // The time of a try; nothing here waits so long between two of them.
      if (ms === TRY_MS) return systemClock.sleep(ms, signal);
      this.ms.push(ms);
      await this.instead(ms, this.ms.length);
    },
  };
}

function clientWith(waits: Waits, options: Partial<ClientOptions> = {}): PayonceClient {
  return new PayonceClient({
    apiKey,
    baseUrl: proxy.url,
    clock: waits.clock,
    random: () => 0,
    deadlineMs: 60_000,
    tryTimeoutMs: TRY_MS,
    ...options,
  });
}

function order(more: Order = {}): PaymentRequest {
  const { payment_method, ...rest } = orderOf(more);
  return { ...rest, payment_method: { type: 'card', tokens: payment_method.tokens } };
}

/** Every request of the call carried this key and the same bytes. */
function expectOneRequest(key: string): void {
  expect(new Set(proxy.passed.map(({ key }) => key))).toEqual(new Set([key]));
  expect(new Set(proxy.passed.map(({ body }) => body)).size).toBe(1);
}

const statuses = () => proxy.passed.map(({ status }) => status);

describe('a payment whose answers are lost on the way', () => {
  it('is charged once, and the client has the answer to the first request', async () => {
    const waits = new Waits();
    proxy.next('lose_answer', 'cut_answer', 'lose_answer', 'cut_answer');
    const came = await clientWith(waits).payments.create(order());

    expect(came).toMatchObject({ settled: true, status: 201, replayed: true, tries: 5 });
    expect(statuses()).toEqual([201, 201, 201, 201, 201]);
    expectOneRequest(came.idempotencyKey);
    expect(waits.ms).toEqual([500, 500, 1_000, 2_000]);
    expect(environment.effects()).toMatchObject([{ operation: 'charge', amount: 1_999 }]);
    expect(environment.effects(came.body.id)).toHaveLength(1);
  });

  it('is captured once and canceled once', async () => {
    const client = clientWith(new Waits());
    const lossy = () => proxy.next('lose_answer', 'cut_answer', 'lose_answer');
    lossy();
    const first = await client.payments.create(order({ capture: 'manual' }));
    const second = await client.payments.create(order({ capture: 'manual', first: 'adyen' }));
    expect([first.body.status, second.body.status]).toEqual(['authorized', 'authorized']);

    lossy();
    const captured = await client.payments.capture(first.body.id, { amount: 500 });
    expect(captured).toMatchObject({ settled: true, tries: 4, body: { amount_captured: 500 } });
    expectOneRequest(captured.idempotencyKey);
    lossy();
    const canceled = await client.payments.cancel(second.body.id);
    expect(canceled).toMatchObject({ settled: true, tries: 4, body: { status: 'canceled' } });
    expectOneRequest(canceled.idempotencyKey);

    const done = (id: string) => environment.effects(id).map(({ operation }) => operation);
    expect(done(first.body.id)).toEqual(['authorize', 'capture']);
    expect(done(second.body.id)).toEqual(['authorize', 'void']);
  });
});

describe('money that goes back', () => {
  it('does so once, however many answers are lost and clients ask', async () => {
    const client = clientWith(new Waits());
    const { body: payment } = await client.payments.create(order());
    proxy.next('lose_answer', 'cut_answer', 'lose_answer');
    const refunded = await client.payments.refund(payment.id, { amount: 999 });

    expect(refunded).toMatchObject({ settled: true, tries: 4, body: { status: 'succeeded', amount: 999 } });
    expectOneRequest(refunded.idempotencyKey);
    // Without a reference there is one refund of a payment, and a key of another caller is no other one.
    const again = await client.payments.refund(payment.id, { amount: 999 });
    expect(again).toMatchObject({ settled: true, status: 200, body: { id: refunded.body.id } });
    const other = await failureOf(client.payments.refund(payment.id, { amount: 5 }));
    expect(other).toMatchObject({ code: 'refund_exists', refundId: refunded.body.id, payoutId: null });

    const done = environment.effects(payment.id).map(({ operation, amount }) => [operation, amount]);
    expect(done).toEqual([
      ['charge', 1_999],
      ['refund', 999],
    ]);
    expect(await client.refunds.get(refunded.body.id)).toEqual(refunded.body);
    await client.payments.refund(payment.id, { amount: 1, reference: 'parcel-2' });
    const listed: [string | null, number][] = [];
    proxy.next('lose_answer', 'pass', 'cut_answer');
    for await (const { reference, amount } of client.payments.refunds(payment.id, { limit: 1 })) {
      listed.push([reference, amount]);
    }
    expect(listed).toEqual([
      ['parcel-2', 1],
      [null, 999],
    ]);
  });
});

describe('money that goes out', () => {
  const payout = (previous: string | null, reference = 'salary-1'): PayoutRequest => ({
    reference,
    amount: 1_000,
    currency: 'EUR',
    previous,
    recipient: { reference: 'recipient-1', tokens: { stripe: 'ba_1', adyen: 'SE1' } },
  });

  it('does so once, one payout after another', async () => {
    const client = clientWith(new Waits(), { apiKey: await environment.merchant(['payouts:write']) });
    proxy.next('lose_answer', 'cut_answer', 'lose_answer');
    const first = await client.payouts.create(payout(null), { waitUntilSettledMs: 30_000 });
    expect(first).toMatchObject({ settled: true, status: 201, tries: 4, body: { status: 'paid' } });
    expectOneRequest(first.idempotencyKey);

    const twice = await failureOf(client.payouts.create(payout(null)));
    expect(twice).toMatchObject({
      status: 409,
      code: 'payout_sequence_stale',
      payoutId: first.body.id,
      outcomeKnown: true,
    });
    const next = await client.payouts.create(payout(first.body.id, 'salary-2'));
    expect(next).toMatchObject({ settled: true, body: { status: 'paid', previous: first.body.id } });

    expect(await client.payouts.get(first.body.id)).toEqual(first.body);
    const listed: string[] = [];
    for await (const { id } of client.payouts.list({ recipient: 'recipient-1', limit: 1 })) listed.push(id);
    expect(listed).toEqual([next.body.id, first.body.id]);
    const sent = environment.effects().map(({ operation, amount }) => [operation, amount]);
    expect(sent).toEqual([
      ['payout', 1_000],
      ['payout', 1_000],
    ]);
  });
});

describe('a service that asks for patience', () => {
  it('answers 409 while it still works on what was cut off, and is asked again after Retry-After', async () => {
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 700, next: 1 });
    const waits = new Waits(async (_ms, nth) => {
      // After the 409: until the first request, which nobody listens to, has come to its end.
      if (nth === 2) await eventually(() => proxy.passed[0]?.status === 201, 'the first answer');
    });
    const reached = () => eventually(() => environment.orders('stripe').length > 0, 'the call to the PSP');
    proxy.next({ whileWorking: reached });
    const came = await clientWith(waits).payments.create(order());

    expect(came).toMatchObject({ settled: true, replayed: true, tries: 3, body: { status: 'captured' } });
    expect(statuses()).toEqual([201, 409, 201]);
    const asked = Number(proxy.passed[1]?.retryAfter) * 1_000;
    expect(asked).toBeGreaterThanOrEqual(1_000);
    expect(waits.ms).toEqual([500, asked]);
    expectOneRequest(came.idempotencyKey);
    expect(environment.effects()).toHaveLength(1);
  });

  it('answers 503 while its database is away, also in the middle, and is asked until it is back', async () => {
    // Cut after the effect and before the service could write down that there is one.
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 300, next: 1 });
    const waits = new Waits(async (ms, nth) => {
      if (nth === 2) link.mend();
      // From then on the key is held by the request that was cut off, until its lock runs out.
      if (nth >= 2) await pause(ms);
    });
    const cutOff = eventually(() => environment.orders('stripe').length > 0, 'the call').then(() =>
      link.cut(),
    );
    const came = await clientWith(waits).payments.create(order(), { waitUntilSettledMs: 60_000 });
    await cutOff;

    expect(statuses().slice(0, 2)).toEqual([503, 503]);
    expect(proxy.passed[0]?.retryAfter).toMatch(/^[1-9]\d*$/);
    expect(waits.ms[0]).toBe(Number(proxy.passed[0]?.retryAfter) * 1_000);
    expect(came).toMatchObject({ settled: true, body: { status: 'captured' } });
    expectOneRequest(came.idempotencyKey);
    expect(environment.effects()).toMatchObject([{ operation: 'charge' }]);
  });

  it('may be killed over it: the one that takes its place is asked with the same key', async () => {
    const healthy = service;
    const dying = await environment.startProcess({
      at: { place: 'psp:after:execute' },
      env: { PAYONCE_ROLE: 'api' },
    });
    service = dying;
    const waits = new Waits(async (ms) => {
      if (service === dying) {
        await dying.exit;
        service = healthy;
      } else await pause(ms);
    });
    const came = await clientWith(waits).payments.create(order(), { waitUntilSettledMs: 60_000 });

    expect(statuses()[0]).toBe(0);
    expect(came).toMatchObject({ settled: true, body: { status: 'captured' } });
    expect(came.tries).toBeGreaterThan(1);
    expectOneRequest(came.idempotencyKey);
    expect(environment.effects()).toHaveLength(1);
  });
});

describe('an outcome that is not known yet', () => {
  /** The PSP does what it is told to, and every answer of it is lost, also to questions about it. */
  const darken = () => environment.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });

  it('is given as it is, and given again for the same key', async () => {
    darken();
    const client = clientWith(new Waits());
    const first = await client.payments.create(order());
    expect(first).toMatchObject({ settled: false, status: 202, body: { status: 'processing' } });

    await environment.simulator.clearFaults();
    const { idempotencyKey } = first;
    const patient = clientWith(new Waits((ms) => pause(ms)));
    const last = await patient.payments.create(order(), { idempotencyKey, waitUntilSettledMs: 30_000 });
    expect(last).toMatchObject({ settled: true, status: 201, idempotencyKey, body: { id: first.body.id } });
    expect(environment.effects(first.body.id)).toHaveLength(1);
  });

  it('is waited for where the client is told to', async () => {
    darken();
    const waits = new Waits(async (ms, nth) => {
      if (nth === 2) await environment.simulator.clearFaults();
      await pause(ms);
    });
    const came = await clientWith(waits).payments.create(order(), { waitUntilSettledMs: 30_000 });
    expect(came).toMatchObject({ settled: true, status: 201, body: { status: 'captured' } });
    expect(statuses().slice(0, 2)).toEqual([202, 202]);
    expect(came.tries).toBe(waits.ms.length + 1);
    expectOneRequest(came.idempotencyKey);
    expect(environment.effects()).toHaveLength(1);
  });

  it('is what a deadline leaves behind, and the error has the key to ask again with', async () => {
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 700, next: 1 });
    const client = clientWith(new Waits((ms) => pause(ms)));
    const error = await failureOf(client.payments.create(order(), { deadlineMs: 300 }));
    if (!(error instanceof DeadlineError)) throw error;
    expect(error).toMatchObject({ outcomeKnown: false, tries: 1, deadlineMs: 300 });
    expect(error.idempotencyKey).toMatch(/^[\da-f-]{36}$/);

    const idempotencyKey = error.idempotencyKey!;
    const came = await client.payments.create(order(), { idempotencyKey, waitUntilSettledMs: 30_000 });
    expect(came).toMatchObject({ settled: true, idempotencyKey, body: { status: 'captured' } });
    expectOneRequest(idempotencyKey);
    expect(environment.effects()).toHaveLength(1);
  });
});

describe('reading', () => {
  it('goes through lists to their end, and through the story of a payment', async () => {
    const client = clientWith(new Waits(), { apiKey: await environment.merchant() });
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { body } = await client.payments.create(order({ reference: `list-${n}` }));
      made.push(body.id);
    }
    const listed: string[] = [];
    proxy.next('lose_answer', 'pass', 'cut_answer');
    for await (const { id } of client.payments.list({ limit: 2 })) listed.push(id);
    expect(listed).toEqual(made.toReversed());
    expect(proxy.passed).toHaveLength(5);

    const one = await client.payments.get(made[3]!);
    expect(one).toMatchObject({ id: made[3], reference: 'list-3', status: 'captured' });
    const found = client.payments.list({ reference: 'list-3', 'created[gte]': one.created_at });
    for await (const { id } of found) expect(id).toBe(one.id);
    const story: string[] = [];
    for await (const { psp, kind, outcome } of client.payments.attempts(one.id)) {
      story.push(`${psp} ${kind} ${outcome}`);
    }
    expect(story).toEqual(['stripe execute succeeded']);
  });

  it('goes through the events that came after one that is known', async () => {
    const client = clientWith(new Waits(), { apiKey: await environment.merchant() });
    const told = async (id: string | null) => {
      const events: PayonceEvent[] = [];
      for await (const event of client.events.since(id)) events.push(event);
      return events;
    };
    const first = await client.payments.create(order({ reference: 'event-1' }));
    const known = await eventually(async () => (await told(null))[0], 'the event can be read');
    expect(known).toMatchObject({
      type: 'payment.captured',
      data: { id: first.body.id, status: 'captured' },
    });
    expect(await client.events.get(known.id)).toEqual(known);

    const second = await client.payments.create(order({ reference: 'event-2' }));
    const next = await eventually(async () => (await told(known.id))[0], 'the next one can be read');
    expect(next.data).toMatchObject({ id: second.body.id });
  });
});

describe('refusals', () => {
  const refusal = async (call: Promise<unknown>) => {
    const error = await failureOf(call);
    if (!(error instanceof ApiError)) throw error;
    return error;
  };

  it('are told as the service tells them, and not asked for twice', async () => {
    const client = clientWith(new Waits());
    const { body, idempotencyKey } = await client.payments.create(order());
    const { payments } = client;
    const reader = clientWith(new Waits(), { apiKey: await environment.merchant(['payments:read']) });
    const stranger = clientWith(new Waits(), { apiKey: 'po_live_nobodynobodynobodynobody' });

    const wrong = await refusal(payments.create({ ...order(), amount: -1, reference: '' }));
    expect(wrong).toMatchObject({ status: 422, code: 'validation_failed', outcomeKnown: true });
    expect(wrong.errors.map(({ pointer }) => pointer).toSorted()).toEqual(['/amount', '/reference']);
    expect(wrong.requestId).toMatch(/^[\da-f-]{36}$/);
    const reused = payments.create(order({ amount: 5 }), { idempotencyKey });
    expect(await refusal(reused)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(await refusal(payments.capture(body.id))).toMatchObject({ status: 409, code: 'invalid_state' });
    expect(await refusal(payments.get('nowhere'))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await refusal(reader.payments.create(order()))).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await refusal(stranger.payments.get(body.id))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
    // The first payment and each refusal, once.
    expect(proxy.passed).toHaveLength(7);
  });
});
