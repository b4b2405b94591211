import { type PayoutView } from '../../src/payouts/payout.view.js';
import { noticeOtherDatabase } from '../../src/database/failover-hold.js';
import { keptCopy, onDatabase } from '../support/database.js';
import { payonceCommand } from '../support/payonce-command.js';
import { refundOf } from '../support/refunds.js';
import {
  atRest,
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/**
 * An older copy of the database under PSPs that went on: what an asynchronous standby or a backup
 * brings back. The same requests come again, and the ledgers say how often they were done.
 */
let stage: TestEnvironment;
let service: Service;
let shop: ApiClient;
let copy: Awaited<ReturnType<typeof keptCopy>>;

const payoutTokens = { stripe: 'ba_1Qlost', adyen: 'SE322JV223222F5GNXSR89LST' };

beforeEach(async () => {
  // Long enough for a busy machine: a call that cannot be made in time is not sent, and the next PSP is asked.
  stage = await TestEnvironment.open({ timeoutMs: 4_000, lockTtlMs: 12_000 });
  stage.hide(...Object.values(payoutTokens));
  const apiKey = await stage.merchant(['payments:read', 'payments:write', 'payouts:write']);
  // What the first start would do: the copy knows of which database it is one.
  await onDatabase(stage.database.url, noticeOtherDatabase);
  copy = await keptCopy(stage.database);
  service = await stage.start();
  shop = new ApiClient(() => service.url, apiKey);
});
afterEach(async () => {
  await stage.close();
  await copy.drop();
});

/** Everything that was committed since the copy is lost; the PSPs know all of it. */
async function loseCommits(): Promise<void> {
  service.kill();
  await service.exit;
  await copy.restore();
  service = await stage.start();
}

type First = 'stripe' | 'adyen';

const pay = (first: First, key = 'the-key', amount = 1_999) =>
  shop.post('/v1/payments', orderOf({ first, amount }), key);
const moved = () => stage.effects().map(({ operation, amount }) => `${operation} ${amount}`);
const viewOf = ({ text }: Reply) => JSON.parse(text) as PayoutView;

function send(first: First): Promise<Reply> {
  const body = {
    reference: 'salary',
    recipient: { reference: 'recipient-1', tokens: payoutTokens },
    amount: 12_345,
    currency: first === 'stripe' ? 'USD' : 'EUR',
    previous: null,
    metadata: {},
  };
  return shop.post('/v1/payouts', body, 'the-payout');
}

const attemptsOf = async (id: string) =>
  (await shop.attempts(id)).map(({ kind, outcome }) => `${kind} ${outcome}`);

describe.each<First>(['stripe', 'adyen'])(
  'after the last commits are lost, the same request at %s',
  (first) => {
    it('is met by the first charge, and its refund by the first refund', async () => {
      const paid = paymentOf(await pay(first));
      const refund = { amount: 300, reference: 'a' };
      const given = await shop.post(`/v1/payments/${paid.id}/refunds`, refund, 'the-refund');
      expect(given.status).toBe(201);

      await loseCommits();
      const again = paymentOf(await shop.until(() => pay(first), atRest));
      expect(again).toMatchObject({ status: 'captured', psp: first, psp_reference: paid.psp_reference });
      expect(again.id).not.toBe(paid.id);
      const second = await shop.until(
        () => shop.post(`/v1/payments/${again.id}/refunds`, refund, 'the-refund'),
        atRest,
      );
      expect(refundOf(second)).toMatchObject({
        status: 'succeeded',
        psp_reference: refundOf(given).psp_reference,
      });
      expect(moved()).toEqual(['charge 1999', 'refund 300']);
    });

    it('is met by the first charge where its answer is lost as well', async () => {
      const paid = paymentOf(await pay(first));
      await loseCommits();
      stage.simulator.faults(first, { fault: 'reset_before', next: 1 });
      const again = paymentOf(await shop.until(() => pay(first), atRest));
      expect(again.psp_reference).toBe(paid.psp_reference);
      expect(moved()).toEqual(['charge 1999']);
    });

    it('asks no other PSP where the first cannot be reached, and is met by the first charge once it can', async () => {
      const paid = paymentOf(await pay(first));
      await loseCommits();
      stage.simulator.faults(first, { fault: 'refuse' });
      const waiting = await pay(first);
      expect([waiting.status, paymentOf(waiting).status]).toEqual([202, 'processing']);
      const outcomes = await attemptsOf(paymentOf(waiting).id);
      expect(outcomes[0]).toBe('execute not_sent');
      expect(moved()).toEqual(['charge 1999']);
      await stage.simulator.clearFaults();
      const again = paymentOf(await shop.until(() => pay(first), atRest));
      expect(again).toMatchObject({ psp: first, psp_reference: paid.psp_reference });
      expect(moved()).toEqual(['charge 1999']);
    });

    it('is in conflict where another payment here stands for that charge', async () => {
      const { psp_reference: id } = paymentOf(await pay(first));
      // The key is free again here, and the PSP still knows what was made under it.
      await stage.sql('DELETE FROM idempotency_keys');
      await stage.sql(`UPDATE psp_requests SET psp_idempotency_key = 'another-key', fence = fence + 1`);
      const again = paymentOf(await pay(first));
      expect(again).toMatchObject({ status: 'processing', psp_reference: null });
      expect(await attemptsOf(again.id)).toEqual(['execute conflict']);
      expect(await stage.sql('SELECT stuck_reason FROM psp_requests WHERE stuck_at IS NOT NULL')).toEqual([
        { stuck_reason: 'the PSP answered with its id of another operation' },
      ]);
      const owners = await stage.sql('SELECT verdict FROM psp_requests WHERE psp_reference = $1', [id]);
      expect(owners).toEqual([{ verdict: 'effective' }]);
      expect(moved()).toEqual(['charge 1999']);
    });

    it('pays out once', async () => {
      const paid = viewOf(await send(first));
      expect(paid.status).toBe('paid');
      await loseCommits();
      const again = viewOf(await shop.until(() => send(first), atRest));
      expect(again).toMatchObject({ status: 'paid', psp: first, psp_reference: paid.psp_reference });
      expect(moved()).toEqual(['payout 12345']);
    });
  },
);

it('asks another PSP again when a person has failover resumed', async () => {
  await loseCommits();
  stage.simulator.faults('stripe', { fault: 'refuse' });
  expect((await pay('stripe', 'held')).status).toBe(202);
  const { code } = await payonceCommand('failover resume --by ada', { DATABASE_URL: stage.database.url });
  expect(code).toBe(0);
  let keys = 0;
  const paid = await eventually(async () => {
    const reply = await pay('stripe', `resumed-${keys++}`);
    return reply.status === 201 && paymentOf(reply);
  }, 'charged elsewhere');
  expect(paid).toMatchObject({ status: 'captured', psp: 'adyen' });
});

it('stays in conflict, stuck and visible, where what was done under its key is not found', async () => {
  await pay('stripe');
  await loseCommits();
  stage.simulator.settings('stripe', { search_lag_ms: 600_000 });
  const reply = await pay('stripe');
  expect(reply.status).toBe(202);
  const { id, status } = paymentOf(reply);
  expect(status).toBe('processing');
  for (let asks = 0; asks < 3; asks++) expect((await pay('stripe')).status).toBe(202);
  expect(await attemptsOf(id)).toEqual(['execute conflict']);
  const stuck = await stage.sql('SELECT stuck_reason FROM psp_requests WHERE stuck_at IS NOT NULL');
  expect(stuck).toEqual([{ stuck_reason: 'the PSP knows this key with other parameters' }]);
  expect(moved()).toEqual(['charge 1999']);
});

it('is in conflict where another amount is asked for under the key', async () => {
  await pay('stripe');
  await loseCommits();
  const { id } = paymentOf(await pay('stripe', 'the-key', 2_500));
  expect(await attemptsOf(id)).toEqual(['execute conflict']);
  expect(moved()).toEqual(['charge 1999']);
});

it('is refused where the key is forgotten and the payment is not', async () => {
  await pay('stripe');
  await stage.sql('DELETE FROM idempotency_keys');
  const reply = await pay('stripe');
  expect([reply.status, codeOf(reply)]).toEqual([422, 'idempotency_key_reused']);
  const other = await pay('adyen');
  expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
  expect(moved()).toEqual(['charge 1999']);
});

it('sends a stored route again under the key that is stored with it', async () => {
  // A route of an older version: its key comes of the payment's id.
  stage.simulator.faults('stripe', { fault: 'reset_before', rate: 1 });
  const { id } = paymentOf(await pay('stripe'));
  await stage.sql(
    `UPDATE psp_requests SET psp_idempotency_key = 'an-older-key', account_fingerprint = NULL, fence = fence + 1`,
  );
  await stage.simulator.clearFaults();
  const again = paymentOf(await shop.until(() => pay('stripe'), atRest, 40_000));
  expect(again).toMatchObject({ id, status: 'captured' });
  expect(stage.orders('stripe').at(-1)!.idempotency_key).toBe('an-older-key');
  expect(moved()).toEqual(['charge 1999']);
});
