import { request } from 'node:http';
import { startSimulator, type Simulator } from '@payonce/simulator';
import { Ledger } from '../../packages/simulator/src/ledger.js';
import { Clock } from '../../packages/simulator/src/clock.js';
import { Full } from '../../packages/simulator/src/wire.js';
import { StripeClient } from './support.js';

describe('control of the simulator', () => {
  let simulator: Simulator;
  let stripe: StripeClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  const send = async (
    url: string,
    method = 'GET',
    body?: unknown,
  ): Promise<{ status: number; body: unknown }> => {
    const init = method === 'POST' ? { method, body: JSON.stringify(body ?? {}) } : { method };
    const response = await fetch(url, init);
    return { status: response.status, body: await response.json() };
  };

  it('shows ledgers and calls on the port of each PSP and on the common one', async () => {
    await stripe.charge({ key: 'k1' });
    const ledger = await send(`${simulator.urls.stripe}/_ledger`);
    expect(ledger.body).toEqual(simulator.ledger('stripe'));
    expect((await send(`${simulator.urls.control}/stripe/_ledger`)).body).toEqual(ledger.body);
    expect((await send(`${simulator.urls.stripe}/_ledger?reference=other`)).body).toMatchObject({
      effects: [],
    });
    expect((await send(`${simulator.urls.stripe}/_calls`)).body).toMatchObject({
      total: 1,
      calls: [
        { method: 'POST', path: '/v1/payment_intents', idempotency_key: 'k1', kind: 'execute', status: 200 },
      ],
    });
  });

  it('sets, lists and clears faults', async () => {
    const url = `${simulator.urls.stripe}/_faults`;
    expect((await send(url, 'POST', { fault: 'throttle', next: 2 })).status).toBe(201);
    await stripe.charge();
    expect((await send(url)).body).toMatchObject({
      faults: [{ id: 1, fault: 'throttle', next: 2, hits: 1 }],
    });
    expect((await send(url, 'DELETE')).body).toEqual({ faults: [] });
    expect((await stripe.charge()).status).toBe(200);
  });

  it.each([
    [{}, /fault: one of/],
    [{ fault: 'explode', next: 1 }, /fault: one of/],
    [{ fault: 'throttle' }, /next, rate, reference/],
    [{ fault: 'throttle', next: 0 }, /next/],
    [{ fault: 'throttle', rate: 2 }, /rate/],
    [{ fault: 'delay_before', next: 1, delay_ms: 1e9 }, /delay_ms/],
    [{ fault: 'kill', next: 1, pid: 1 }, /pid/],
  ])('refuses %j', async (fault, message) => {
    const refused = await send(`${simulator.urls.stripe}/_faults`, 'POST', fault);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toMatch(message);
  });

  it('forgets everything on reset', async () => {
    await stripe.charge({ key: 'k1' });
    simulator.faults('stripe', { fault: 'late_effect', next: 1, delay_ms: 1_000 });
    await expect(stripe.charge({ key: 'k2' })).rejects.toThrow();
    expect((await send(`${simulator.urls.control}/_reset`, 'POST')).status).toBe(200);
    simulator.advance(10_000);
    expect(simulator.ledger('stripe')).toEqual({ psp: 'stripe', effects: [], disputes: [], calls: 0 });
    expect((await stripe.charge({ key: 'k1' })).headers.get('idempotent-replayed')).toBeNull();
  });

  it('moves clocks over HTTP', async () => {
    await stripe.charge({ key: 'k1' });
    const moved = await send(`${simulator.urls.stripe}/_clock`, 'POST', { advance_ms: 25 * 3_600_000 });
    expect(moved.status).toBe(200);
    expect((await stripe.charge({ key: 'k1' })).headers.get('idempotent-replayed')).toBeNull();
    expect((await send(`${simulator.urls.stripe}/_clock`, 'POST', { advance_ms: -1 })).status).toBe(400);
  });

  describe('from a page in a browser', () => {
    /** What fetch would not send: the Host and Origin that a browser sends. */
    const ask = (url: string, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify({ fault: 'throttle', next: 1 });
        const asking = request(url, { method: 'POST', headers }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode!));
        });
        asking.once('error', reject).end(body);
      });
    const places = () => [`${simulator.urls.stripe}/_faults`, `${simulator.urls.control}/stripe/_faults`];

    it.each([
      [{ origin: 'https://evil.example' }],
      [{ origin: 'null' }],
      [{ origin: 'http://localhost.evil.example' }],
      [{ origin: 'http://127.0.0.1.evil.example' }],
      [{ host: 'rebound.evil.example' }],
      [{ host: '127.evil.example:8450' }],
    ])('refuses %j, and does nothing', async (headers) => {
      for (const place of places()) expect(await ask(place, headers)).toBe(403);
      expect((await send(places()[0]!)).body).toEqual({ faults: [] });
    });

    it.each([
      [{}],
      [{ origin: 'http://localhost:3000' }],
      [{ origin: 'http://127.0.0.1:3000', host: 'localhost:8450' }],
      [{ host: '[::1]:8450' }],
    ])('takes %j', async (headers) => {
      for (const place of places()) expect(await ask(place, headers)).toBe(201);
    });

    it('takes the name that it listens on', async () => {
      const named = await startSimulator({ host: 'localhost' });
      const { port } = new URL(named.urls.control);
      expect(await ask(`${named.urls.control}/stripe/_faults`, { host: `localhost:${port}` })).toBe(201);
      await named.close();
    });
  });

  it('takes bodies of 256 kB and no more', async () => {
    const big = await stripe.charge({ extra: { description: 'x'.repeat(262_144) } });
    expect(big.status).toBe(413);
  });

  it('says so when it is full, and forgets nothing', () => {
    const ledger = new Ledger('stripe', new Clock(), 1);
    const effect = {
      operation: 'charge',
      psp_reference: 'pi_1',
      parent_reference: null,
      reference: 'r',
      route: null,
      amount: 1,
      currency: 'EUR',
      idempotency_key: null,
    } as const;
    ledger.add(effect);
    expect(() => ledger.add(effect)).toThrow(Full);
    expect(ledger.length).toBe(1);
  });
});
