import { Repository } from 'typeorm';
import { merchantServices } from '../../src/commands/merchant-services.js';
import { ManualClock } from '../../src/core/clock.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { SeededIds, uuidv7 } from '../../src/core/ids.js';
import { initialSettings } from '../../src/core/merchant-settings.js';
import { Problem } from '../../src/core/problem.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { entities } from '../../src/entities.js';
import { ApiKey } from '../../src/merchants/api-key.entity.js';
import { Merchant } from '../../src/merchants/merchant.entity.js';
import { digestOf } from '../../src/merchants/new-api-key.js';
import { type ApiKeysService } from '../../src/merchants/api-keys.service.js';
import { type CallersService } from '../../src/merchants/callers.service.js';
import { type MerchantsService } from '../../src/merchants/merchants.service.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { eventually } from '../support/test-environment.js';

let fresh: FreshDatabase;
let database: Database;
let clock: ManualClock;
let merchants: MerchantsService;
let apiKeys: ApiKeysService;
let callers: CallersService;
let queries: jest.SpyInstance;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase({
    url: fresh.url,
    entities,
    migrations: [],
    poolSize: 4,
    applicationName: 'merchants-spec',
  });
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

/** The services of a process that has cached nothing. */
function otherProcess() {
  return merchantServices(database.dataSource, clock, new SeededIds(++seed, clock));
}

let seed = 0;
beforeEach(() => {
  clock = new ManualClock();
  ({ merchants, apiKeys, callers } = otherProcess());
  queries = jest.spyOn(database.pool, 'connect');
});
afterEach(() => queries.mockRestore());

async function refusal(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.then(
    () => new Error('nothing was refused'),
    (error: unknown) => error,
  );
  if (!(error instanceof Problem)) throw error;
  return error;
}

const absent = uuidv7(0, new Uint8Array(10));

describe('merchants', () => {
  it('are created with a name, and listed newest first', async () => {
    const first = await merchants.create('  Shop  ');
    clock.advance(1);
    const second = await merchants.create('Boutique');
    expect(first).toEqual({
      id: expect.any(String) as string,
      name: 'Shop',
      ...initialSettings,
      testOf: null,
      createdAt: new Date('2026-01-01'),
    });
    const listed = await merchants.list();
    expect(listed.slice(0, 2)).toEqual([second, first]);
  });

  it.each([
    ['empty', ''],
    ['blank', '   '],
    ['too long', 'x'.repeat(201)],
    ['not printable', 'a\u0000b'],
    ['half a character', 'a\ud800b'],
  ])('are refused a name that is %s', async (_what, name) => {
    expect((await refusal(merchants.create(name))).code).toBe('validation_failed');
  });

  it('agree with their entities', async () => {
    const { id } = await merchants.create('Shop');
    const { id: keyId, key } = await apiKeys.create(id, ['payments:read']);
    const { dataSource } = database;
    expect(await dataSource.getRepository(Merchant).findOneByOrFail({ id })).toMatchObject({
      name: 'Shop',
    });
    const stored = await dataSource.getRepository(ApiKey).findOneByOrFail({ merchantId: id, id: keyId });
    expect(stored).toMatchObject({ scopes: ['payments:read'], revokedAt: null, createdAt: clock.now() });
    expect(key.startsWith(`${stored.prefix}_`)).toBe(true);
    expect(stored.hash).toHaveLength(32);
  });
});

describe('the duplicate window of a merchant', () => {
  it('is off, or what it was made or changed with, and callers have it', async () => {
    const off = await merchants.create('Shop');
    const { id, ...made } = await merchants.create('Shop', '30');
    const { key } = await apiKeys.create(id, ['payments:write']);
    expect([off.duplicateWindowS, made.duplicateWindowS]).toEqual([0, 30]);
    expect(await callers.authenticate(key)).toMatchObject({ duplicateWindowS: 30 });

    expect(await merchants.set(id, 'duplicateWindowS', '0')).toEqual({ id, ...made, duplicateWindowS: 0 });
    expect(await callers.authenticate(key)).toMatchObject({ duplicateWindowS: 0 });
    expect(await merchants.list()).toContainEqual({ id, ...made, duplicateWindowS: 0 });
  });

  it('is believed by another process for 5 s', async () => {
    const { id } = await merchants.create('Shop');
    const { key } = await apiKeys.create(id, ['payments:write']);
    const elsewhere = otherProcess();
    await callers.authenticate(key);
    await elsewhere.merchants.set(id, 'duplicateWindowS', '86400');
    clock.advance(5_000);
    expect(await callers.authenticate(key)).toMatchObject({ duplicateWindowS: 0 });
    clock.advance(1);
    expect(await callers.authenticate(key)).toMatchObject({ duplicateWindowS: 86_400 });
  });

  it.each([-1, 0.5, 86_401, NaN, Infinity])('is not %s', async (seconds) => {
    const { id } = await merchants.create('Shop');
    expect((await refusal(merchants.set(id, 'duplicateWindowS', String(seconds)))).code).toBe(
      'validation_failed',
    );
    expect((await refusal(merchants.create('Shop', String(seconds)))).code).toBe('validation_failed');
  });

  it('is nobody’s where there is no merchant', async () => {
    expect((await refusal(merchants.set(absent, 'duplicateWindowS', '1'))).code).toBe('not_found');
    expect((await refusal(merchants.set('nobody', 'duplicateWindowS', '1'))).code).toBe('not_found');
  });
});

describe('API keys', () => {
  it('authenticate their merchant with their scopes', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id, key } = await apiKeys.create(merchantId, ['payouts:write', 'payments:read']);
    expect(key).toMatch(/^po_live_[0-9a-f]{12}_[A-Za-z0-9_-]{49}$/);
    expect(await callers.authenticate(key)).toEqual({
      merchantId,
      apiKeyId: id,
      scopes: ['payments:read', 'payouts:write'],
      needsCertificate: false,
      ...initialSettings,
      isTest: false,
    });
  });

  it('of test mode belong to a merchant of its own, made once however many ask for it', async () => {
    const { id } = await merchants.create('Shop');
    const [first, second] = await Promise.all([merchants.testModeOf(id), merchants.testModeOf(id)]);
    expect(second).toEqual(first);
    expect(first).toMatchObject({ name: 'Shop', testOf: id });
    expect(await merchants.testModeOf(first.id)).toEqual(first);
    const { key } = await apiKeys.create(first.id, ['payments:write']);
    expect(key).toMatch(/^po_test_[0-9a-f]{12}_[A-Za-z0-9_-]{49}$/);
    expect(await callers.authenticate(key)).toMatchObject({ merchantId: first.id, isTest: true });
    expect((await refusal(merchants.testModeOf(absent))).code).toBe('not_found');
  });

  it('are nowhere in the database', async () => {
    const { id } = await merchants.create('Shop');
    const { key } = await apiKeys.create(id, ['payments:read']);
    const { rows } = await database.pool.query<{ row: string }>('SELECT api_keys::text AS row FROM api_keys');
    const secret = key.split('_').slice(3).join('_');
    for (const { row } of rows) {
      expect(row).not.toContain(secret);
      expect(row).not.toContain(Buffer.from(key).toString('hex'));
    }
  });

  it('are listed without key or hash, and two may be live at once', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    expect(await apiKeys.list(merchantId)).toEqual([]);
    const old = await apiKeys.create(merchantId, ['payments:read']);
    clock.advance(1);
    const next = await apiKeys.create(merchantId, ['payments:read']);
    const listed = await apiKeys.list(merchantId);
    expect(listed.map((key) => key.id)).toEqual([next.id, old.id]);
    expect(Object.keys(listed[0]!).toSorted()).toEqual([
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'needsCertificate',
      'prefix',
      'revokedAt',
      'scopes',
    ]);
    expect((await callers.authenticate(old.key)).apiKeyId).toBe(old.id);
    expect((await callers.authenticate(next.key)).apiKeyId).toBe(next.id);
  });

  it('are refused from the moment of their revocation, others of the merchant are not', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const gone = await apiKeys.create(merchantId, ['payments:read']);
    const kept = await apiKeys.create(merchantId, ['payments:read']);
    await callers.authenticate(gone.key);
    clock.advance(1_000);
    const revoked = await apiKeys.revoke(merchantId, gone.id);
    expect(revoked.revokedAt).toEqual(clock.now());
    expect((await refusal(callers.authenticate(gone.key))).code).toBe('unauthorized');
    expect((await callers.authenticate(kept.key)).apiKeyId).toBe(kept.id);

    clock.advance(1_000);
    expect(await apiKeys.revoke(merchantId, gone.id)).toMatchObject({ revokedAt: revoked.revokedAt });
  });

  it('are refused from the moment of their expiry, though an answer about them is believed', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id, key } = await apiKeys.create(merchantId, ['payments:read'], 'cli:spec', { hours: 1 });
    clock.advance(3_600_000 - 1);
    expect((await callers.authenticate(key)).apiKeyId).toBe(id);
    clock.advance(1);
    expect((await refusal(callers.authenticate(key))).code).toBe('unauthorized');
    const elsewhere = otherProcess();
    expect((await refusal(elsewhere.callers.authenticate(key))).code).toBe('unauthorized');
    expect(await apiKeys.list(merchantId)).toMatchObject([{ id, expiresAt: clock.now() }]);
  });

  it.each([0, -1, 0.5, 87_601, NaN])('do not live for %s hours', async (hours) => {
    const { id: merchantId } = await merchants.create('Shop');
    const scopes = ['payments:read'];
    const { id } = await apiKeys.create(merchantId, scopes);
    for (const work of [
      () => apiKeys.create(merchantId, scopes, 'cli:spec', { hours }),
      () => apiKeys.rotate(merchantId, id, hours),
    ]) {
      expect((await refusal(work())).code).toBe('validation_failed');
    }
    expect(await apiKeys.list(merchantId)).toMatchObject([{ id, expiresAt: null }]);
  });

  it('are replaced by one of the same scopes and lifetime, and live on for a while', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const old = await apiKeys.create(merchantId, ['events:read'], 'cli:spec', { hours: 720 });
    await callers.authenticate(old.key);
    clock.advance(3_600_000);
    const next = await apiKeys.rotate(merchantId, old.id, 24, 'cli:spec');
    expect(next.previous.expiresAt).toEqual(new Date(clock.now().getTime() + 24 * 3_600_000));
    expect((await callers.authenticate(next.key)).scopes).toEqual(['events:read']);
    const [listed] = await apiKeys.list(merchantId);
    expect(listed!.expiresAt).toEqual(new Date(clock.now().getTime() + 720 * 3_600_000));

    expect((await callers.authenticate(old.key)).apiKeyId).toBe(old.id);
    clock.advance(24 * 3_600_000);
    expect((await refusal(callers.authenticate(old.key))).code).toBe('unauthorized');
    expect((await callers.authenticate(next.key)).apiKeyId).toBe(next.id);
    expect((await refusal(apiKeys.rotate(merchantId, old.id, 24))).code).toBe('invalid_state');
  });

  it('do not live longer because they are replaced, and not again once revoked', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const old = await apiKeys.create(merchantId, ['events:read'], 'cli:spec', { hours: 2 });
    const { previous } = await apiKeys.rotate(merchantId, old.id, 24);
    expect(previous.expiresAt).toEqual(new Date(clock.now().getTime() + 2 * 3_600_000));
    await apiKeys.revoke(merchantId, old.id);
    expect((await refusal(apiKeys.rotate(merchantId, old.id, 24))).code).toBe('invalid_state');
    expect(await apiKeys.list(merchantId)).toHaveLength(2);
  });

  it('say to the minute when they were last used', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { key } = await apiKeys.create(merchantId, ['payments:read']);
    const lastUse = async () => (await apiKeys.list(merchantId))[0]!.lastUsedAt;
    expect(await lastUse()).toBeNull();
    const used = async () => {
      clock.advance(5_001);
      await callers.authenticate(key);
      return clock.now();
    };
    const first = await used();
    expect(await eventually(lastUse, 'the first use is written')).toEqual(first);
    await used();
    clock.advance(60_000);
    const second = await used();
    await eventually(async () => (await lastUse())?.getTime() === second.getTime(), 'a later use is written');
  });

  it('can be revoked under a clock that went back', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id } = await apiKeys.create(merchantId, ['payments:read']);
    clock.advance(-60_000);
    expect((await apiKeys.revoke(merchantId, id)).revokedAt).not.toBeNull();
  });

  it.each([[[]], [['payments:delete']], [['payments:read', 'payments:delete']]])(
    'are not made with the scopes %j',
    async (scopes) => {
      const { id } = await merchants.create('Shop');
      const problem = await refusal(apiKeys.create(id, scopes));
      expect(problem.code).toBe('validation_failed');
      expect(await apiKeys.list(id)).toEqual([]);
    },
  );

  it.each([absent, 'not-a-uuid', `${absent}' OR 1=1`])('of merchant %j do not exist', async (nobody) => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id } = await apiKeys.create(merchantId, ['payments:read']);
    for (const work of [
      () => apiKeys.create(nobody, ['payments:read']),
      () => apiKeys.list(nobody),
      () => apiKeys.revoke(nobody, id),
      () => apiKeys.revoke(merchantId, nobody),
      () => apiKeys.rotate(merchantId, nobody, 24),
    ]) {
      expect((await refusal(work())).code).toBe('not_found');
    }
  });
});

describe('authenticate', () => {
  /** A key that was used just now, so that its next use is not written. */
  async function issue() {
    const { id } = await merchants.create('Shop');
    const issued = await apiKeys.create(id, ['payments:read']);
    await database.pool.query('UPDATE api_keys SET last_used_at = created_at');
    queries.mockClear();
    return issued;
  }

  it('says the same whatever was wrong', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id, key } = await apiKeys.create(merchantId, ['payments:read']);
    await apiKeys.revoke(merchantId, id);
    const other = `${key.slice(0, -4)}AAAA`;
    const refusals = await Promise.all(
      ['', 'x', key, other, 'po_live_', key.repeat(2)].map((bearer) => refusal(callers.authenticate(bearer))),
    );
    expect(new Set(refusals.map((problem) => JSON.stringify(problem.document()))).size).toBe(1);
  });

  it('does not ask the database about what is not shaped like a key', async () => {
    const { key } = await issue();
    for (const bearer of [
      '',
      ' ',
      'x',
      '\u0000',
      `Bearer ${key}`,
      `${key}=`,
      `${key}\n`,
      'po_live_'.repeat(10_000),
    ]) {
      await refusal(callers.authenticate(bearer));
    }
    expect(queries).not.toHaveBeenCalled();
  });

  it('does not ask the database about keys that were never issued, however many', async () => {
    const { key } = await issue();
    const elsewhere = otherProcess();
    await elsewhere.callers.authenticate(key);
    await refusal(elsewhere.callers.authenticate(`po_live_000000000001_${'x'.repeat(43)}`));
    queries.mockClear();
    for (let n = 0; n < 1_000; n++) {
      // With and without a checksum, and the secret part of an issued one under another.
      const invented = `${key.slice(0, 21)}${String(n).padStart(43, '0')}`;
      for (const wrong of [
        invented,
        `${invented}AAAAAA`,
        `${key.slice(0, -6)}${String(n).padStart(6, '0')}`,
      ]) {
        expect((await refusal(elsewhere.callers.authenticate(wrong))).code).toBe('unauthorized');
      }
    }
    expect(queries).not.toHaveBeenCalled();
  });

  it('takes keys that were issued before there were checksums, by processes of the version before too', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const old = async (n: number): Promise<string> => {
      const key = `po_live_${String(n).padStart(12, '0')}_${'k'.repeat(43)}`;
      await database.pool.query(
        `INSERT INTO api_keys (merchant_id, id, hash, prefix, scopes, created_at)
         VALUES ($1, gen_random_uuid(), $2, $3, '{payments:read}', '2026-01-01')`,
        [merchantId, Buffer.from(digestOf(key), 'base64'), key.slice(0, 20)],
      );
      return key;
    };
    const before = await old(7);
    expect(await callers.authenticate(before)).toMatchObject({ merchantId });
    const late = await old(8);
    clock.advance(5_000);
    expect(await callers.authenticate(late)).toMatchObject({ merchantId });
  });

  it('asks once for fifty concurrent callers', async () => {
    const { id, key } = await issue();
    const known = await Promise.all(Array.from({ length: 50 }, () => callers.authenticate(key)));
    expect(new Set(known.map((caller) => caller.apiKeyId))).toEqual(new Set([id]));
    expect(queries).toHaveBeenCalledTimes(1);
  });

  it('believes an answer for five seconds, a negative one too', async () => {
    const { key: wrong } = await issue();
    await database.pool.query('UPDATE api_keys SET revoked_at = created_at WHERE revoked_at IS NULL');
    const { key } = await issue();
    const askBoth = async () => {
      await callers.authenticate(key);
      await refusal(callers.authenticate(wrong));
    };
    await askBoth();
    clock.advance(4_999);
    await askBoth();
    expect(queries).toHaveBeenCalledTimes(2);
    clock.advance(2);
    await askBoth();
    expect(queries).toHaveBeenCalledTimes(4);
  });

  it('feels a revocation by another process within five seconds', async () => {
    const { id: merchantId } = await merchants.create('Shop');
    const { id, key } = await apiKeys.create(merchantId, ['payments:read']);
    await callers.authenticate(key);
    await otherProcess().apiKeys.revoke(merchantId, id);
    clock.advance(5_001);
    expect((await refusal(callers.authenticate(key))).code).toBe('unauthorized');
  });

  it('does not keep the failure of a database that was away', async () => {
    const { key } = await issue();
    queries.mockImplementationOnce((done: (error: Error) => void) => done(new Error('away')));
    await expect(callers.authenticate(key)).rejects.toThrow(StoreUnavailable);
    expect(await callers.authenticate(key)).toBeDefined();
  });

  it('forgets the oldest rather than grow without bound', async () => {
    const query = jest.spyOn(Repository.prototype, 'find').mockResolvedValue([]);
    const bounded = otherProcess();
    // All of them may be of a key without a checksum.
    query.mockResolvedValueOnce([{ prefix: 'po_live_000000000000' }]);
    const keyNumber = (n: number) => `po_live_000000000000_${String(n).padStart(43, '0')}`;
    for (let n = 0; n <= 10_000; n++) await refusal(bounded.callers.authenticate(keyNumber(n)));
    query.mockClear();
    await refusal(bounded.callers.authenticate(keyNumber(10_000)));
    expect(query).not.toHaveBeenCalled();
    await refusal(bounded.callers.authenticate(keyNumber(0)));
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });
});
