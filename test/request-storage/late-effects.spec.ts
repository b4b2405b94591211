import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { OrphanEffects } from '../../src/request-storage/orphan-effects.js';
import { OrphanEffect } from '../../src/request-storage/route.entity.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('an effect after the proof that there is none', () => {
  /**
   * A PSP without keys says that it knows nothing of a charge, when that is final by its own promise, so
   * another PSP makes it. Then the first one does it after all. The ledgers judge.
   */
  const FIRST: PspName = 'keyless';
  const AMOUNT = 1_999;
  /** When "not found" is final there, and a margin. */
  const PROOF_MS = 100_000;
  /** Later than that: a promise that is broken. */
  const LATE_MS = 200_000;
  /** A route that was ruled out by a lookup is looked at again after 5 minutes. */
  const LOOK_MS = 6 * 60_000;

  let environment: TestEnvironment;
  let apiKey: string;
  let service: Service;
  let client: ApiClient;

  beforeEach(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    apiKey = await environment.merchant();
    client = new ApiClient(() => service.url, apiKey);
  });
  afterEach(() => environment.close());

  /** Another process, so much later. */
  async function later(ms: number, env: Readonly<Record<string, string>> = {}): Promise<void> {
    await service?.stop();
    await environment.travel(ms);
    service = await environment.start({ role: 'all', env });
  }

  /** The payment as it was answered: made by another PSP, and the first one has made it as well. */
  async function doneTwice(capture: 'automatic' | 'manual'): Promise<{ reply: Reply; id: string }> {
    // Nobody works by itself here: it is the client's own request that goes elsewhere.
    const alone = { PAYONCE_ROLE: 'api' };
    await later(0, alone);
    environment.simulator.faults(FIRST, { fault: 'late_effect', delay_ms: LATE_MS, next: 1 });
    const asked = { ...orderOf({ first: FIRST, capture, amount: AMOUNT }), order: { reference: 'order-77' } };
    const ask = () => client.post('/v1/payments', asked, 'key');
    await client.until(ask, ({ status }) => status === 202);
    await later(PROOF_MS, alone);
    const reply = await client.until(ask, atRest);
    const payment = paymentOf(reply);
    expect(payment).toMatchObject({
      psp: 'stripe',
      routes: [
        { psp: FIRST, verdict: 'ruled_out', outcome: 'not_found' },
        { psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
      ],
    });
    expect(environment.simulator.ledger(FIRST).effects).toEqual([]);
    environment.simulator.advance(LATE_MS);
    return { reply, id: payment.id };
  }

  const ledger = (psp: PspName) =>
    environment.simulator.ledger(psp).effects.map(({ operation, amount }) => `${operation} ${amount}`);

  const orphans = () =>
    environment.sql<OrphanEffect>(
      `SELECT merchant_id AS "merchantId", entity_key AS "entityKey", route, psp, operation, amount::int, status
       FROM orphan_effects`,
    );

  const hasStatus = (status: string) =>
    eventually(async () => (await orphans()).find((orphan) => orphan.status === status), `it is ${status}`);

  /** What is alerted on, which may be shown as it was 3 s ago. */
  async function figureIs(count: number): Promise<void> {
    await eventually(async () => {
      const { text } = await client.get('/metrics');
      return Number(/^payonce_orphan_effects (\d+)$/m.exec(text)?.[1]) === count;
    }, `the figure ${count}`);
  }

  /** Nothing but what is known of the first route has changed, and the key is answered as before. */
  async function expectUntouched({ reply, id }: { reply: Reply; id: string }): Promise<void> {
    const before = paymentOf(reply);
    const after = await client.payment(id);
    const known = before.routes.map((one) => (one.psp === FIRST ? { ...one, outcome: 'succeeded' } : one));
    expect(after).toEqual({ ...before, routes: known });
  }

  const ofMerchants = (policy: string | null) =>
    environment.sql('UPDATE merchants SET orphans = $1', [policy]);

  async function approve({ merchantId, entityKey, route }: OrphanEffect): Promise<OrphanEffect> {
    const clock = new SystemClock();
    const { url } = environment.database;
    const tables = { entities, migrations: [] };
    const database = await openDatabase({ url, ...tables, poolSize: 1, applicationName: 'orphan-spec' });
    try {
      const by = { actor: 'operator:ada', auditId: new SystemIds(clock).uuid(), at: clock.now() };
      return await new OrphanEffects(database.dataSource.getRepository(OrphanEffect)).approve(
        { merchantId, entityKey, route, pspReference: null },
        by,
      );
    } finally {
      await database.close();
    }
  }

  it('is no capture that a later route made at the same PSP', async () => {
    const alone = { PAYONCE_ROLE: 'api' };
    await later(0, alone);
    const order = orderOf({ first: FIRST, capture: 'manual', amount: AMOUNT });
    const { id } = paymentOf(await client.post('/v1/payments', order, 'key'));
    environment.simulator.faults(FIRST, { fault: 'close_before', next: 1 });
    const capture = () => client.post(`/v1/payments/${id}/capture`, {}, 'capture');
    await client.until(capture, ({ status }) => status === 202);
    await later(PROOF_MS, alone);
    expect(paymentOf(await client.until(capture, atRest))).toMatchObject({ status: 'captured' });
    const routes = () =>
      environment.sql('SELECT route, psp, verdict FROM psp_requests WHERE entity_key = $1 ORDER BY route', [
        `payment-${id}-capture`,
      ]);
    expect(await routes()).toEqual([
      { route: 1, psp: FIRST, verdict: 'ruled_out' },
      { route: 2, psp: FIRST, verdict: 'effective' },
    ]);
    await later(LOOK_MS);
    await eventually(async () => {
      const waiting = await environment.sql(
        'SELECT FROM psp_requests WHERE look_again_at IS NOT NULL AND entity_key = $1',
        [`payment-${id}-capture`],
      );
      return waiting.length === 0;
    }, 'the first route is not looked at any more');
    expect(await orphans()).toEqual([]);
    expect(ledger(FIRST)).toEqual([`authorize ${AMOUNT}`, `capture ${AMOUNT}`]);
  });

  describe('what a PSP did after it was ruled out', () => {
    it.each([
      ['automatic', 'charge', 'refund', 'as configured', null],
      ['manual', 'authorize', 'void', "by the merchant's own policy", 'automatic'],
    ] as const)(
      'is given back by itself, once (capture %s, a %s, a %s: %s)',
      async (capture, done, undone, _, own) => {
        const made = await doneTwice(capture);
        expect(ledger(FIRST)).toEqual([`${done} ${AMOUNT}`]);
        await ofMerchants(own);
        await later(LOOK_MS, own === null ? {} : { PAYONCE_ORPHANS: 'approve' });
        const orphan = await hasStatus('compensated');
        expect(await orphans()).toEqual([orphan]);
        expect(orphan).toMatchObject({ route: 1, psp: FIRST, operation: done, amount: AMOUNT });
        expect(await environment.told('order:order-77')).toEqual([
          ...(capture === 'automatic' ? ['order.paid'] : []),
          'order.overpaid',
        ]);
        const order = await client.get('/v1/orders/order-77');
        expect(JSON.parse(order.text)).toMatchObject({
          amount_live: AMOUNT,
          orphans: [{ payment_id: made.id, psp: FIRST, amount: AMOUNT, status: 'compensated' }],
        });

        expect(ledger(FIRST)).toEqual([`${done} ${AMOUNT}`, `${undone} ${AMOUNT}`]);
        expect(ledger('stripe')).toEqual([`${done} ${AMOUNT}`]);
        const [late, back] = environment.simulator.ledger(FIRST).effects;
        expect(back!.parent_reference).toBe(late!.psp_reference);
        const routes = await environment.sql(
          "SELECT entity_key, psp, operation, verdict FROM psp_requests WHERE entity_key LIKE '%-orphan-%'",
        );
        const entityKey = `payment-${made.id}-orphan-1`;
        expect(routes).toEqual([
          { entity_key: entityKey, psp: FIRST, operation: undone, verdict: 'effective' },
        ]);
        await figureIs(0);
        await expectUntouched(made);

        // Another process, a day later, finds nothing more to do.
        await later(24 * 3_600_000);
        const looks = await environment.sql('SELECT 1 FROM psp_requests WHERE look_again_at IS NOT NULL');
        expect(looks).toEqual([]);
        expect(ledger(FIRST)).toHaveLength(2);
      },
    );

    it.each([
      ['as configured', null, { PAYONCE_ORPHANS: 'approve' }],
      ["by the merchant's own policy", 'approve', {}],
    ])('waits for a person, and shows (%s)', async (_, own, env) => {
      const made = await doneTwice('automatic');
      await ofMerchants(own);
      await later(LOOK_MS, env);
      const open = await hasStatus('open');
      await figureIs(1);
      // Said at the end of a pass, in which what was found is given back where that is automatic.
      const pass = /"task":"orphans-\w+","looked":1,"compensated":(\d)/;
      const [, compensated] = await eventually(() => pass.exec(service.output()), 'the pass that found it');
      expect(compensated).toBe('0');
      expect(ledger(FIRST)).toEqual([`charge ${AMOUNT}`]);
      expect((await orphans())[0]!.status).toBe('open');

      expect((await approve(open)).status).toBe('approved');
      await hasStatus('compensated');
      expect(ledger(FIRST)).toEqual([`charge ${AMOUNT}`, `refund ${AMOUNT}`]);
      expect(ledger('stripe')).toEqual([`charge ${AMOUNT}`]);
      await figureIs(0);
      await expect(approve(open)).rejects.toMatchObject({ code: 'not_found' });
      expect(await environment.acts({ action: 'orphan.approved' })).toMatchObject([
        { actor: 'operator:ada', subject: `payment-${made.id}-charge` },
      ]);
      await expectUntouched(made);
    });
  });
});

describe('an effect after a lookup', () => {
  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    const apiKey = await environment.merchant();
    const service = await environment.start();
    client = new ApiClient(() => service.url, apiKey);
  });

  afterAll(() => environment.close());

  beforeEach(() => environment.simulator.reset());

  const LATE_MS = 1_500;
  const body = orderOf({ first: 'stripe' });

  async function expectOneRoute(paymentId: string): Promise<void> {
    const routes = await environment.sql<{ route: number; psp: string; verdict: string }>(
      'SELECT route, psp, verdict FROM psp_requests WHERE payment_id = $1',
      [paymentId],
    );
    expect(routes).toEqual([{ route: 1, psp: 'stripe', verdict: 'effective' }]);
    expect(environment.simulator.ledger('adyen').effects).toEqual([]);
    expect(environment.simulator.calls('adyen')).toEqual([]);
    expect(environment.simulator.calls('keyless')).toEqual([]);
  }

  /** When lookups said "not found", as the service wrote it down. */
  async function misses(): Promise<Date[]> {
    const rows = await environment.sql<{ ended_at: Date }>(
      "SELECT ended_at FROM psp_attempts WHERE kind = 'lookup' AND outcome = 'not_found' ORDER BY ended_at",
    );
    return rows.map((row) => row.ended_at);
  }

  describe('a charge that lands after a lookup said that it is not there', () => {
    it('is not failed over, and is found once it lands', async () => {
      // Every charge is late, so what the ledger shows first is the late effect and no retry.
      environment.simulator.faults('stripe', { fault: 'late_effect', delay_ms: LATE_MS, times: 100 });
      const before = (await misses()).length;
      const settled = client.until(() => client.post('/v1/payments', body, 'late-effect'), atRest);

      const miss = await eventually(async () => (await misses())[before], 'a lookup that finds nothing');
      const effect = await eventually(() => environment.effects()[0], 'the late effect');
      await environment.simulator.clearFaults('stripe');

      expect(new Date(effect.at).getTime()).toBeGreaterThan(miss.getTime());
      const payment = paymentOf(await settled);
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
      await expectOneRoute(payment.id);
      expect(environment.effects()).toEqual([effect]);
    });

    it('is one charge with the retry that overtook it', async () => {
      environment.simulator.faults('stripe', { fault: 'late_effect', delay_ms: LATE_MS, next: 1 });
      const before = (await misses()).length;

      const reply = await client.until(() => client.post('/v1/payments', body, 'overtaken'), atRest);

      const payment = paymentOf(reply);
      expect(payment).toMatchObject({ status: 'captured', psp: 'stripe' });
      expect((await misses()).length).toBeGreaterThan(before);
      const sent = environment.orders('stripe').map((call) => call.idempotency_key);
      expect(sent).toEqual([sent[0], sent[0]]);
      // Now the late one lands, and is the same charge by its key.
      environment.simulator.advance(LATE_MS, 'stripe');
      await expectOneRoute(payment.id);
      expect(environment.effects(payment.id)).toHaveLength(1);
      expect(environment.effects()).toHaveLength(1);
    });
  });
});

describe('an effect that a notification tells of', () => {
  /** What PSPs tell of their own accord, over the real service, queue and wire formats. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({ hangs: true }, { role: 'all' }));
  });
  afterAll(() => environment.close());
  afterEach(() => environment.simulator.reset());

  const quiet = () => eventually(() => environment.notifications().waiting === 0, 'everything is told');
  const noticesOf = async (id: string) => (await client.attempts(id)).filter(({ kind }) => kind === 'notice');
  const inbox = (state: string) =>
    eventually(
      async () =>
        (await environment.sql('SELECT 1 FROM webhook_inbox WHERE state <> $1', [state])).length === 0,
      `all that was told is ${state}`,
    );

  it('settles a payment whose answer was lost at a PSP that cannot be asked', async () => {
    environment.notify(service.url);
    // Charged, and not a word of it; from then on Adyen answers nothing, but its notifications go out.
    environment.simulator.faults('adyen', { fault: 'close_after', next: 1 });
    environment.simulator.faults('adyen', { fault: 'hang_before', rate: 1 });
    const reply = await client.post('/v1/payments', orderOf({ first: 'adyen' }), 'lost');
    const { id } = paymentOf(reply);
    await eventually(
      async () => (await client.payment(id)).status === 'captured',
      'the notification is believed',
    );
    expect(await noticesOf(id)).toMatchObject([{ psp: 'adyen', outcome: 'succeeded' }]);
    expect(environment.effects(id)).toMatchObject([{ psp: 'adyen', operation: 'charge' }]);
  });

  it('comes before the answer of the call that it is about, and is decided with once', async () => {
    environment.notify(service.url, { mode: 'early' });
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 400, next: 1 });
    const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), 'early');
    const payment = paymentOf(reply);
    expect([reply.status, payment.status]).toEqual([201, 'captured']);
    await quiet();
    await inbox('applied');
    expect(await environment.history(payment.id)).toEqual(['opened: processing', 'charged: captured']);
    expect(environment.effects(payment.id)).toHaveLength(1);
  });

  it('says nothing new of what was answered as it should, and leaves no trace on the payment', async () => {
    environment.notify(service.url);
    const { id } = paymentOf(await client.post('/v1/payments', orderOf({ first: 'stripe' }), 'plain'));
    await quiet();
    await inbox('applied');
    expect(await noticesOf(id)).toEqual([]);
  });

  async function capturedThenFailed(key: string, between: (id: string) => Promise<unknown> = async () => {}) {
    environment.notify(service.url);
    const order = orderOf({ first: 'adyen', capture: 'manual', amount: 1_000 });
    const { id } = paymentOf(await client.post('/v1/payments', order, key));
    await client.post(`/v1/payments/${id}/capture`, {}, `${key}-capture`);
    await between(id);
    await quiet();
    const capture = environment.effects(id).find(({ operation }) => operation === 'capture')!;
    expect(environment.simulator.fail('adyen', capture.psp_reference)).toBe(true);
    return id;
  }

  it('takes back a capture that came to nothing after the PSP had said yes, and it can be captured again', async () => {
    const id = await capturedThenFailed('failed-later');
    const payment = await eventually(async () => {
      const now = await client.payment(id);
      return now.status === 'authorized' && now;
    }, 'it is authorized again');
    expect(payment).toMatchObject({ amount_captured: 0, failure: { psp_code: 'CAPTURE_FAILED' } });
    expect(await noticesOf(id)).toMatchObject([{ outcome: 'declined' }]);
    expect(await environment.told(`payment:${id}`)).toEqual([
      'payment.authorized',
      'payment.captured',
      'payment.capture_failed',
    ]);
    const kinds = `SELECT kind FROM ledger_transactions WHERE payment_id = $1 ORDER BY kind`;
    await eventually(
      async () =>
        (await environment.sql<{ kind: string }>(kinds, [id])).map(({ kind }) => kind).join() ===
        'capture,capture_reversed',
      'the ledger has it taken back',
    );
    const owed = await environment.sql<{ sum: string }>(
      'SELECT coalesce(sum(amount), 0) AS sum FROM ledger_lines WHERE payment_id = $1 AND account = $2',
      [id, 'merchant_payable'],
    );
    expect(Number(owed[0]!.sum)).toBe(0);
    // Under the same name nothing is sent again; under another one it is.
    const again = await client.post(`/v1/payments/${id}/capture`, {}, 'capture-again');
    expect([again.status, codeOf(again)]).toEqual([409, 'invalid_state']);
    const second = await client.post(`/v1/payments/${id}/capture`, { reference: 'second' }, 'capture-second');
    expect(paymentOf(second)).toMatchObject({ status: 'captured', amount_captured: 1_000, failure: null });
  });

  it('shows a person a capture that failed after something of it was given back', async () => {
    const id = await capturedThenFailed('failed-after-refund', (payment) =>
      client.post(`/v1/payments/${payment}/refunds`, { amount: 100 }, 'refund-of-it'),
    );
    await eventually(
      async () => (await environment.sql("SELECT 1 FROM webhook_inbox WHERE state = 'break'")).length === 1,
      'it is a break',
    );
    expect((await client.payment(id)).status).toBe('partially_refunded');
  });
});
