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

/** Payments with thousands of rows: money is decided from all of them, or not at all. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
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
