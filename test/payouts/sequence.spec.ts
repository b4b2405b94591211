import { randomUUID } from 'node:crypto';
import { type Effect, type FaultRequest } from '@payonce/simulator';
import fc from 'fast-check';
import { type Change, commitOf, insert, type Store, update } from '../../src/core/change.js';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { MemoryStore } from '../support/memory-store.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { entities } from '../../src/entities.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { Payout } from '../../src/payouts/payout.entity.js';
import { PayoutReader } from '../../src/payouts/payout.reader.js';
import { payouts } from '../../src/payouts/payout.table.js';
import { type PayoutView } from '../../src/payouts/payout.view.js';
import { World } from '../simulation/world.js';
import { freshDatabase, type FreshDatabase, newMerchant } from '../support/database.js';
import {
  Bank,
  type Fate,
  payoutOf,
  payoutsInMemory,
  pspsOf,
  sequencesIn,
} from '../support/payouts-in-memory.js';
import {
  ApiClient,
  atRest,
  codeOf,
  eventually,
  type Reply,
  type Service,
  TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

describe("the sequence of a recipient's payouts", () => {
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
      watchCommits: () => store.watchCommits(),
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
      new PostgresStore({
        url: fresh.serviceUrl,
        pool: database.pool,
        tenantPool: database.pool,
        clock,
        random: Math.random,
        lanes: 3,
      });

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
        const told = new Set(
          answers.filter(({ is }) => is !== 201).map(({ is, id }) => `${is} ${String(id)}`),
        );
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
});

describe('payouts through two services', () => {
  /** Payouts through two real services and over real sockets; the PSPs' ledgers judge. */
  let environment: TestEnvironment;
  let services: Service[];
  let shops: ApiClient[];
  let client: ApiClient;
  let apiKey: string;
  let recipients = 0;

  beforeAll(async () => {
    environment = await TestEnvironment.open({ hangs: true });
    environment.hide(...Object.values(tokens));
    apiKey = await environment.merchant(['payouts:write']);
    services = [await environment.start({ role: 'all' }), await environment.start({ role: 'all' })];
    shops = services.map((_, i) => new ApiClient(() => services[i]!.url, apiKey));
    client = shops[0]!;
  });
  afterAll(() => environment.close());
  beforeEach(() => environment.simulator.reset());

  /** Of Stripe and of Adyen. That no log and no table holds one is looked at when the environment closes. */
  const tokens = { stripe: 'ba_1Qpayout', adyen: 'SE322JV223222F5GNXSR89TMW' };
  /** Picks who is asked first. */
  const currencyFor = { stripe: 'USD', adyen: 'EUR' } as const;
  type Payer = keyof typeof currencyFor;

  interface PayoutOrder {
    readonly first?: Payer;
    readonly to?: string;
    readonly previous?: string | null;
    readonly reference?: string;
  }

  function payoutOf({
    first = 'stripe',
    to = 'recipient',
    previous = null,
    reference = 'salary',
  }: PayoutOrder = {}) {
    return {
      reference,
      recipient: { reference: to, tokens },
      amount: 12_345,
      currency: currencyFor[first],
      previous,
      metadata: {},
    };
  }

  const nobody = () => `recipient-${(recipients += 1)}`;
  const viewOf = ({ text }: Reply) => JSON.parse(text) as PayoutView;
  const ledger = (): Effect[] => environment.effects();
  const send = (key: string, order: PayoutOrder, by = client) => by.post('/v1/payouts', payoutOf(order), key);

  /** Asks with one key until the payout has ended. */
  async function insist(key: string, order: PayoutOrder, by = client): Promise<PayoutView> {
    return viewOf(await by.until(() => send(key, order, by), atRest));
  }

  /** Which payout is in the way, by a refusal that says so. */
  function inTheWay({ text }: Reply): string | null {
    return (JSON.parse(text) as { payout_id: string | null }).payout_id;
  }

  describe('a payout through the service', () => {
    it.each<Payer>(['stripe', 'adyen'])('is made once by %s, and read again', async (first) => {
      const to = nobody();
      const reply = await send(`once-${first}`, { first, to });
      expect(reply.status).toBe(201);
      const payout = viewOf(reply);
      expect(payout).toMatchObject({ status: 'paid', psp: first, recipient: to, previous: null });
      expect(ledger()).toEqual([
        expect.objectContaining({
          psp: first,
          operation: 'payout',
          psp_reference: payout.psp_reference,
          amount: 12_345,
          currency: currencyFor[first],
        }),
      ]);
      expect(viewOf(await client.get(`/v1/payouts/${payout.id}`))).toEqual(payout);
      const list = JSON.parse((await client.get(`/v1/payouts?recipient=${to}`)).text) as { data: unknown[] };
      expect(list.data).toEqual([payout]);
      const again = await send(`once-${first}`, { first, to });
      expect([again.status, again.text]).toEqual([201, reply.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await client.get('/v1/payouts/019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83')).status).toBe(404);
    });

    it.each<[Payer, FaultRequest]>([
      ['stripe', { fault: 'close_after', next: 1 }],
      ['stripe', { fault: 'reset_before', next: 1 }],
      ['stripe', { fault: 'error_500_after', next: 1 }],
      ['adyen', { fault: 'close_after', next: 1 }],
      ['adyen', { fault: 'hang_after', next: 1 }],
    ])('stays with %s after %j, and is made once', async (first, fault) => {
      environment.simulator.faults(first, fault);
      const payout = await insist(`doubt-${first}-${JSON.stringify(fault)}`, { first, to: nobody() });
      expect(payout).toMatchObject({ status: 'paid', psp: first });
      expect(payout.routes).toHaveLength(1);
      expect(ledger().map(({ psp }) => psp)).toEqual([first]);
      const other: PspName = first === 'stripe' ? 'adyen' : 'stripe';
      expect(environment.simulator.calls(other)).toEqual([]);
    });

    it.each<[Payer, Payer]>([
      ['stripe', 'adyen'],
      ['adyen', 'stripe'],
    ])('goes from %s to %s on the proof that nothing was sent', async (first, second) => {
      environment.simulator.faults(first, { fault: 'refuse' });
      const payout = await insist(`proof-${first}`, { first, to: nobody() });
      expect(payout).toMatchObject({ status: 'paid', psp: second });
      expect(payout.routes).toEqual([
        { route: 1, psp: first, verdict: 'ruled_out', outcome: 'not_sent' },
        { route: 2, psp: second, verdict: 'effective', outcome: 'succeeded' },
      ]);
      expect(ledger().map(({ psp }) => psp)).toEqual([second]);
    });

    it('fails for good where the account is closed, and is followed all the same', async () => {
      const to = nobody();
      const body = {
        ...payoutOf({ to }),
        recipient: { reference: to, tokens: { stripe: 'ba_fail_account_closed' } },
      };
      const failed = viewOf(await client.post('/v1/payouts', body, 'closed'));
      expect(failed).toMatchObject({
        status: 'failed',
        failure: { category: 'declined', psp_code: 'account_closed' },
      });
      expect(ledger()).toEqual([]);
      expect(await insist('after-closed', { to, previous: failed.id })).toMatchObject({
        status: 'paid',
        previous: failed.id,
      });
    });
  });

  describe('at once, on two services', () => {
    it('fifty identical requests are one payout', async () => {
      const to = nobody();
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) => send('fifty', { to }, shops[i % 2])),
      );
      const done = replies.filter(({ status }) => status === 201);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        expect([reply.status, codeOf(reply)]).toEqual([409, 'request_in_progress']);
      }
      expect(ledger()).toHaveLength(1);
    });

    it('payouts for the same place are one, link after link', async () => {
      const to = nobody();
      let previous: string | null = null;
      for (let link = 1; link <= 10; link++) {
        const replies: Reply[] = await Promise.all(
          shops.map((by, i) => send(`rival-${link}-${i}`, { to, previous, reference: `rival-${i}` }, by)),
        );
        const through = replies.filter(({ status }) => status === 201);
        const [refused] = replies.filter(({ status }) => status === 409);
        expect([link, through.length, replies.length]).toEqual([link, 1, 2]);
        expect(codeOf(refused!)).toMatch(/^payout_(in_progress|sequence_stale)$/);
        expect(inTheWay(refused!)).toBe(viewOf(through[0]!).id);
        expect(ledger()).toHaveLength(link);
        previous = viewOf(through[0]!).id;
      }
    });

    it('the next one waits while nobody knows what became of the last', async () => {
      const to = nobody();
      environment.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
      environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
      const doubtful = await send('doubtful', { to });
      expect([doubtful.status, viewOf(doubtful).status]).toEqual([202, 'processing']);
      const { id } = viewOf(doubtful);
      const next = await send('next', { to, previous: id, first: 'adyen' }, shops[1]);
      expect([next.status, codeOf(next), inTheWay(next)]).toEqual([409, 'payout_in_progress', id]);

      await environment.simulator.clearFaults('stripe');
      expect(await insist('doubtful', { to })).toMatchObject({ id, status: 'paid', psp: 'stripe' });
      expect(await insist('next', { to, previous: id, first: 'adyen' }, shops[1])).toMatchObject({
        psp: 'adyen',
      });
      expect(
        ledger()
          .map(({ psp }) => psp)
          .toSorted(),
      ).toEqual(['adyen', 'stripe']);
    });
  });

  describe('when nobody asks', () => {
    it('the resolver ends it', async () => {
      const to = nobody();
      environment.simulator.faults('stripe', { fault: 'close_after', next: 1 });
      environment.simulator.faults('stripe', { fault: 'reset_before', on: 'any', rate: 1 });
      // Answered after the first call, before pauses between calls have grown long.
      const waiting = await client.post('/v1/payouts', payoutOf({ to }), 'nobody-asks', { deadlineMs: 500 });
      const { id } = viewOf(waiting);
      await environment.simulator.clearFaults('stripe');
      const ended = await eventually(async () => {
        const payout = viewOf(await client.get(`/v1/payouts/${id}`));
        return payout.status === 'processing' ? null : payout;
      }, 'the payout has ended');
      expect(ended).toMatchObject({ status: 'paid', psp: 'stripe' });
      expect(ledger()).toHaveLength(1);
      const [settledBy] = await environment.sql<{ trace_id: string }>(
        'SELECT trace_id FROM psp_attempts WHERE entity_key = $1 ORDER BY attempt DESC LIMIT 1',
        [ended.entity_key],
      );
      expect(settledBy!.trace_id).toMatch(/^resolver-/);
    });
  });

  describe('a service that is killed', () => {
    it.each(['psp:before:execute', 'psp:after:execute'])(
      'at %s leaves a payout that the other ends, and once',
      async (place) => {
        const to = nobody();
        await services[0]!.stop();
        const dying = await environment.startProcess({ at: { place } });
        services[0] = dying;
        await send(`killed-${place}`, { to }).catch(() => null);
        await dying.exit;
        const row = await eventually(
          async () =>
            (
              await environment.sql<{ id: string; status: string }>(
                'SELECT id, status FROM payouts WHERE recipient = $1 AND status <> $2',
                [to, 'processing'],
              )
            )[0],
          'the payout has ended',
        );
        expect(row.status).toBe('paid');
        expect(ledger().filter(({ reference }) => reference?.includes(row.id))).toHaveLength(1);
        expect(ledger()).toHaveLength(1);
        expect(await insist(`killed-${place}`, { to }, shops[1])).toMatchObject({
          id: row.id,
          status: 'paid',
        });
        services[0] = await environment.start({ role: 'all' });
      },
    );
  });
});
