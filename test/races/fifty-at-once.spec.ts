import {
  codeOf,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

const EACH = 25;

let environment: TestEnvironment;
let services: Service[];
let apiKey: string;

beforeAll(async () => {
  environment = await TestEnvironment.open({ env: { PAYONCE_ROLE: 'api' } });
  apiKey = await environment.merchant();
  services = [await environment.start(), await environment.start()];
});

afterAll(() => environment.close());

beforeEach(() => environment.simulator.reset());

/** The same request 25 times to each of two services, all of them before the first is answered. */
function fiftyAtOnce(key: string, waitS?: number): Promise<Reply[]> {
  const shops = services.map((service) => new ApiClient(() => service.url, apiKey));
  const body = orderOf({ reference: key });
  const asks = Array.from({ length: EACH }, () =>
    shops.map((client) => client.post('/v1/payments', body, key, waitS === undefined ? {} : { waitS })),
  );
  return Promise.all(asks.flat());
}

function isReplay({ headers }: Reply): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

describe('fifty identical requests at once, on two services', () => {
  it.each([1, 2, 3])('charge once, and one of them is answered first-hand (round %i)', async (round) => {
    const replies = await fiftyAtOnce(`fifty-at-once-${round}`);
    const done = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status !== 201);
    const firstHand = done.filter((reply) => !isReplay(reply));

    expect(replies).toHaveLength(2 * EACH);
    expect(firstHand).toHaveLength(1);
    expect([...new Set(done.map(({ text }) => text))]).toEqual([firstHand[0]!.text]);
    expect(paymentOf(firstHand[0]!).status).toBe('captured');
    for (const reply of refused) {
      expect({ status: reply.status, code: codeOf(reply) }).toEqual({
        status: 409,
        code: 'request_in_progress',
      });
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    }
    expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
    expect(environment.effects(paymentOf(firstHand[0]!).id)).toHaveLength(1);
    expect(environment.orders('stripe')).toHaveLength(1);
  });

  it('all get the same bytes when they wait', async () => {
    environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 300, next: 1 });

    const replies = await fiftyAtOnce('fifty-that-wait', 10);

    expect([...new Set(replies.map(({ status }) => status))]).toEqual([201]);
    expect([...new Set(replies.map(({ text }) => text))]).toHaveLength(1);
    expect(replies.filter((reply) => !isReplay(reply))).toHaveLength(1);
    expect(paymentOf(replies[0]!).status).toBe('captured');
    expect(environment.effects().map(({ operation }) => operation)).toEqual(['charge']);
    expect(environment.orders('stripe')).toHaveLength(1);
  });
});
