import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultKind } from '@payonce/simulator';
import { refunded, refundOf } from '../support/refunds.js';
import {
  ApiClient,
  atRest,
  codeOf,
  orderOf,
  paymentOf,
  type Reply,
  type ServiceProcess,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

/**
 * More is never given back than was taken, however many ask at once and whatever gets lost: judged from
 * the PSPs' ledgers. REFUND_RACES plays more of them; each is drawn by its seed.
 */
const RACES = Number(process.env['REFUND_RACES'] ?? 20);
/** So many at a time: they share two cores with two services, a database and three PSPs. */
const AT_ONCE = 8;

let environment: TestEnvironment;
let services: ServiceProcess[];
let shops: [ApiClient, ApiClient];

beforeAll(async () => {
  environment = await TestEnvironment.open({
    timeoutMs: 600,
    lockTtlMs: 1_800,
    env: { PAYONCE_DEADLINE_MS: '5000' },
  });
  const apiKey = await environment.merchant();
  services = [await environment.startProcess(), await environment.startProcess()];
  const [a, b] = services.map((service) => new ApiClient(() => service.url, apiKey));
  shops = [a!, b!];
});
afterAll(() => environment.close());

interface Race {
  readonly seed: number;
  readonly random: () => number;
  readonly first: PspName;
  readonly name: string;
}

/** Plays every seed, a few side by side, and gathers what was not as it should be. */
async function playAll(kind: string, play: (race: Race) => Promise<string[]>): Promise<void> {
  const seeds = Array.from({ length: RACES }, (_, i) => i + 1);
  const complaints: string[] = [];
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const random = randomFrom(seed);
      const first = random() < 0.5 ? 'stripe' : 'adyen';
      const found = await play({ seed, random, first, name: `${kind}-${seed}` });
      complaints.push(...found.map((complaint) => `seed ${seed}: ${complaint}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(complaints).toEqual([]);
}

async function paid({ first, name }: Race, amount: number, capture: 'automatic' | 'manual'): Promise<string> {
  const body = orderOf({ first, capture, amount, reference: name });
  return paymentOf(await shops[0].until(() => shops[0].post('/v1/payments', body, name), atRest)).id;
}

const lossy: readonly FaultKind[] = [
  'close_after',
  'close_before',
  'reset_after',
  'error_500_after',
  'delay_before',
];

/** Whatever may go wrong with the next refund or capture of this payment, sometimes. */
function trouble({ random, first }: Race, id: string): void {
  if (random() < 0.5) return;
  const fault = lossy[Math.floor(random() * lossy.length)]!;
  environment.simulator.faults(first, { fault, reference: id, times: 1, delay_ms: 40 });
}

function sums(id: string): { taken: number; given: number; effects: string[] } {
  const effects = environment.effects(id);
  const sum = (...operations: string[]) =>
    effects.filter((e) => operations.includes(e.operation)).reduce((total, { amount }) => total + amount, 0);
  return {
    taken: sum('charge', 'capture'),
    given: sum('refund'),
    effects: effects.map(({ operation, amount }) => `${operation} ${amount}`),
  };
}

/** The books say what the ledgers say. */
async function complaintsOf(id: string): Promise<string[]> {
  const { taken, given, effects } = sums(id);
  const payment = await shops[1].payment(id);
  const complaints: string[] = [];
  if (given > taken) complaints.push(`${given} given back of ${taken}: ${effects.join(', ')}`);
  if (payment.amount_captured !== taken || payment.amount_refunded !== given) {
    complaints.push(
      `books ${payment.amount_captured} and ${payment.amount_refunded}; ledgers ${effects.join(', ')}`,
    );
  }
  return complaints;
}

const outcome = (reply: Reply) => (reply.status < 300 ? refundOf(reply).status : codeOf(reply));

it(`refunds of 60 and 60 on 100: one of them (${RACES} seeds)`, async () => {
  await playAll('sixty', async (race) => {
    const id = await paid(race, 100, 'automatic');
    trouble(race, id);
    const replies = await Promise.all(
      ['a', 'b'].map(async (reference, i) => {
        await sleep(race.random() * 20);
        return refunded(shops[i as 0 | 1], id, { reference, amount: 60 }, `${race.name}-${reference}`);
      }),
    );
    const outcomes = replies.map(outcome).toSorted();
    const complaints = await complaintsOf(id);
    if (outcomes.join() !== 'amount_exceeds_refundable,succeeded') complaints.push(outcomes.join());
    if (sums(id).given !== 60) complaints.push(`${sums(id).given} were given back`);
    return complaints;
  });
});

it(`the same refund under two keys at two services: one (${RACES} seeds)`, async () => {
  await playAll('same', async (race) => {
    const id = await paid(race, 100, 'automatic');
    trouble(race, id);
    const replies = await Promise.all(
      shops.map(async (client, i) => {
        await sleep(race.random() * 20);
        return refunded(client, id, {}, `${race.name}-${i}`);
      }),
    );
    const complaints = await complaintsOf(id);
    const ids = new Set(replies.map((reply) => refundOf(reply).id));
    if (ids.size !== 1) complaints.push(`${ids.size} refunds`);
    const statuses = new Set(replies.map(({ status }) => status));
    if (!statuses.has(200) || !statuses.has(201)) complaints.push(`answered ${[...statuses].join()}`);
    if (sums(id).given !== 100) complaints.push(`${sums(id).given} were given back`);
    return complaints;
  });
});

it(`a refund racing a part of a capture and a cancel (${RACES} seeds)`, async () => {
  await playAll('mixed', async (race) => {
    const id = await paid(race, 100, 'manual');
    const capture = (client: ApiClient, reference: string, amount: number) =>
      client.until(
        () => client.post(`/v1/payments/${id}/capture`, { reference, amount }, `${race.name}-${reference}`),
        isAnswered,
      );
    await capture(shops[0], 'one', 50);
    trouble(race, id);
    const cancel = () => shops[1].post(`/v1/payments/${id}/cancel`, {}, `${race.name}-cancel`);
    const all: (() => Promise<Reply>)[] = [
      () => refunded(shops[0], id, { reference: 'all', amount: 50 }, `${race.name}-all`),
      () => refunded(shops[1], id, { reference: 'more', amount: 60 }, `${race.name}-more`),
      () => capture(shops[1], 'two', 40),
      () => shops[1].until(cancel, isAnswered),
    ];
    await Promise.all(
      all.map(async (ask) => {
        await sleep(race.random() * 20);
        return ask();
      }),
    );
    return complaintsOf(id);
  });
});

it('a hundred refunds of 1.01 on 100, all at once: ninety-nine', async () => {
  const race = { seed: 0, random: () => 0, first: 'stripe', name: 'hundred' } as const;
  const id = await paid(race, 10_000, 'automatic');
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      refunded(shops[(i % 2) as 0 | 1], id, { reference: `r-${i}`, amount: 101 }, `hundred-${i}`),
    ),
  );
  const outcomes = replies.map(outcome);
  expect(outcomes.filter((one) => one === 'succeeded')).toHaveLength(99);
  expect(outcomes.filter((one) => one === 'amount_exceeds_refundable')).toHaveLength(1);
  expect(sums(id)).toMatchObject({ taken: 10_000, given: 9_999 });
  expect(await complaintsOf(id)).toEqual([]);
});

function isAnswered(reply: Reply): boolean {
  return reply.status !== 202 && !(reply.status === 409 && codeOf(reply) === 'request_in_progress');
}

/** mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
