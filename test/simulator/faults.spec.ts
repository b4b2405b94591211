import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FaultKind, startSimulator, type Simulator } from '@payonce/simulator';
import { AdyenClient, effects, eventually, failure, rawError, StripeClient } from './support.js';

const CHARGED = ['charge payment-1-charge 1000 EUR'];

describe('faults', () => {
  let simulator: Simulator;
  let stripe: StripeClient;
  let adyen: AdyenClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
    adyen = new AdyenClient(simulator.urls.adyen);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  const raw = (): Promise<string> =>
    rawError(
      `${simulator.urls.stripe}/v1/payment_intents`,
      'amount=1000&currency=eur&confirm=true&payment_method=pm_card_visa&payment_method_types[]=card&metadata[payonce_entity_key]=payment-1-charge',
      { authorization: 'Bearer sk_test_x', 'idempotency-key': 'k1' },
    );

  /** A client that stops waiting when it is told to. */
  const giveUp = (): { signal: AbortSignal; abort: () => void } => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  };

  it.each<[FaultKind, string, boolean]>([
    ['close_before', 'ECONNRESET', false],
    ['close_after', 'ECONNRESET', true],
    ['reset_before', 'ECONNRESET', false],
    ['reset_after', 'ECONNRESET', true],
    ['truncate', 'body: ECONNRESET', true],
  ])('%s: the client sees %s, charged: %s', async (fault, seen, charged) => {
    simulator.faults('stripe', { fault, next: 1 });
    expect(await raw()).toBe(seen);
    expect(effects(simulator, 'stripe')).toEqual(charged ? CHARGED : []);
    const [call] = simulator.calls('stripe');
    expect(call).toMatchObject({ fault, status: fault === 'truncate' ? 200 : null, idempotency_key: 'k1' });
    // The same key finds out, and charges only if nothing had.
    expect(await raw()).toBe('answered');
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it.each<[FaultKind, boolean]>([
    ['hang_before', false],
    ['hang_after', true],
  ])('%s: no answer ever, charged: %s', async (fault, charged) => {
    simulator.faults('stripe', { fault, next: 1 });
    const { signal, abort } = giveUp();
    const answer = failure(stripe.charge({ signal }));
    await eventually(() => simulator.calls('stripe').length === 1);
    const patience = new Promise((resolve) => setTimeout(resolve, 30, 'no answer'));
    expect(await Promise.race([answer, patience])).toBe('no answer');
    abort();
    expect(await answer).toBe('AbortError');
    expect(effects(simulator, 'stripe')).toEqual(charged ? CHARGED : []);
  });

  it('delay_before: who stopped waiting is charged all the same', async () => {
    simulator.faults('stripe', { fault: 'delay_before', next: 1, delay_ms: 600_000 });
    const { signal, abort } = giveUp();
    const answer = failure(stripe.charge({ key: 'k1', signal }));
    await eventually(() => simulator.calls('stripe').length === 1);
    abort();
    expect(await answer).toBe('AbortError');
    expect(effects(simulator, 'stripe')).toEqual([]);
    simulator.advance(600_000, 'stripe');
    expect((await stripe.charge({ key: 'k1' })).headers.get('idempotent-replayed')).toBe('true');
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('delay_after: charged at once, told late; a retry need not wait', async () => {
    simulator.faults('stripe', { fault: 'delay_after', next: 1, delay_ms: 600_000 });
    const first = stripe.charge({ key: 'k1' });
    await eventually(() => simulator.ledger('stripe').effects.length === 1);
    const retry = await stripe.charge({ key: 'k1' });
    expect(retry.body.status).toBe('succeeded');
    simulator.advance(600_000, 'stripe');
    expect((await first).body).toEqual(retry.body);
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('html_502_after: a page instead of an answer; the key knows the truth', async () => {
    simulator.faults('stripe', { fault: 'html_502_after', next: 1 });
    const page = await stripe.charge({ key: 'k1' });
    expect(page.status).toBe(502);
    expect(page.headers.get('content-type')).toBe('text/html');
    expect((await stripe.charge({ key: 'k1' })).body.status).toBe('succeeded');
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('throttle: 429 with Retry-After, nothing runs and nothing is stored', async () => {
    simulator.faults('stripe', { fault: 'throttle', next: 1, delay_ms: 3_000 });
    simulator.faults('adyen', { fault: 'throttle', next: 1 });
    const throttled = await stripe.charge({ key: 'k1' });
    expect(throttled).toMatchObject({ status: 429, body: { error: { code: 'rate_limit' } } });
    expect(throttled.headers.get('retry-after')).toBe('3');
    expect((await adyen.pay({ key: 'k1' })).status).toBe(429);
    expect((await stripe.charge({ key: 'k1' })).status).toBe(200);
    expect((await adyen.pay({ key: 'k1' })).body.resultCode).toBe('Authorised');
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('decline: the issuer says no, whatever the token', async () => {
    simulator.faults('stripe', { fault: 'decline', code: 'do_not_honor', next: 1 });
    simulator.faults('adyen', { fault: 'decline', code: '9', next: 1 });
    expect((await stripe.charge()).body.error.decline_code).toBe('do_not_honor');
    expect((await adyen.pay()).body.refusalReason).toBe('Issuer Unavailable');
    expect(effects(simulator, 'stripe')).toEqual([]);
  });

  it('late_effect: nothing is found, and then it is there', async () => {
    simulator.faults('stripe', { fault: 'late_effect', next: 1, delay_ms: 5_000 });
    expect(await failure(stripe.charge({ key: 'k1' }))).not.toBe('answered');
    expect((await stripe.search('payment-1-charge')).body.data).toEqual([]);
    expect(effects(simulator, 'stripe')).toEqual([]);
    simulator.advance(5_000, 'stripe');
    expect((await stripe.search('payment-1-charge')).body.data).toHaveLength(1);
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('late_effect: a retry with the same key is safe, with another key it charges twice', async () => {
    simulator.faults('stripe', { fault: 'late_effect', next: 2, delay_ms: 5_000 });
    await failure(stripe.charge({ key: 'k1' }));
    await failure(stripe.charge({ key: 'k2', entityKey: 'payment-2-charge' }));
    await stripe.charge({ key: 'k1' });
    await stripe.charge({ key: 'k3', entityKey: 'payment-2-charge' });
    simulator.advance(5_000, 'stripe');
    expect(effects(simulator, 'stripe').toSorted()).toEqual([
      'charge payment-1-charge 1000 EUR',
      'charge payment-2-charge 1000 EUR',
      'charge payment-2-charge 1000 EUR',
    ]);
  });

  it('late_effect: arrives when it is due, however far the clock is moved past that', async () => {
    simulator.faults('stripe', { fault: 'late_effect', next: 1, delay_ms: 5_000 });
    await failure(stripe.charge({ key: 'k1' }));
    await stripe.charge({ key: 'k1' });
    simulator.advance(25 * 3_600_000, 'stripe');
    // The key is forgotten after 24 hours, and what was on its way came long before.
    expect(effects(simulator, 'stripe')).toEqual(CHARGED);
  });

  it('refuse: the port is closed until the fault is cleared', async () => {
    const before = simulator.calls('stripe').length;
    const fault = { method: 'POST', body: JSON.stringify({ fault: 'refuse' }) };
    expect((await fetch(`${simulator.urls.control}/stripe/_faults`, fault)).status).toBe(201);
    expect(await failure(stripe.charge())).toBe('ECONNREFUSED');
    expect((await adyen.pay()).status).toBe(200);
    expect(simulator.calls('stripe')).toHaveLength(before);
    await fetch(`${simulator.urls.control}/stripe/_faults`, { method: 'DELETE' });
    expect((await stripe.charge()).status).toBe(200);
  });

  it('refuse: for a while, asked for on the port itself', async () => {
    const fault = { method: 'POST', body: JSON.stringify({ fault: 'refuse', for_ms: 200 }) };
    expect((await fetch(`${simulator.urls.stripe}/_faults`, fault)).status).toBe(201);
    expect(await failure(stripe.charge())).toBe('ECONNREFUSED');
    const deadline = Date.now() + 5_000;
    while ((await failure(stripe.charge())) !== 'answered') expect(Date.now()).toBeLessThan(deadline);
  });

  it('kill: the process is gone on arrival or right after the effect, and the effect stays', async () => {
    for (const when of ['arrival', 'after_effect'] as const) {
      const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      const gone = once(victim, 'exit');
      simulator.faults('stripe', { fault: 'kill', pid: victim.pid, when, next: 1 });
      await stripe.charge({ entityKey: `payment-${when}-charge` });
      expect((await gone)[1]).toBe('SIGKILL');
    }
    expect(simulator.ledger('stripe').effects).toHaveLength(2);
  });

  it('kill takes no pid but that of another process', () => {
    for (const pid of [undefined, 0, 1, -1, process.pid]) {
      expect(() => simulator.faults('stripe', { fault: 'kill', next: 1, pid })).toThrow(/pid/);
    }
  });

  it('aims at an entity key, at lookups, at cancels, so and so often', async () => {
    simulator.faults('stripe', { fault: 'throttle', reference: 'payment-7-', times: 1 });
    simulator.faults('stripe', { fault: 'throttle', on: 'lookup', next: 1 });
    simulator.faults('stripe', { fault: 'throttle', on: 'cancel', next: 1 });
    const { status, body } = await stripe.charge({ manual: true });
    expect(status).toBe(200);
    expect((await stripe.charge({ entityKey: 'payment-7-charge' })).status).toBe(429);
    expect((await stripe.charge({ entityKey: 'payment-7-charge' })).status).toBe(200);
    expect((await stripe.get(`/v1/payment_intents/${body.id}`)).status).toBe(429);
    expect((await stripe.get(`/v1/payment_intents/${body.id}`)).status).toBe(200);
    expect((await stripe.post(`/v1/payment_intents/${body.id}/cancel`)).status).toBe(429);
    expect((await stripe.post(`/v1/payment_intents/${body.id}/cancel`)).status).toBe(200);
  });

  it('aims at a capture by its idempotency key: the payment keeps the name of its authorization', async () => {
    const { body } = await stripe.charge({ manual: true, entityKey: 'payment-1-authorize' });
    simulator.faults('stripe', { fault: 'throttle', reference: 'capture-key', times: 1 });
    expect((await stripe.post(`/v1/payment_intents/${body.id}/capture`, {}, 'capture-key-1')).status).toBe(
      429,
    );
  });

  it('draws the same calls from the same seed', async () => {
    const draw = async (seed: number): Promise<number[]> => {
      await simulator.reset();
      simulator.faults('stripe', { fault: 'throttle', rate: 0.5, seed });
      const drawn: number[] = [];
      for (let n = 0; n < 20; n += 1) drawn.push((await stripe.charge()).status);
      return drawn;
    };
    const first = await draw(7);
    expect(new Set(first)).toEqual(new Set([200, 429]));
    expect(await draw(7)).toEqual(first);
    expect(await draw(8)).not.toEqual(first);
  });

  it('wastes none on a request that is refused anyway', async () => {
    simulator.faults('stripe', { fault: 'reset_after', next: 1 });
    expect((await stripe.charge({ amount: 1 })).status).toBe(400);
    expect(await failure(stripe.charge())).not.toBe('answered');
  });
});
