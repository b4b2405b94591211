import { type PspName } from '@payonce/simulator';
import { type RefundView } from '../../src/refunds/refund.view.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  codeOf,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** A refund that the card's bank sends back days later. What stands at the PSP is judged from its ledger. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
});
afterAll(() => environment.close());
beforeEach(async () => {
  await environment.simulator.reset();
  // Each notification three times.
  environment.notify(service.url, { mode: 'duplicate', copies: 3 });
});

let number = 0;
const next = (name: string) => `${name}-${(number += 1)}`;

async function paid(first: PspName): Promise<string> {
  const key = next('paid');
  return paymentOf(await client.post('/v1/payments', orderOf({ first, reference: key }), key)).id;
}

const ask = async (id: string, body: object = {}) =>
  refundOf(await refunded(client, id, body, next('refund')));
const refundNow = async ({ id }: RefundView) => refundOf(await client.get(`/v1/refunds/${id}`));
const failed = (refund: RefundView) =>
  eventually(async () => {
    const now = await refundNow(refund);
    return now.status === 'failed' ? now : null;
  }, 'the refund has failed');
const quiet = () => eventually(() => environment.notifications().waiting === 0, 'everything is told');
const inboxIs = (states: readonly string[]) =>
  eventually(
    async () =>
      (await environment.sql('SELECT 1 FROM webhook_inbox WHERE state <> ALL ($1)', [states])).length === 0,
    `all that was told is ${states.join(' or ')}`,
  );
const transitions = async (id: string) =>
  (
    await environment.sql<{ line: string }>(
      `SELECT event || ': ' || to_status AS line FROM payment_transitions WHERE payment_id = $1 ORDER BY version`,
      [id],
    )
  ).map(({ line }) => line);
const eventsOf = async (subject: string) =>
  (
    await environment.sql<{ type: string }>('SELECT type FROM events WHERE subject = $1 ORDER BY id', [
      subject,
    ])
  ).map(({ type }) => type);
const standing = (id: string) =>
  environment
    .effects(id)
    .filter(({ undone_at: undone }) => undone === undefined)
    .map(({ operation, amount }) => `${operation} ${amount}`);

describe.each(['stripe', 'adyen'] as const)('a refund at %s that fails days later', (first) => {
  it('is failed, and what was captured can be refunded once more under another name', async () => {
    const id = await paid(first);
    const refund = await ask(id);
    expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
    expect(environment.simulator.fail(first, refund.psp_reference!)).toBe(true);

    expect(await failed(refund)).toMatchObject({
      status: 'failed',
      psp_reference: refund.psp_reference,
      failure: { category: 'declined', message: expect.any(String) as unknown },
    });
    expect(await client.payment(id)).toMatchObject({
      status: 'captured',
      amount_captured: 1_999,
      amount_refunded: 0,
    });
    await quiet();
    await inboxIs(['applied', 'ignored']);
    expect(await transitions(id)).toEqual([
      'opened: processing',
      'charged: captured',
      'refunded: refunded',
      'refund_reversed: captured',
    ]);
    expect(await eventsOf(`refund:${refund.id}`)).toEqual(['refund.succeeded', 'refund.failed']);
    const audited = await environment.sql(
      `SELECT actor, action FROM audit_records WHERE subject = $1 AND action = 'refund.reversed'`,
      [`payment:${id}`],
    );
    expect(audited).toEqual([{ actor: `psp:${first}`, action: 'refund.reversed' }]);

    // The name is used up: its route stays effective, so nothing is sent under it again.
    const same = await refunded(client, id, {}, next('same'));
    expect([same.status, codeOf(same)]).toEqual([409, 'refund_reversed']);
    expect(JSON.parse(same.text)).toMatchObject({ refund_id: refund.id });
    expect(standing(id)).toEqual(['charge 1999']);
    expect(await ask(id, { reference: 'again' })).toMatchObject({ status: 'succeeded', amount: 1_999 });
    expect(standing(id)).toEqual(['charge 1999', 'refund 1999']);
    expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_refunded: 1_999 });
  });

  it('leaves the other refunds of the payment as they are', async () => {
    const id = await paid(first);
    const one = await ask(id, { reference: 'one', amount: 600 });
    const two = await ask(id, { reference: 'two' });
    expect(await client.payment(id)).toMatchObject({ status: 'refunded' });
    environment.simulator.fail(first, one.psp_reference!);
    await failed(one);
    expect(await client.payment(id)).toMatchObject({ status: 'partially_refunded', amount_refunded: 1_399 });
    environment.simulator.fail(first, two.psp_reference!);
    await failed(two);
    expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
    expect((await transitions(id)).slice(-2)).toEqual([
      'refund_part_reversed: partially_refunded',
      'refund_reversed: captured',
    ]);
    expect(standing(id)).toEqual(['charge 1999']);
  });

  it('is failed where that is told before the answer of the call that made it', async () => {
    const id = await paid(first);
    environment.simulator.faults(first, { fault: 'delay_after', delay_ms: 1_500, next: 1 });
    const asked = refunded(client, id, {}, next('early'));
    const made = await eventually(
      () => environment.effects(id).find(({ operation }) => operation === 'refund'),
      'the PSP has refunded',
    );
    environment.simulator.fail(first, made.psp_reference);
    expect(refundOf(await asked)).toMatchObject({ status: 'failed' });
    expect(await client.payment(id)).toMatchObject({ status: 'captured', amount_refunded: 0 });
    expect(standing(id)).toEqual(['charge 1999']);
  });
});
