import { type PspName } from '@payonce/simulator';
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

/** Disputes of payments, over the PSPs' own wire formats and signatures. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
});
afterAll(() => environment.close());
beforeEach(async () => {
  await environment.simulator.reset();
  // In any order, and twice.
  environment.notify(service.url, { mode: 'storm', delay_ms: 300, copies: 2, seed: 7 });
});

let number = 0;
const next = (name: string) => `${name}-${(number += 1)}`;

async function paid(first: PspName) {
  const key = next('paid');
  return paymentOf(await client.post('/v1/payments', orderOf({ first, reference: key }), key));
}

const disputed = (id: string, status: string, amount: number) =>
  eventually(async () => {
    const payment = await client.payment(id);
    const [dispute] = payment.disputes;
    return dispute?.status === status && payment.amount_disputed === amount ? payment : null;
  }, `a dispute that is ${status}, with ${amount} withheld`);
const eventsOf = async (id: string) =>
  (
    await environment.sql<{ type: string; data: { status: string; payment_id: string } }>(
      "SELECT type, data FROM events WHERE subject LIKE 'dispute:%' AND data->>'payment_id' = $1 ORDER BY id",
      [id],
    )
  ).map(({ type, data }) => `${type} ${data.status}`);

describe.each([
  ['stripe', 1_999],
  ['adyen', 0],
] as const)('a payment at %s that is disputed', (first, withheldAtOnce) => {
  it('shows the dispute, and what was lost cannot be refunded', async () => {
    const { id, psp_reference: reference } = await paid(first);
    const dispute = environment.simulator.dispute(first, reference!, 'open');
    const open = await disputed(id, 'open', withheldAtOnce);
    expect(open).toMatchObject({ status: 'captured', amount_captured: 1_999, amount_refunded: 0 });
    expect(open.disputes).toMatchObject([
      {
        object: 'dispute',
        payment_id: id,
        psp: first,
        psp_reference: dispute,
        amount: 1_999,
        closed_at: null,
      },
    ]);
    environment.simulator.dispute(first, reference!, 'lose');
    const lost = await disputed(id, 'lost', 1_999);
    expect(lost.disputes).toHaveLength(1);
    expect(await eventsOf(id)).toEqual(['dispute.opened open', 'dispute.lost lost']);

    const refused = await refunded(client, id, {}, next('refund'));
    expect([refused.status, codeOf(refused)]).toEqual([409, 'payment_disputed']);
    expect(environment.effects(id).map(({ operation }) => operation)).toEqual(['charge']);
  });

  it('can be refunded once the dispute is won', async () => {
    const { id, psp_reference: reference } = await paid(first);
    environment.simulator.dispute(first, reference!, 'open');
    await disputed(id, 'open', withheldAtOnce);
    environment.simulator.dispute(first, reference!, 'win');
    await disputed(id, 'won', 0);
    expect((await eventsOf(id)).at(-1)).toBe('dispute.won won');
    expect(refundOf(await refunded(client, id, {}, next('refund')))).toMatchObject({ status: 'succeeded' });
    expect(await client.payment(id)).toMatchObject({ status: 'refunded', amount_disputed: 0 });
  });

  it('can be refunded as far as it is not disputed', async () => {
    const { id, psp_reference: reference } = await paid(first);
    environment.simulator.dispute(first, reference!, 'open', 600);
    await disputed(id, 'open', withheldAtOnce && 600);
    environment.simulator.dispute(first, reference!, 'lose');
    await disputed(id, 'lost', 600);
    const over = await refunded(client, id, { amount: 1_400, reference: 'over' }, next('refund'));
    expect(codeOf(over)).toBe('payment_disputed');
    const all = refundOf(await refunded(client, id, { reference: 'rest' }, next('refund')));
    expect(all).toMatchObject({ status: 'succeeded', amount: 1_399 });
    expect(await client.payment(id)).toMatchObject({
      status: 'partially_refunded',
      amount_refunded: 1_399,
      amount_disputed: 600,
    });
  });
});

it('of a payment that is not known is kept for a person', async () => {
  const { id, psp_reference: reference } = await paid('stripe');
  await environment.sql('UPDATE psp_requests SET psp_reference = $2 WHERE payment_id = $1', [id, 'pi_other']);
  environment.simulator.dispute('stripe', reference!, 'open');
  await eventually(async () => {
    const rows = await environment.sql(
      "SELECT 1 FROM webhook_inbox WHERE type LIKE 'charge.dispute.%' AND state = 'received' AND taken = '{unknown}'",
    );
    return rows.length === 2;
  }, 'both notifications wait for a payment to be known, and are breaks after a day and a half');
  expect((await client.payment(id)).disputes).toEqual([]);
});
