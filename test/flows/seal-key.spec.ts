import { shopsWithWindow } from '../support/duplicate-window.js';
import { spawnNode } from '../support/process.js';
import {
  atRest,
  codeOf,
  orderOf,
  paymentOf,
  sealKey,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** Another key reads no token and takes a genuine retry for another request: it is refused at the start. */
describe('the seal key of a database', () => {
  const another = Buffer.alloc(32, 8).toString('base64');
  const inDoubt = orderOf({ first: 'stripe' });
  let stage: TestEnvironment;
  let key: string;
  beforeAll(async () => {
    stage = await TestEnvironment.open();
  });
  afterAll(() => stage.close());

  it('must be given', async () => {
    await expect(stage.start({ env: { PAYONCE_SEAL_KEY: '' } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is missing',
    );
  });

  it('is written down by the first start, and no other is taken after it', async () => {
    await (await stage.start()).stop();
    await expect(stage.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is not the key that this database was written with',
    );
    await (await stage.start()).stop();
  });

  it('is held to what is stored where no start has written it down', async () => {
    const service = await stage.start();
    key = await stage.merchant();
    const shop = new ApiClient(() => service.url, key);
    stage.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
    const reply = await shop.post('/v1/payments', inDoubt, 'in-doubt', { deadlineMs: 500 });
    expect(reply.status).toBe(202);
    await service.stop();
    // As it was stored before values carried the id of their key.
    await stage.sql(`UPDATE payments SET sealed = substr(sealed, 13) WHERE sealed IS NOT NULL`);
    await stage.sql('DELETE FROM seal_key');
    await expect(stage.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is not the key',
    );
    expect(await stage.sql('SELECT key_id FROM seal_key')).toEqual([]);
  });

  it('is changed with the one before beside it: a retry is replayed, and a payment in doubt comes to rest', async () => {
    const before = await stage.start();
    const body = orderOf({ first: 'adyen' });
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', body, 'across');
    await before.stop();
    const after = await stage.start({
      env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey },
    });
    await stage.simulator.clearFaults('stripe');
    const again = await new ApiClient(() => after.url, key).post('/v1/payments', body, 'across');
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(stage.effects(paymentOf(first).id)).toHaveLength(1);
    const shop = new ApiClient(() => after.url, key);
    const rested = await shop.until(() => shop.post('/v1/payments', inDoubt, 'in-doubt'), atRest);
    expect(paymentOf(rested).status).toBe('captured');
    expect(stage.effects(paymentOf(rested).id)).toHaveLength(1);
    await after.stop();
  });

  it('is changed with a payment in doubt, whose tokens still serve at another PSP', async () => {
    const order = { ...orderOf({ first: 'stripe' }), reference: 'failover' };
    stage.simulator.faults('stripe', { fault: 'close_before', on: 'any', rate: 1 });
    const before = await stage.start({ env: { PAYONCE_ROLE: 'api' } });
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', order, 'failover', {
      deadlineMs: 500,
    });
    expect(first.status).toBe(202);
    await before.stop();
    await stage.simulator.clearFaults('stripe');
    stage.simulator.faults('stripe', { fault: 'decline', code: 'try_again_later', on: 'execute', rate: 1 });

    const after = await stage.start({
      env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey, PAYONCE_ROLE: 'api' },
    });
    const shop = new ApiClient(() => after.url, key);
    const rested = await shop.until(() => shop.post('/v1/payments', order, 'failover'), atRest);
    await stage.simulator.clearFaults('stripe');
    expect(paymentOf(rested)).toMatchObject({ status: 'captured', psp: 'adyen' });
    expect(stage.effects(paymentOf(rested).id)).toMatchObject([{ psp: 'adyen', operation: 'charge' }]);
    await after.stop();
  });

  it('is changed process by process: each replays what the other stored, and sees its duplicates', async () => {
    const [old, fresh, unaware] = await Promise.all([
      stage.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } }),
      stage.start({ env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey } }),
      stage.start(),
    ]);
    const [atOld, atFresh, atUnaware] = (await shopsWithWindow(stage, [old, fresh, unaware], 3_600)) as [
      ApiClient,
      ApiClient,
      ApiClient,
    ];
    for (const [reference, writer, reader] of [
      ['rolling-1', atOld, atFresh],
      ['rolling-2', atFresh, atOld],
      ['rolling-3', atUnaware, atFresh],
    ] as const) {
      const body = { ...orderOf(), reference };
      const first = await writer.post('/v1/payments', body, reference);
      const again = await reader.post('/v1/payments', body, reference);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      const changed = await reader.post('/v1/payments', { ...body, amount: 1 }, reference);
      expect([changed.status, codeOf(changed)]).toEqual([422, 'idempotency_key_reused']);
      const doubled = await reader.post('/v1/payments', body, `${reference}-again`);
      expect([doubled.status, codeOf(doubled)]).toEqual([409, 'probable_duplicate']);
      expect(stage.effects(paymentOf(first).id)).toHaveLength(1);
    }
    // One that was left out of the first step cannot tell, and says so; it never asks for a new key.
    const body = { ...orderOf(), reference: 'rolling-4' };
    const first = await atFresh.post('/v1/payments', body, 'rolling-4');
    const again = await atUnaware.post('/v1/payments', body, 'rolling-4');
    expect([again.status, codeOf(again)]).toEqual([409, 'invalid_state']);
    expect(stage.effects(paymentOf(first).id)).toHaveLength(1);
    await Promise.all([old.stop(), fresh.stop(), unaware.stop()]);
  });

  it('has changed when everything is re-encrypted, and the one before is of no use any more', async () => {
    stage.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
    const before = await stage.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } });
    const late = { ...inDoubt, reference: 'late' };
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', late, 'late', {
      deadlineMs: 500,
    });
    expect(first.status).toBe(202);
    await before.stop();

    const rotate = spawnNode('bin/payonce.mjs', {
      args: ['seal-key', 'rotate', '--json'],
      env: {
        DATABASE_URL: stage.database.url,
        PAYONCE_SEAL_KEY: another,
        PAYONCE_SEAL_KEY_PREVIOUS: sealKey,
      },
    });
    expect(await rotate.exit).toMatchObject({ code: 0 });
    expect(JSON.parse(rotate.stdout())).toEqual({ reencrypted: 1 });

    await stage.simulator.clearFaults('stripe');
    await expect(stage.start()).rejects.toThrow('PAYONCE_SEAL_KEY is not the key');
    const alone = await stage.start({ env: { PAYONCE_SEAL_KEY: another } });
    const shop = new ApiClient(() => alone.url, key);
    const rested = await shop.until(
      () => shop.post('/v1/payments', inDoubt, 'in-doubt'),
      () => true,
    );
    // Its fingerprint is under a key that is gone: not replayed, and not said to be another request.
    expect([rested.status, rested.text]).toEqual([409, expect.stringContaining('invalid_state')]);
    await alone.stop();
  });
});
