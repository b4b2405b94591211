import { type Page } from '../../src/core/page.js';
import { type PaymentView } from '../../src/payments/payment.view.js';
import { ApiClient, orderOf, paymentOf, type Service, TestEnvironment } from '../support/test-environment.js';

let environment: TestEnvironment;
let service: Service;
let apiKey: string;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 2_000, lockTtlMs: 4_000 });
  service = await environment.start();
  apiKey = await environment.merchant();
  client = new ApiClient(() => service.url, apiKey);
});
afterAll(() => environment.close());

const merchantClient = async () => new ApiClient(() => service.url, await environment.merchant());

async function list(of: ApiClient, query: string): Promise<Page<PaymentView>> {
  const { status, text } = await of.get(`/v1/payments?${query}`);
  if (status !== 200) throw new Error(`no list: ${status} ${text}`);
  return JSON.parse(text) as Page<PaymentView>;
}

const idsOf = ({ data }: Page<PaymentView>) => data.map(({ id }) => id);

describe('a list of 25 payments', () => {
  let of: ApiClient;
  let made: PaymentView[];

  const make = async (n: number) =>
    paymentOf(
      await of.post('/v1/payments', orderOf({ reference: `read-${n}`, amount: 100 + n }), `read-${n}`),
    );

  beforeAll(async () => {
    of = await merchantClient();
    // Several at once: some share their millisecond.
    made = await Promise.all(Array.from({ length: 25 }, (_, n) => make(n)));
    // The filters below expect this; a payment that went elsewhere shows here.
    expect(made.filter(({ status, psp }) => status !== 'captured' || psp !== 'stripe')).toEqual([]);
  });

  it('is read in three pages, each payment once and newest first, though more are made meanwhile', async () => {
    const first = await list(of, 'limit=10');
    const pages = [first];
    await make(25);
    for (let page = first; page.next_cursor !== null;) {
      page = await list(of, `limit=10&cursor=${page.next_cursor}`);
      pages.push(page);
    }
    expect(pages.map(({ data }) => data.length)).toEqual([10, 10, 5]);
    expect(pages.map(({ has_more }) => has_more)).toEqual([true, true, false]);
    const seen = pages.flatMap(({ data }) => data);
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
    // The order is that of ids, whose times are a moment later than those of what they name.
    const sorted = seen.map(({ id }) => id);
    expect(sorted).toEqual(sorted.toSorted().toReversed());
    expect(Date.parse(seen[0]!.created_at)).toBeGreaterThan(Date.parse(seen.at(-1)!.created_at));
    expect((await list(of, 'limit=1')).data[0]!.reference).toBe('read-25');
  });

  it('shows each payment as it is shown by itself', async () => {
    const { data } = await list(of, 'limit=3');
    for (const shown of data) expect(await of.payment(shown.id)).toEqual(shown);
  });

  it('is narrowed by when they were created, both ends included', async () => {
    const byTime = made.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
    const [from, to] = [byTime[5]!.created_at, byTime[15]!.created_at];
    const inside = made.filter(({ created_at }) => created_at >= from && created_at <= to);
    const found = await list(of, `limit=100&created[gte]=${from}&created[lte]=${to}`);
    expect(new Set(idsOf(found))).toEqual(new Set(inside.map(({ id }) => id)));
    expect(idsOf(await list(of, `created[lte]=2020-01-01T00:00:00Z`))).toEqual([]);
  });

  it('is narrowed by an amount, both ends included', async () => {
    const inside = made.filter(({ amount }) => amount >= 105 && amount <= 107);
    const query = 'limit=100&amount[gte]=105&amount[lte]=107';
    expect(new Set(idsOf(await list(of, query)))).toEqual(new Set(inside.map(({ id }) => id)));
    expect(idsOf(await list(of, `${query}&currency=JPY`))).toEqual([]);
    expect(idsOf(await list(of, 'amount[gte]=1000'))).toEqual([]);
  });

  it('turns its pages within a filter as well', async () => {
    const seen: string[] = [];
    let cursor = '';
    for (let pages = 0; pages < 10; pages++) {
      const page = await list(of, `limit=9&status=captured&psp=stripe${cursor}`);
      seen.push(...idsOf(page));
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen).toHaveLength(26);
    expect(new Set(seen).size).toBe(26);
    expect(idsOf(await list(of, 'status=failed'))).toEqual([]);
    expect((await list(of, 'reference=read-7')).data).toEqual([made[7]]);
  });

  it("shows a stranger nothing, not even with this merchant's cursor", async () => {
    const stranger = await merchantClient();
    const { next_cursor } = await list(of, 'limit=5');
    const nothing = { data: [], has_more: false, next_cursor: null };
    expect(await list(stranger, `cursor=${next_cursor}`)).toMatchObject(nothing);
    expect(await list(stranger, 'limit=100')).toMatchObject(nothing);
  });
});

describe('a list by metadata', () => {
  it('holds the payments with every pair that is asked for, page by page', async () => {
    const of = await merchantClient();
    const make = async (n: number, metadata: Record<string, string>) =>
      paymentOf(
        await of.post('/v1/payments', { ...orderOf({ reference: `meta-${n}` }), metadata }, `meta-${n}`),
      );
    const made: PaymentView[] = [];
    // One after the other: lists go by when each was made.
    for (const n of [0, 1, 2, 3, 4]) {
      made.push(await make(n, { table: n < 4 ? '7' : '8', 'späti [a]': `${n % 2}`, empty: '' }));
    }
    await make(5, {});
    const ids = (...which: number[]) => which.map((n) => made[n]!.id);
    expect(idsOf(await list(of, 'metadata[table]=7'))).toEqual(ids(3, 2, 1, 0));
    const both = `metadata[table]=7&${encodeURIComponent('metadata[späti [a]]')}=1`;
    expect(idsOf(await list(of, both))).toEqual(ids(3, 1));
    expect(idsOf(await list(of, 'metadata[empty]=&amount[gte]=1&limit=2'))).toEqual(ids(4, 3));
    const first = await list(of, 'metadata[table]=7&limit=3');
    expect(idsOf(await list(of, `metadata[table]=7&limit=3&cursor=${first.next_cursor}`))).toEqual(ids(0));
    expect(idsOf(await list(of, 'metadata[table]=%00'))).toEqual([]);
    expect(idsOf(await list(await merchantClient(), 'metadata[table]=7'))).toEqual([]);
  });
});

describe('the same request', () => {
  const send = (text: string, key: string) =>
    fetch(`${service.url}/v1/payments`, {
      method: 'POST',
      body: text,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
    });

  const reversed = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const turned = Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, reversed(inner)]);
    return Object.fromEntries(turned);
  };

  it('may come in another order and with other white space: it is answered the same to the byte', async () => {
    const body = { ...orderOf({ reference: 'spelt' }), metadata: { b: '2', a: 'é', c: 'x y' } };
    const first = await send(JSON.stringify(body), 'spelt');
    expect(first.status).toBe(201);
    const told = await first.text();
    const { id } = JSON.parse(told) as PaymentView;
    const spellings = [
      JSON.stringify(body, null, 4),
      JSON.stringify(reversed(body)),
      ` \n${JSON.stringify(reversed(body), null, '\t')}\r\n`,
      JSON.stringify(body)
        .replace('é', String.raw`\u00e9`)
        .replace('1999', '1.999e3'),
    ];
    for (const spelling of spellings) {
      const again = await send(spelling, 'spelt');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await again.text()).toBe(told);
    }
    expect(environment.effects(id)).toHaveLength(1);
    expect((await list(client, 'reference=spelt')).data).toHaveLength(1);
  });

  it.each([
    ['amount', { amount: 2_000 }],
    ['currency', { currency: 'CAD' }],
    ['reference', { reference: 'another' }],
    ['capture', { capture: 'manual' }],
    ['metadata', { metadata: { a: '1' } }],
    ['customer', { customer: { reference: 'customer-2' } }],
  ])(
    'is another one with another %s: refused under the same key, and nothing is done',
    async (what, other) => {
      const body = orderOf({ reference: `differs-${what}` });
      const key = `differs-${what}`;
      const { id } = paymentOf(await client.post('/v1/payments', body, key));
      const before = environment.effects().length;
      const refused = await client.post('/v1/payments', { ...body, ...other }, key);
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        422,
        expect.objectContaining({ code: 'idempotency_key_reused', payment_id: id }),
      ]);
      expect(environment.effects()).toHaveLength(before);
      expect(environment.effects(id)).toHaveLength(1);
      // The first one is still answered.
      expect(paymentOf(await client.post('/v1/payments', body, key)).id).toBe(id);
    },
  );
});

describe('a payment whose tokens cannot be decrypted any more', () => {
  it('is shown with its attempts and refunds, none of which shows a token', async () => {
    environment.simulator.faults('stripe', { fault: 'close_before', on: 'any', rate: 1 });
    const body = orderOf({ reference: 'unreadable' });
    const { id } = paymentOf(await client.post('/v1/payments', body, 'unreadable', { deadlineMs: 300 }));
    const broken = await environment.sql('UPDATE payments SET sealed = $2 WHERE id = $1 RETURNING id', [
      id,
      Buffer.alloc(64),
    ]);
    expect(broken).toHaveLength(1);
    for (const path of ['', '/attempts', '/refunds']) {
      const { status, text } = await client.get(`/v1/payments/${id}${path}`);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    }
    expect((await client.payment(id)).status).toBe('processing');
    await environment.simulator.clearFaults('stripe');
  });

  it('and so is a payout', async () => {
    const payer = new ApiClient(() => service.url, await environment.merchant(['payouts:write']));
    environment.simulator.faults('stripe', { fault: 'close_before', on: 'any', rate: 1 });
    const recipient = { reference: 'recipient', tokens: { stripe: 'ba_1Qunreadable' } };
    const body = { reference: 'salary', recipient, amount: 100, currency: 'USD', previous: null };
    const made = await payer.post('/v1/payouts', body, 'unreadable', { deadlineMs: 300 });
    const { id } = JSON.parse(made.text) as { id: string };
    const broken = await environment.sql('UPDATE payouts SET sealed = $2 WHERE id = $1 RETURNING id', [
      id,
      Buffer.alloc(64),
    ]);
    expect(broken).toHaveLength(1);
    const { status, text } = await payer.get(`/v1/payouts/${id}`);
    expect([status, text]).toEqual([200, expect.stringContaining('"status":"processing"')]);
    await environment.simulator.clearFaults('stripe');
  });
});
