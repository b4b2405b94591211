import {
  codeOf,
  orderOf,
  paymentOf,
  type Reply,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

let environment: TestEnvironment;
let services: Service[];
let shops: [ApiClient, ApiClient];

beforeAll(async () => {
  environment = await TestEnvironment.open();
  const apiKey = await environment.merchant();
  services = [await environment.start(), await environment.start()];
  const [a, b] = services.map((service) => new ApiClient(() => service.url, apiKey));
  shops = [a!, b!];
});

afterAll(() => environment.close());

async function authorized(key: string): Promise<string> {
  const payment = paymentOf(await shops[0].post('/v1/payments', orderOf({ capture: 'manual' }), key));
  expect(payment.status).toBe('authorized');
  return payment.id;
}

/** Asks with one key until there is an answer that stays. */
function insist(client: ApiClient, path: string, key: string): Promise<Reply> {
  const stays = (reply: Reply) =>
    reply.status === 200 || (reply.status === 409 && codeOf(reply) !== 'request_in_progress');
  return client.until(() => client.post(path, {}, key), stays);
}

/** What was done to the payment after it was authorized. */
function movesOf(id: string): string[] {
  return environment
    .effects(id)
    .map(({ operation }) => operation)
    .filter((operation) => operation !== 'authorize');
}

/** What the PSP was asked to do to it: a PSP that would refuse the second is not what is relied on. */
function askedFor(id: string): string[] {
  const [made] = environment.effects(id);
  const path = `/v1/payment_intents/${made!.psp_reference}/`;
  return environment
    .orders('stripe')
    .filter((call) => call.path.startsWith(path))
    .map((call) => call.path.slice(path.length));
}

/** Versions of the payment that its history explains, with what each came to. */
async function historyOf(id: string): Promise<string[]> {
  const rows = await environment.sql<{ to_status: string }>(
    'SELECT to_status FROM payment_transitions WHERE payment_id = $1 ORDER BY version',
    [id],
  );
  return rows.map((row) => row.to_status);
}

describe('an authorized payment', () => {
  it.each([1, 2, 3, 4, 5, 6])('is captured or voided, never both (round %i)', async (round) => {
    const id = await authorized(`both-${round}`);
    // Who is asked where, and first, changes from round to round.
    const [left, right] = round % 2 === 0 ? shops : shops.toReversed();
    const asks = [
      () => insist(left!, `/v1/payments/${id}/capture`, `both-${round}-capture`),
      () => insist(right!, `/v1/payments/${id}/cancel`, `both-${round}-cancel`),
    ];
    const order = round % 3 === 0 ? [1, 0] : [0, 1];
    const replies = await Promise.all(order.map((index) => asks[index]!()));
    const capture = replies[order.indexOf(0)]!;
    const cancel = replies[order.indexOf(1)]!;

    const [winner, loser, move, status] =
      capture.status === 200
        ? ([capture, cancel, 'capture', 'captured'] as const)
        : ([cancel, capture, 'void', 'canceled'] as const);
    expect(movesOf(id)).toEqual([move]);
    expect(askedFor(id)).toEqual([move === 'void' ? 'cancel' : 'capture']);
    expect(paymentOf(winner).status).toBe(status);
    expect([loser.status, codeOf(loser)]).toEqual([409, 'invalid_state']);
    expect((await shops[1].payment(id)).status).toBe(status);
    expect(await historyOf(id)).toEqual(['processing', 'authorized', status]);
  });

  it.each([1, 2, 3])('is captured once by two captures with keys of their own (round %i)', async (round) => {
    const id = await authorized(`twice-${round}`);
    const path = `/v1/payments/${id}/capture`;

    const replies = await Promise.all(shops.map((client, i) => insist(client, path, `twice-${round}-${i}`)));

    expect(movesOf(id)).toEqual(['capture']);
    expect(askedFor(id)).toEqual(['capture']);
    const done = replies.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThanOrEqual(1);
    for (const reply of done) {
      expect(paymentOf(reply)).toMatchObject({ status: 'captured', amount_captured: 1_999 });
    }
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expect(codeOf(reply)).toBe('invalid_state');
    }
    expect(await historyOf(id)).toEqual(['processing', 'authorized', 'captured']);
  });
});
