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
  let environment: TestEnvironment;
  let key: string;
  beforeAll(async () => {
    environment = await TestEnvironment.open();
  });
  afterAll(() => environment.close());

  it('must be given', async () => {
    await expect(environment.start({ env: { PAYONCE_SEAL_KEY: '' } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is missing',
    );
  });

  it('is written down by the first start, and no other is taken after it', async () => {
    await (await environment.start()).stop();
    await expect(environment.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is not the key that this database was written with',
    );
    await (await environment.start()).stop();
  });

  it('is held to what is stored where no start has written it down', async () => {
    const service = await environment.start();
    key = await environment.merchant();
    const client = new ApiClient(() => service.url, key);
    environment.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
    const reply = await client.post('/v1/payments', inDoubt, 'in-doubt', { deadlineMs: 500 });
    expect(reply.status).toBe(202);
    await service.stop();
    // As it was stored before values carried the id of their key.
    await environment.sql(`UPDATE payments SET sealed = substr(sealed, 13) WHERE sealed IS NOT NULL`);
    await environment.sql('DELETE FROM seal_key');
    await expect(environment.start({ env: { PAYONCE_SEAL_KEY: another } })).rejects.toThrow(
      'PAYONCE_SEAL_KEY is not the key',
    );
    expect(await environment.sql('SELECT key_id FROM seal_key')).toEqual([]);
  });

  it('is changed with the one before beside it: a retry is replayed, and a payment in doubt comes to rest', async () => {
    const before = await environment.start();
    const body = orderOf({ first: 'adyen' });
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', body, 'across');
    await before.stop();
    const after = await environment.start({
      env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey },
    });
    await environment.simulator.clearFaults('stripe');
    const again = await new ApiClient(() => after.url, key).post('/v1/payments', body, 'across');
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
    const client = new ApiClient(() => after.url, key);
    const rested = await client.until(() => client.post('/v1/payments', inDoubt, 'in-doubt'), atRest);
    expect(paymentOf(rested).status).toBe('captured');
    expect(environment.effects(paymentOf(rested).id)).toHaveLength(1);
    await after.stop();
  });

  it('is changed with a payment in doubt, whose tokens still serve at another PSP', async () => {
    const order = { ...orderOf({ first: 'stripe' }), reference: 'failover' };
    environment.simulator.faults('stripe', { fault: 'close_before', on: 'any', rate: 1 });
    const before = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', order, 'failover', {
      deadlineMs: 500,
    });
    expect(first.status).toBe(202);
    await before.stop();
    await environment.simulator.clearFaults('stripe');
    environment.simulator.faults('stripe', {
      fault: 'decline',
      code: 'try_again_later',
      on: 'execute',
      rate: 1,
    });

    const after = await environment.start({
      env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey, PAYONCE_ROLE: 'api' },
    });
    const client = new ApiClient(() => after.url, key);
    const rested = await client.until(() => client.post('/v1/payments', order, 'failover'), atRest);
    await environment.simulator.clearFaults('stripe');
    expect(paymentOf(rested)).toMatchObject({ status: 'captured', psp: 'adyen' });
    expect(environment.effects(paymentOf(rested).id)).toMatchObject([{ psp: 'adyen', operation: 'charge' }]);
    await after.stop();
  });

  it('is changed process by process: each replays what the other stored, and sees its duplicates', async () => {
    const [old, fresh, unaware] = await Promise.all([
      environment.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } }),
      environment.start({ env: { PAYONCE_SEAL_KEY: another, PAYONCE_SEAL_KEY_PREVIOUS: sealKey } }),
      environment.start(),
    ]);
    const [atOld, atFresh, atUnaware] = (await shopsWithWindow(
      environment,
      [old, fresh, unaware],
      3_600,
    )) as [ApiClient, ApiClient, ApiClient];
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
      expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
    }
    // One that was left out of the first step cannot tell, and says so; it never asks for a new key.
    const body = { ...orderOf(), reference: 'rolling-4' };
    const first = await atFresh.post('/v1/payments', body, 'rolling-4');
    const again = await atUnaware.post('/v1/payments', body, 'rolling-4');
    expect([again.status, codeOf(again)]).toEqual([409, 'invalid_state']);
    expect(environment.effects(paymentOf(first).id)).toHaveLength(1);
    await Promise.all([old.stop(), fresh.stop(), unaware.stop()]);
  });

  it('has changed when everything is re-encrypted, and the one before is of no use any more', async () => {
    environment.simulator.faults('stripe', { fault: 'reset_after', on: 'any', rate: 1 });
    const before = await environment.start({ env: { PAYONCE_SEAL_KEY_PREVIOUS: another } });
    const late = { ...inDoubt, reference: 'late' };
    const first = await new ApiClient(() => before.url, key).post('/v1/payments', late, 'late', {
      deadlineMs: 500,
    });
    expect(first.status).toBe(202);
    await before.stop();

    const rotate = spawnNode('bin/payonce.mjs', {
      args: ['seal-key', 'rotate', '--json'],
      env: {
        DATABASE_URL: environment.database.url,
        PAYONCE_SEAL_KEY: another,
        PAYONCE_SEAL_KEY_PREVIOUS: sealKey,
      },
    });
    expect(await rotate.exit).toMatchObject({ code: 0 });
    expect(JSON.parse(rotate.stdout())).toEqual({ reencrypted: 1 });

    await environment.simulator.clearFaults('stripe');
    await expect(environment.start()).rejects.toThrow('PAYONCE_SEAL_KEY is not the key');
    const alone = await environment.start({ env: { PAYONCE_SEAL_KEY: another } });
    const client = new ApiClient(() => alone.url, key);
    const rested = await client.until(
      () => client.post('/v1/payments', inDoubt, 'in-doubt'),
      () => true,
    );
    // Its fingerprint is under a key that is gone: not replayed, and not said to be another request.
    expect([rested.status, rested.text]).toEqual([409, expect.stringContaining('invalid_state')]);
    await alone.stop();
  });
});
