import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { type Change, commitOf, insert, type Store, update } from '../../src/core/change.js';
import { MemoryStore } from '../../src/database/commit/memory-store.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { Payout } from '../../src/payouts/payout.entity.js';
import { payouts } from '../../src/payouts/payout.table.js';
import { PayoutReader } from '../../src/payouts/payout.reader.js';
import { World } from '../simulation/world.js';
import { type FreshDatabase, freshDatabase, newMerchant } from '../support/database.js';
import {
  Bank,
  type Fate,
  payoutsInMemory,
  payoutOf,
  pspsOf,
  sequencesIn,
} from '../support/payouts-in-memory.js';

const SEEDS = 200;

type Sending = ReturnType<ReturnType<typeof payoutsInMemory>['send']>;

/** What came of a request: its status, or the code of the problem and the payout that it names. */
async function cameTo(sending: Sending): Promise<{ is: number | string; id: unknown }> {
  try {
    const { status, payout } = await sending;
    return { is: status, id: payout.id };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { is: error.code, id: error.more.members?.['payout_id'] };
  }
}

/** A store that is a while away, so that what is read is old before anything is written. */
function distant(store: Store, world: World): Store {
  const reach = () => world.wait(world.between(0, 20), null);
  return {
    commit: async (changes) => {
      await reach();
      const result = await store.commit(changes);
      await reach();
      return result;
    },
    find: async (...args) => (await reach(), store.find(...args)),
    findByPrefix: async (...args) => (await reach(), store.findByPrefix(...args)),
    findDue: async (...args) => (await reach(), store.findDue(...args)),
  };
}

const fates: readonly Fate[] = ['does', 'does', 'loses_answer', 'loses_request', 'is_down', 'says_later'];

/** Two or three different payouts that name the same previous one, asked for within 100 ms. */
async function rivals(seed: number) {
  const world = new World(seed, false);
  const merchantId = world.ids.uuid();
  const clock = world.clockOf(null);
  const banks = [new Bank('first'), new Bank('second')];
  const psps = pspsOf(banks, () => world.wait(world.between(1, 60), null));
  const store = new MemoryStore(clock);
  const environment = payoutsInMemory({ store: distant(store, world), clock, ids: world.ids, psps });
  const within = async <T>(work: Promise<T>): Promise<T> => {
    let done = false;
    const end = () => {
      done = true;
    };
    work.then(end, end);
    await world.run(
      () => done,
      () => {},
    );
    return work;
  };

  let previous: string | null = null;
  if (world.maybe(0.5)) {
    if (world.maybe(0.3)) banks[0]!.fates.push('declines');
    previous = (await within(environment.send(merchantId, 'before', payoutOf()))).payout.id;
  }
  const before = banks.flatMap(({ sent }) => sent).length;
  for (const bank of banks) bank.fates.push(world.oneOf(fates), world.oneOf(fates));
  const asks = Array.from({ length: world.between(2, 3) }, async (_, i) => {
    await world.wait(world.between(0, 100), null);
    const ask = payoutOf({ previous, reference: `rival-${i}`, amount: 1_000 + i });
    return cameTo(environment.send(merchantId, `rival-${i}`, ask));
  });
  const answers = await within(Promise.all(asks));
  const rows = await store.find(payouts, { merchantId });
  const sent = banks.flatMap((bank) => bank.sent).slice(before);
  return { answers, followers: rows.filter((row) => row.previous === previous), sent };
}

describe(`${SEEDS} races for the same place in a sequence, each from its seed`, () => {
  it('let one through; the others hear which', async () => {
    const heard: Record<string, number> = {};
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { answers, followers, sent } = await rivals(seed);
      const through = answers.filter(({ is }) => is === 201 || is === 202);
      expect([seed, through.length, followers.length]).toEqual([seed, 1, 1]);
      for (const { is, id } of answers) {
        heard[is] = (heard[is] ?? 0) + 1;
        if (typeof is === 'number') continue;
        expect([seed, is]).toEqual([seed, expect.stringMatching(/^payout_(in_progress|sequence_stale)$/)]);
        expect([seed, id]).toEqual([seed, through[0]!.id]);
      }
      // What the PSPs did is at most that one payout's, and at most once.
      expect([seed, sent.length <= 1]).toEqual([seed, true]);
      for (const { entityKey } of sent) expect(entityKey).toBe(`payout-${String(through[0]!.id)}-send`);
    }
    // Every way to be answered was seen.
    expect(Object.keys(heard).toSorted()).toEqual([
      '201',
      '202',
      'payout_in_progress',
      'payout_sequence_stale',
    ]);
  });
});

describe('over Postgres', () => {
  let fresh: FreshDatabase;
  let database: Database;
  let store: PostgresStore;
  const clock = new SystemClock();
  const ids = new SystemIds(clock);
  const newStore = () =>
    new PostgresStore({ url: fresh.serviceUrl, pool: database.pool, clock, random: Math.random, lanes: 3 });

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = await openDatabase({
      url: fresh.url,
      entities,
      migrations: [],
      poolSize: 4,
      applicationName: 'payout-races',
    });
    store = newStore();
  });

  afterAll(async () => {
    await store.close();
    await database.close();
    await fresh.drop();
  });

  /** Two services over one database. */
  async function twoInstallations() {
    const bank = new Bank('first');
    // What one of them has begun is still on its way when the others are written.
    const psps = pspsOf([bank], () => clock.sleep(5));
    const sequences = new PayoutReader(
      database.dataSource.getRepository(Payout),
      new TenantDatabase(database.dataSource),
    );
    const environment = () => payoutsInMemory({ store, clock, ids, psps, sequences });
    return { bank, houses: [environment(), environment()], merchantId: await newMerchant(database) };
  }

  it('fifty identical requests at once are one payout', async () => {
    const { bank, houses, merchantId } = await twoInstallations();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => cameTo(houses[i % 2]!.send(merchantId, 'same', payoutOf()))),
    );
    const done = answers.filter(({ is }) => is === 201);
    expect(done.length).toBeGreaterThanOrEqual(1);
    expect(new Set(done.map(({ id }) => id)).size).toBe(1);
    expect(new Set(answers.map(({ is }) => is))).toEqual(new Set([201, 'request_in_progress']));
    expect(bank.sent).toHaveLength(1);
    expect((await houses[0]!.send(merchantId, 'same', payoutOf(), 5_000)).replayed).toBe(true);
  });

  it('fifty requests for the same place under fifty keys are one payout, link after link', async () => {
    const { bank, houses, merchantId } = await twoInstallations();
    let previous: string | null = null;
    for (let link = 1; link <= 10; link++) {
      const ask = payoutOf({ previous });
      const answers: { is: number | string; id: unknown }[] = await Promise.all(
        Array.from({ length: 50 }, (_, i) => cameTo(houses[i % 2]!.send(merchantId, `${link}-${i}`, ask))),
      );
      const through = answers.filter(({ is }) => is === 201);
      expect([link, through.length, bank.sent.length]).toEqual([link, 1, link]);
      const told = new Set(answers.filter(({ is }) => is !== 201).map(({ is, id }) => `${is} ${String(id)}`));
      for (const one of told) {
        expect(one).toMatch(new RegExp(`^payout_(in_progress|sequence_stale) ${String(through[0]!.id)}$`));
      }
      previous = String(through[0]!.id);
    }
  });

  it('the rules of a sequence are the same in both stores', async () => {
    const names = ['a', 'b'] as const;
    const step = fc.record({
      recipient: fc.constantFrom(...names),
      index: fc.integer({ min: 0, max: 3 }),
      // Mostly what would be right, so that there are chains to break.
      previous: fc.oneof(fc.constant('tail'), fc.constant('tail'), fc.constant(null), fc.nat({ max: 3 })),
      does: fc.constantFrom('open', 'open', 'open', 'pay', 'fail', 'pay and keep the token'),
    });
    let runs = 0;
    let written = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const [merchantId, memory] = [await newMerchant(database), new MemoryStore(clock)];
        const idOf = Array.from({ length: 4 }, () => randomUUID());
        const tailOf = async (recipient: string) =>
          (await sequencesIn(memory).tailOf(merchantId, recipient))?.id ?? null;
        for (const [n, { recipient, index, previous, does }] of steps.entries()) {
          const row = payoutRow(
            merchantId,
            recipient,
            idOf[index]!,
            typeof previous === 'number' ? idOf[previous]! : previous && (await tailOf(recipient)),
          );
          const change: Change =
            does === 'open'
              ? insert(payouts, row)
              : update(
                  payouts,
                  { merchantId, recipient, id: row.id },
                  does === 'pay and keep the token'
                    ? { status: 'paid' }
                    : { status: does === 'pay' ? 'paid' : 'failed', sealed: null },
                  { status: 'processing' },
                );
          const commit = commitOf(insert(idempotencyKeys, keyRow(merchantId, `key-${n}`)), [change]);
          const real = await store.commit(commit);
          const told = await memory.commit(commit);
          expect(told.done ? 'done' : told.refused.by).toBe(real.done ? 'done' : real.refused.by);
          if (real.done) written += 1;
        }
        const sealedAsHex = (rows: Payout[]) =>
          rows.map((row) => ({ ...row, sealed: row.sealed && Buffer.from(row.sealed).toString('hex') }));
        expect(sealedAsHex(await memory.find(payouts, { merchantId }))).toEqual(
          sealedAsHex(await store.find(payouts, { merchantId })),
        );
        if (++runs % 50 === 0) {
          await store.close();
          store = newStore();
        }
      }),
      { numRuns: 300 },
    );
    // A property that nothing ever passed would hold too.
    expect(written).toBeGreaterThan(500);
  });
});

function keyRow(merchantId: string, key: string) {
  return {
    merchantId,
    key,
    operation: 'POST /v1/payouts',
    fingerprint: 'f',
    subjectId: null,
    params: {},
    recoveryPoint: 'accepted',
    lockToken: null,
    resumableAt: null,
    responseStatus: null,
    responseBody: null,
    createdAt: new Date(0),
    finishedAt: null,
  };
}

function payoutRow(merchantId: string, recipient: string, id: string, previous: string | null): Payout {
  return {
    merchantId,
    recipient,
    id,
    version: 1,
    reference: 'r',
    status: 'processing',
    recipientVersion: null,
    amount: 1,
    currency: 'EUR',
    statementDescriptor: null,
    metadata: {},
    candidates: [],
    sealed: Buffer.from([1, 2, 3]),
    psp: null,
    pspReference: null,
    failure: null,
    previous,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
}
