import { noticeOtherDatabase } from '../../src/database/failover-hold.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import { type RefundView } from '../../src/refunds/refund.view.js';
import { keptCopy, onDatabase } from '../support/database.js';
import { refundOf } from '../support/refunds.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  TestEnvironment,
  tokens,
} from '../support/test-environment.js';

/**
 * An older copy of the database under PSPs that went on: what an asynchronous standby or a backup
 * brings back. The same requests come again, and the ledgers say how often they were done.
 */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let copy: Awaited<ReturnType<typeof keptCopy>>;

const payoutTokens = { stripe: 'ba_1Qlost', adyen: 'SE322JV223222F5GNXSR89LST' };

beforeAll(async () => {
  // Long enough for a busy machine: a call that cannot be made in time is not sent, and the next PSP is asked.
  environment = await TestEnvironment.open({ timeoutMs: 4_000, lockTtlMs: 12_000, fence: true });
  environment.hide(...Object.values(payoutTokens));
  const apiKey = await environment.merchant(['payments:read', 'payments:write', 'payouts:write']);
  // What the first start would do: the copy knows of which database it is one.
  await onDatabase(environment.database.url, noticeOtherDatabase);
  copy = await keptCopy(environment.database);
  service = await environment.start();
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(async () => {
  await environment.close();
  await copy.drop();
});

/** Everything that was committed since the copy is lost; the PSPs know all of it. */
async function loseCommits(): Promise<void> {
  await service.stop();
  await copy.restore();
  service = await environment.start();
}

const psps = ['stripe', 'adyen'] as const;
type First = (typeof psps)[number];

/** Each key has an amount of its own, by which ledgers tell what was done for it; a refund's is below its charge's. */
const amounts = new Map<string, number>();
function amountOf(key: string): number {
  if (!amounts.has(key)) amounts.set(key, 2_000 - amounts.size);
  return amounts.get(key)!;
}

const pay = (first: First, key: string, amount = amountOf(key)) =>
  client.post('/v1/payments', orderOf({ first, amount, reference: key }), key);
/** With a token of this PSP alone. */
const payAt = (psp: First, key: string) => {
  const order = { first: psp, amount: amountOf(key), reference: key, tokens: { [psp]: tokens[psp] } };
  return client.post('/v1/payments', orderOf(order), key);
};
const moved = (...keys: readonly string[]) =>
  environment
    .effects()
    .filter(({ amount }) => keys.some((key) => amountOf(key) === amount))
    .map(({ operation, amount }) => `${operation} of ${keys.find((key) => amountOf(key) === amount)}`);
const viewOf = ({ text }: Reply) => JSON.parse(text) as PayoutView;
const refund = (key: string, { id }: { readonly id: string }) =>
  client.post(`/v1/payments/${id}/refunds`, { amount: amountOf(key), reference: 'a' }, key);

function send(first: First, key: string, to: Partial<typeof payoutTokens> = payoutTokens): Promise<Reply> {
  const body = {
    reference: 'salary',
    recipient: { reference: key, tokens: to },
    amount: amountOf(key),
    currency: first === 'stripe' ? 'USD' : 'EUR',
    previous: null,
    metadata: {},
  };
  return client.post('/v1/payouts', body, key);
}

const attemptsOf = async (id: string) =>
  (await client.attempts(id)).map(({ kind, outcome }) => `${kind} ${outcome}`);
const stuckReasonsOf = (id: string) =>
  environment.sql('SELECT stuck_reason FROM psp_requests WHERE payment_id = $1 AND stuck_at IS NOT NULL', [
    id,
  ]);
const ordersAt = () => psps.map((psp) => environment.orders(psp).length);
const failover = async (...args: readonly string[]) =>
  (await environment.command('failover', ...args, '--by', 'ada')) as {
    readonly hold: string;
    readonly resumed: number;
    readonly open: readonly { readonly entity_key: string; readonly reason: string | null }[];
  };
const warnings = async () =>
  ((await (await fetch(`${service.url}/health/ready`)).json()) as { warnings?: readonly string[] }).warnings;
/** Every process hears of it with its next sign of life. */
const untilHeard = (isHeld: boolean) =>
  eventually(async () => ((await warnings()) !== undefined) === isHeld, 'the service has heard of it');
const forget = (key: string) => environment.sql('DELETE FROM idempotency_keys WHERE key = $1', [key]);

describe('what the database was made to forget', () => {
  it.each(psps)('is in conflict at %s where another payment here stands for that charge', async (first) => {
    const key = `stands-${first}`;
    const { id: stood, psp_reference: reference } = paymentOf(await pay(first, key));
    // The key is free again here, and the PSP still knows what was made under it.
    await forget(key);
    await environment.sql(
      `UPDATE psp_requests SET psp_idempotency_key = 'another-key-' || payment_id, fence = fence + 1
        WHERE payment_id = $1`,
      [stood],
    );
    const again = paymentOf(await pay(first, key));
    expect(again).toMatchObject({ status: 'processing', psp_reference: null });
    expect(await attemptsOf(again.id)).toEqual(['execute conflict']);
    expect(await stuckReasonsOf(again.id)).toEqual([
      { stuck_reason: 'the PSP answered with its id of another operation' },
    ]);
    const owners = await environment.sql('SELECT verdict FROM psp_requests WHERE psp_reference = $1', [
      reference,
    ]);
    expect(owners).toEqual([{ verdict: 'effective' }]);
    expect(moved(key)).toEqual([`charge of ${key}`]);
  });

  it('is refused where the key is forgotten and the payment is not', async () => {
    const key = 'forgotten';
    await pay('stripe', key);
    await forget(key);
    for (const first of psps) {
      const reply = await pay(first, key);
      expect([reply.status, codeOf(reply)]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(moved(key)).toEqual([`charge of ${key}`]);
  });

  it('sends a stored route again under the key that is stored with it', async () => {
    // A route of an older version: its key comes of the payment's id.
    const key = 'older';
    environment.simulator.faults('stripe', { fault: 'reset_before', rate: 1 });
    const { id } = paymentOf(await pay('stripe', key));
    await environment.sql(
      `UPDATE psp_requests SET psp_idempotency_key = 'an-older-key', account_fingerprint = NULL, fence = fence + 1
        WHERE payment_id = $1`,
      [id],
    );
    await environment.simulator.clearFaults();
    const again = paymentOf(await client.until(() => pay('stripe', key), atRest));
    expect(again).toMatchObject({ id, status: 'captured' });
    expect(environment.orders('stripe').at(-1)!.idempotency_key).toBe('an-older-key');
    expect(moved(key)).toEqual([`charge of ${key}`]);
  });
});

describe('after the last commits are lost, the same request', () => {
  /** What was done before, by its key. */
  const paid = new Map<string, PaymentView>();
  const given = new Map<string, RefundView>();
  const sent = new Map<string, PayoutView>();
  const before = ['refunded', 'lost-again', 'unreachable'].flatMap((name) =>
    psps.map((first) => ({ first, key: `${name}-${first}` })),
  );

  beforeAll(async () => {
    for (const key of ['not-found', 'other-amount']) before.push({ first: 'stripe', key });
    for (const { first, key } of before) paid.set(key, paymentOf(await pay(first, key)));
    for (const first of psps) {
      await payAt(first, `alone-${first}`);
      await send(first, `alone-payout-${first}`, { [first]: payoutTokens[first] });
      // Never seen by the first PSP: the second one does it.
      environment.simulator.faults(first, { fault: 'refuse' });
      expect(paymentOf(await pay(first, `elsewhere-${first}`))).toMatchObject({ status: 'captured' });
      expect(viewOf(await send(first, `elsewhere-payout-${first}`))).toMatchObject({ status: 'paid' });
      await environment.simulator.clearFaults();
      const key = `refund-${first}`;
      given.set(key, refundOf(await refund(key, paid.get(`refunded-${first}`)!)));
      sent.set(`payout-${first}`, viewOf(await send(first, `payout-${first}`)));
    }
    for (const { status } of paid.values()) expect(status).toBe('captured');
    for (const { status } of sent.values()) expect(status).toBe('paid');
    await loseCommits();
  });

  describe('while no person has compared', () => {
    it('is held, for every person and program to see', async () => {
      expect(await warnings()).toEqual(['commits_may_be_lost']);
      expect(service.output()).toContain('commits may be lost: payments and payouts');
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toMatch(/^payonce_operations_held 1$/m);
      expect(await failover('status')).toMatchObject({ hold: 'operations', held_until: null, open: [] });
    });

    it.each(psps)(
      'is refused where another PSP has done what %s has never seen, and nothing is stored or sent',
      async (first) => {
        const [key, payoutKey] = [`elsewhere-${first}`, `elsewhere-payout-${first}`];
        const before = ordersAt();
        const replies = [await pay(first, key), await send(first, payoutKey), await pay(first, key)];
        expect(moved(key, payoutKey)).toEqual([`charge of ${key}`, `payout of ${payoutKey}`]);
        expect(ordersAt()).toEqual(before);
        for (const reply of replies) {
          expect([reply.status, codeOf(reply)]).toEqual([503, 'commits_may_be_lost']);
          expect(reply.headers.get('retry-after')).toBe('60');
        }
        const stored = await environment.sql(
          `SELECT key AS name FROM idempotency_keys WHERE key = ANY ($1) UNION ALL
           SELECT reference FROM payments WHERE reference = ANY ($1) UNION ALL
           SELECT recipient FROM payouts WHERE recipient = ANY ($1)`,
          [[key, payoutKey]],
        );
        expect(stored).toEqual([]);
      },
    );

    it.each(psps)('is met by the first charge and payout where only %s could do it', async (psp) => {
      const [key, payoutKey] = [`alone-${psp}`, `alone-payout-${psp}`];
      const again = await client.until(() => payAt(psp, key), atRest);
      expect(paymentOf(again)).toMatchObject({ status: 'captured', psp });
      const replayed = await payAt(psp, key);
      expect([replayed.text, replayed.headers.get('idempotent-replayed')]).toEqual([again.text, 'true']);
      await client.until(() => send(psp, payoutKey, { [psp]: payoutTokens[psp] }), atRest);
      expect(moved(key, payoutKey)).toEqual([`charge of ${key}`, `payout of ${payoutKey}`]);
    });

    it('is taken again once a person resumes', async () => {
      expect(await failover('resume')).toMatchObject({ hold: 'failover', resumed: 0 });
      await untilHeard(false);
    });
  });

  describe.each(psps)('at %s', (first) => {
    it('is met by the first charge, and its refund by the first refund', async () => {
      const [key, refundKey] = [`refunded-${first}`, `refund-${first}`];
      const { id, psp_reference } = paid.get(key)!;
      const again = paymentOf(await client.until(() => pay(first, key), atRest));
      expect(again).toMatchObject({ status: 'captured', psp: first, psp_reference });
      expect(again.id).not.toBe(id);
      const second = refundOf(await client.until(() => refund(refundKey, again), atRest));
      expect(second).toMatchObject({
        status: 'succeeded',
        psp_reference: given.get(refundKey)!.psp_reference,
      });
      expect(moved(key, refundKey)).toEqual([`charge of ${key}`, `refund of ${refundKey}`]);
    });

    it('is met by the first charge where its answer is lost as well', async () => {
      const key = `lost-again-${first}`;
      environment.simulator.faults(first, { fault: 'reset_before', next: 1 });
      const again = paymentOf(await client.until(() => pay(first, key), atRest));
      expect(again.psp_reference).toBe(paid.get(key)!.psp_reference);
      expect(moved(key)).toEqual([`charge of ${key}`]);
    });

    it('asks no other PSP where the first cannot be reached, and is met by the first charge once it can', async () => {
      const key = `unreachable-${first}`;
      environment.simulator.faults(first, { fault: 'refuse' });
      const waiting = await pay(first, key);
      expect([waiting.status, paymentOf(waiting).status]).toEqual([202, 'processing']);
      const outcomes = await attemptsOf(paymentOf(waiting).id);
      expect(outcomes[0]).toBe('execute not_sent');
      expect(moved(key)).toEqual([`charge of ${key}`]);
      await environment.simulator.clearFaults();
      const again = paymentOf(await client.until(() => pay(first, key), atRest));
      expect(again).toMatchObject({ psp: first, psp_reference: paid.get(key)!.psp_reference });
      expect(moved(key)).toEqual([`charge of ${key}`]);
    });

    it('pays out once', async () => {
      const key = `payout-${first}`;
      const again = viewOf(await client.until(() => send(first, key), atRest));
      const { psp_reference } = sent.get(key)!;
      expect(again).toMatchObject({ status: 'paid', psp: first, psp_reference });
      expect(moved(key)).toEqual([`payout of ${key}`]);
    });
  });

  it('stays in conflict, stuck and visible, where what was done under its key is not found', async () => {
    const key = 'not-found';
    environment.simulator.settings('stripe', { search_lag_ms: 600_000 });
    const reply = await pay('stripe', key);
    expect(reply.status).toBe(202);
    const { id, status } = paymentOf(reply);
    expect(status).toBe('processing');
    for (let asks = 0; asks < 3; asks++) expect((await pay('stripe', key)).status).toBe(202);
    expect(await attemptsOf(id)).toEqual(['execute conflict']);
    expect(await stuckReasonsOf(id)).toEqual([
      { stuck_reason: 'the PSP knows this key with other parameters' },
    ]);
    expect(moved(key)).toEqual([`charge of ${key}`]);
    environment.simulator.settings('stripe', { search_lag_ms: 0 });
  });

  it('is in conflict where another amount is asked for under the key', async () => {
    const [key, more] = ['other-amount', 'other-amount, more'];
    const { id } = paymentOf(await pay('stripe', key, amountOf(more)));
    expect(await attemptsOf(id)).toEqual(['execute conflict']);
    expect(moved(key, more)).toEqual([`charge of ${key}`]);
  });

  it('asks another PSP again where a person says that nothing is lost', async () => {
    environment.simulator.faults('stripe', { fault: 'refuse' });
    expect((await pay('stripe', 'held')).status).toBe(202);
    expect(await failover('resume', '--nothing-lost')).toMatchObject({ hold: 'none' });
    let keys = 0;
    const elsewhere = await eventually(async () => {
      const reply = await pay('stripe', `resumed-${keys++}`);
      return reply.status === 201 && paymentOf(reply);
    }, 'charged elsewhere');
    expect(elsewhere).toMatchObject({ status: 'captured', psp: 'adyen' });
    await environment.simulator.clearFaults();
  });
});

describe('an open route of the older copy', () => {
  it('is not sent to its PSP, which never saw it, where another PSP has done it since', async () => {
    const key = 'restored';
    const order = { first: 'adyen', capture: 'manual', amount: amountOf(key), reference: key } as const;
    const authorize = () => client.post('/v1/payments', orderOf(order), key);
    await service.stop();
    service = await environment.startProcess({ at: { place: 'commit:after:new:accepted' } });
    await expect(authorize()).rejects.toThrow();
    await copy.drop();
    copy = await keptCopy(environment.database);
    const accepted = 'SELECT id FROM payments WHERE reference = $1';
    const [{ id } = { id: '' }] = await environment.sql<{ id: string }>(accepted, [key]);
    // The order is lost on its way, and the order to void it is received: another PSP is asked.
    environment.simulator.faults('adyen', { fault: 'reset_before', reference: id, times: 1 });
    service = await environment.start();
    const elsewhere = paymentOf(await client.until(authorize, atRest));
    expect(elsewhere).toMatchObject({ status: 'authorized', psp: 'stripe' });

    await loseCommits();
    await environment.simulator.clearFaults();
    const before = ordersAt();
    for (let asks = 0; asks < 3; asks++) {
      const answer = (reply: Reply) => atRest(reply) || reply.status === 202;
      const reply = await client.until(authorize, answer);
      expect(moved(key)).toEqual([`authorize of ${key}`]);
      expect([reply.status, paymentOf(reply).status]).toEqual([202, 'processing']);
    }
    expect(ordersAt()).toEqual(before);
    const { open } = await failover('status');
    expect(open.find(({ entity_key }) => entity_key.includes(id))?.reason).toBe('commits may be lost');

    const found = [
      ...(await environment.seen(id)),
      '--as',
      'not-done',
      '--evidence',
      'not in the dashboard',
      '--by',
      'ada',
    ];
    // The order of the past may be on its way for as long as its sender held the route.
    await eventually(async () => {
      const said = (await environment.command('stuck', 'resolve', id, ...found)) as { verdict?: string };
      return said.verdict === 'ruled_out';
    }, 'it is resolved');
    expect(paymentOf(await client.until(authorize, atRest)).status).toBe('failed');
    expect(moved(key)).toEqual([`authorize of ${key}`]);
  });

  it('is driven on once a person resumes', async () => {
    const key = 'driven-on';
    expect(await failover('resume', '--nothing-lost')).toMatchObject({ hold: 'none' });
    await untilHeard(false);
    environment.simulator.faults('adyen', { fault: 'reset_before', rate: 1 });
    expect((await pay('adyen', key)).status).toBe(202);
    expect(await failover('hold')).toMatchObject({ hold: 'operations' });
    await untilHeard(true);
    await environment.simulator.clearFaults();
    await eventually(async () => {
      expect((await pay('adyen', key)).status).toBe(202);
      const { open } = await failover('status');
      return open.some(({ reason }) => reason === 'commits may be lost');
    }, 'held');
    expect(moved(key)).toEqual([]);
    expect((await failover('resume')).resumed).toBeGreaterThan(0);
    await client.until(() => pay('adyen', key), atRest);
    expect(moved(key)).toEqual([`charge of ${key}`]);
  });
});
