import { shopsWithWindow } from '../support/duplicate-window.js';
import {
  codeOf,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  type ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** A client with a bug that makes a new key for every click, judged by the PSP's ledger. */
const CLICKS = 20;

let environment: TestEnvironment;
let services: Service[];

beforeAll(async () => {
  // A call that a busy machine cannot make in time is not sent, and the next PSP is asked.
  environment = await TestEnvironment.open({
    timeoutMs: 4_000,
    lockTtlMs: 12_000,
    env: { PAYONCE_ROLE: 'api' },
  });
  services = [await environment.start(), await environment.start()];
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

/** All at once, by turns to either service, each under a key of its own. */
function clicks(shops: readonly ApiClient[], name: string, body: object): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: CLICKS }, (_, n) =>
      shops[n % shops.length]!.post('/v1/payments', body, `${name}-${n}`),
    ),
  );
}

describe('twenty clicks at once under different keys, on two services', () => {
  it.each([1, 2, 3])('are one payment, and the others are told its id (round %i)', async (round) => {
    const shops = await shopsWithWindow(environment, services, 60);
    const replies = await clicks(shops, `clicks-${round}`, orderOf());

    const taken = replies.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(1);
    const { id } = paymentOf(taken[0]!);
    const told = replies
      .filter(({ status }) => status !== 201)
      .map((reply) => {
        const { payment_id } = JSON.parse(reply.text) as { payment_id?: string };
        return { status: reply.status, code: codeOf(reply), payment_id };
      });
    expect(told).toEqual(
      Array.from({ length: CLICKS - 1 }, () => ({ status: 409, code: 'probable_duplicate', payment_id: id })),
    );
    expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
    expect(environment.effects(id)).toHaveLength(1);
    expect(environment.orders('stripe')).toHaveLength(1);
  });

  it('are one payment where the one before is just over', async () => {
    const shops = await shopsWithWindow(environment, services, 60);
    const before = paymentOf(await shops[0]!.post('/v1/payments', orderOf(), 'long-ago'));
    await environment.sql("UPDATE duplicate_guards SET until = statement_timestamp() - interval '1 ms'");
    const replies = await clicks(shops, 'clicks-after', orderOf());

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 409).map(codeOf)).toEqual(
      Array.from({ length: CLICKS - 1 }, () => 'probable_duplicate'),
    );
    expect(environment.effects()).toHaveLength(2);
    expect(environment.effects(before.id)).toHaveLength(1);
  });

  it('are twenty payments where they are meant', async () => {
    const shops = await shopsWithWindow(environment, services, 60);
    const replies = await clicks(shops, 'meant', { ...orderOf(), allow_duplicate: true });

    expect(new Set(replies.map((reply) => paymentOf(reply).id)).size).toBe(CLICKS);
    expect(environment.effects()).toHaveLength(CLICKS);
  });
});
