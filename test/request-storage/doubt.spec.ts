import { setTimeout as sleep } from 'node:timers/promises';
import { type RefundView } from '../../src/refunds/refund.view.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  openWithService,
  type Order,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe('doubt', () => {
  /**
   * A call of which nobody knows what became of it binds the payment to its PSP: refusals that come
   * later, and restarts, change nothing about that. A lookup may, once it is final.
   */

  /** By now nothing that was sent to a Stripe-like PSP can still arrive (`settlesAfterMs`, and a margin). */
  const ARRIVED_MS = 120_000;
  /** By now it has put right what it answered with an error (`settlesAfterServerErrorMs`, and a margin). */
  const RECONCILED_MS = 25 * 3_600_000;

  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeEach(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    const apiKey = await environment.merchant();
    client = new ApiClient(() => service.url, apiKey);
  });
  afterEach(() => environment.close());

  const ask = (order: Order) => () => client.post('/v1/payments', orderOf(order), 'the-key');

  /** An answer about the payment, once nobody else holds its key. */
  function answerTo(order: Order): Promise<Reply> {
    const isAbout = (reply: Reply) => reply.status < 300 || codeOf(reply) !== 'request_in_progress';
    return client.until(ask(order), isAbout);
  }

  /** The answer of the first call is lost, and the process dies before it can write that down. */
  async function fallIntoDoubt(order: Order, fault: 'reset_after' | 'reset_before'): Promise<void> {
    const dying = await environment.startProcess({
      at: { place: 'commit:before:accepted' },
      env: { PAYONCE_ROLE: 'api' },
    });
    service = dying;
    environment.simulator.faults(order.first!, { fault, next: 1 });
    await expect(ask(order)()).rejects.toThrow();
    expect((await dying.exit).signal).toBe('SIGKILL');
  }

  const attemptsOf = async (id: string) =>
    (await client.attempts(id)).map(({ kind, outcome }) => `${kind} ${outcome}`);

  describe('doubt first, refusal second', () => {
    it.each([
      ['stripe', 'reset_before', 'execute succeeded'],
      ['adyen', 'reset_before', 'execute succeeded'],
      ['keyless', 'reset_after', 'lookup succeeded'],
    ] as const)('stays at %s (%s), until it is known there', async (first, fault, last) => {
      const others = (['stripe', 'adyen', 'keyless'] as PspName[]).filter((psp) => psp !== first);
      await fallIntoDoubt({ first }, fault);

      // It comes back to a PSP that refuses connections: for this call a proof, for the lost one none.
      environment.simulator.faults(first, { fault: 'refuse' });
      service = await environment.start();
      for (let tries = 0; tries < 3; tries++) {
        const reply = await answerTo({ first });
        expect(reply.status).toBe(202);
        const payment = paymentOf(reply);
        expect(payment).toMatchObject({ status: 'processing', psp: null, failure: null });
        expect(payment.routes).toMatchObject([{ route: 1, psp: first, verdict: 'open' }]);
        await sleep(1_100); // a PSP is not asked more than once a second
      }
      const { id } = paymentOf(await answerTo({ first }));
      const meanwhile = (await attemptsOf(id)).slice(1);
      expect(meanwhile.length).toBeGreaterThanOrEqual(2);
      expect(meanwhile.every((told) => /^(lookup|execute) (unknown|not_sent)$/.test(told))).toBe(true);
      for (const other of others) expect(environment.simulator.calls(other)).toEqual([]);
      const proofs = await environment.sql('SELECT 1 FROM non_execution_proofs');
      expect(proofs).toEqual([]);

      await environment.simulator.clearFaults();
      const settled = paymentOf(await client.until(ask({ first }), atRest));
      expect(settled).toMatchObject({ id, status: 'captured', psp: first });
      expect((await attemptsOf(id)).at(-1)).toBe(last);
      expect(environment.effects().map(({ psp, operation }) => [psp, operation])).toEqual([
        [first, 'charge'],
      ]);
      for (const other of others) expect(environment.simulator.calls(other)).toEqual([]);
    });
  });

  describe('an error that Stripe keeps for the key', () => {
    it('is no proof while Stripe may still put it right; only then another PSP is asked', async () => {
      service = await environment.start();
      environment.simulator.faults('stripe', { fault: 'error_500_before', next: 1 });
      const reply = await answerTo({ first: 'stripe' });
      expect(reply.status).toBe(202);
      const { id } = paymentOf(reply);
      // Sent again under its key, Stripe says the same again; "not found" may only be early. A pause that
      // its draw made short is slept through, and then there is another round before the answer.
      const rounds = await attemptsOf(id);
      expect(rounds.slice(0, 3)).toEqual(['execute unknown', 'lookup not_found', 'execute unknown']);
      expect(new Set(rounds)).toEqual(new Set(['execute unknown', 'lookup not_found']));
      const [first, ...again] = environment
        .orders('stripe')
        .map(({ replayed, status }) => [replayed, status]);
      expect(first).toEqual([false, 500]);
      expect(again.length).toBeGreaterThanOrEqual(1);
      expect(again.every(([replayed, status]) => replayed && status === 500)).toBe(true);
      await sleep(1_100);
      expect((await answerTo({ first: 'stripe' })).status).toBe(202);
      expect(environment.simulator.calls('adyen')).toEqual([]);

      const restartAfter = async (ms: number) => {
        await service.stop();
        environment.simulator.advance(ms);
        await environment.travel(ms);
        service = await environment.start();
      };
      // Time enough for a request that was lost on its way. This one arrived.
      await restartAfter(ARRIVED_MS);
      expect((await answerTo({ first: 'stripe' })).status).toBe(202);
      expect((await attemptsOf(id)).at(-1)).toMatch(/lookup not_found|execute unknown/);
      expect(environment.simulator.calls('adyen')).toEqual([]);

      await restartAfter(RECONCILED_MS);
      const settled = paymentOf(await client.until(ask({ first: 'stripe' }), atRest));
      expect(settled).toMatchObject({ id, status: 'captured', psp: 'adyen' });
      expect(settled.routes).toEqual([
        { route: 1, psp: 'stripe', verdict: 'ruled_out', outcome: 'not_found' },
        { route: 2, psp: 'adyen', verdict: 'effective', outcome: 'succeeded' },
      ]);
      const proofs = await environment.sql('SELECT route, kind FROM non_execution_proofs');
      expect(proofs).toEqual([{ route: 1, kind: 'lookup_final' }]);
      expect(environment.effects().map(({ psp }) => psp)).toEqual(['adyen']);
    });
  });
});

describe('the time for which a PSP knows a key', () => {
  /** Stripe forgets a key after 24 h: what was safe to send again until then would charge once more. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    environment = await TestEnvironment.open({
      hangs: true,
      env: { PAYONCE_DEADLINE_MS: '2000' },
    });
    client = new ApiClient(() => service.url, await environment.merchant());
  });
  afterAll(() => environment.close());

  /** By then the schedule of a route is over as well, however long its pauses were drawn. */
  const LATER_MS = 47 * 3_600_000;

  interface RouteRow {
    readonly route: number;
    readonly verdict: string;
    readonly stuck: boolean;
    readonly looks: number;
  }

  /** The one route there is. */
  async function routeOf(paymentId: string): Promise<RouteRow> {
    const routes = await environment.sql<RouteRow>(
      `SELECT r.route, r.verdict, r.stuck_at IS NOT NULL AS stuck,
            (SELECT count(*)::int FROM psp_attempts a WHERE a.merchant_id = r.merchant_id
                AND a.entity_key = r.entity_key AND a.kind = 'lookup' AND a.outcome IS NOT NULL) AS looks
       FROM psp_requests r WHERE r.payment_id = $1`,
      [paymentId],
    );
    expect(routes).toHaveLength(1);
    return routes[0]!;
  }

  it('is only asked about, never sent again, once the PSP may have forgotten its key', async () => {
    service = await environment.start({ role: 'all' });
    environment.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
    environment.simulator.faults('stripe', { fault: 'reset_before', rate: 1 });
    environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });
    const ask = () => client.post('/v1/payments', orderOf(), 'window');
    const unsettled = await client.until(ask, ({ status }) => status === 202);
    const { id } = paymentOf(unsettled);
    expect(environment.effects(id)).toHaveLength(1);
    // Inside the window it is sent again, under the same key: by a worker, where the client's deadline was too near.
    await eventually(() => environment.orders('stripe').length >= 2, 'the same to be sent again');
    const sent = environment.orders('stripe');
    expect(new Set(sent.map((call) => call.idempotency_key)).size).toBe(1);

    // From now on whatever is sent would be executed; only lookups go on failing.
    await service.stop();
    const posts = environment.orders('stripe').length;
    await environment.simulator.clearFaults('stripe');
    environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });

    const { looks } = await routeOf(id);
    environment.simulator.advance(LATER_MS);
    await environment.travel(LATER_MS);
    service = await environment.start({ role: 'all' });
    // The worker, of its own accord, asks the PSP and sends nothing.
    await eventually(async () => (await routeOf(id)).looks > looks, 'a look at the route');
    expect(environment.orders('stripe')).toHaveLength(posts);

    // A client that asks for it does not make it be sent either, however often.
    await eventually(async () => {
      const reply = await ask();
      expect([202, 409]).toContain(reply.status);
      if (reply.status === 202) {
        expect(paymentOf(reply)).toMatchObject({ id, status: 'processing', failure: null });
      }
      expect(environment.orders('stripe')).toHaveLength(posts);
      return (await routeOf(id)).stuck;
    }, 'a person to be called');

    expect(await routeOf(id)).toMatchObject({ route: 1, verdict: 'open', stuck: true });
    const payment = await client.payment(id);
    expect(payment).toMatchObject({ status: 'processing', failure: null });
    expect(payment.routes).toMatchObject([{ route: 1, psp: 'stripe', verdict: 'open' }]);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^payonce_routes_stuck 1$/m);
    expect(environment.simulator.calls('adyen')).toEqual([]);
    expect(environment.simulator.calls('keyless')).toEqual([]);
    expect(environment.effects(id)).toHaveLength(1);

    // A person sees to it that lookups work again; the client's next try settles it, by asking.
    await environment.simulator.clearFaults('stripe');
    const settled = paymentOf(await client.until(ask, atRest));
    expect(settled).toMatchObject({ id, status: 'captured', psp: 'stripe' });
    expect(environment.orders('stripe')).toHaveLength(posts);
    expect(environment.effects(id)).toMatchObject([{ psp: 'stripe', operation: 'charge', amount: 1_999 }]);
  });
});

describe('a PSP that hangs', () => {
  /** One PSP hangs. Doubt at another PSP is resolved as fast as if the first one answered. */
  const HANGING = 96;
  /** Alone it takes less than 3 s. */
  const BOUND_MS = 6_000;

  let environment: TestEnvironment;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, client } = await openWithService({ hangs: true }, { role: 'all' }));
  });
  afterAll(() => environment.close());

  it('doubt at Adyen is resolved while 96 routes hang at Stripe', async () => {
    environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', rate: 1 });
    const asked = Array.from({ length: HANGING }, (_, n) =>
      client.post('/v1/payments', orderOf({ reference: `hangs-${n}` }), `hangs-${n}`, { deadlineMs: 100 }),
    );
    await Promise.all(asked);
    // The resolver has taken up what hangs, eight at once.
    await eventually(
      async () =>
        (await environment.sql(`SELECT 1 FROM psp_attempts WHERE trace_id LIKE 'resolver-%' LIMIT 1`))
          .length === 1,
      'the resolver is at the routes that hang',
    );

    environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
    const order = orderOf({ first: 'adyen', reference: 'doubt' });
    const startedMs = performance.now();
    const { id } = paymentOf(await client.post('/v1/payments', order, 'doubt', { deadlineMs: 100 }));
    await eventually(async () => {
      const { status } = await client.payment(id);
      if (status !== 'captured') await sleep(100);
      return status === 'captured';
    }, 'the doubt at Adyen is resolved');
    expect(performance.now() - startedMs).toBeLessThan(BOUND_MS);
    expect(environment.effects(id).map(({ psp }) => psp)).toEqual(['adyen']);
  });
});

describe('a long history', () => {
  /** Payments with thousands of rows: money is decided from all of them, or not at all. */
  let environment: TestEnvironment;
  let service: Service;
  let client: ApiClient;

  beforeAll(async () => {
    ({ environment, service, client } = await openWithService({}, { role: 'all' }));
  });
  afterAll(() => environment.close());

  const AMOUNT = 100;
  const ATTEMPTS = 6;

  /** A payment with one refund, and its row copied into so many of each kind, each with six attempts. */
  async function paymentWith(copies: { readonly refund: number; readonly capture: number }): Promise<string> {
    const key = `paid-${copies.refund}`;
    const { id } = paymentOf(
      await client.post('/v1/payments', orderOf({ reference: key, amount: 999_999 }), key),
    );
    refundOf(await refunded(client, id, { reference: 'a', amount: AMOUNT }, `${key}-a`));
    for (const [operation, count] of Object.entries(copies)) {
      const name = `'payment-${id}-${operation}-b-' || lpad(n::text, 5, '0')`;
      const from = `FROM %, generate_series(1, ${count}) n WHERE r.entity_key = 'payment-${id}-refund-a'`;
      const copy = (table: string, set: Readonly<Record<string, string>>, over = from) =>
        environment.sql(
          `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object(${Object.entries(set)
            .map(([column, value]) => `'${column}', ${value}`)
            .join(', ')}))).* ${over.replace('%', `${table} r`)}`,
        );
      await copy('psp_requests', {
        entity_key: name,
        operation: `'${operation}'`,
        psp_idempotency_key: `'${operation}-' || md5('${id}' || n)`,
        psp_reference: `'${operation}_' || n`,
      });
      await copy(
        'psp_attempts',
        { entity_key: name, attempt: 'a' },
        from.replace(' WHERE', `, generate_series(1, ${ATTEMPTS}) a WHERE`),
      );
      if (operation !== 'refund') continue;
      await copy('refunds', {
        entity_key: name,
        id: 'gen_random_uuid()',
        reference: `'b-' || lpad(n::text, 5, '0')`,
      });
    }
    await environment.sql(
      'UPDATE payments SET amount_refunded = amount_refunded + $2, version = version + 1 WHERE id = $1',
      [id, copies.refund * AMOUNT],
    );
    return id;
  }

  describe('a payment with a long history', () => {
    it('of 1,100 routes and 6,600 attempts still gets its refund in doubt advanced by the resolver', async () => {
      const id = await paymentWith({ refund: 800, capture: 300 });
      environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
      const asked = await client.post(
        `/v1/payments/${id}/refunds`,
        { reference: 'z', amount: AMOUNT },
        'in-doubt',
        { deadlineMs: 100 },
      );
      const refund = JSON.parse(asked.text) as RefundView;
      const name = `payment-${id}-refund-z`;
      await eventually(
        async () =>
          (
            await environment.sql(
              `SELECT 1 FROM psp_requests WHERE entity_key = $1 AND verdict = 'effective'`,
              [name],
            )
          ).length === 1,
        'the resolver has found the refund',
      );
      expect(refundOf(await client.get(`/v1/refunds/${refund.id}`))).toMatchObject({ status: 'succeeded' });
      expect(await client.payment(id)).toMatchObject({ amount_refunded: 802 * AMOUNT });
      const given = environment.effects(id).filter(({ operation }) => operation === 'refund');
      expect(given).toHaveLength(2);
    });

    it('of 1,101 refunds is read whole, and its next refund is refused', async () => {
      const id = await paymentWith({ refund: 1_100, capture: 0 });
      const reply = await refunded(client, id, { reference: 'z', amount: AMOUNT }, 'one-too-many');
      expect([reply.status, codeOf(reply)]).toEqual([409, 'too_many_operations']);
      expect(environment.effects(id).filter(({ operation }) => operation === 'refund')).toHaveLength(1);
      // One that is there is still answered.
      const same = await refunded(client, id, { reference: 'b-01100', amount: AMOUNT }, 'the-last-one');
      expect(refundOf(same)).toMatchObject({ status: 'succeeded', reference: 'b-01100' });
      expect(await client.payment(id)).toMatchObject({ amount_refunded: 1_101 * AMOUNT });
    });
  });

  it('counts the routes that the resolver could not advance', async () => {
    const id = paymentOf(await client.post('/v1/payments', orderOf({ reference: 'whole' }), 'whole')).id;
    // A route of a payment that is not there: nothing can be decided for it.
    await environment.sql(
      `INSERT INTO psp_requests SELECT (jsonb_populate_record(r, jsonb_build_object(
       'entity_key', replace(r.entity_key, '${id}', '01900000-0000-7000-8000-00000000dead'),
       'payment_id', '01900000-0000-7000-8000-00000000dead', 'psp_idempotency_key', 'of-nothing',
       'verdict', 'open', 'decided_at', null, 'next_step_at', now()))).*
     FROM psp_requests r WHERE payment_id = $1`,
      [id],
    );
    const count = async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return /^payonce_routes_not_advanced_total\{psp="stripe"\} (\d+)$/m.exec(metrics)?.[1];
    };
    expect(await eventually(count, 'the route is counted')).toBe('1');
    await environment.sql(`DELETE FROM psp_requests WHERE psp_idempotency_key = 'of-nothing'`);
  });
});
